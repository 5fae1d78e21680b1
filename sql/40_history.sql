-- History: what was released, what it was made from, what became of it, and what audits found.
-- Append-only: guard triggers refuse UPDATE, DELETE and TRUNCATE, to everyone. What happens to a
-- release later is an event beside it, so a release's own row never changes. Two things are let
-- through, of a release for which the same transaction has recorded such an event: what it was made
-- from is deleted when it is purged, and its owner changes when it is reassigned.
--
-- The tables have no foreign keys: a parallel restore fills them in any order. Row-level security lets
-- nobody append to a release that is not there.

CREATE SEQUENCE bkpriv.release_id;
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_id', '');

-- A restore over a database that holds more than the dump sets sequences back. Ids that anything
-- still bears are passed over; calling nextval until then, unlike setval, races with nobody.
CREATE FUNCTION bkpriv_internal.next_release() RETURNS bigint
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
            UNION ALL SELECT FROM bkpriv.release_respondent WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_event WHERE release = id
            UNION ALL SELECT FROM bkpriv.audit_record WHERE release = id
            UNION ALL SELECT FROM bkpriv_internal.release_tables(id));
    END LOOP;
    RETURN id;
END $$;
REVOKE ALL ON FUNCTION bkpriv_internal.next_release() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.next_release() IS 'The next id that no release bears';

CREATE TABLE bkpriv.release (
    release bigint PRIMARY KEY DEFAULT bkpriv_internal.next_release(),
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
    watch text[] CHECK (cardinality(watch) > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT current_user,
    UNIQUE (dataset, owner, version),
    -- Whoever owns datasets may append rows; what is written into them must not be a load to others.
    CHECK (greatest(octet_length(source_schema), octet_length(source_name), octet_length(view_schema),
                    octet_length(view_name), octet_length(method)) <= 63),
    CHECK (octet_length(dataset) + octet_length(policy) + coalesce(octet_length(period), 0) <= 10000),
    CHECK (octet_length(requirements::text) + octet_length(options::text) <= 1000000)
);
-- A write to a source finds the releases made from it by the tokens of its watch (35_staleness.sql).
CREATE INDEX ON bkpriv.release USING gin (watch);
COMMENT ON TABLE bkpriv.release IS
    'Releases; watch: the tokens of the triggers that watched the source, NULL where it was not watched; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release', '');

CREATE TABLE bkpriv.release_attribute (
    release bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    attribute text NOT NULL CHECK (octet_length(attribute) <= 63),
    labels text[] NOT NULL,
    positions float8[] CHECK (cardinality(positions) = cardinality(labels)),
    levels text[] CHECK (levels IS NULL OR positions IS NULL),
    type text NOT NULL,
    widths numeric[] CHECK (widths IS NULL OR positions IS NOT NULL),
    origin numeric CHECK ((origin IS NULL) = (widths IS NULL)),
    level int CHECK (level >= 0),
    ends float8[] CHECK (ends IS NULL OR positions IS NOT NULL AND cardinality(ends) = cardinality(positions)),
    PRIMARY KEY (release, place)
);
COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies, intervals (in the unit of positions) and types of the source as they were at the release, and the level to which a method generalized the whole column; of binned attributes where each bin ends; the last attribute is the sensitive one; append-only';
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
    event bigint NOT NULL DEFAULT nextval('bkpriv.release_event_id'),
    release bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('stale', 'superseded', 'withdrawn', 'reassigned', 'purged')),
    reason text NOT NULL CHECK (reason <> ''),
    at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL DEFAULT current_user,
    -- With the time, for the trigger of a source that is restored records events under ids that
    -- events yet to be restored have.
    PRIMARY KEY (event, at)
);
CREATE INDEX ON bkpriv.release_event (release);
COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; append-only';
SELECT pg_catalog.pg_extension_config_dump('bkpriv.release_event', '');

CREATE SEQUENCE bkpriv.audit_id;
SELECT pg_catalog.pg_extension_config_dump('bkpriv.audit_id', '');

CREATE FUNCTION bkpriv_internal.next_audit() RETURNS bigint
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
REVOKE ALL ON FUNCTION bkpriv_internal.next_audit() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.next_audit() IS 'The next id that no audit bears';

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

CREATE FUNCTION bkpriv_internal.guard() RETURNS trigger
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
REVOKE ALL ON FUNCTION bkpriv_internal.guard() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.guard() IS 'Trigger that refuses to change history and release tables';

CREATE FUNCTION bkpriv_internal.guard_row() RETURNS trigger
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
REVOKE ALL ON FUNCTION bkpriv_internal.guard_row() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.guard_row() IS
    'Trigger that refuses to change a row of the history, unless the transaction has recorded the event that it names';

