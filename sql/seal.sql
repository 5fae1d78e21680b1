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
    -- Whatever changes how SQL is written, or values are, is pinned at every entry, and so is for which arguments
    -- queries are planned.
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
                        ALTER FUNCTION %1$s SET gin_fuzzy_search_limit = 0;
                        ALTER FUNCTION %1$s SET default_tablespace = '''';
                        ALTER FUNCTION %1$s SET default_table_access_method = heap;
                        ALTER FUNCTION %1$s SET plan_cache_mode = auto', called);
    END LOOP;
    -- Nor does a server decide what a call costs: to compile a query of the catalogs takes seconds.
    FOR called IN
        SELECT oid FROM pg_proc WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
            AND proconfig IS NOT NULL
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET jit = off', called);
    END LOOP;
END $$;
