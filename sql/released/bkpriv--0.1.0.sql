\echo Use "CREATE EXTENSION bkpriv" to load this file. \quit

-- Session: how PL/Python finds the packages. The path is baked in when the extension is built; no
-- setting, table or environment variable changes it.

DO $$
BEGIN
    -- CREATE EXTENSION takes a schema that is there already. Its owner could put functions into it
    -- that are called in place of ours.
    IF NOT (SELECT r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'bkpriv') THEN
        RAISE EXCEPTION 'schema bkpriv exists and does not belong to a superuser'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'Its owner could change what the extension''s functions do.',
                  HINT = 'Drop or rename it first.';
    END IF;
END $$;
REVOKE ALL ON SCHEMA bkpriv FROM PUBLIC;
COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';

CREATE FUNCTION bkpriv._python_path() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@PYTHON_PATH@' $$;
REVOKE ALL ON FUNCTION bkpriv._python_path() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._python_path() IS
    'Directory of the Python packages, fixed when the extension was built';

CREATE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '0.1.0' $$;
REVOKE ALL ON FUNCTION bkpriv.version() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';

CREATE FUNCTION bkpriv._bootstrap() RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
import sys; path = plpy.execute("SELECT bkpriv._python_path() AS path")[0]["path"]; sys.path.insert(0, path)
import bkpriv_pl.session; GD["bkpriv"] = bkpriv_pl.session.start(path)
$$;
REVOKE ALL ON FUNCTION bkpriv._bootstrap() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._bootstrap() IS
    'Loads the Python packages, once in a session; the other functions call it';

-- Access: whose datasets, releases and audits a role may see. A dataset belongs to the role that
-- registered it and to that role's members; an auditor sees every release. What makes a role an
-- auditor is the right to execute _auditor(), so that it is granted, dumped and revoked like any
-- other privilege.

CREATE FUNCTION bkpriv._auditor() RETURNS void
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT $$;
REVOKE ALL ON FUNCTION bkpriv._auditor() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._auditor() IS
    'Does nothing; a role that may execute it sees every release (grant_auditor)';

