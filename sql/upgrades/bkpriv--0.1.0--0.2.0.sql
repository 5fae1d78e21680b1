-- From 0.1.0. Jobs were privileges of the roles themselves, functions that nobody calls by hand were in
-- bkpriv under names with an underscore, and publishers put triggers on their sources.

DO $$
DECLARE
    held record;
    privileges int;
    told text;
BEGIN
    IF to_regprocedure('bkpriv._tracked(text, text, text)') IS NULL THEN
        RAISE EXCEPTION 'the extension in this database is not version 0.1.0 as it was released'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It was made between two versions.',
                  HINT = 'DROP EXTENSION bkpriv CASCADE, which removes history and releases, and create it anew.';
    END IF;

    -- Who has a job becomes a member of its group, and keeps USAGE on the schemas and the right to execute
    -- auditor() as he has them. All else was granted to him beside the extension, and is taken back by the
    -- seal. A job was a certain number of privileges: who has another could lose something, or gain.
    FOR held IN
        SELECT a.grantee, coalesce(r.rolname::text, 'PUBLIC') AS name, r.rolinherit AS inherits, count(*) AS privileges,
            bool_or(o.name = 'bkpriv_release') AS publishes, bool_or(o.name = 'auditor') AS audits
        FROM (SELECT '' AS name, relacl AS acl, relowner AS owner FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace
              UNION ALL SELECT '', t.attacl, c.relowner FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid
              WHERE c.relnamespace = 'bkpriv'::regnamespace
              UNION ALL SELECT CASE proname WHEN '_auditor' THEN 'auditor' ELSE '' END, proacl, proowner
              FROM pg_proc WHERE pronamespace = 'bkpriv'::regnamespace
              UNION ALL SELECT nspname, nspacl, nspowner FROM pg_namespace WHERE nspname IN ('bkpriv', 'bkpriv_release')) AS o,
            LATERAL aclexplode(o.acl) AS a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE a.grantee <> o.owner GROUP BY a.grantee, r.rolname, r.rolinherit
        -- Who may not look into the schema has no use of anything in it.
        HAVING bool_or(o.name <> '')
    LOOP
        privileges := CASE WHEN held.publishes AND held.audits THEN 78 WHEN held.publishes THEN 77 WHEN held.audits THEN 49 END;
        IF held.privileges IS DISTINCT FROM privileges THEN
            RAISE EXCEPTION 'role % has other privileges in schema bkpriv than those of a publisher or an auditor', held.name
                USING ERRCODE = 'invalid_grant_operation',
                      DETAIL = format('They are %s; some were granted or revoked by hand.', held.privileges),
                      HINT = format('Take them back: REVOKE ALL ON SCHEMA bkpriv, bkpriv_release FROM %1$s; REVOKE ALL ON ALL '
                                    'TABLES IN SCHEMA bkpriv FROM %1$s; likewise SEQUENCES and FUNCTIONS. Then grant the job '
                                    'anew, if there was one.',
                                    CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(held.name) END);
        ELSIF NOT held.inherits THEN
            RAISE EXCEPTION 'role % does not inherit privileges, so it would lose its job', held.name
                USING ERRCODE = 'invalid_grant_operation', DETAIL = 'The privileges of a job are those of a group role.',
                      HINT = format('ALTER ROLE %I INHERIT.', held.name);
        END IF;
        IF held.publishes THEN
            EXECUTE format('GRANT bkpriv_publisher TO %I', held.name);
        END IF;
        IF held.audits THEN
            EXECUTE format('GRANT bkpriv_auditor TO %I', held.name);
        END IF;
    END LOOP;

    -- Sizes are bounded from now on. What exceeds them no publication made.
    SELECT string_agg(DISTINCT format('%s of %s', r.release, r.owner), ', ') INTO told
        FROM bkpriv.release r LEFT JOIN bkpriv.release_attribute a USING (release)
        WHERE greatest(octet_length(source_schema), octet_length(source_name), octet_length(view_schema),
                       octet_length(view_name), octet_length(method), octet_length(attribute)) > 63
            OR octet_length(dataset) + octet_length(policy) + coalesce(octet_length(period), 0) > 10000
            OR octet_length(requirements::text) + octet_length(options::text) > 1000000;
    IF told IS NOT NULL THEN
        RAISE EXCEPTION 'the history holds releases that no publication made'
            USING ERRCODE = 'check_violation', DETAIL = format('Their names or policies are too long: %s.', left(told, 500)),
                  HINT = 'Delete them from bkpriv.release and bkpriv.release_attribute, for which ALTER TABLE ... DISABLE TRIGGER guard.';
    END IF;

    -- To watch a table is its owner's to decide, who may have allowed a trigger for one dataset and not for
    -- all. What is stale stays so; of other releases nobody knows from now on.
    FOR held IN SELECT tgname, tgrelid::regclass AS source FROM pg_trigger
            WHERE tgfoid = 'bkpriv._mark_stale()'::regprocedure AND tgparentid = 0 LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', held.tgname, held.source);
        told := concat_ws(', ', told, held.source);
    END LOOP;
    IF told IS NOT NULL THEN
        RAISE WARNING 'whether releases are stale is unknown from now on'
            USING DETAIL = format('The triggers of datasets are taken off %s.', told),
                  HINT = 'Their owners can have them watched with bkpriv.watch(table), for releases yet to be made.';
    END IF;

    -- What readers have does not change: as text, values would be compared and sorted otherwise.
    SELECT string_agg(DISTINCT c.relname, ', ') INTO told
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
        WHERE c.relnamespace = 'bkpriv_release'::regnamespace AND a.attnum > 0 AND t.typnamespace <> 'pg_catalog'::regnamespace;
    IF told IS NOT NULL THEN
        RAISE WARNING 'releases have columns of types that their owners can change'
            USING DETAIL = format('In bkpriv_release: %s.', told), HINT = 'Publish anew: such columns are text then.';
    END IF;
