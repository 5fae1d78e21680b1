\echo Use "CREATE EXTENSION bkpriv" to load this file. \quit

-- Preamble: what an installation and every upgrade begin with. What they cannot work without is checked,
-- and the group roles that hold the privileges of each job are made, which belong to the whole cluster.

-- What is called here is the server's own, not what somebody put into schema bkpriv under its name. Nor
-- do settings of the session, which the database's owner may give, change how the script is read.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL standard_conforming_strings = on;
SET LOCAL quote_all_identifiers = off;

DO $$
DECLARE
    job text;
    stray text;
    alert name;
BEGIN
    -- PL/Python reads and writes text in the database's encoding by way of Python's codecs, which differ
    -- from PostgreSQL's in other encodings, or are missing.
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'bkpriv needs a database in UTF8, not in %', getdatabaseencoding()
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'In other encodings PL/Python would change texts, or fail.',
                  HINT = 'Copy the data into a database made by CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8''.';
    END IF;
    -- CREATE EXTENSION takes a schema that is there already. Its owner could put functions into it
    -- that are called in place of ours.
    IF NOT (SELECT r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'bkpriv') THEN
        RAISE EXCEPTION 'schema bkpriv exists and does not belong to a superuser'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'Its owner could change what the extension''s functions do.',
                  HINT = 'Drop or rename it first.';
    END IF;
    -- So could whoever was allowed to create in it.
    SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') INTO stray
        FROM pg_depend d
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'bkpriv'::regnamespace
            AND d.classid <> ALL (ARRAY['pg_extension'::regclass, 'pg_default_acl'::regclass]::oid[])
            AND NOT EXISTS (SELECT FROM pg_depend m WHERE (m.classid, m.objid, m.deptype) = (d.classid, d.objid, 'e'));
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'schema bkpriv holds what is not of the extension'
            USING ERRCODE = 'duplicate_object', DETAIL = format('In it: %s.', stray),
                  HINT = 'Drop it, or move it to another schema.';
    END IF;
    FOREACH job IN ARRAY ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = job) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', job);
        ELSIF EXISTS (SELECT FROM pg_roles r WHERE rolname = job
                      AND (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
                           OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid))) THEN
            RAISE EXCEPTION 'role % exists and is more than a group', job
                USING ERRCODE = 'duplicate_object',
                      DETAIL = 'The group roles of bkpriv cannot log in, have no attributes, and are members of no role.',
                      HINT = 'Rename that role first.';
        END IF;
    END LOOP;
    -- The script's own alterations are nobody's concern; ties/ puts these event triggers on again.
    FOR alert IN SELECT evtname FROM pg_event_trigger JOIN pg_proc p ON p.oid = evtfoid
                 JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'bkpriv_internal' LOOP
        EXECUTE format('DROP EVENT TRIGGER %I', alert);
    END LOOP;
END $$;

-- From 0.2.0. Releases remember more of their periods and respondents; those that were made before do not.

DROP FUNCTION bkpriv.prior(text, jsonb), bkpriv_internal.prior(text, jsonb), bkpriv.lattice(text, text, jsonb),
    bkpriv.watch(regclass), bkpriv_internal.add_stale(oid, text[], text, text);

ALTER TABLE bkpriv.dataset DROP CONSTRAINT dataset_check;
ALTER TABLE bkpriv.dataset ALTER COLUMN sensitive TYPE text[] USING ARRAY[sensitive],
    ADD CHECK (cardinality(sensitive) > 0),
    ADD COLUMN attributes text[] NOT NULL DEFAULT '{}',
    ADD CHECK (NOT sensitive && quasi_identifiers),
    ADD CHECK (NOT attributes && (quasi_identifiers || sensitive));

ALTER TABLE bkpriv.release ADD COLUMN period_type text, ADD COLUMN period_column text, ADD COLUMN period_bin text,
    ADD CHECK (period IS NOT NULL OR num_nonnulls(period_type, period_column, period_bin) = 0),
    ADD CHECK (greatest(octet_length(period_type), octet_length(period_column), octet_length(period_bin)) <= 63),
    ADD COLUMN counterfeited bigint NOT NULL DEFAULT 0,
    ADD CHECK (counterfeited BETWEEN 0 AND records - suppressed),
    ADD COLUMN grown_from bigint,
    ADD CHECK (grown_from < release),
    ADD COLUMN respondent_column text CHECK (octet_length(respondent_column) <= 63),
    ADD COLUMN attributes text[] NOT NULL DEFAULT '{}',
    ADD CHECK (cardinality(attributes) <= 1600 AND array_position(attributes, NULL) IS NULL
           AND octet_length(array_to_string(attributes, '')) <= 30000);

ALTER TABLE bkpriv.release_event
    ADD COLUMN readers text[] CHECK (cardinality(readers) <= 1000 AND octet_length(readers::text) <= 200000);

ALTER TABLE bkpriv.release_content
    ADD COLUMN false_cells int[],
    ADD COLUMN false_codes int[],
    ADD COLUMN false_counts bigint[],
    ADD COLUMN combinations int[],
    ADD COLUMN combination_offsets int[],
    ADD CHECK (num_nulls(false_cells, false_codes, false_counts) IN (0, 3)),
    ADD CHECK (cardinality(false_codes) = cardinality(false_cells) AND cardinality(false_counts) = cardinality(false_cells)),
    ADD CHECK (combination_offsets IS NULL OR combinations IS NOT NULL);

ALTER TABLE bkpriv.release_attribute ADD COLUMN retention float8 CHECK (retention > 0 AND retention <= 1);

CREATE TABLE bkpriv.release_draw (
    release bigint PRIMARY KEY,
    codes int[] NOT NULL,
    counts bigint[] NOT NULL,
    CHECK (cardinality(codes) % cardinality(counts) = 0)
);

ALTER TABLE bkpriv.release_respondent
    ADD COLUMN parts int[] CHECK (cardinality(parts) = cardinality(respondents)),
    ADD COLUMN sensitive_codes int[] CHECK (cardinality(sensitive_codes) = cardinality(respondents)),
    ADD COLUMN shown_codes int[] CHECK (cardinality(shown_codes) = cardinality(respondents)),
    ADD CHECK ((parts IS NULL) = (sensitive_codes IS NULL)),
    ADD CHECK (shown_codes IS NULL OR sensitive_codes IS NOT NULL);

-- Contexts form a trie, as bkpriv_core.sequence.transitions has it; numbers of values are places in
-- `labels`, from 0.
CREATE TABLE bkpriv.sequential_knowledge (
    dataset text NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    kind text NOT NULL CHECK (kind IN ('domain', 'mined', 'incremental', 'constant')),
    memory int CHECK (memory > 0),
    labels text[],
    parents int[],
    oldest int[] CHECK (cardinality(oldest) = cardinality(parents)),
    offsets int[] CHECK (cardinality(offsets) = cardinality(parents) + 1),
    following int[],
    probabilities float8[] CHECK (cardinality(probabilities) = cardinality(following)),
    support int[] CHECK (cardinality(support) = cardinality(following)),
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (dataset, name),
    CHECK (num_nulls(labels, parents, oldest, offsets, following, probabilities)
           = CASE WHEN kind IN ('domain', 'mined') THEN 0 ELSE 6 END),
    CHECK ((support IS NULL) = (kind <> 'mined')),
    CHECK (octet_length(dataset) + octet_length(name) <= 10000)
);

CREATE TABLE bkpriv.release_belief (
    release bigint NOT NULL,
    digest text NOT NULL CHECK (octet_length(digest) = 64),
    knowledge text NOT NULL CHECK (octet_length(knowledge) <= 10000),
    probabilities float8[] NOT NULL,
    PRIMARY KEY (release, digest)
);

-- Session: how PL/Python finds the packages. The path is baked in when the extension is built; no
-- setting, table or environment variable changes it.

CREATE OR REPLACE FUNCTION bkpriv_internal.python_path() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@PYTHON_PATH@' $$;
COMMENT ON FUNCTION bkpriv_internal.python_path() IS
    'Directory of the Python packages, fixed when the extension was built';
GRANT EXECUTE ON FUNCTION bkpriv_internal.python_path() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '0.3.0' $$;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';
GRANT EXECUTE ON FUNCTION bkpriv.version() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.digest() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'a6e5fceeb9853afb96d82fe33382302676e26122663f014282797c77d65d1730' $$;
COMMENT ON FUNCTION bkpriv_internal.digest() IS
    'Digest of the files in sql/ that this was made from; doctor() compares it with that of what is installed';
GRANT EXECUTE ON FUNCTION bkpriv_internal.digest() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.bootstrap() RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
import sys; path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]; sys.path.insert(0, path)
import bkpriv_pl.session; GD["bkpriv"] = bkpriv_pl.session.start(path)
$$;
COMMENT ON FUNCTION bkpriv_internal.bootstrap() IS
    'Loads the Python packages, once in a session; the other functions call it';
GRANT EXECUTE ON FUNCTION bkpriv_internal.bootstrap() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

-- Access: whose datasets, releases and audits a role may see. A dataset belongs to the role that
-- registered it and to that role's members; an auditor sees every release. What makes a role an
-- auditor is the right to execute bkpriv_internal.auditor(), so that it is granted, dumped and revoked
-- like any other privilege.

CREATE OR REPLACE FUNCTION bkpriv_internal.auditor() RETURNS void
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT $$;
COMMENT ON FUNCTION bkpriv_internal.auditor() IS
    'Does nothing; a role that may execute it sees every release (grant_auditor)';
-- Granted to nobody: to auditors themselves (grant_auditor).

CREATE OR REPLACE FUNCTION bkpriv_internal.owns(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- Superusers own what belongs to a role that is gone, too. Nobody owns anything without a job here,
    -- though a view that was made on the history by then can still be queried.
    SELECT has_schema_privilege('bkpriv', 'USAGE')
        AND EXISTS (SELECT FROM pg_roles WHERE rolname = owner AND pg_has_role(oid, 'MEMBER')
                    OR rolname = current_user AND rolsuper)
$$;
COMMENT ON FUNCTION bkpriv_internal.owns(text) IS 'Whether the current user is the role, a member of it, or a superuser, and has a job in this database';
GRANT EXECUTE ON FUNCTION bkpriv_internal.owns(text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.sees(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT has_function_privilege('bkpriv_internal.auditor()', 'EXECUTE') OR bkpriv_internal.owns(owner) $$;
COMMENT ON FUNCTION bkpriv_internal.sees(text) IS
    'Whether the current user may see what belongs to the role';
GRANT EXECUTE ON FUNCTION bkpriv_internal.sees(text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.reads(source_schema text, source_name text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = source_schema AND c.relname = source_name
                       AND has_any_column_privilege(c.oid, 'SELECT'))
$$;
COMMENT ON FUNCTION bkpriv_internal.reads(text, text) IS 'Whether the current user may read columns of a relation';
GRANT EXECUTE ON FUNCTION bkpriv_internal.reads(text, text) TO bkpriv_publisher, bkpriv_auditor;

-- Dataset: which table is published from, and which of its columns are what.

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text,
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, [sensitive], [], respondent, period, bins)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) IS
    'Declares a table as a dataset: its quasi-identifiers, sensitive column and, for serial releases, respondent and period columns; bins, such as {"birth_date": "year", "age": 5}, makes values of a column intervals of one calendar unit or width; warns of nearly unique quasi-identifiers and of NULL';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text[],
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}', attributes text[] DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, sensitive, attributes, respondent, period, bins)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]) IS
    'Declares a table with sensitive columns, one or several, each of which is bounded by itself, and jointly where a policy says so; attributes pass through unchanged with the sensitive values of a record, and adversaries are supposed not to know them';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.set_hierarchy(dataset, attribute, levels)
$$;
COMMENT ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) IS
    'Gives an attribute a generalization hierarchy, read from a table whose columns are, in order, value, coarser, ..., root';
