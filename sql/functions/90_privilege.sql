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
    'Takes all jobs in this database back from a role.
It stays a member of the group roles of the cluster';
-- Granted to nobody: for superusers.