END $$;

CREATE SCHEMA bkpriv_internal;

-- Views of others may be built on this one, so it is replaced, here by one that needs no function.
CREATE OR REPLACE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT NULL::bigint AS release, NULL::text AS dataset, NULL::int AS version, NULL::text AS view_name, NULL::text AS method,
    NULL::text AS policy, NULL::text AS period, NULL::bigint AS records, NULL::bigint AS suppressed, NULL::int AS groups,
    NULL::text AS status, NULL::boolean AS stale, NULL::timestamptz AS created_at, NULL::text AS created_by,
    NULL::jsonb AS requirements, NULL::jsonb AS options, NULL::text AS reason;
DROP FUNCTION bkpriv._tracked(text, text, text), bkpriv._stale_trigger(text), bkpriv._written_tables(text, text),
    bkpriv._drop_release_tables(bigint), bkpriv._grant_reading(regrole),
    bkpriv.register_dataset(text, regclass, text[], text, text, text);

-- Release tables have triggers that call one of them.
DO $$
DECLARE
    moved record;
BEGIN
    FOR moved IN SELECT proname, pg_get_function_identity_arguments(oid) AS arguments FROM pg_proc
                 WHERE pronamespace = 'bkpriv'::regnamespace AND proname LIKE '\_%' LOOP
        EXECUTE format('ALTER FUNCTION bkpriv.%I(%s) SET SCHEMA bkpriv_internal', moved.proname, moved.arguments);
        EXECUTE format('ALTER FUNCTION bkpriv_internal.%I(%s) RENAME TO %I', moved.proname, moved.arguments, substr(moved.proname, 2));
    END LOOP;
END $$;

ALTER TABLE bkpriv.dataset ADD COLUMN bins jsonb NOT NULL DEFAULT '{}';

CREATE TABLE bkpriv.watched (
    token text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE bkpriv.release ADD COLUMN watch text[] CHECK (cardinality(watch) > 0),
    ADD CHECK (greatest(octet_length(source_schema), octet_length(source_name), octet_length(view_schema),
                        octet_length(view_name), octet_length(method)) <= 63),
    ADD CHECK (octet_length(dataset) + octet_length(policy) + coalesce(octet_length(period), 0) <= 10000),
    ADD CHECK (octet_length(requirements::text) + octet_length(options::text) <= 1000000);
CREATE INDEX ON bkpriv.release USING gin (watch);

ALTER TABLE bkpriv.release_attribute ADD CHECK (octet_length(attribute) <= 63),
    ADD COLUMN ends float8[] CHECK (ends IS NULL OR positions IS NOT NULL AND cardinality(ends) = cardinality(positions));

ALTER TABLE bkpriv.release_event DROP CONSTRAINT release_event_pkey, ADD PRIMARY KEY (event, at),
    DROP CONSTRAINT release_event_kind_check,
    ADD CHECK (kind IN ('stale', 'superseded', 'withdrawn', 'reassigned', 'purged'));