GRANT EXECUTE ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_interval_hierarchy(
    dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.set_interval_hierarchy(dataset, attribute, widths, origin)
$$;
COMMENT ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) IS
    'Gives a numeric attribute nested intervals of rising widths, counted from the origin, for methods that generalize whole columns; mondrian publishes ranges of its own';
GRANT EXECUTE ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_hierarchy(dataset text, attribute text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.unset_hierarchy(dataset, attribute)
$$;
COMMENT ON FUNCTION bkpriv.unset_hierarchy(text, text) IS
    'Takes an attribute''s generalization hierarchy or intervals back';
GRANT EXECUTE ON FUNCTION bkpriv.unset_hierarchy(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.drop_dataset(dataset text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.drop(dataset)
$$;
COMMENT ON FUNCTION bkpriv.drop_dataset(text) IS
    'Forgets a dataset whose releases are all withdrawn; their history stays';
GRANT EXECUTE ON FUNCTION bkpriv.drop_dataset(text) TO bkpriv_publisher;

-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE OR REPLACE FUNCTION bkpriv.set_policy(name text, requirements jsonb) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].policy.set_policy(name, requirements)
$$;
COMMENT ON FUNCTION bkpriv.set_policy(text, jsonb) IS
    'States requirements under a name, or states them anew; releases already made keep theirs';
GRANT EXECUTE ON FUNCTION bkpriv.set_policy(text, jsonb) TO bkpriv_publisher;

-- Staleness: whether a source has changed since a release was made from it. The owner of a table has it
-- watched: statement triggers for all datasets, which share a random token. A release keeps the tokens
-- of all tables that a write to its source may name; a write marks the releases that have its token.
-- A watch that is taken off and put on again has another token, so that nothing is said of the time
-- between: a release is known to be fresh only where the present tokens are its own.
--
-- A watch is one trigger; or, where the owner names a column of periods, one for each event, which
-- know the rows that were written: then a write marks only releases of the periods of those rows, and
-- all that it cannot tell the period of. Periods are compared as text, which only built-in types write
-- here: the functions of others would run with the rights of the extension's owner.
--
-- Before it commits, a publication locks the source against writers and looks once more whether the
-- source is as it was read; if writers do not finish soon, it calls itself stale. So no change slips
-- between reading and publishing. A writer whose snapshot is too old to show it a release cannot mark
-- that release; it fails to serialize instead, on the row of the token, which every publication writes
-- anew.
--
-- Alterations that change values without a write, or stop the watch for a while, mark releases too, by
-- event triggers.

CREATE OR REPLACE FUNCTION bkpriv_internal.written_tables(source oid) RETURNS SETOF oid
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE family AS (
        SELECT oid FROM pg_class WHERE oid = source
        UNION
        SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
    ), named AS (
        SELECT oid FROM family
        UNION
        SELECT i.inhparent FROM pg_inherits i JOIN named w ON i.inhrelid = w.oid
    )
    SELECT oid FROM named
$$;
COMMENT ON FUNCTION bkpriv_internal.written_tables(oid) IS
    'A source with its partitions and children, and the parents of all these: whatever a write to it may name; and the other way round, the sources that a write to this table may change';
GRANT EXECUTE ON FUNCTION bkpriv_internal.written_tables(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.period_type(watched oid, period text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE base AS (
        SELECT a.atttypid AS type, a.attcollation FROM pg_attribute a
        WHERE a.attrelid = watched AND a.attname = period AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT t.typbasetype, b.attcollation FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
    )
    SELECT format_type(b.type, -1) FROM base b
    WHERE b.type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'float4'::regtype, 'float8'::regtype,
                     'text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'date'::regtype, 'timestamp'::regtype,
                     'timestamptz'::regtype, 'bool'::regtype, 'uuid'::regtype)
        AND NOT EXISTS (SELECT FROM pg_collation c WHERE c.oid = b.attcollation AND NOT c.collisdeterministic)
$$;
COMMENT ON FUNCTION bkpriv_internal.period_type(oid, text) IS
    'Built-in type of a column whose values are told apart by their texts; NULL if it has no such type, or is not there';
GRANT EXECUTE ON FUNCTION bkpriv_internal.period_type(oid, text) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.mark_stale() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    -- Anybody may put this function on a table of his own, without the rows that were written; a temporary
    -- view would be read in their place, with the rights of the extension's owner.
    type text := CASE WHEN TG_NARGS = 2 AND TG_OP <> 'TRUNCATE' AND to_regclass('bkpriv_new') IS NULL AND to_regclass('bkpriv_old') IS NULL
                      THEN bkpriv_internal.period_type(TG_RELID, TG_ARGV[1]) END;
    written text;
    period text;
    bin text;
    known text[];
    touched text[];
    spared bigint[] := '{}';
    callers text;
BEGIN
    -- Rows that MERGE moves to another partition are among those of no trigger that PostgreSQL fires for
    -- it. So a statement that updates a partitioned table is looked at, and not trusted if it is unknown.
    IF TG_OP = 'UPDATE' AND type IS NOT NULL AND (SELECT relkind FROM pg_class WHERE oid = TG_RELID) = 'p' THEN
        GET DIAGNOSTICS callers = PG_CONTEXT;
        callers := substring(callers FROM '\n(.*)$');
        IF callers !~ '^SQL statement "' OR coalesce(callers, current_query(), 'execute') ~* '\y(merge|execute)\y' THEN
            type := NULL;
        END IF;
    END IF;
    -- Whoever may read the table may have recorded any number of releases of it, to weigh on those who write.
    IF (SELECT count(*) > 10000 OR sum(octet_length(r.period)) > 1000000 FROM bkpriv.release r
        WHERE r.watch @> ARRAY[TG_ARGV[0]] AND r.period IS NOT NULL
            AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))) THEN
        type := NULL;
    END IF;
    -- As many passes as there are kinds of bins, which are few; for most tables there is one.
    FOR bin, known IN
        SELECT r.period_bin, array_agg(DISTINCT r.period)
        FROM bkpriv.release r
        WHERE r.watch @> ARRAY[TG_ARGV[0]] AND (r.period_type, r.period_column) = (type, TG_ARGV[1])
            AND (r.period_bin IS NULL
                 OR r.period_bin IN ('year', 'quarter', 'month', 'week', 'day', 'hour') AND r.period ~ '^\d{4}-'
                    AND type IN ('date', 'timestamp without time zone', 'timestamp with time zone'))
            AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))
        GROUP BY r.period_bin
    LOOP
        -- As bkpriv_pl.period writes them. What lies beyond these years is in no such bin, and could not be truncated.
        period := CASE WHEN bin IS NOT NULL THEN format('CASE WHEN %1$I >= ''0001-01-01'' AND %1$I < ''20000-01-01'' '
                                                        'THEN date_trunc(%2$L, %1$I)::%3$s END', TG_ARGV[1], bin, type)
                       WHEN type = 'numeric' THEN format('trim_scale(%I)', TG_ARGV[1])
                       WHEN type IN ('real', 'double precision') THEN format('(%I + 0::%s)', TG_ARGV[1], type)
                       ELSE quote_ident(TG_ARGV[1]) END;
        written := CASE TG_OP WHEN 'INSERT' THEN 'bkpriv_new' WHEN 'DELETE' THEN 'bkpriv_old'
                   ELSE format('(SELECT %1$I FROM bkpriv_old UNION ALL SELECT %1$I FROM bkpriv_new)', TG_ARGV[1]) END;
        EXECUTE format('SELECT array_agg(DISTINCT t) FROM (SELECT (%s)::text COLLATE "C" AS t FROM %s AS w) AS p WHERE t = ANY ($1)',
                       period, written) INTO touched USING known;
        spared := spared || ARRAY(
            SELECT r.release FROM bkpriv.release r
            WHERE r.watch @> ARRAY[TG_ARGV[0]] AND (r.period_type, r.period_column) = (type, TG_ARGV[1])
                AND r.period_bin IS NOT DISTINCT FROM bin AND r.period = ANY (known) AND r.period <> ALL (coalesce(touched, '{}')));
    END LOOP;
    PERFORM bkpriv_internal.add_stale(TG_RELID, ARRAY[TG_ARGV[0]], format('%s on %I.%I', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME),
                                      spared => spared);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION bkpriv_internal.mark_stale() IS
    'Statement trigger on a watched table: marks the releases that have its token as stale; if it has a column of periods, but for those of periods that no written row is of';
GRANT EXECUTE ON FUNCTION bkpriv_internal.mark_stale() TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.add_stale(
    changed oid, tokens text[], reason text, lost text DEFAULT NULL, spared bigint[] DEFAULT '{}'
) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    carried text;
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        -- A release, or the whole watch, may be younger than the snapshot, which shows no catalog either.
        FOREACH carried IN ARRAY array_remove(tokens, NULL) LOOP
            PERFORM FROM bkpriv.watched WHERE token = carried FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'could not serialize access due to the watch of %', changed::regclass
                    USING ERRCODE = 'serialization_failure', DETAIL = 'It began after this transaction.',
                          HINT = 'The transaction might succeed if retried.';
            END IF;
        END LOOP;
    END IF;
    WITH marked AS MATERIALIZED (
        SELECT r.release, r.source_schema, r.source_name
        FROM bkpriv.release r
        WHERE r.watch && tokens AND r.release <> ALL (spared)
            AND (lost IS NULL OR r.period_column = lost
                 OR EXISTS (SELECT FROM bkpriv.release_attribute a
                                         WHERE a.release = r.release AND a.attribute = lost))
            AND NOT EXISTS (SELECT FROM bkpriv.release_event e
                            WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))
    ), elsewhere AS (
        -- Tokens are no secret: a table elsewhere that has the token of another means nothing. It is
        -- looked at once, for anybody may have recorded any number of releases of it.
        SELECT s.source_schema, s.source_name
        FROM (SELECT DISTINCT source_schema, source_name FROM marked) AS s
        JOIN pg_namespace n ON n.nspname = s.source_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.source_name
        CROSS JOIN bkpriv_internal.written_tables(c.oid) AS w
        WHERE changed NOT IN (SELECT * FROM bkpriv_internal.written_tables(c.oid))
            AND bkpriv_internal.watch_token(w) = ANY (tokens)
    )
    INSERT INTO bkpriv.release_event (release, kind, reason, by)
    SELECT m.release, 'stale', add_stale.reason, session_user
    FROM marked m WHERE (m.source_schema, m.source_name) NOT IN (SELECT * FROM elsewhere);