CREATE FUNCTION bkpriv._owns(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = owner AND pg_has_role(oid, 'MEMBER')) $$;
REVOKE ALL ON FUNCTION bkpriv._owns(text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._owns(text) IS 'Whether the current user is the role or a member of it';

CREATE FUNCTION bkpriv._sees(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT has_function_privilege('bkpriv._auditor()', 'EXECUTE') OR bkpriv._owns(owner) $$;
REVOKE ALL ON FUNCTION bkpriv._sees(text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._sees(text) IS
    'Whether the current user may see what belongs to the role';

-- Dataset: which table is published from, and which of its columns are what.

CREATE TABLE bkpriv.dataset (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    source_schema text NOT NULL,
    source_name text NOT NULL,
    quasi_identifiers text[] NOT NULL CHECK (cardinality(quasi_identifiers) > 0),
    sensitive text NOT NULL CHECK (sensitive <> ALL (quasi_identifiers)),
    respondent text,
    period text,
    registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE bkpriv.dataset IS 'Tables that may be published from, by schema and name';
ALTER TABLE bkpriv.dataset ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.dataset FOR SELECT USING (bkpriv._sees(owner));
CREATE POLICY register ON bkpriv.dataset FOR INSERT WITH CHECK (owner = current_user);
CREATE POLICY touch ON bkpriv.dataset FOR UPDATE USING (bkpriv._owns(owner));
CREATE POLICY forget ON bkpriv.dataset FOR DELETE USING (bkpriv._owns(owner));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.dataset', '');

-- No foreign key: a parallel restore fills the tables in any order.
CREATE TABLE bkpriv.hierarchy (
    dataset text NOT NULL,
    attribute text NOT NULL,
    levels text[],
    widths numeric[],
    origin numeric,
    PRIMARY KEY (dataset, attribute),
    CHECK ((levels IS NULL) <> (widths IS NULL)),
    CHECK ((widths IS NULL) = (origin IS NULL))
);
COMMENT ON TABLE bkpriv.hierarchy IS
    'Generalization hierarchies: rows of labels from leaf to root, or widths of nested intervals';
ALTER TABLE bkpriv.hierarchy ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.hierarchy FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
CREATE POLICY change ON bkpriv.hierarchy
    USING (dataset IN (SELECT name FROM bkpriv.dataset WHERE bkpriv._owns(owner)));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.hierarchy', '');

CREATE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text,
    respondent text DEFAULT NULL, period text DEFAULT NULL
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, sensitive, respondent, period)
$$;
REVOKE ALL ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text) IS
    'Declares a table as a dataset: its quasi-identifiers, sensitive column and, for serial releases, respondent and period columns';

CREATE FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
GD["bkpriv"].dataset.set_hierarchy(dataset, attribute, levels)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) IS
    'Gives an attribute a generalization hierarchy, read from a table whose columns are, in order, value, coarser, ..., root';

CREATE FUNCTION bkpriv.set_interval_hierarchy(
    dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
GD["bkpriv"].dataset.set_interval_hierarchy(dataset, attribute, widths, origin)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) IS
    'Gives a numeric attribute nested intervals of rising widths, counted from the origin, for methods that generalize whole columns; mondrian publishes ranges of its own';

CREATE FUNCTION bkpriv.drop_dataset(dataset text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
GD["bkpriv"].dataset.drop(dataset)
$$;
REVOKE ALL ON FUNCTION bkpriv.drop_dataset(text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.drop_dataset(text) IS
    'Forgets a dataset whose releases are all withdrawn; their history stays';

-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE TABLE bkpriv.policy (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    requirements jsonb NOT NULL CHECK (jsonb_typeof(requirements) = 'object'),
    set_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE bkpriv.policy IS 'Named privacy requirements';
ALTER TABLE bkpriv.policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (true);
CREATE POLICY state ON bkpriv.policy FOR INSERT WITH CHECK (owner = current_user);
CREATE POLICY change ON bkpriv.policy FOR UPDATE USING (bkpriv._owns(owner));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.policy', '');

CREATE FUNCTION bkpriv.set_policy(name text, requirements jsonb) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].policy.set_policy(name, requirements)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_policy(text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_policy(text, jsonb) IS
    'States requirements under a name, or states them anew; releases already made keep theirs';

-- History: what was released, what it was made from, what became of it, and what audits found.
-- Append-only: guard triggers refuse UPDATE, DELETE and TRUNCATE, to everyone. What happens to a
-- release later is an event beside it, so a release's own row never changes.
--
-- The tables have no foreign keys: a parallel restore fills them in any order. Row-level security lets
-- nobody append to a release that is not there.

CREATE SEQUENCE bkpriv.release_id;
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_id', '');

CREATE TABLE bkpriv.release (
    release bigint PRIMARY KEY DEFAULT nextval('bkpriv.release_id'),
    dataset text NOT NULL,
    owner text NOT NULL,
    version int NOT NULL CHECK (version > 0),
    source_schema text NOT NULL,
    source_name text NOT NULL,
    view_schema text NOT NULL,
    view_name text NOT NULL,
    method text NOT NULL,
    policy text NOT NULL,
    requirements jsonb NOT NULL,
    options jsonb NOT NULL,
    period text,
    records bigint NOT NULL CHECK (records > 0),
    suppressed bigint NOT NULL CHECK (suppressed BETWEEN 0 AND records),
    groups int NOT NULL CHECK (groups >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT current_user,
    UNIQUE (dataset, owner, version)
);
COMMENT ON TABLE bkpriv.release IS 'Releases; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release', '');

CREATE TABLE bkpriv.release_attribute (
    release bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    attribute text NOT NULL,
    labels text[] NOT NULL,
    positions float8[] CHECK (cardinality(positions) = cardinality(labels)),
    levels text[] CHECK (levels IS NULL OR positions IS NULL),
    type text NOT NULL,
    widths numeric[] CHECK (widths IS NULL OR positions IS NOT NULL),
    origin numeric CHECK ((origin IS NULL) = (widths IS NULL)),
    level int CHECK (level >= 0),
    PRIMARY KEY (release, place)
);
COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies, intervals (in the unit of positions) and types as they were at the release, and the level to which a method generalized the whole column; the last attribute is the sensitive one; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_attribute', '');

CREATE TABLE bkpriv.release_content (
    release bigint PRIMARY KEY,
    codes int[] NOT NULL,
    group_ids int[] NOT NULL,
    cells int[] NOT NULL,
    sensitive_codes int[] NOT NULL CHECK (cardinality(sensitive_codes) = cardinality(cells)),
    counts bigint[] NOT NULL CHECK (cardinality(counts) = cardinality(cells)),
    CHECK (cardinality(codes) % cardinality(group_ids) = 0)
);
COMMENT ON TABLE bkpriv.release_content IS
    'Cells of the source at the release: quasi-identifier codes cell by cell, the group of each cell (-1: suppressed), and how many records each cell has with each sensitive value; a cell whose records lie in several groups recurs, once for each; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_content', '');

CREATE TABLE bkpriv.release_respondent (
    release bigint PRIMARY KEY,
    respondents text[] NOT NULL,
    group_ids int[] NOT NULL CHECK (cardinality(group_ids) = cardinality(respondents))
);
COMMENT ON TABLE bkpriv.release_respondent IS
    'Of datasets that declare a respondent column: who was published in which group (-1: suppressed), in the order of names; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_respondent', '');

CREATE SEQUENCE bkpriv.release_event_id;
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_event_id', '');

CREATE TABLE bkpriv.release_event (
    event bigint PRIMARY KEY DEFAULT nextval('bkpriv.release_event_id'),
    release bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('stale', 'superseded', 'withdrawn')),
    reason text NOT NULL CHECK (reason <> ''),
    at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL DEFAULT current_user
);
CREATE INDEX ON bkpriv.release_event (release);
COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_event', '');

CREATE SEQUENCE bkpriv.audit_id;
SELECT pg_catalog.pg_extension_config_dump('bkpriv.audit_id', '');

CREATE TABLE bkpriv.audit_record (
    audit bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    release bigint NOT NULL,
    requirement text NOT NULL,
    parameters jsonb NOT NULL,
    threshold float8 NOT NULL,
    worst float8,
    mean float8,
    vulnerable bigint CHECK (vulnerable >= 0),
    -- A bound on the error of queries has no vulnerable records.
    satisfied boolean NOT NULL CHECK (satisfied = (vulnerable = 0)),
    CHECK (vulnerable IS NOT NULL OR requirement = 'query_error'),
    estimator text NOT NULL,
    audited_at timestamptz NOT NULL DEFAULT now(),
    audited_by text NOT NULL DEFAULT current_user,
    PRIMARY KEY (audit, place)
);
CREATE INDEX ON bkpriv.audit_record (release);
COMMENT ON TABLE bkpriv.audit_record IS 'What audits found, one row per bound; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.audit_record', '');

