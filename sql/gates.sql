-- Gates: what is granted to roles themselves, when they are given a job in this database: USAGE on two
-- schemas, and the right to execute auditor(). An installation begins with nobody having it, whatever
-- default privileges say. An upgrade never comes here: privileges that a script of an extension touches
-- count as the extension's, and pg_dump would leave those of all roles out.

DO $$
DECLARE
    held record;
    worker boolean := false;
BEGIN
    FOR held IN
        SELECT DISTINCT o.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM (SELECT 'SCHEMA ' || nspname AS name, coalesce(nspacl, acldefault('n', nspowner)) AS acl, nspowner AS owner
              FROM pg_namespace WHERE nspname IN ('bkpriv', 'bkpriv_release')
              UNION ALL SELECT 'FUNCTION ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner
              FROM pg_proc WHERE oid = 'bkpriv_internal.auditor()'::regprocedure) AS o,
            LATERAL aclexplode(o.acl) AS a
        WHERE a.grantee <> o.owner
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', held.name, held.grantee);
    END LOOP;
    -- Citus makes the extension on a worker for shards of releases, which come to be read there by whoever reads on
    -- the coordinator. What they may read, the tables say; nobody has a job on a worker.
    IF to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL THEN
        EXECUTE 'SELECT coalesce(max(groupid), 0) <> 0 FROM pg_catalog.pg_dist_local_group' INTO worker;
    END IF;
    IF worker THEN
        GRANT USAGE ON SCHEMA bkpriv_release TO PUBLIC;
    END IF;
END $$;