END $$;
COMMENT ON FUNCTION bkpriv_internal.add_stale(oid, text[], text, text, bigint[]) IS
    'Marks the releases that have one of the tokens of a table, and the column that was lost, if one was, unless they are spared, or stale or withdrawn already';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_triggers(watched oid)
    RETURNS TABLE (name name, token text, period text, events int)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT t.tgname, convert_from(substring(t.tgargs FOR ended - 1), 'UTF8'),
        CASE t.tgnargs WHEN 2 THEN convert_from(substring(t.tgargs FROM ended + 1 FOR length(t.tgargs) - ended - 1), 'UTF8') END,
        -- Nothing else under their names: on every statement that writes, always, and with the rows.
        CASE WHEN t.tgfoid = 'bkpriv_internal.mark_stale()'::regprocedure AND t.tgtype & (1 + 2 + 64) = 0
                AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = ''
                AND (t.tgnargs = 1 OR t.tgtype = 4 AND t.tgnewtable = 'bkpriv_new' OR t.tgtype = 8 AND t.tgoldtable = 'bkpriv_old'
                     OR t.tgtype = 16 AND t.tgoldtable = 'bkpriv_old' AND t.tgnewtable = 'bkpriv_new')
            THEN t.tgtype ELSE 0 END
    FROM pg_trigger t CROSS JOIN LATERAL position(decode('00', 'hex') IN t.tgargs) AS ended
    WHERE t.tgrelid = watched AND t.tgname IN ('bkpriv_watch', 'bkpriv_watch_insert', 'bkpriv_watch_update', 'bkpriv_watch_delete')
        AND t.tgnargs BETWEEN 1 AND 2
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_triggers(oid) IS
    'Triggers of the watch of a table, with token and column of periods, and the events that they watch in full';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_triggers(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT t.token FROM bkpriv_internal.watch_triggers(watched) AS t
    GROUP BY t.token HAVING bool_or(t.name = 'bkpriv_watch') AND bit_or(t.events) = 4 + 8 + 16 + 32
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_token(oid) IS 'Token of the triggers that watch a table; NULL if none do, or not all that is written, always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_token(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_tokens(source_schema text, source_name text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT CASE WHEN bool_and(token IS NOT NULL) THEN array_agg(token ORDER BY token COLLATE "C") END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN bkpriv_internal.written_tables(c.oid) AS w CROSS JOIN bkpriv_internal.watch_token(w) AS token
    WHERE n.nspname = source_schema AND c.relname = source_name
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_tokens(text, text) IS
    'Tokens of all tables that a write to the source may name; NULL unless every one of them is watched';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_tokens(text, text) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.note_alteration() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    altered oid;
    lost text;
    tokens text[];
BEGIN
    IF TG_EVENT = 'table_rewrite' THEN
        -- 4: a column has another type, and its values may have been computed anew.
        IF pg_event_trigger_table_rewrite_reason() & 4 <> 0 THEN
            altered := pg_event_trigger_table_rewrite_oid();
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)], format('ALTER TABLE on %s', altered::regclass));
        END IF;
    ELSIF TG_EVENT = 'sql_drop' THEN
        FOR altered, lost IN SELECT objid, address_names[3] FROM pg_event_trigger_dropped_objects()
                WHERE classid = 'pg_class'::regclass AND objsubid > 0 LOOP
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)],
                                      format('ALTER TABLE on %s: column %I was dropped', altered::regclass, lost), lost);
        END LOOP;
    ELSE
        FOR altered IN SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass LOOP
            SELECT array_agg(DISTINCT token) INTO tokens FROM bkpriv_internal.watch_triggers(altered);
            CONTINUE WHEN tokens IS NULL;
            -- A restore puts one trigger after the other; what is missing leaves no token.
            IF EXISTS (SELECT FROM bkpriv_internal.watch_triggers(altered) WHERE events = 0) THEN
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: it was not watched for a time', altered::regclass));
            END IF;
            FOR lost IN
                SELECT DISTINCT a.attribute
                FROM (SELECT r.release, r.source_schema, r.source_name, r.watch, a.attribute
                      FROM bkpriv.release r JOIN bkpriv.release_attribute a USING (release)
                      UNION ALL SELECT release, source_schema, source_name, watch, period_column FROM bkpriv.release) AS a
                JOIN pg_namespace n ON n.nspname = a.source_schema
                JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = a.source_name
                WHERE a.watch && tokens AND a.attribute IS NOT NULL
                    AND NOT EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = a.attribute AND p.attnum > 0) LOOP
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: there is no column %I', altered::regclass, lost), lost);
            END LOOP;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.note_alteration() IS
    'Event trigger: marks releases as stale where a watched table loses its watch or a published column, or a column changes its type';
-- Granted to nobody: an event trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.register_watch(source oid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO bkpriv.watched (token) SELECT carried FROM bkpriv_internal.watch_token(source) AS carried WHERE carried IS NOT NULL
        ON CONFLICT (token) DO NOTHING;
END $$;
COMMENT ON FUNCTION bkpriv_internal.register_watch(oid) IS 'Notes the token of a table that is watched';
GRANT EXECUTE ON FUNCTION bkpriv_internal.register_watch(oid) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.hold_writers(new_release bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    made bkpriv.release;
    source oid;
BEGIN
    SELECT * INTO STRICT made FROM bkpriv.release WHERE release = new_release AND created_at = now();
    -- Only a source that is watched, which its owner must have allowed, and that the publisher may
    -- read; and only for the owner of the dataset: a release's own row says what its publisher likes.
    SELECT c.oid INTO source
        FROM bkpriv.dataset d JOIN pg_namespace n ON n.nspname = d.source_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = d.source_name
        WHERE (d.name, d.owner, d.source_schema, d.source_name)
            = (made.dataset, made.owner, made.source_schema, made.source_name)
            AND has_any_column_privilege(made.created_by, c.oid, 'SELECT');
    IF source IS NULL OR made.watch IS NULL OR made.watch IS DISTINCT FROM bkpriv_internal.watch_tokens(made.source_schema, made.source_name) THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I.%I IN SHARE MODE NOWAIT', made.source_schema, made.source_name);
    -- The name may have come to mean another table; then that one is let go of again.
    IF NOT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
                   AND relation = source AND mode = 'ShareLock' AND granted) THEN
        RAISE lock_not_available;
    END IF;
    -- Writers whose snapshot does not show this release cannot mark it, and must fail: see add_stale.
    PERFORM FROM bkpriv.watched WHERE token = ANY (made.watch) FOR NO KEY UPDATE NOWAIT;
    UPDATE bkpriv.watched SET at = now() WHERE token = ANY (made.watch);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.hold_writers(bigint) IS
    'Locks the source of a release of this transaction against writers, unless one is at work';
GRANT EXECUTE ON FUNCTION bkpriv_internal.hold_writers(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.watch(source regclass, period text DEFAULT NULL) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].staleness.watch(source, period)
$$;
COMMENT ON FUNCTION bkpriv.watch(regclass, text) IS
    'Has a table watched, by its owner: from then on it is known whether releases that are made from it are stale; for all datasets, and tells nobody about them; with a column of periods, a write makes only releases of the periods of its rows stale';
GRANT EXECUTE ON FUNCTION bkpriv.watch(regclass, text) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.unwatch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].staleness.unwatch(source)
$$;
COMMENT ON FUNCTION bkpriv.unwatch(regclass) IS
    'Ends the watch of a table, its partitions and children, by their owner: whether releases made from them are stale becomes unknown, and stays so';
GRANT EXECUTE ON FUNCTION bkpriv.unwatch(regclass) TO bkpriv_publisher, bkpriv_watcher;

-- History: what was released, what it was made from, what became of it, and what audits found.
-- Append-only: guard triggers refuse UPDATE, DELETE and TRUNCATE, to everyone. What happens to a
-- release later is an event beside it, so a release's own row never changes. Two things are let
-- through, of a release for which the same transaction has recorded such an event: what it was made
-- from is deleted when it is purged, and its owner changes when it is reassigned.

-- A restore over a database that holds more than the dump sets sequences back. Ids that anything
-- still bears are passed over; calling nextval until then, unlike setval, races with nobody.
CREATE OR REPLACE FUNCTION bkpriv_internal.next_release() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.release_id');
        EXIT WHEN NOT EXISTS (
            SELECT FROM bkpriv.release WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_attribute WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_content WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_draw WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_respondent WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_belief WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_event WHERE release = id
            UNION ALL SELECT FROM bkpriv.audit_record WHERE release = id
            UNION ALL SELECT FROM bkpriv_internal.release_tables(id));
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_release() IS 'The next id that no release bears';
GRANT EXECUTE ON FUNCTION bkpriv_internal.next_release() TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.next_audit() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.audit_id');
        EXIT WHEN NOT EXISTS (SELECT FROM bkpriv.audit_record WHERE audit = id);
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_audit() IS 'The next id that no audit bears';
GRANT EXECUTE ON FUNCTION bkpriv_internal.next_audit() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.guard() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    -- A restore of data alone finds the guards of release tables in place. It is told by a setting that
    -- pg_dump makes; a superuser, and nobody else may insert, could disable the trigger as well.
    IF TG_OP = 'INSERT' AND current_setting('check_function_bodies') = 'off'
        AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = CASE TG_TABLE_SCHEMA WHEN 'bkpriv' THEN 'The history of releases is append-only.'
                            ELSE 'A release is a frozen snapshot.' END,
              HINT = 'Publish again, or withdraw the release with bkpriv.withdraw(release, reason).';
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard() IS 'Trigger that refuses to change history and release tables';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bkpriv.release_event
                   WHERE release = OLD.release AND kind = TG_ARGV[0] AND at = now()) THEN
        RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The history of releases is append-only.',
                  HINT = CASE TG_ARGV[0] WHEN 'purged' THEN 'Call bkpriv.withdraw(release, reason), then bkpriv.purge(release, reason).'
                              ELSE 'Call bkpriv.reassign(owner, new_owner).' END;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_row() IS
    'Trigger that refuses to change a row of the history, unless the transaction has recorded the event that it names';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.live_releases(dataset text, owner text) RETURNS TABLE (release bigint, view_name text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT r.release, format('%I.%I', r.view_schema, r.view_name) FROM bkpriv.release r
    WHERE (r.dataset, r.owner) = (live_releases.dataset, live_releases.owner)
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind = 'withdrawn')
    ORDER BY r.release