CREATE FUNCTION bkpriv._guard() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = CASE TG_TABLE_SCHEMA WHEN 'bkpriv' THEN 'The history of releases is append-only.'
                            ELSE 'A release is a frozen snapshot.' END,
              HINT = 'Publish again, or withdraw the release with bkpriv.withdraw(release, reason).';
END $$;
REVOKE ALL ON FUNCTION bkpriv._guard() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._guard() IS 'Trigger that refuses to change history and release tables';

DO $$
DECLARE
    history text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_attribute', 'release_content', 'release_respondent', 'release_event',
                                  'audit_record'] LOOP
        EXECUTE format('CREATE TRIGGER guard BEFORE UPDATE OR DELETE OR TRUNCATE ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard()', history);
        EXECUTE format('ALTER TABLE bkpriv.%I ENABLE ROW LEVEL SECURITY', history);
    END LOOP;
END $$;

CREATE POLICY see ON bkpriv.release FOR SELECT USING (bkpriv._sees(owner));
-- An id must be the one that its sequence has just given to this session: nobody takes another's.
CREATE POLICY append ON bkpriv.release FOR INSERT
    WITH CHECK (bkpriv._owns(owner) AND created_by = current_user AND created_at = now()
                AND release = currval('bkpriv.release_id'));
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_attribute FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv._owns(r.owner)));
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_content FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv._owns(r.owner)));
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_respondent FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv._owns(r.owner)));
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_event FOR INSERT
    WITH CHECK (by = current_user AND at = now() AND event = currval('bkpriv.release_event_id')
                AND release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv._owns(r.owner)));
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.audit_record FOR INSERT
    WITH CHECK (audited_by = current_user AND audited_at = now() AND audit = currval('bkpriv.audit_id')
                AND release IN (SELECT release FROM bkpriv.release));

-- Staleness. Before it commits, a publication locks the source against writers and looks once more
-- whether the source is as it was read; if writers do not finish soon, it calls itself stale. So no
-- change slips between reading and publishing. A writer whose snapshot is too old to show it a
-- release cannot mark that release; it fails to serialize instead, on the dataset's row, which every
-- publication writes anew.

CREATE FUNCTION bkpriv._mark_stale() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        PERFORM FROM bkpriv.dataset
            WHERE name = TG_ARGV[0] AND TG_RELID IN (SELECT * FROM bkpriv._written_tables(source_schema, source_name))
            FOR SHARE;
    END IF;
    INSERT INTO bkpriv.release_event (release, kind, reason, by)
    SELECT r.release, 'stale', format('%s on %I.%I', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME), session_user
    FROM bkpriv.dataset d JOIN bkpriv.release r ON r.dataset = d.name AND r.owner = d.owner
    WHERE d.name = TG_ARGV[0]
        AND TG_RELID IN (SELECT * FROM bkpriv._written_tables(d.source_schema, d.source_name))
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e
                        WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'));
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION bkpriv._mark_stale() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._mark_stale() IS
    'Statement trigger on a source: marks the releases made from it as stale';

CREATE FUNCTION bkpriv._written_tables(source_schema text, source_name text) RETURNS SETOF oid
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE family AS (
        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = source_schema AND c.relname = source_name
        UNION
        SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
    ), named AS (
        SELECT oid FROM family
        UNION
        SELECT i.inhparent FROM pg_inherits i JOIN named w ON i.inhrelid = w.oid
    )
    SELECT oid FROM named
