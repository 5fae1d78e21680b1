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
    watch text[] CHECK (cardinality(watch) > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT current_user,
    UNIQUE (dataset, owner, version)
);
-- A write to a source finds the releases made from it by the tokens of its watch (35_staleness.sql).
CREATE INDEX ON bkpriv.release USING gin (watch);
COMMENT ON TABLE bkpriv.release IS
    'Releases; watch: the tokens of the triggers that watched the source, NULL where it was not watched; append-only';
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

CREATE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn THEN 'withdrawn' WHEN e.superseded THEN 'superseded' ELSE 'published' END AS status,
    CASE WHEN e.stale THEN true
         WHEN r.watch = bkpriv._watch_tokens(r.source_schema, r.source_name) THEN false END AS stale,
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
    'Releases the current user may see; stale is NULL, unknown, where the source was not watched all the time';

CREATE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement, a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE bkpriv._sees(r.owner);
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';