$$;
COMMENT ON FUNCTION bkpriv_internal.live_releases(text, text) IS
    'Releases of a dataset that are not withdrawn, shown or not';
GRANT EXECUTE ON FUNCTION bkpriv_internal.live_releases(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_dataset() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    alive text;
BEGIN
    SELECT string_agg(format('%s (%s)', release, view_name), ', ') INTO alive
        FROM bkpriv_internal.live_releases(OLD.name, OLD.owner);
    IF alive IS NOT NULL THEN
        RAISE EXCEPTION 'dataset "%" has releases that are not withdrawn', OLD.name
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('Release (view): %s.', alive),
                  HINT = 'Withdraw them with bkpriv.withdraw(release, reason).';
    END IF;
    RETURN OLD;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_dataset() IS
    'Trigger that keeps a dataset whose releases are not all withdrawn';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.views_of(release bigint)
    RETURNS TABLE (view regclass, materialized boolean, release_table regclass, readable boolean)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT c.oid::regclass, c.relkind = 'm', t.oid::regclass,
        CASE c.relkind WHEN 'm' THEN c.relispopulated ELSE has_table_privilege(c.relowner, t.oid, 'SELECT') END
    FROM bkpriv_internal.release_tables(release) AS name
    JOIN pg_class t ON t.relname = name AND t.relnamespace = 'bkpriv_release'::regnamespace
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
    JOIN pg_rewrite w ON w.oid = d.objid
    JOIN pg_class c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm');
END $$;
COMMENT ON FUNCTION bkpriv_internal.views_of(bigint) IS
    'Views that read a table of a release, whatever their names, and whether anybody can read it through them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.views_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.readers_of(release bigint) RETURNS TABLE (reader text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE shown(view, invoked) AS (
        SELECT v.view::oid, false FROM bkpriv_internal.views_of(readers_of.release) AS v
        UNION
        -- A view reads with the rights of its owner, a copy was made with them; others with those of who asks.
        SELECT c.oid, o.invoked
        FROM shown AS s
        JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.view
        JOIN pg_rewrite w ON w.oid = d.objid
        JOIN pg_class c ON c.oid = w.ev_class AND c.oid <> s.view AND c.relkind IN ('v', 'm')
        CROSS JOIN LATERAL (SELECT coalesce(bool_or(option_value::boolean), false) AS invoked
                            FROM pg_options_to_table(c.reloptions) WHERE option_name = 'security_invoker') AS o
        WHERE o.invoked OR c.relkind = 'm' OR has_any_column_privilege(c.relowner, s.view, 'SELECT')
    ), granted AS (
        SELECT c.relowner AS grantee, 'SELECT' AS privilege_type FROM shown AS s JOIN pg_class c ON c.oid = s.view WHERE NOT s.invoked
        UNION
        SELECT a.grantee, a.privilege_type
        FROM shown AS s JOIN pg_class c ON c.oid = s.view CROSS JOIN LATERAL aclexplode(c.relacl) AS a WHERE NOT s.invoked
        UNION
        SELECT a.grantee, a.privilege_type
        FROM shown AS s JOIN pg_attribute t ON t.attrelid = s.view CROSS JOIN LATERAL aclexplode(t.attacl) AS a WHERE NOT s.invoked
    )
    SELECT DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC')
    FROM granted AS g LEFT JOIN pg_roles r ON r.oid = g.grantee
    WHERE g.privilege_type = 'SELECT' AND (g.grantee = 0 OR r.oid IS NOT NULL)
$$;
COMMENT ON FUNCTION bkpriv_internal.readers_of(bigint) IS
    'Roles, quoted, and PUBLIC, that may SELECT from views that read a table of a release, or from views on these, as owners or by grants';
GRANT EXECUTE ON FUNCTION bkpriv_internal.readers_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn AND e.purged THEN 'purged' WHEN e.withdrawn THEN 'withdrawn'
         WHEN e.superseded THEN 'superseded'
         WHEN EXISTS (SELECT FROM bkpriv_internal.views_of(r.release) WHERE readable) THEN 'published'
         ELSE 'dropped' END AS status,
    CASE WHEN e.stale THEN true
         WHEN r.watch = bkpriv_internal.watch_tokens(r.source_schema, r.source_name) THEN false END AS stale,
    r.created_at, r.created_by, r.requirements, r.options, e.reason, r.counterfeited,
    r.grown_from
FROM bkpriv.release r
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(kind = 'withdrawn'), false) AS withdrawn,
        coalesce(bool_or(kind = 'purged'), false) AS purged,
        coalesce(bool_or(kind = 'superseded'), false) AS superseded,
        coalesce(bool_or(kind = 'stale'), false) AS stale,
        (array_agg(reason ORDER BY at DESC, event DESC) FILTER (WHERE kind <> 'reassigned'))[1] AS reason
    FROM bkpriv.release_event WHERE release = r.release
) AS e
WHERE bkpriv_internal.sees(r.owner);
COMMENT ON VIEW bkpriv.releases IS
    'Releases the current user may see; status is published, superseded, dropped (no view shows it any more), withdrawn or purged; stale is NULL, unknown, where the source was not watched all the time; counterfeited is the number of records that are shown with another sensitive value than they have; grown_from is the release whose groups it keeps';
GRANT SELECT ON bkpriv.releases TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement, a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE bkpriv_internal.sees(r.owner);
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';
GRANT SELECT ON bkpriv.audits TO bkpriv_publisher, bkpriv_auditor;

-- Publication: frozen release tables, and the views that show them. Release tables belong to the
-- extension's owner and are made and sealed by two tiny SECURITY DEFINER functions, each of which
-- acts only on a release that the caller's transaction has just recorded in the history (which
-- row-level security lets only the dataset's owner do).

CREATE OR REPLACE FUNCTION bkpriv_internal.release_table(release bigint, part text DEFAULT 'records') RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'release_' || release || CASE WHEN part = 'records' THEN '' WHEN part IN ('sensitive', 'randomization') THEN '_' || part END $$;
COMMENT ON FUNCTION bkpriv_internal.release_table(bigint, text) IS
    'Name in bkpriv_release of a release''s table of records, of the sensitive values of its groups, or of how values were randomized';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_table(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.release_tables(release bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = 'bkpriv_release'::regnamespace
        AND c.relname IN (SELECT bkpriv_internal.release_table(release, part)
                          FROM unnest(ARRAY['records', 'sensitive', 'randomization']) AS part)
$$;
COMMENT ON FUNCTION bkpriv_internal.release_tables(bigint) IS 'The tables of a release that exist';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_tables(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.create_release_table(
    new_release bigint, columns text[], types regtype[], part text DEFAULT 'records'
) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    reader text;
    release_table text := bkpriv_internal.release_table(new_release, part);
BEGIN
    SELECT created_by INTO STRICT publisher FROM bkpriv.release WHERE release = new_release AND created_at = now();
    -- ANALYZE would run the functions of a user's type as the table's owner, and whoever owns a type may
    -- drop it and the column with it, or rename the values of an enumeration.
    IF EXISTS (SELECT FROM unnest(types) AS t JOIN pg_type p ON p.oid = t
               WHERE p.typnamespace <> 'pg_catalog'::regnamespace) THEN
        RAISE EXCEPTION 'a release table holds built-in types only'
            USING ERRCODE = 'feature_not_supported', DETAIL = format('The types are %s.', types),
                  HINT = 'Publish the column as text.';
    END IF;
    EXECUTE (
        SELECT format('CREATE TABLE bkpriv_release.%I (%s)', release_table,
                      string_agg(format('%I %s', c.name, format_type(c.type, -1)), ', ' ORDER BY c.place))
        FROM unnest(columns, types) WITH ORDINALITY AS c(name, type, place));
    -- Default privileges may have given it away.
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c, aclexplode(c.relacl) AS a
        WHERE c.oid = format('bkpriv_release.%I', release_table)::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON bkpriv_release.%I FROM %s CASCADE', release_table, reader);
    END LOOP;
    EXECUTE format('GRANT INSERT ON bkpriv_release.%I TO %I', release_table, publisher);
END $$;
COMMENT ON FUNCTION bkpriv_internal.create_release_table(bigint, text[], regtype[], text) IS
    'Makes a table of a release of this transaction, for its publisher to fill';
GRANT EXECUTE ON FUNCTION bkpriv_internal.create_release_table(bigint, text[], regtype[], text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.seal_release_tables(new_release bigint) RETURNS void
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
    FOR release_table IN SELECT * FROM bkpriv_internal.release_tables(new_release) LOOP
        EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON bkpriv_release.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
        EXECUTE format('REVOKE INSERT ON bkpriv_release.%I FROM %I', release_table, publisher);
        -- The view belongs to the one or the other: a superuser may publish for the dataset's owner.
        EXECUTE format('GRANT SELECT ON bkpriv_release.%I TO %I, %I', release_table, publisher, dataset_owner);
        EXECUTE format('ANALYZE bkpriv_release.%I', release_table);
    END LOOP;
END $$;
COMMENT ON FUNCTION bkpriv_internal.seal_release_tables(bigint) IS
    'Freezes the tables of a release of this transaction; its publisher and the dataset''s owner may then only read them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.seal_release_tables(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.publish(
    dataset text, policy text, view_name text, method text DEFAULT 'mondrian',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
) RETURNS bigint
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].publication.publish(dataset, policy, view_name, method, period, options, view_schema)
$$;
COMMENT ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) IS
    'Publishes a dataset under a policy as a view over a frozen release, certified before it is visible, where the dataset names respondents together with its earlier releases; methods bucketize and anatomy, which publish exact quasi-identifiers, make a second one, view_name_sensitive (anatomy needs l_diversity in the policy); so does randomize, view_name_randomization, which says how values were distorted (it needs max_disclosure in the policy and the option scheme); publishing under the same view name again moves the views; of a dataset with periods, the records of one are published';
GRANT EXECUTE ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) TO bkpriv_publisher;