DO $$
DECLARE
    history text;
    refused text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_attribute', 'release_content', 'release_respondent', 'release_event',
                                  'audit_record'] LOOP
        refused := CASE
            WHEN history = 'release' THEN (
                SELECT 'DELETE OR TRUNCATE OR UPDATE OF ' || string_agg(quote_ident(attname), ', ') FROM pg_attribute
                WHERE attrelid = 'bkpriv.release'::regclass AND attnum > 0 AND attname <> 'owner')
            WHEN history IN ('release_event', 'audit_record') THEN 'DELETE OR TRUNCATE OR UPDATE'
            ELSE 'TRUNCATE OR UPDATE' END;
        EXECUTE format('CREATE TRIGGER guard BEFORE %s ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', refused, history);
        EXECUTE format('ALTER TABLE bkpriv.%I ENABLE ROW LEVEL SECURITY', history);
    END LOOP;
    FOREACH history IN ARRAY ARRAY['release_attribute', 'release_content', 'release_respondent'] LOOP
        EXECUTE format('CREATE TRIGGER guard_row BEFORE DELETE ON bkpriv.%I
                        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row(''purged'')', history);
        -- Statistics hold values, such as names, and stay when the rows are gone.
        EXECUTE (SELECT format('ALTER TABLE bkpriv.%I ', history)
                        || string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ')
                 FROM pg_attribute WHERE attrelid = format('bkpriv.%I', history)::regclass AND attnum > 0);
    END LOOP;
    CREATE TRIGGER guard_row BEFORE UPDATE OF owner ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('reassigned');
END $$;

CREATE FUNCTION bkpriv_internal.live_releases(dataset text, owner text) RETURNS TABLE (release bigint, view_name text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT r.release, format('%I.%I', r.view_schema, r.view_name) FROM bkpriv.release r
    WHERE (r.dataset, r.owner) = (live_releases.dataset, live_releases.owner)
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind = 'withdrawn')
    ORDER BY r.release
$$;
REVOKE ALL ON FUNCTION bkpriv_internal.live_releases(text, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.live_releases(text, text) IS
    'Releases of a dataset that are not withdrawn, shown or not';

CREATE FUNCTION bkpriv_internal.guard_dataset() RETURNS trigger
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
REVOKE ALL ON FUNCTION bkpriv_internal.guard_dataset() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.guard_dataset() IS
    'Trigger that keeps a dataset whose releases are not all withdrawn';
-- Whoever publishes or withdraws writes the row anew, so a deletion waits for that, and fails to
-- serialize where its snapshot does not show what has been done.
CREATE TRIGGER guard BEFORE DELETE ON bkpriv.dataset
    FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_dataset();

CREATE POLICY see ON bkpriv.release FOR SELECT USING (bkpriv_internal.sees(owner));
-- An id must be the one that its sequence has just given to this session: nobody takes another's.
CREATE POLICY append ON bkpriv.release FOR INSERT
    WITH CHECK (bkpriv_internal.owns(owner) AND created_by = current_user AND created_at = now()
                AND release = currval('bkpriv.release_id') AND has_schema_privilege('bkpriv_release', 'USAGE')
                -- A release is marked by who writes under its tokens.
                AND (watch IS NULL OR (watch = bkpriv_internal.watch_tokens(source_schema, source_name)
                                       AND bkpriv_internal.reads(source_schema, source_name))));
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_attribute FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_content FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_respondent FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_event FOR INSERT
    WITH CHECK (by = current_user AND at = now() AND event = currval('bkpriv.release_event_id')
                AND release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv_internal.owns(r.owner)));
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.audit_record FOR INSERT
    WITH CHECK (audited_by = current_user AND audited_at = now() AND audit = currval('bkpriv.audit_id')
                AND release IN (SELECT release FROM bkpriv.release));

CREATE FUNCTION bkpriv_internal.views_of(release bigint)
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
REVOKE ALL ON FUNCTION bkpriv_internal.views_of(bigint) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.views_of(bigint) IS
    'Views that read a table of a release, whatever their names, and whether anybody can read it through them';

CREATE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn AND e.purged THEN 'purged' WHEN e.withdrawn THEN 'withdrawn'
         WHEN e.superseded THEN 'superseded'
         WHEN EXISTS (SELECT FROM bkpriv_internal.views_of(r.release) WHERE readable) THEN 'published'
         ELSE 'dropped' END AS status,
    CASE WHEN e.stale THEN true
         WHEN r.watch = bkpriv_internal.watch_tokens(r.source_schema, r.source_name) THEN false END AS stale,
    r.created_at, r.created_by, r.requirements, r.options, e.reason
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
    'Releases the current user may see; status is published, superseded, dropped (no view shows it any more), withdrawn or purged; stale is NULL, unknown, where the source was not watched all the time';

CREATE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement, a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE bkpriv_internal.sees(r.owner);
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';
