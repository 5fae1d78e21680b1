-- Seal: the last of the script. What default privileges gave away is taken back, settings are pinned, and
-- the group roles of the jobs get what their job needs; nothing is left to anybody else.

DO $$
DECLARE
    held record;
    called regprocedure;
BEGIN
    -- What default privileges gave away while the script ran.
    FOR held IN
        SELECT DISTINCT o.kind, o.name,
            CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM (SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, oid::regclass::text AS name,
                     relacl AS acl, relowner AS owner
              FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v', 'S')
              UNION ALL SELECT 'FUNCTION', oid::regprocedure::text, proacl, proowner
              FROM pg_proc WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
              UNION ALL SELECT 'SCHEMA', oid::regnamespace::text, nspacl, nspowner
              FROM pg_namespace WHERE nspname IN ('bkpriv', 'bkpriv_internal', 'bkpriv_release')) AS o,
            LATERAL aclexplode(o.acl) AS a
        WHERE a.grantee <> o.owner
    LOOP
        EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', held.kind, held.name, held.grantee);
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
                        ALTER FUNCTION %1$s SET row_security = on;
                        ALTER FUNCTION %1$s SET default_tablespace = '''';
                        ALTER FUNCTION %1$s SET default_table_access_method = heap', called);
    END LOOP;
END $$;

DO $$
DECLARE
    job text;
    held record;
BEGIN
    FOREACH job IN ARRAY ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = job) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', job);
        ELSIF EXISTS (SELECT FROM pg_roles WHERE rolname = job AND (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb)) THEN
            RAISE EXCEPTION 'role % exists and is more than a group', job
                USING ERRCODE = 'duplicate_object', DETAIL = 'The group roles of bkpriv cannot log in and have no attributes.',
                      HINT = 'Rename that role first.';
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA bkpriv_internal TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;
GRANT SELECT ON bkpriv.dataset, bkpriv.hierarchy, bkpriv.policy, bkpriv.release, bkpriv.release_attribute,
    bkpriv.release_content, bkpriv.release_respondent, bkpriv.release_event, bkpriv.audit_record, bkpriv.releases,
    bkpriv.audits TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
GRANT USAGE ON SEQUENCE bkpriv.audit_id TO bkpriv_publisher, bkpriv_auditor;
GRANT EXECUTE ON FUNCTION bkpriv_internal.owns(text), bkpriv_internal.sees(text), bkpriv_internal.reads(text, text), bkpriv_internal.release_table(bigint, text),
    bkpriv_internal.release_tables(bigint), bkpriv_internal.views_of(bigint), bkpriv_internal.next_audit(),
    bkpriv_internal.prior(text, jsonb), bkpriv.prior(text, jsonb),
    bkpriv_internal.posterior(bigint, jsonb, text), bkpriv.posterior(bigint, jsonb, text),
    bkpriv_internal.disclosure(bigint, jsonb, text), bkpriv.disclosure(bigint, jsonb, text),
    bkpriv.explain_disclosure(bigint, jsonb, text),
    bkpriv.lattice(text, text, jsonb), bkpriv.max_disclosure(bigint, int, text),
    bkpriv_internal.disclosure_given(bigint, jsonb), bkpriv.disclosure_given(bigint, jsonb),
    bkpriv.audit(bigint, jsonb, text), bkpriv.utility(bigint),
    bkpriv.query_accuracy(bigint, text), bkpriv.query_workload(bigint, int, int, float8, bigint),
    bkpriv.rewrite_query(bigint, text), bkpriv.association(bigint),
    bkpriv.exact_posterior(float8[], int[]), bkpriv.bethe_posterior(float8[], int[]),
    bkpriv.omega_posterior(float8[], int[]),
    bkpriv.js_divergence(float8[], float8[]), bkpriv.emd(float8[], float8[], float8[]),
    bkpriv.smoothed_distance(float8[], float8[], float8[], float8), bkpriv.worst_case(int[], int, text),
    bkpriv.doctor()
    TO bkpriv_publisher, bkpriv_auditor;

GRANT INSERT, UPDATE (registered_at), DELETE ON bkpriv.dataset TO bkpriv_publisher;
GRANT INSERT, UPDATE, DELETE ON bkpriv.hierarchy TO bkpriv_publisher;
GRANT INSERT, UPDATE ON bkpriv.policy TO bkpriv_publisher;
GRANT INSERT ON bkpriv.release, bkpriv.release_attribute, bkpriv.release_content, bkpriv.release_respondent,
    bkpriv.release_event TO bkpriv_publisher;
GRANT USAGE ON SEQUENCE bkpriv.release_id, bkpriv.release_event_id TO bkpriv_publisher;
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb),
    bkpriv.set_hierarchy(text, text, regclass), bkpriv.set_interval_hierarchy(text, text, numeric[], numeric),
    bkpriv.unset_hierarchy(text, text),
    bkpriv.drop_dataset(text), bkpriv.set_policy(text, jsonb),
    bkpriv.publish(text, text, text, text, text, jsonb, text), bkpriv.withdraw(bigint, text),
    bkpriv.purge(bigint, text, boolean), bkpriv_internal.next_release(), bkpriv_internal.live_releases(text, text),
    bkpriv_internal.create_release_table(bigint, text[], regtype[], text), bkpriv_internal.seal_release_tables(bigint),
    bkpriv_internal.clear_release(bigint), bkpriv_internal.erase_release(bigint), bkpriv_internal.hold_writers(bigint)
    TO bkpriv_publisher;

GRANT EXECUTE ON FUNCTION bkpriv.watch(regclass), bkpriv.unwatch(regclass), bkpriv_internal.mark_stale(), bkpriv_internal.register_watch(oid)
    TO bkpriv_publisher, bkpriv_watcher;
GRANT EXECUTE ON FUNCTION bkpriv_internal.bootstrap(), bkpriv_internal.python_path(), bkpriv.version(),
    bkpriv_internal.written_tables(oid), bkpriv_internal.watch_token(oid), bkpriv_internal.watch_tokens(text, text)
    TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;