-- Withdrawal: the data of a release stops being readable, whatever was built on its views. A tiny
-- SECURITY DEFINER function empties and removes it. It goes by what reads the release's tables, never
-- by the name of a view, and acts only on a withdrawn release of whoever calls: one about which, or
-- about whose dataset, the transaction has just recorded something (which row-level security lets
-- only the dataset's owner do).

CREATE OR REPLACE FUNCTION bkpriv_internal.clear_release(old_release bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    old_table text;
    shown record;
    kept boolean := false;
BEGIN
    PERFORM FROM bkpriv.release old
        WHERE old.release = old_release
            AND EXISTS (SELECT FROM bkpriv.release_event WHERE release = old.release AND kind = 'withdrawn')
            AND (EXISTS (SELECT FROM bkpriv.release_event WHERE release = old.release AND at = now())
                 OR EXISTS (SELECT FROM bkpriv.release new
                            WHERE (new.dataset, new.owner) = (old.dataset, old.owner) AND new.created_at = now()));
    IF NOT FOUND THEN
        RAISE EXCEPTION 'release % was not withdrawn in this transaction', old_release
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call bkpriv.withdraw(release, reason).';
    END IF;
    FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
        EXECUTE format('ALTER TABLE bkpriv_release.%1$I DISABLE TRIGGER USER; TRUNCATE bkpriv_release.%1$I; '
                       'ALTER TABLE bkpriv_release.%1$I ENABLE TRIGGER USER', old_table);
    END LOOP;
    -- From here on nothing may fail: the data are gone, and what strangers have built is no hindrance.
    FOR shown IN SELECT * FROM bkpriv_internal.views_of(old_release) WHERE readable ORDER BY view::oid DESC LOOP
        BEGIN
            EXECUTE format('DROP %s %s', CASE WHEN shown.materialized THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, shown.view);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            kept := kept OR NOT shown.materialized OR bkpriv_internal.empty_view(shown.view, shown.release_table);
        END;
    END LOOP;
    IF NOT kept THEN
        FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
            BEGIN
                -- Anybody who may look into the schema can build on a table, though not read it.
                EXECUTE format('DROP TABLE bkpriv_release.%I CASCADE', old_table);
            EXCEPTION WHEN OTHERS THEN
                NULL;  -- It stays, empty: so many objects depend on it that they cannot be locked.
            END;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.clear_release(bigint) IS
    'Empties a withdrawn release, and removes its views, unless something depends on them, and tables';
GRANT EXECUTE ON FUNCTION bkpriv_internal.clear_release(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.empty_view(stored regclass, emptied regclass) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    written text := regexp_replace(replace(pg_get_viewdef(stored, false), split_part(emptied::text, '.', 2) || '.', ''), '\s+', ' ', 'g');
    published text;
    reader text;
BEGIN
    SELECT regexp_replace(format(' SELECT %s FROM %s;', string_agg(quote_ident(attname), ', ' ORDER BY attnum), emptied), '\s+', ' ', 'g')
        INTO published FROM pg_attribute WHERE attrelid = emptied AND attnum > 0;
    -- An index may call functions when it is built, which could fail or run for ever.
    IF EXISTS (SELECT FROM pg_index WHERE indrelid = stored AND (indexprs IS NOT NULL OR indpred IS NOT NULL)) THEN
        EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
        RETURN false;
    END IF;
    -- So could the query of a view that publication did not write.
    IF written IS DISTINCT FROM published THEN
        EXECUTE format('REFRESH MATERIALIZED VIEW %s WITH NO DATA', stored);
        RETURN true;
    END IF;
    -- It runs as the view's owner, who need not be the publisher.
    SELECT r.rolname INTO reader FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.oid = stored AND NOT has_table_privilege(r.oid, emptied, 'SELECT');
    IF reader IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON %s TO %I', emptied, reader);
    END IF;
    EXECUTE format('REFRESH MATERIALIZED VIEW %s', stored);
    IF reader IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON %s FROM %I', emptied, reader);
    END IF;
    RETURN true;
EXCEPTION WHEN OTHERS THEN
    EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.empty_view(regclass, regclass) IS
    'Empties a materialized view over an emptied table, or drops it where that fails; one that is not as it was published becomes unreadable; whether it is still there';
-- Granted to nobody: clear_release calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.withdraw(release bigint, reason text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].withdrawal.withdraw(release, reason)
$$;
COMMENT ON FUNCTION bkpriv.withdraw(bigint, text) IS
    'Removes a release''s data and the views that show it; a view that others build on stays, empty; the history stays';
GRANT EXECUTE ON FUNCTION bkpriv.withdraw(bigint, text) TO bkpriv_publisher;

-- Purge: erasing what a withdrawn release was made from. The history holds the source's cells, the
-- labels of its attributes and, if declared, the names of its respondents and what may be believed of
-- them. They go; the release, its audits and its events stay, with one that says so.

CREATE OR REPLACE FUNCTION bkpriv_internal.erase_release(old_release bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bkpriv.release_event WHERE release = old_release AND kind = 'purged' AND at = now())
        OR NOT EXISTS (SELECT FROM bkpriv.release_event WHERE release = old_release AND kind = 'withdrawn') THEN
        RAISE EXCEPTION 'release % was not withdrawn, and purged in this transaction', old_release
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call bkpriv.purge(release, reason).';
    END IF;
    DELETE FROM bkpriv.release_content WHERE release = old_release;
    DELETE FROM bkpriv.release_draw WHERE release = old_release;
    DELETE FROM bkpriv.release_respondent WHERE release = old_release;
    DELETE FROM bkpriv.release_belief WHERE release = old_release;
    DELETE FROM bkpriv.release_attribute WHERE release = old_release;
END $$;
COMMENT ON FUNCTION bkpriv_internal.erase_release(bigint) IS
    'Deletes what a release was made from, if this transaction has recorded that it is purged';
GRANT EXECUTE ON FUNCTION bkpriv_internal.erase_release(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.purge(release bigint, reason text, force boolean DEFAULT false) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].purge.purge(release, reason, force)
$$;
COMMENT ON FUNCTION bkpriv.purge(bigint, text, boolean) IS
    'Erases what a withdrawn release was made from: cells, labels, respondents and beliefs; its figures, audits and events stay; refused, unless forced, while the dataset has releases that are not withdrawn';
GRANT EXECUTE ON FUNCTION bkpriv.purge(bigint, text, boolean) TO bkpriv_publisher;

-- Ownership: handing on what belongs to a role, by name, that was renamed or dropped.

CREATE OR REPLACE FUNCTION bkpriv.reassign(owner text, new_owner regrole) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].ownership.reassign(owner, new_owner)
$$;
COMMENT ON FUNCTION bkpriv.reassign(text, regrole) IS
    'For superusers: hands the datasets, policies and releases of a role, which may be gone, to another';
-- Granted to nobody: for superusers.

-- Lattice: the nodes of full-domain generalization, which method incognito chooses from.

CREATE OR REPLACE FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb DEFAULT '{}', period text DEFAULT NULL)
    RETURNS TABLE (levels jsonb, safe boolean, minimal boolean, chosen boolean, measured boolean, suppressed bigint,
                   discernibility float8, average_class_size float8, gcp float8, kl float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].lattice.lattice(dataset, policy, options, period)
$$;
COMMENT ON FUNCTION bkpriv.lattice(text, text, jsonb, text) IS
    'Every combination of generalization levels: whether it is safe under the policy, minimal among the safe ones, and the one that publish with method incognito and the same options would choose; whether groups were measured or it followed from other nodes; what a safe one suppresses and costs, and what a minimal one loses in bits (kl); period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.lattice(text, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Sequence: what adversaries know of how sensitive values follow each other, and what they learn from all
-- releases of a dataset together.

CREATE OR REPLACE FUNCTION bkpriv.set_sequential_knowledge(
    dataset text, name text, kind text, source regclass DEFAULT NULL, memory int DEFAULT NULL
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].sequence.set_knowledge(dataset, name, kind, source, memory)
$$;
COMMENT ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) IS
    'Says what adversaries know of how a respondent''s values follow each other, for policies to name as {"sequence": "name"}; kind: domain (source has history text[], the oldest value first, next, probability), mined (from a corpus: respondent, period, value), incremental (from the releases themselves) or constant (values never change); memory: how many latest values count, by default all';
GRANT EXECUTE ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_sequential_knowledge(dataset text, name text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].sequence.unset_knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) IS
    'Takes sequential knowledge of a dataset back; policies that name it cannot be published under any more';
GRANT EXECUTE ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.sequential_knowledge(dataset text, name text)
    RETURNS TABLE (history text[], next text, probability float8, support float8)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].sequence.knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.sequential_knowledge(text, text) IS
    'What is known after each history, the oldest value first: the probability of each next value, and how often it was seen, if it was mined; incremental: what the releases so far tell';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_knowledge(text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.sequential_audit(
    dataset text, knowledge text, estimator text DEFAULT 'omega', retrospective boolean DEFAULT false,
    bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (release bigint, period text, records bigint, gain float8, confidence float8, worst float8,
                   remembered bigint, estimator_used text, exact_share float8, status text, left_out text)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].sequence.sequential_audit(*args)
$$;
COMMENT ON FUNCTION bkpriv.sequential_audit(text, text, text, boolean, jsonb) IS
    'What each release of a dataset gives away to whoever saw all before it, withdrawn ones too, and has the sequential knowledge (NULL: none, and no memory); retrospective: who saw those after it as well; gain: how much more probable he finds actual values than their shares in groups, of what could be gained; confidence and worst: the mean and the largest probability of an actual value; remembered: published records whose respondents he saw before; bandwidth: what he knows of others, by default the uniform kernel; estimator: omega understates, auto comes nearest to exact inference; left_out: why a release could not be judged';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_audit(text, text, text, boolean, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.revised_belief(
    dataset text, knowledge text, respondent text, period text, estimator text DEFAULT 'auto',
    retrospective boolean DEFAULT false, bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (sensitive text, prior float8, posterior float8, release bigint)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].sequence.revised_belief(*args)
$$;
COMMENT ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb) IS
    'What is believed of a respondent before and after the last release of a period (NULL: of the last release) that shows him, by whoever saw the releases before it; arguments as in sequential_audit()';
GRANT EXECUTE ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_sequence(
    dataset text, knowledge text, "limit" int DEFAULT 10, estimator text DEFAULT 'auto', bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (respondent text, release bigint, period text, value text, alone float8, prior float8,
                   probability float8, past_releases bigint[], past_values text[], past_belief float8,
                   transition float8)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].sequence.explain_sequence(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_sequence(text, text, int, text, jsonb) IS
    'Whose actual value a memory gives away most, each respondent once: its probability after the release to who has no memory (alone), and before and after it to who has; and what of the past did most: values in earlier releases, how surely the respondent had them, and how probable the value is after them (NULL: what was remembered of others in the group)';
GRANT EXECUTE ON FUNCTION bkpriv.explain_sequence(text, text, int, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

-- Randomization: how strongly records are to be distorted.

CREATE OR REPLACE FUNCTION bkpriv.optimize_randomization(
    dataset text, scheme text, tau float8, options jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (attribute text, domain_size int, retention float8, epsilon float8)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].randomization.optimize_randomization(*args)
$$;
COMMENT ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text) IS
    'Probability with which each attribute''s values are kept, by scheme rr-s, rr-qi or rr-both, so that nobody''s sensitive value is guessed with a probability above tau and counts can be estimated as well as may be (the best of several local optima); epsilon is its local differential privacy, infinite where all values are kept; options and period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.reconstruct(
    release bigint, attributes text[], estimator text DEFAULT 'unbiased'
)
    RETURNS TABLE (key jsonb, estimate float8, standard_error float8, low float8, high float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].reconstruction.reconstruct(release, attributes, estimator)
$$;
COMMENT ON FUNCTION bkpriv.reconstruct(bigint, text[], text) IS
    'Records by the values of some attributes, estimated from a randomized release: unbiased, with the standard error of the drawing and the ends of a 95 % confidence interval, or maximum_likelihood, never negative and without these; combinations that no record can have are left out';
GRANT EXECUTE ON FUNCTION bkpriv.reconstruct(bigint, text[], text)
    TO bkpriv_publisher, bkpriv_auditor;

-- Disclosure: what adversaries believe before and after a release, and whether it keeps its bounds.
-- Functions in bkpriv_internal hand back one array element per cell, a row of beliefs as the text of
-- an array; those of the same name in bkpriv turn them into rows.

CREATE OR REPLACE FUNCTION bkpriv_internal.prior(
    dataset text, bandwidth jsonb, period text, OUT qi text[], OUT probabilities text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].disclosure.prior(dataset, bandwidth, period)
$$;
COMMENT ON FUNCTION bkpriv_internal.prior(text, jsonb, text) IS 'Arrays of prior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.prior(text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.prior(dataset text, bandwidth jsonb, period text DEFAULT NULL)
    RETURNS TABLE (qi jsonb, sensitive text, probability float8)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.qi::jsonb, v.label, v.probability
    FROM bkpriv_internal.prior(dataset, bandwidth, period) f
    CROSS JOIN LATERAL unnest(f.qi, f.probabilities) AS c(qi, probabilities)
    CROSS JOIN LATERAL unnest(f.sensitive, c.probabilities::float8[]) AS v(label, probability)
$$;
COMMENT ON FUNCTION bkpriv.prior(text, jsonb, text) IS
    'What an adversary believes about each cell of a dataset''s source before any release; bandwidth: a number, one for each quasi-identifier, {"kernel": "uniform"}, or {"table": "schema.prior"}; of a dataset with periods, from the records of the one that is given, else from all; exact';
GRANT EXECUTE ON FUNCTION bkpriv.prior(text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.posterior(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[],
    OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].disclosure.posterior(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) IS 'Arrays of posterior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, prior float8, posterior float8, estimator_used text)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.group_id, c.qi::jsonb, v.label, v.prior, v.posterior, c.estimated
    FROM bkpriv_internal.posterior(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.priors, f.posteriors, f.estimated)
        AS c(group_id, qi, priors, posteriors, estimated)
    CROSS JOIN LATERAL unnest(f.sensitive, c.priors::float8[], c.posteriors::float8[])
        AS v(label, prior, posterior)
$$;
COMMENT ON FUNCTION bkpriv.posterior(bigint, jsonb, text) IS
    'What an adversary believes about each published cell before and after a release; bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.posterior(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.disclosure(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[], OUT records bigint[],
    OUT disclosure float8[], OUT estimated text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].disclosure.disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) IS 'Arrays of disclosure()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, records bigint, disclosure float8, estimator_used text)
    LANGUAGE sql STABLE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT u.group_id, u.qi::jsonb, u.records, u.disclosure, u.estimated
    FROM bkpriv_internal.disclosure(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.records, f.disclosure, f.estimated)
        AS u(group_id, qi, records, disclosure, estimated)