$$;
REVOKE ALL ON FUNCTION bkpriv._written_tables(text, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._written_tables(text, text) IS
    'A source with its partitions and children, and the parents of all these: whatever a write to it may name';

CREATE FUNCTION bkpriv._stale_trigger(dataset text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'bkpriv_stale_' || md5(dataset) $$;
REVOKE ALL ON FUNCTION bkpriv._stale_trigger(text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._stale_trigger(text) IS 'Name of the trigger that marks a dataset''s releases as stale';

CREATE FUNCTION bkpriv._tracked(dataset text, source_schema text, source_name text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT coalesce(bool_and(EXISTS (
        SELECT FROM pg_trigger t
        WHERE t.tgrelid = w AND t.tgname = bkpriv._stale_trigger(dataset)
            -- Nothing else under its name: on every statement that writes, always, for this dataset.
            AND t.tgfoid = 'bkpriv._mark_stale()'::regprocedure AND t.tgtype = 4 + 8 + 16 + 32
            AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = ''
            AND t.tgargs = convert_to(dataset, getdatabaseencoding()) || decode('00', 'hex'))), false)
    FROM bkpriv._written_tables(source_schema, source_name) AS w
$$;
REVOKE ALL ON FUNCTION bkpriv._tracked(text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._tracked(text, text, text) IS
    'Whether every table that a write to the source may name marks releases as stale';

CREATE FUNCTION bkpriv._hold_writers(new_release bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    made bkpriv.release;
BEGIN
    SELECT * INTO STRICT made FROM bkpriv.release WHERE release = new_release AND created_at = now();
    -- Only a source that carries the dataset's trigger, which its owner must have allowed, and only for
    -- the owner of that dataset: a release's own row says what its publisher likes.
    IF NOT EXISTS (SELECT FROM bkpriv.dataset d
                   WHERE (d.name, d.owner, d.source_schema, d.source_name)
                       = (made.dataset, made.owner, made.source_schema, made.source_name))
        OR NOT bkpriv._tracked(made.dataset, made.source_schema, made.source_name) THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I.%I IN SHARE MODE NOWAIT', made.source_schema, made.source_name);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
REVOKE ALL ON FUNCTION bkpriv._hold_writers(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._hold_writers(bigint) IS
    'Locks the source of a release of this transaction against writers, unless one is at work';

CREATE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn THEN 'withdrawn' WHEN e.superseded THEN 'superseded' ELSE 'published' END AS status,
    CASE WHEN e.stale THEN true
         WHEN bkpriv._tracked(r.dataset, r.source_schema, r.source_name) THEN false END AS stale,
    r.created_at, r.created_by, r.requirements, r.options, e.reason
FROM bkpriv.release r
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(kind = 'withdrawn'), false) AS withdrawn,
        coalesce(bool_or(kind = 'superseded'), false) AS superseded,
        coalesce(bool_or(kind = 'stale'), false) AS stale,
        (array_agg(reason ORDER BY event DESC))[1] AS reason
    FROM bkpriv.release_event WHERE release = r.release
) AS e
WHERE bkpriv._sees(r.owner);
COMMENT ON VIEW bkpriv.releases IS
    'Releases the current user may see; stale is NULL where the source cannot be watched: unknown';

CREATE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement, a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE bkpriv._sees(r.owner);
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';

-- Publication: frozen release tables, and the views that show them. Release tables belong to the
-- extension's owner and are made, sealed and removed by three tiny SECURITY DEFINER functions, each
-- of which acts only on a release that the caller's transaction has just recorded in the history
-- (which row-level security lets only the dataset's owner do).

CREATE SCHEMA bkpriv_release;
REVOKE ALL ON SCHEMA bkpriv_release FROM PUBLIC;
COMMENT ON SCHEMA bkpriv_release IS 'Frozen release tables of bkpriv, read through the published views';

CREATE FUNCTION bkpriv._release_table(release bigint, part text DEFAULT 'records') RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'release_' || release || CASE part WHEN 'records' THEN '' WHEN 'sensitive' THEN '_sensitive' END $$;
REVOKE ALL ON FUNCTION bkpriv._release_table(bigint, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._release_table(bigint, text) IS
    'Name in bkpriv_release of a release''s table of records, or of the sensitive values of its groups';

CREATE FUNCTION bkpriv._release_tables(release bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = 'bkpriv_release'::regnamespace
        AND c.relname IN (bkpriv._release_table(release, 'records'), bkpriv._release_table(release, 'sensitive'))
$$;
REVOKE ALL ON FUNCTION bkpriv._release_tables(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._release_tables(bigint) IS 'The tables of a release that exist';

CREATE FUNCTION bkpriv._create_release_table(
    new_release bigint, columns text[], types regtype[], part text DEFAULT 'records'
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    release_table text := bkpriv._release_table(new_release, part);
BEGIN
    SELECT created_by INTO STRICT publisher FROM bkpriv.release WHERE release = new_release AND created_at = now();
    -- ANALYZE runs a type's own functions as the table's owner, so a user's type must have none.
    IF EXISTS (SELECT FROM unnest(types) AS t JOIN pg_type p ON p.oid = t
               WHERE p.typnamespace <> 'pg_catalog'::regnamespace AND p.typtype <> 'e') THEN
        RAISE EXCEPTION 'a release table holds built-in types and enumerations only'
            USING ERRCODE = 'feature_not_supported', DETAIL = format('The types are %s.', types),
                  HINT = 'Publish the column as text.';
    END IF;
    EXECUTE (
        SELECT format('CREATE TABLE bkpriv_release.%I (%s)', release_table,
                      string_agg(format('%I %s', c.name, format_type(c.type, -1)), ', ' ORDER BY c.place))
        FROM unnest(columns, types) WITH ORDINALITY AS c(name, type, place));
    EXECUTE format('GRANT INSERT ON bkpriv_release.%I TO %I', release_table, publisher);
END $$;
REVOKE ALL ON FUNCTION bkpriv._create_release_table(bigint, text[], regtype[], text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._create_release_table(bigint, text[], regtype[], text) IS
    'Makes a table of a release of this transaction, for its publisher to fill';

CREATE FUNCTION bkpriv._seal_release_tables(new_release bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    dataset_owner text;
    release_table text;
BEGIN
    SELECT created_by, owner INTO STRICT publisher, dataset_owner
        FROM bkpriv.release WHERE release = new_release AND created_at = now();
    FOR release_table IN SELECT * FROM bkpriv._release_tables(new_release) LOOP
        EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON bkpriv_release.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv._guard()', release_table);
        EXECUTE format('REVOKE INSERT ON bkpriv_release.%I FROM %I', release_table, publisher);
        -- The view belongs to the one or the other: a superuser may publish for the dataset's owner.
        EXECUTE format('GRANT SELECT ON bkpriv_release.%I TO %I, %I', release_table, publisher, dataset_owner);
        EXECUTE format('ANALYZE bkpriv_release.%I', release_table);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION bkpriv._seal_release_tables(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._seal_release_tables(bigint) IS
    'Freezes the tables of a release of this transaction; its publisher and the dataset''s owner may then only read them';

CREATE FUNCTION bkpriv._drop_release_tables(old_release bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    release_table text;
BEGIN
    PERFORM FROM bkpriv.release_event
        WHERE release = old_release AND kind = 'withdrawn' AND at = now();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'release % was not withdrawn in this transaction', old_release
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call bkpriv.withdraw(release, reason).';
    END IF;
    FOR release_table IN SELECT * FROM bkpriv._release_tables(old_release) LOOP
        -- Anybody who may look into the schema can make a view of a table, though not read it.
        EXECUTE format('DROP TABLE bkpriv_release.%I CASCADE', release_table);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION bkpriv._drop_release_tables(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._drop_release_tables(bigint) IS
    'Removes the tables of a release that this transaction has withdrawn';

CREATE FUNCTION bkpriv.publish(
    dataset text, policy text, view_name text, method text DEFAULT 'mondrian',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
) RETURNS bigint
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].publication.publish(dataset, policy, view_name, method, period, options, view_schema)
$$;
REVOKE ALL ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) IS
    'Publishes a dataset under a policy as a view over a frozen release, certified before it is visible; methods bucketize and anatomy, which publish exact quasi-identifiers, make a second one, view_name_sensitive (anatomy needs l_diversity in the policy); publishing under the same view name again moves the views';

CREATE FUNCTION bkpriv.withdraw(release bigint, reason text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
GD["bkpriv"].publication.withdraw(release, reason)
$$;
REVOKE ALL ON FUNCTION bkpriv.withdraw(bigint, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.withdraw(bigint, text) IS
    'Removes a release''s data and, where they show this release, its views; the history stays';

-- Lattice: the nodes of full-domain generalization, which method incognito chooses from.

CREATE FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb DEFAULT '{}')
    RETURNS TABLE (levels jsonb, safe boolean, minimal boolean, chosen boolean, measured boolean, suppressed bigint,
                   discernibility float8, average_class_size float8, gcp float8, kl float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].lattice.lattice(dataset, policy, options)
$$;
REVOKE ALL ON FUNCTION bkpriv.lattice(text, text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.lattice(text, text, jsonb) IS
    'Every combination of generalization levels: whether it is safe under the policy, minimal among the safe ones, and the one that publish with method incognito and the same options would choose; whether groups were measured or it followed from other nodes; what a safe one suppresses and costs, and what a minimal one loses in bits (kl)';

-- Disclosure: what adversaries believe before and after a release, and whether it keeps its bounds.
-- Functions that start with _ hand back one array element per cell, a row of beliefs as the text of
-- an array; those without turn them into rows.

CREATE FUNCTION bkpriv._prior(
    dataset text, bandwidth jsonb, OUT qi text[], OUT probabilities text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].disclosure.prior(dataset, bandwidth)
$$;
REVOKE ALL ON FUNCTION bkpriv._prior(text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._prior(text, jsonb) IS 'Arrays of prior()';

CREATE FUNCTION bkpriv.prior(dataset text, bandwidth jsonb)
    RETURNS TABLE (qi jsonb, sensitive text, probability float8)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.qi::jsonb, v.label, v.probability
    FROM bkpriv._prior(dataset, bandwidth) f
    CROSS JOIN LATERAL unnest(f.qi, f.probabilities) AS c(qi, probabilities)
    CROSS JOIN LATERAL unnest(f.sensitive, c.probabilities::float8[]) AS v(label, probability)
$$;
REVOKE ALL ON FUNCTION bkpriv.prior(text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.prior(text, jsonb) IS
    'What an adversary believes about each cell of a dataset''s source before any release; bandwidth: a number, one for each quasi-identifier, {"kernel": "uniform"}, or {"table": "schema.prior"}; exact';

CREATE FUNCTION bkpriv._posterior(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[],
    OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].disclosure.posterior(release, bandwidth, estimator)
$$;
REVOKE ALL ON FUNCTION bkpriv._posterior(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._posterior(bigint, jsonb, text) IS 'Arrays of posterior()';

CREATE FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, prior float8, posterior float8, estimator_used text)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.group_id, c.qi::jsonb, v.label, v.prior, v.posterior, c.estimated
    FROM bkpriv._posterior(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.priors, f.posteriors, f.estimated)
        AS c(group_id, qi, priors, posteriors, estimated)
    CROSS JOIN LATERAL unnest(f.sensitive, c.priors::float8[], c.posteriors::float8[])
        AS v(label, prior, posterior)
$$;
REVOKE ALL ON FUNCTION bkpriv.posterior(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.posterior(bigint, jsonb, text) IS
    'What an adversary believes about each published cell before and after a release; bandwidth as in prior(); estimator_used says where it is exact';

CREATE FUNCTION bkpriv._disclosure(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[], OUT records bigint[],
    OUT disclosure float8[], OUT estimated text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].disclosure.disclosure(release, bandwidth, estimator)
$$;
REVOKE ALL ON FUNCTION bkpriv._disclosure(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._disclosure(bigint, jsonb, text) IS 'Arrays of disclosure()';

CREATE FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, records bigint, disclosure float8, estimator_used text)
    LANGUAGE sql STABLE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT u.group_id, u.qi::jsonb, u.records, u.disclosure, u.estimated
    FROM bkpriv._disclosure(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.records, f.disclosure, f.estimated)
        AS u(group_id, qi, records, disclosure, estimated)
$$;
REVOKE ALL ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) IS
    'How far a release moves an adversary''s belief about each published cell, in bits from 0 to 1; bandwidth as in prior(); estimator_used says where it is exact';

CREATE FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, records bigint, qi jsonb, disclosure float8, sensitive text, prior float8,
                   posterior float8, estimator_used text)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].disclosure.explain_disclosure(release, bandwidth, estimator)
$$;
REVOKE ALL ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) IS
    'For each group, the worst first: about whose records an adversary learns most, and of which value the belief moved most; bandwidth as in prior()';

CREATE FUNCTION bkpriv.audit(release bigint, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto')
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].audit.audit(release, requirements, estimator)
$$;
REVOKE ALL ON FUNCTION bkpriv.audit(bigint, jsonb, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.audit(bigint, jsonb, text) IS
    'Measures a release against requirements, by default those of its policy, and records what it found; says which group is worst, its records, and the value at fault: its share in the table and the group, or the belief before and after about the records of worst_qi';

-- Implication: what a release discloses at worst to whoever knows k pieces of anything, and what it
-- discloses under knowledge that is stated.

CREATE FUNCTION bkpriv.max_disclosure(release bigint, k int, language text DEFAULT 'implications')
    RETURNS TABLE (k int, disclosure float8, witness jsonb, target jsonb)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].implication.max_disclosure(*args)
$$;
REVOKE ALL ON FUNCTION bkpriv.max_disclosure(bigint, int, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.max_disclosure(bigint, int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications (or negations), with knowledge that attains it, as disclosure_given takes it, and what it discloses; exact up to rounding';

CREATE FUNCTION bkpriv._disclosure_given(
    release bigint, knowledge jsonb, OUT respondent text[], OUT group_id int[], OUT qi text[], OUT person int[],
    OUT place int[], OUT beliefs text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].implication.disclosure_given(release, knowledge)
$$;
REVOKE ALL ON FUNCTION bkpriv._disclosure_given(bigint, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._disclosure_given(bigint, jsonb) IS
    'Arrays of disclosure_given(): persons, and for each the place of its row of beliefs';

CREATE FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb)
    RETURNS TABLE (respondent text, sensitive text, probability float8, group_id int, qi jsonb, person int)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT p.respondent, v.label, v.probability, p.group_id, p.qi::jsonb, p.person
    FROM bkpriv._disclosure_given(release, knowledge) f
    CROSS JOIN LATERAL unnest(f.respondent, f.group_id, f.qi, f.person, f.place)
        AS p(respondent, group_id, qi, person, place)
    JOIN LATERAL (
        SELECT b.place, u.label, u.probability
        FROM unnest(f.beliefs) WITH ORDINALITY AS b(shares, place)
        CROSS JOIN LATERAL unnest(f.sensitive, b.shares::float8[]) AS u(label, probability)
    ) AS v ON v.place = p.place
$$;
REVOKE ALL ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) IS
    'Exact probability of every person''s having every value, for who knows groups and members, and that the implications hold: [{"if": [atom, ...], "then": [atom, ...]}, {"not": atom}], an atom being {"respondent": "7", "value": "flu"}, or, where the dataset declares no respondents, {"group": 3, "qi": {...}, "person": 1, "value": "flu"}; person is NULL for all others of that cell in that group';

-- Utility: what a release costs the analyst.

CREATE FUNCTION bkpriv.utility(release bigint) RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].utility.utility(release)
$$;
REVOKE ALL ON FUNCTION bkpriv.utility(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.utility(bigint) IS
    'Utility of a release: discernibility, average class size, global certainty penalty, suppressed share; KL (bits), chi-square and L2 divergence of the joint distribution that it leaves from the original one, Infinity where the release rules out what occurs';

-- Query: how far counts from a release are from those of its source. Queries are parsed, never run.

CREATE FUNCTION bkpriv.query_accuracy(release bigint, query text)
    RETURNS TABLE (key jsonb, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].query.query_accuracy(release, query)
$$;
REVOKE ALL ON FUNCTION bkpriv.query_accuracy(bigint, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.query_accuracy(bigint, text) IS
    'Counts that a query asks for, SELECT count(*) FROM dataset WHERE ... GROUP BY ..., in the source as it was when the release was made, and as a reader of the release estimates them; the error is NULL where nothing is counted';

CREATE FUNCTION bkpriv.query_workload(
    release bigint, queries int, dimensions int, selectivity float8, seed bigint DEFAULT NULL
)
    RETURNS TABLE (query text, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].query.query_workload(release, queries, dimensions, selectivity, seed)
$$;
REVOKE ALL ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) IS
    'Random queries on so many quasi-identifiers and the sensitive attribute, which together ask for a share of all combinations of values (selectivity), answered as by query_accuracy; a seed repeats them';

CREATE FUNCTION bkpriv.rewrite_query(release bigint, query text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    SET datestyle = 'ISO, YMD' SET intervalstyle = 'iso_8601' SET timezone = 'UTC' SET extra_float_digits = 1
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].query.rewrite_query(release, query)
$$;
REVOKE ALL ON FUNCTION bkpriv.rewrite_query(bigint, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.rewrite_query(bigint, text) IS
    'The estimate of query_accuracy as SQL over the published views alone, for their readers to run; with GROUP BY, keys and estimates';

CREATE FUNCTION bkpriv.association(release bigint)
    RETURNS TABLE (attribute text, other text, original float8, released float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].query.association(release)
$$;
REVOKE ALL ON FUNCTION bkpriv.association(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.association(bigint) IS
    'Uncertainty coefficients U(attribute | other), the share of its entropy that knowing the other takes away, in the source and as the release leaves them; NULL for an attribute with one value';

-- Calculators: the mathematics on plain arrays, for checking by hand. They read no table.

CREATE FUNCTION bkpriv.exact_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.exact_posterior(prior, counts)
$$;
REVOKE ALL ON FUNCTION bkpriv.exact_posterior(float8[], int[]) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.exact_posterior(float8[], int[]) IS
    'Exact posterior of a group: prior is records x values, counts how often each value occurs';

CREATE FUNCTION bkpriv.bethe_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.bethe_posterior(prior, counts)
$$;
REVOKE ALL ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) IS
    'Bethe estimate of a group''s posterior, neither bound; an error where belief propagation does not converge';

CREATE FUNCTION bkpriv.omega_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.omega_posterior(prior, counts)
$$;
REVOKE ALL ON FUNCTION bkpriv.omega_posterior(float8[], int[]) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.omega_posterior(float8[], int[]) IS
    'Omega-estimate of a group''s posterior; it may understate what an adversary learns';

CREATE FUNCTION bkpriv.js_divergence(p float8[], q float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.js_divergence(p, q)
$$;
REVOKE ALL ON FUNCTION bkpriv.js_divergence(float8[], float8[]) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.js_divergence(float8[], float8[]) IS
    'Jensen-Shannon divergence of two distributions, in bits';

CREATE FUNCTION bkpriv.emd(p float8[], q float8[], ground float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.emd(p, q, ground)
$$;
REVOKE ALL ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) IS
    'Earth mover''s distance of two distributions under a matrix of ground distances';

CREATE FUNCTION bkpriv.smoothed_distance(p float8[], q float8[], ground float8[], bandwidth float8) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.smoothed_distance(p, q, ground, bandwidth)
$$;
REVOKE ALL ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8) IS
    'Jensen-Shannon divergence after both distributions are smoothed over the ground distances, in bits';

CREATE FUNCTION bkpriv.worst_case(histograms int[], k int, language text DEFAULT 'implications') RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].calculator.worst_case(histograms, k, language)
$$;
REVOKE ALL ON FUNCTION bkpriv.worst_case(int[], int, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.worst_case(int[], int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications (or negations) about buckets, one row of counts for each; exact up to rounding';

-- Doctor: whether the installation is sound.

CREATE FUNCTION bkpriv.doctor() RETURNS TABLE (check_name text, ok boolean, detail text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv._bootstrap()")
return GD["bkpriv"].doctor.doctor()
$$;
REVOKE ALL ON FUNCTION bkpriv.doctor() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.doctor() IS
    'Checks versions, paths, permissions and guards of the installation';

-- Privilege: what the two jobs need. Nothing is granted to PUBLIC. A grant shows in a dump like any
-- other; take one back with REVOKE ALL ON ALL TABLES/FUNCTIONS/SEQUENCES IN SCHEMA bkpriv.

CREATE FUNCTION bkpriv._grant_reading(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv TO %s', role);
    EXECUTE format('GRANT SELECT ON bkpriv.dataset, bkpriv.hierarchy, bkpriv.policy, bkpriv.release, '
                   'bkpriv.release_attribute, bkpriv.release_content, bkpriv.release_respondent, bkpriv.release_event, '
                   'bkpriv.audit_record, bkpriv.releases, bkpriv.audits TO %s', role);
    EXECUTE format('GRANT INSERT ON bkpriv.audit_record TO %s', role);
    EXECUTE format('GRANT USAGE ON SEQUENCE bkpriv.audit_id TO %s', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv._bootstrap(), bkpriv._python_path(), bkpriv.version(), '
                   'bkpriv._owns(text), bkpriv._sees(text), bkpriv._tracked(text, text, text), '
                   'bkpriv._written_tables(text, text), bkpriv._stale_trigger(text), '
                   'bkpriv._release_table(bigint, text), '
                   'bkpriv._prior(text, jsonb), bkpriv.prior(text, jsonb), '
                   'bkpriv._posterior(bigint, jsonb, text), bkpriv.posterior(bigint, jsonb, text), '
                   'bkpriv._disclosure(bigint, jsonb, text), bkpriv.disclosure(bigint, jsonb, text), '
                   'bkpriv.explain_disclosure(bigint, jsonb, text), '
                   'bkpriv.lattice(text, text, jsonb), bkpriv.max_disclosure(bigint, int, text), '
                   'bkpriv._disclosure_given(bigint, jsonb), bkpriv.disclosure_given(bigint, jsonb), '
                   'bkpriv.audit(bigint, jsonb, text), bkpriv.utility(bigint), '
                   'bkpriv.query_accuracy(bigint, text), bkpriv.query_workload(bigint, int, int, float8, bigint), '
                   'bkpriv.rewrite_query(bigint, text), bkpriv.association(bigint), '
                   'bkpriv.exact_posterior(float8[], int[]), bkpriv.bethe_posterior(float8[], int[]), '
                   'bkpriv.omega_posterior(float8[], int[]), '
                   'bkpriv.js_divergence(float8[], float8[]), bkpriv.emd(float8[], float8[], float8[]), '
                   'bkpriv.smoothed_distance(float8[], float8[], float8[], float8), bkpriv.worst_case(int[], int, text), '
                   'bkpriv.doctor() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv._grant_reading(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._grant_reading(regrole) IS 'Grants what publishers and auditors have in common';

CREATE FUNCTION bkpriv.grant_auditor(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv._grant_reading(role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv._auditor() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv.grant_auditor(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.grant_auditor(regrole) IS
    'Lets a role measure every release and read the whole history, and change nothing';

CREATE FUNCTION bkpriv.grant_publisher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv._grant_reading(role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv_release TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE (registered_at), DELETE ON bkpriv.dataset TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON bkpriv.hierarchy TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE ON bkpriv.policy TO %s', role);
    EXECUTE format('GRANT INSERT ON bkpriv.release, bkpriv.release_attribute, bkpriv.release_content, '
                   'bkpriv.release_respondent, bkpriv.release_event TO %s', role);
    EXECUTE format('GRANT USAGE ON SEQUENCE bkpriv.release_id, bkpriv.release_event_id TO %s', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text), '
                   'bkpriv.set_hierarchy(text, text, regclass), '
                   'bkpriv.set_interval_hierarchy(text, text, numeric[], numeric), '
                   'bkpriv.drop_dataset(text), bkpriv.set_policy(text, jsonb), '
                   'bkpriv.publish(text, text, text, text, text, jsonb, text), bkpriv.withdraw(bigint, text), '
                   'bkpriv._release_tables(bigint), '
                   'bkpriv._create_release_table(bigint, text[], regtype[], text), '
                   'bkpriv._seal_release_tables(bigint), bkpriv._drop_release_tables(bigint), '
                   'bkpriv._hold_writers(bigint), bkpriv._mark_stale() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv.grant_publisher(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.grant_publisher(regrole) IS
    'Lets a role register and publish the tables it may read, and measure its own releases';