$$;
COMMENT ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) IS
    'How far a release moves an adversary''s belief about each published cell, in bits from 0 to 1; bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, records bigint, qi jsonb, disclosure float8, sensitive text, prior float8,
                   posterior float8, estimator_used text)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].disclosure.explain_disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) IS
    'For each group, the worst first: about whose records an adversary learns most, and of which value the belief moved most; bandwidth as in prior(); of a randomized release, which takes no bandwidth, for all records with the same values: the share of the sensitive one, and the probability that they are found as they were';
GRANT EXECUTE ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit(release bigint, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto')
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].audit.audit(release, requirements, estimator)
$$;
COMMENT ON FUNCTION bkpriv.audit(bigint, jsonb, text) IS
    'Measures a release against requirements, by default those of its policy, and records what it found; says which group is worst, its records, and the value at fault: its share in the table and the group, or the belief before and after about the records of worst_qi; of a randomized release, which has no groups, the share in the table and the probability that the riskiest records are found as they were, and another row for all releases of the same records together';
GRANT EXECUTE ON FUNCTION bkpriv.audit(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Suppression: which kinds of records a release left out, and why.

CREATE OR REPLACE FUNCTION bkpriv.explain_suppressed(release bigint, "limit" int DEFAULT 10)
    RETURNS TABLE (qi jsonb, records bigint, requirement text, parameters jsonb, threshold float8, attained float8,
                   worst_qi jsonb, value text, value_before float8, value_after float8, estimator_used text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].suppression.explain_suppressed(release, limit)
$$;
COMMENT ON FUNCTION bkpriv.explain_suppressed(bigint, int) IS
    'Which kinds of records a release left out, those of most records first, at most so many; the bound of the policy that stood in the way of each, and what the best group attains of those tried: the records by themselves, or with a published group nearby; there the value at fault as in audit(). Of a release that has grown, the records with newcomers, or all who wait; and, as requirement grow, who was withdrawn. In qi a number or label, an array of the least and greatest number, or the label above several';
GRANT EXECUTE ON FUNCTION bkpriv.explain_suppressed(bigint, int) TO bkpriv_publisher, bkpriv_auditor;

-- Implication: what a release discloses at worst to whoever knows k pieces of anything, and what it
-- discloses under knowledge that is stated.

CREATE OR REPLACE FUNCTION bkpriv.max_disclosure(release bigint, k int, language text DEFAULT 'implications')
    RETURNS TABLE (k int, disclosure float8, witness jsonb, target jsonb)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].implication.max_disclosure(*args)
$$;
COMMENT ON FUNCTION bkpriv.max_disclosure(bigint, int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications (or negations), with knowledge that attains it, as disclosure_given takes it, and what it discloses; of several sensitive columns about the one disclosed most; exact up to rounding';
GRANT EXECUTE ON FUNCTION bkpriv.max_disclosure(bigint, int, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.disclosure_given(
    release bigint, knowledge jsonb, OUT respondent text[], OUT group_id int[], OUT qi text[], OUT person int[],
    OUT place int[], OUT beliefs text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].implication.disclosure_given(release, knowledge)
$$;
COMMENT ON FUNCTION bkpriv_internal.disclosure_given(bigint, jsonb) IS
    'Arrays of disclosure_given(): persons, and for each the place of its row of beliefs';
GRANT EXECUTE ON FUNCTION bkpriv_internal.disclosure_given(bigint, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb)
    RETURNS TABLE (respondent text, sensitive text, probability float8, group_id int, qi jsonb, person int)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT p.respondent, v.label, v.probability, p.group_id, p.qi::jsonb, p.person
    FROM bkpriv_internal.disclosure_given(release, knowledge) f
    CROSS JOIN LATERAL unnest(f.respondent, f.group_id, f.qi, f.person, f.place)
        AS p(respondent, group_id, qi, person, place)
    JOIN LATERAL (
        SELECT b.place, u.label, u.probability
        FROM unnest(f.beliefs) WITH ORDINALITY AS b(shares, place)
        CROSS JOIN LATERAL unnest(f.sensitive, b.shares::float8[]) AS u(label, probability)
    ) AS v ON v.place = p.place
$$;
COMMENT ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) IS
    'Exact probability of every person''s having every value, for who knows groups and members, and that the implications hold: [{"if": [atom, ...], "then": [atom, ...]}, {"not": atom}], an atom being {"respondent": "7", "value": "flu"}, or, where the dataset declares no respondents, {"group": 3, "qi": {...}, "person": 1, "value": "flu"}; of several sensitive columns a value is the text of a combination, or that of one column''s value, {"disease":"flu"}; person is NULL for all others of that cell in that group';
GRANT EXECUTE ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) TO bkpriv_publisher, bkpriv_auditor;

-- Releases judged together: what several of the same people tell whoever holds all of them.

CREATE OR REPLACE FUNCTION bkpriv.audit_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].together.audit_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) IS
    'What whoever holds all of several releases of the same respondents learns, in the columns of audit(), by default against all requirements of their policies; figures are of respondents that a release shows: worst_records, of how many the worst is told by the same groups, and worst_group is NULL; k_anonymity: the fewest records that may be a respondent''s; requirements on shares: what is believed by who knows nothing; bt_privacy: how far beliefs move; respondents link the releases, and a value that changed makes another person; estimator_used says of how many it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, respondent text, sensitive text, prior float8,
                   posterior float8, figure float8, releases bigint[])
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].together.explain_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) IS
    'Respondents over a bound by several releases together, of each bound the worst first: the value at fault, its share in the table, or the belief before, and what is believed of it then; releases: those that expose the respondent, of which none can be left out; arguments as in audit_together()';
GRANT EXECUTE ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit_readers(
    dataset text, readers jsonb DEFAULT NULL, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (reader text, releases bigint[], requirement text, parameters jsonb, threshold float8,
                   worst float8, mean float8, vulnerable bigint, satisfied boolean, estimator_used text,
                   worst_group int, worst_records bigint, worst_qi jsonb, value text, value_before float8,
                   value_after float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].together.audit_readers(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) IS
    'What each reader of a dataset''s releases learns of all that he holds, as audit_together(), last everybody together (all); readers: {"name": ["schema.view", 7]}, views with all that they ever showed, or releases; by default the roles, and PUBLIC, that may SELECT from its views or views on these, or could until they were withdrawn, those that may read the same listed once, without superusers, who may read the source or act as its owner; of a dataset with periods, each period by itself';
GRANT EXECUTE ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Exploration: what publishing would cost and disclose under many policies. Nothing is published or recorded.

CREATE OR REPLACE FUNCTION bkpriv.explore(dataset text, policies jsonb, method text DEFAULT 'mondrian',
                                          options jsonb DEFAULT '{}', period text DEFAULT NULL)
    RETURNS TABLE (place int, policy jsonb, metric text, value float8)
    LANGUAGE plpython3u STABLE ROWS 300
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].exploration.explore(dataset, policies, method, options, period)
$$;
COMMENT ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text) IS
    'What publish would cost and disclose under each of some policies, none of which is published: a JSON array of policies, or {"grid": {"bandwidth": [...], "t": [...]}, "with": {...}}, over k and l as well; by place in the array or grid, from 1: discernibility, average_class_size, gcp, rgcp, suppressed_share, query_error (median of a fixed workload), worst_disclosure and mean_disclosure (to the adversary of the policy who learns most), exact_share, groups, seconds; or refused = 1, and a notice why; what a release would tell together with others is not judged; method, options and period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text) TO bkpriv_publisher;

-- Utility: what a release costs the analyst.

CREATE OR REPLACE FUNCTION bkpriv.utility(release bigint) RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].utility.utility(release)
$$;
COMMENT ON FUNCTION bkpriv.utility(bigint) IS
    'Utility of a release: discernibility, average class size, global certainty penalty (gcp, the share of detail lost), the same of all records, where those left out count as the nearest group widened to them (rgcp, which is gcp where nothing is suppressed), suppressed share; the same, named ..._k_anonymous, of the same table published by the same method with k-anonymity only; KL (bits), chi-square and L2 divergence of the joint distribution that it leaves from the original one, Infinity where the release rules out what occurs';
GRANT EXECUTE ON FUNCTION bkpriv.utility(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.compare_releases(releases bigint[])
    RETURNS TABLE (metric text, release bigint, value float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].utility.compare_releases(releases)
$$;
COMMENT ON FUNCTION bkpriv.compare_releases(bigint[]) IS
    'Releases of the same data side by side, an error if they are of other data: the metrics of utility, NULL for a release that has no such figure; the largest probability with which a sensitive value is disclosed (max_disclosure); the median and mean relative error of the count queries that the bound query_error measures by default; the average difference of uncertainty coefficients from those of the source, of pairs with the sensitive attribute and of quasi-identifiers';
GRANT EXECUTE ON FUNCTION bkpriv.compare_releases(bigint[]) TO bkpriv_publisher, bkpriv_auditor;

-- Query: how far counts from a release are from those of its source. Queries are parsed, never run.

CREATE OR REPLACE FUNCTION bkpriv.query_accuracy(release bigint, query text)
    RETURNS TABLE (key jsonb, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].query.query_accuracy(release, query)
$$;
COMMENT ON FUNCTION bkpriv.query_accuracy(bigint, text) IS
    'Counts that a query asks for, SELECT count(*) FROM dataset WHERE ... GROUP BY ..., in the source as it was when the release was made, and as a reader of the release estimates them; rows are counted, also where people have several, and those of the source that were suppressed, but none that option max_records_per_person left out; the error is NULL where nothing is counted';
GRANT EXECUTE ON FUNCTION bkpriv.query_accuracy(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.query_workload(
    release bigint, queries int, dimensions int, selectivity float8, seed bigint DEFAULT NULL
)
    RETURNS TABLE (query text, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].query.query_workload(release, queries, dimensions, selectivity, seed)
$$;
COMMENT ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) IS
    'Random queries on so many quasi-identifiers and the sensitive attribute, which together ask for a share of all combinations of values (selectivity), answered as by query_accuracy; a seed repeats them';
GRANT EXECUTE ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.rewrite_query(release bigint, query text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].query.rewrite_query(release, query)
$$;
COMMENT ON FUNCTION bkpriv.rewrite_query(bigint, text) IS
    'The estimate of query_accuracy as SQL over the published views alone, for their readers to run; with GROUP BY, keys and estimates; of a randomized release also the standard error';
GRANT EXECUTE ON FUNCTION bkpriv.rewrite_query(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.association(release bigint)
    RETURNS TABLE (attribute text, other text, original float8, released float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].query.association(release)
$$;
COMMENT ON FUNCTION bkpriv.association(bigint) IS
    'Uncertainty coefficients U(attribute | other), the share of its entropy that knowing the other takes away, in the source and as the release leaves them; NULL for an attribute with one value';
GRANT EXECUTE ON FUNCTION bkpriv.association(bigint) TO bkpriv_publisher, bkpriv_auditor;

-- Calculators: the mathematics on plain arrays, for checking by hand. They read no table.

CREATE OR REPLACE FUNCTION bkpriv.exact_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.exact_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.exact_posterior(float8[], int[]) IS
    'Exact posterior of a group: prior is records x values, counts how often each value occurs';
GRANT EXECUTE ON FUNCTION bkpriv.exact_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.bethe_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.bethe_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) IS
    'Bethe estimate of a group''s posterior, neither bound; an error where belief propagation does not converge';
GRANT EXECUTE ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.omega_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.omega_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.omega_posterior(float8[], int[]) IS
    'Omega-estimate of a group''s posterior; it may understate what an adversary learns';
GRANT EXECUTE ON FUNCTION bkpriv.omega_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.additive_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.additive_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.additive_posterior(float8[], int[]) IS
    'Additive estimate of a group''s posterior, in which assignments weigh by the sum of beliefs; it understates what an adversary learns in all but the smallest groups';
GRANT EXECUTE ON FUNCTION bkpriv.additive_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.js_divergence(p float8[], q float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.js_divergence(p, q)
$$;
COMMENT ON FUNCTION bkpriv.js_divergence(float8[], float8[]) IS
    'Jensen-Shannon divergence of two distributions, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.js_divergence(float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.emd(p float8[], q float8[], ground float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.emd(p, q, ground)
$$;
COMMENT ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) IS
    'Earth mover''s distance of two distributions under a matrix of ground distances';
GRANT EXECUTE ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.smoothed_distance(p float8[], q float8[], ground float8[], bandwidth float8) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.smoothed_distance(p, q, ground, bandwidth)
$$;
COMMENT ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8) IS
    'Jensen-Shannon divergence after both distributions are smoothed over the ground distances, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.worst_case(histograms int[], k int, language text DEFAULT 'implications') RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.worst_case(histograms, k, language)
$$;
COMMENT ON FUNCTION bkpriv.worst_case(int[], int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications (or negations) about buckets, one row of counts for each; exact up to rounding';
GRANT EXECUTE ON FUNCTION bkpriv.worst_case(int[], int, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.randomization_risk(joint float8[], retention float8[], scheme text) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].calculator.randomization_risk(joint, retention, scheme)
$$;
COMMENT ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) IS
    'Probability with which the sensitive value of a person of each cell and value is guessed from a randomized release: joint is the distribution over cells (one quasi-identifier''s values) x sensitive values, retention the probabilities of keeping the one and the other, scheme rr-s, rr-qi or rr-both; exact';
GRANT EXECUTE ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) TO bkpriv_publisher, bkpriv_auditor;

-- Reports: a release as one page, for who answers for it, or for anybody.

CREATE OR REPLACE FUNCTION bkpriv.report_html(release bigint, audience text DEFAULT 'officer') RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].report.report_html(release, audience)
$$;
COMMENT ON FUNCTION bkpriv.report_html(bigint, text) IS
    'A release as one HTML page that loads and runs nothing: what was published, who is protected against whom, worst cases, what is exact and what estimated, what was left out, utility, history, limits; audience officer, with all that the caller may see, or outsiders, without values of records, counts of records below the size of groups, names of people, sources, views and policies, and reasons';
GRANT EXECUTE ON FUNCTION bkpriv.report_html(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

-- Doctor: whether the installation is sound.

CREATE OR REPLACE FUNCTION bkpriv.doctor() RETURNS TABLE (check_name text, ok boolean, detail text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].doctor.doctor()
$$;
COMMENT ON FUNCTION bkpriv.doctor() IS
    'Checks versions, paths, permissions and guards of the installation';
GRANT EXECUTE ON FUNCTION bkpriv.doctor() TO bkpriv_publisher, bkpriv_auditor;

-- Privilege: giving roles the jobs of publishers, auditors and watchers, and taking them back.
--
-- Group roles hold the privileges of each job, so that an upgrade grants what it adds to all who have
-- the job. Roles belong to the whole cluster, jobs to one database: a job is the membership together
-- with USAGE on the schema, and an auditor's with the right to execute bkpriv_internal.auditor(), which
-- are granted to the role itself, here, and show in a dump of this database. USAGE on bkpriv_internal is
-- the groups': its functions act on the tables of bkpriv, which who has no USAGE there cannot name.

CREATE OR REPLACE FUNCTION bkpriv_internal.grant_job(job text, role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'there is no role to grant a job to'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is NULL, or no role has that identifier.',
                  HINT = 'Name a role, such as ''nora''.';
    ELSIF NOT (SELECT rolinherit FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'role % does not inherit privileges, so no job can be granted to it', role
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The privileges of a job are those of a group role.',
                  HINT = format('ALTER ROLE %s INHERIT.', role);
    END IF;
    EXECUTE format('GRANT %I TO %s', 'bkpriv_' || job, role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv_internal.grant_job(text, regrole) IS 'Makes a role a member of a job''s group, in this database';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_auditor(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('auditor', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv_internal.auditor() TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_auditor(regrole) IS
    'Lets a role measure every release and read the whole history, and change nothing';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_publisher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('publisher', role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv_release TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_publisher(regrole) IS
    'Lets a role register and publish the tables it may read, and measure its own releases';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_watcher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('watcher', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_watcher(regrole) IS
    'Lets a role have its own tables watched (watch, unwatch), and nothing else; publishers may, too';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.revoke_jobs(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'there is no role to take jobs from'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is NULL, or no role has that identifier.',
                  HINT = 'Name a role, such as ''nora''.';
    END IF;
    -- What he gave on, if he was allowed to, goes with it.
    EXECUTE format('REVOKE ALL ON SCHEMA bkpriv, bkpriv_release FROM %s CASCADE', role);
    EXECUTE format('REVOKE ALL ON FUNCTION bkpriv_internal.auditor() FROM %s CASCADE', role);
END $$;
COMMENT ON FUNCTION bkpriv.revoke_jobs(regrole) IS
    'Takes all jobs in this database back from a role, which stays a member of the group roles of the cluster';
-- Granted to nobody: for superusers.

-- Every table and schema: who may see them, what holds for all tables, and what is dumped. What is made
-- in ties/ is taken off here first, so that an upgrade leaves it as an installation makes it.

COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';
COMMENT ON SCHEMA bkpriv_internal IS 'What the functions and tables of bkpriv call; not for people';
COMMENT ON SCHEMA bkpriv_release IS 'Frozen release tables of bkpriv, read through the published views';
GRANT USAGE ON SCHEMA bkpriv_internal TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

DO $$
DECLARE
    kept regclass;
    tie text;
BEGIN
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'S') ORDER BY relname LOOP
        PERFORM pg_extension_config_dump(kept, '');
    END LOOP;
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
        FOR tie IN SELECT format('POLICY %I', polname) FROM pg_policy WHERE polrelid = kept
                UNION ALL SELECT format('TRIGGER %I', tgname) FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
                WHERE tgrelid = kept AND p.pronamespace = 'bkpriv_internal'::regnamespace LOOP
            EXECUTE format('DROP %s ON %s', tie, kept);
        END LOOP;
    END LOOP;
END $$;

-- Dataset: its owner's, and for auditors to see.

COMMENT ON TABLE bkpriv.dataset IS 'Tables that may be published from, by schema and name';
GRANT SELECT ON bkpriv.dataset TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE (registered_at), DELETE ON bkpriv.dataset TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.dataset FOR SELECT USING (bkpriv_internal.sees(owner));
-- Group roles are the cluster's: who may look into bkpriv_release is a publisher in this database.
CREATE POLICY register ON bkpriv.dataset FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY touch ON bkpriv.dataset FOR UPDATE USING (bkpriv_internal.owns(owner));
CREATE POLICY forget ON bkpriv.dataset FOR DELETE USING (bkpriv_internal.owns(owner));
-- Whoever publishes or withdraws writes the row anew, so a deletion waits for that, and fails to
-- serialize where its snapshot does not show what has been done.
CREATE TRIGGER guard BEFORE DELETE ON bkpriv.dataset
    FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_dataset();

COMMENT ON TABLE bkpriv.hierarchy IS
    'Generalization hierarchies: rows of labels from leaf to root, or widths of nested intervals';
GRANT SELECT ON bkpriv.hierarchy TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE, DELETE ON bkpriv.hierarchy TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.hierarchy FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
CREATE POLICY change ON bkpriv.hierarchy
    USING (dataset IN (SELECT name FROM bkpriv.dataset WHERE bkpriv_internal.owns(owner)));

-- Policy: seen by all publishers, changed by its owner.

COMMENT ON TABLE bkpriv.policy IS 'Named privacy requirements';
GRANT SELECT ON bkpriv.policy TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE ON bkpriv.policy TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (has_schema_privilege('bkpriv', 'USAGE'));
CREATE POLICY state ON bkpriv.policy FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY change ON bkpriv.policy FOR UPDATE USING (bkpriv_internal.owns(owner));

-- Staleness: nobody reads tokens but the functions, and alterations are noticed.

COMMENT ON TABLE bkpriv.watched IS
    'Tokens of watches, and when a release was last made under each: what writers and publications that cannot see each other meet at';
-- Granted to nobody: functions with the rights of the extension's owner write it.

-- Columns of tables are renamed by other commands, too, and dropped with their types.
CREATE EVENT TRIGGER bkpriv_altered ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER INDEX',
                 'ALTER SEQUENCE', 'ALTER TYPE')
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_dropped ON sql_drop
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_rewritten ON table_rewrite
    EXECUTE FUNCTION bkpriv_internal.note_alteration();

-- History: its owner's and auditors' to see, and append-only for everybody. A row can be added only in
-- the name of the current user and with the present time, about a release of his; audits, auditors add
-- too, about any.

ALTER TABLE bkpriv.release ALTER release SET DEFAULT bkpriv_internal.next_release();

DO $$
DECLARE
    history text;
    refused text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_attribute', 'release_content', 'release_draw', 'release_respondent',
                                  'release_belief', 'release_event', 'audit_record'] LOOP
        refused := CASE
            WHEN history = 'release' THEN (
                SELECT 'DELETE OR TRUNCATE OR UPDATE OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                FROM pg_attribute
                WHERE attrelid = 'bkpriv.release'::regclass AND attnum > 0 AND attname <> 'owner' AND NOT attisdropped)
            WHEN history IN ('release_event', 'audit_record') THEN 'DELETE OR TRUNCATE OR UPDATE'
            ELSE 'TRUNCATE OR UPDATE' END;
        EXECUTE format('CREATE TRIGGER guard BEFORE %s ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', refused, history);
    END LOOP;
    FOREACH history IN ARRAY ARRAY['release_attribute', 'release_content', 'release_draw', 'release_respondent', 'release_belief'] LOOP
        EXECUTE format('CREATE TRIGGER guard_row BEFORE DELETE ON bkpriv.%I
                        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row(''purged'')', history);
        -- Statistics hold values, such as names, and stay when the rows are gone.
        EXECUTE (SELECT format('ALTER TABLE bkpriv.%I ', history)
                        || string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ')
                 FROM pg_attribute
                 WHERE attrelid = format('bkpriv.%I', history)::regclass AND attnum > 0 AND NOT attisdropped);
    END LOOP;
    CREATE TRIGGER guard_row BEFORE UPDATE OF owner ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('reassigned');
END $$;

GRANT USAGE ON SEQUENCE bkpriv.release_id, bkpriv.release_event_id TO bkpriv_publisher;
GRANT USAGE ON SEQUENCE bkpriv.audit_id TO bkpriv_publisher, bkpriv_auditor;

COMMENT ON TABLE bkpriv.release IS
    'Releases; watch: the tokens of the triggers that watched the source, NULL where it was not watched; period_type: the built-in type that periods of period_column are compared as, text for others, NULL where their texts do not tell them apart; period_bin: the unit or width by which that column is binned; counterfeited: how many records are shown with another sensitive value than they have; grown_from: the release whose groups it keeps; respondent_column: the column that names respondents; append-only';
GRANT SELECT ON bkpriv.release TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release FOR SELECT USING (bkpriv_internal.sees(owner));
-- An id must be the one that its sequence has just given to this session: nobody takes another's.
CREATE POLICY append ON bkpriv.release FOR INSERT
    WITH CHECK (bkpriv_internal.owns(owner) AND created_by = current_user AND created_at = now()
                AND release = currval('bkpriv.release_id') AND has_schema_privilege('bkpriv_release', 'USAGE')
                -- A release is marked by who writes under its tokens.
                AND (watch IS NULL OR (watch = bkpriv_internal.watch_tokens(source_schema, source_name)
                                       AND bkpriv_internal.reads(source_schema, source_name))));

COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies, intervals (in the unit of positions) and types of the source as they were at the release, and the level to which a method generalized the whole column, or the probability with which a randomized release kept its values; of binned attributes where each bin ends; the last attributes are the sensitive ones; append-only';
GRANT SELECT ON bkpriv.release_attribute TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_attribute TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_attribute FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_content IS
    'Cells of the source at the release: quasi-identifier codes cell by cell, the group of each cell (-1: none), and how many records each cell has with each sensitive value; a cell whose records lie in several groups recurs, once for each; where there are counterfeits, how many more (or, below 0, fewer) records of a cell are shown with a value than have it; of several sensitive columns, values are combinations: codes of the columns, row by row, and where the rows of each combination begin and end if they have several (NULL: one each); append-only';
GRANT SELECT ON bkpriv.release_content TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_content TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_content FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_draw IS
    'Of randomized releases: the distinct records that were drawn and published, the codes of all attributes record by record, and how often each was drawn; append-only';
GRANT SELECT ON bkpriv.release_draw TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_draw TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_draw FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_draw FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_respondent IS
    'Of datasets that declare a respondent column: who was published in which group (-1: none), and in which part of a cell (the place of its group in release_content) with which sensitive value, in the order of names; shown_codes: the value that each is shown with, where some are counterfeits; append-only';
GRANT SELECT ON bkpriv.release_respondent TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_respondent TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_respondent FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; readers: of one that was withdrawn, the roles, quoted, and PUBLIC, that could read its views; append-only';
GRANT SELECT ON bkpriv.release_event TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_event TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_event FOR INSERT
    WITH CHECK (by = current_user AND at = now() AND event = currval('bkpriv.release_event_id')
                AND release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.audit_record IS 'What audits found, one row per bound; append-only';
GRANT SELECT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.audit_record FOR INSERT
    WITH CHECK (audited_by = current_user AND audited_at = now() AND audit = currval('bkpriv.audit_id')
                AND release IN (SELECT release FROM bkpriv.release));

-- Sequence: knowledge is the dataset owner's, and for auditors to see, like its hierarchies; beliefs are
-- part of the history (40_history.sql guards them).

COMMENT ON TABLE bkpriv.sequential_knowledge IS
    'What adversaries know of how sensitive values follow each other: contexts, as a trie of earlier values, and the probabilities of what comes next; none are kept of values that never change, nor of what is learned from the releases themselves';
GRANT SELECT ON bkpriv.sequential_knowledge TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE, DELETE ON bkpriv.sequential_knowledge TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.sequential_knowledge FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
CREATE POLICY change ON bkpriv.sequential_knowledge
    USING (dataset IN (SELECT name FROM bkpriv.dataset WHERE bkpriv_internal.owns(owner)));

COMMENT ON TABLE bkpriv.release_belief IS
    'What adversaries who remember earlier releases believe after a release, as those who published knew it: of each published respondent, group after group, the probability of each value of the group in the order of codes; digest: of all that the beliefs follow from; append-only';
GRANT SELECT ON bkpriv.release_belief TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_belief TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_belief FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_belief FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv_internal.owns(r.owner)));

-- Seal: what default privileges gave away while the script ran is taken back, and settings are pinned.
-- Only the group roles keep what the files granted them. What gates.sql speaks of is left alone.

DO $$
DECLARE
    held record;
    called regprocedure;
BEGIN
    -- What the files gave the groups could not be told from that.
    IF EXISTS (SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) AS a JOIN pg_roles r ON r.oid = a.grantee
               WHERE d.defaclrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
                   AND r.rolname IN ('bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher')) THEN
        RAISE EXCEPTION 'default privileges of % are granted to a group role of bkpriv', current_user
            USING ERRCODE = 'invalid_grant_operation', DETAIL = 'The groups would have more than their jobs need.',
                  HINT = 'Take them back with ALTER DEFAULT PRIVILEGES ... REVOKE; \ddp lists them.';
    END IF;
    FOR held IN
        SELECT DISTINCT o.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM (SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || oid::regclass AS name,
                     relacl AS acl, relowner AS owner
              FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v', 'S')
              UNION ALL SELECT 'TABLE ' || attrelid::regclass, attacl, relowner
              FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'bkpriv'::regnamespace
              UNION ALL SELECT 'FUNCTION ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner
              FROM pg_proc WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
                  AND oid <> 'bkpriv_internal.auditor()'::regprocedure
              UNION ALL SELECT 'SCHEMA ' || nspname, nspacl, nspowner FROM pg_namespace WHERE nspname = 'bkpriv_internal') AS o,
            LATERAL aclexplode(o.acl) AS a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE a.grantee <> o.owner
            AND coalesce(r.rolname <> ALL (ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher']), true)
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', held.name, held.grantee);
    END LOOP;
    -- Whatever changes how SQL is written, or values are, is pinned at every entry.
    FOR called IN
        SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
            AND l.lanname IN ('plpython3u', 'plpgsql')
    LOOP
        EXECUTE format('ALTER FUNCTION %1$s SET datestyle = ''ISO, YMD'';
                        ALTER FUNCTION %1$s SET intervalstyle = iso_8601;
                        ALTER FUNCTION %1$s SET timezone = ''UTC'';
                        ALTER FUNCTION %1$s SET extra_float_digits = 1;
                        ALTER FUNCTION %1$s SET bytea_output = hex;
                        ALTER FUNCTION %1$s SET lc_monetary = ''C'';
                        ALTER FUNCTION %1$s SET quote_all_identifiers = off;
                        ALTER FUNCTION %1$s SET standard_conforming_strings = on;
                        ALTER FUNCTION %1$s SET transform_null_equals = off;
                        ALTER FUNCTION %1$s SET array_nulls = on;
                        ALTER FUNCTION %1$s SET xmloption = content;
                        ALTER FUNCTION %1$s SET row_security = on;
                        ALTER FUNCTION %1$s SET default_tablespace = '''';
                        ALTER FUNCTION %1$s SET default_table_access_method = heap', called);
    END LOOP;
END $$;
