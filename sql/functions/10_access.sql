-- Access: whose datasets, releases, audits and attacks a role may see. A dataset belongs to the role that
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

CREATE OR REPLACE FUNCTION bkpriv_internal.has_job(role oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT coalesce(has_schema_privilege(role, 'bkpriv', 'USAGE'), false) $$;
COMMENT ON FUNCTION bkpriv_internal.has_job(oid) IS
    'Whether a role has a job in this database.
Group roles, and so the right to call functions, are the cluster''s';
GRANT EXECUTE ON FUNCTION bkpriv_internal.has_job(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.write() RETURNS void
    LANGUAGE plpython3u SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].writing.execute()
$$;
COMMENT ON FUNCTION bkpriv_internal.write() IS
    'Executes the statement that the functions of bkpriv have left in the memory of the session.
It is the only way into the tables of bkpriv; called by anybody else, it finds none';
GRANT EXECUTE ON FUNCTION bkpriv_internal.write() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.owned() RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- Nobody owns anything without a job here, though a view that was made on the history by then can still
    -- be queried.
    SELECT rolname FROM pg_roles WHERE pg_has_role(oid, 'MEMBER') AND has_schema_privilege('bkpriv', 'USAGE')
$$;
COMMENT ON FUNCTION bkpriv_internal.owned() IS
    'Roles whose datasets and releases are the current user''s.
Policies ask for them once, not for each row';
GRANT EXECUTE ON FUNCTION bkpriv_internal.owned() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.sees_all() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT has_function_privilege('bkpriv_internal.auditor()', 'EXECUTE')
        OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
$$;
COMMENT ON FUNCTION bkpriv_internal.sees_all() IS 'Whether the current user may see every release: auditors, and superusers';
GRANT EXECUTE ON FUNCTION bkpriv_internal.sees_all() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.owns(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- Superusers own what belongs to a role that is gone, too.
    SELECT has_schema_privilege('bkpriv', 'USAGE')
        AND EXISTS (SELECT FROM pg_roles WHERE rolname = owner AND pg_has_role(oid, 'MEMBER')
                    OR rolname = current_user AND rolsuper)
$$;
COMMENT ON FUNCTION bkpriv_internal.owns(text) IS 'Whether the current user is the role, a member of it, or a superuser, and has a job in this database';
GRANT EXECUTE ON FUNCTION bkpriv_internal.owns(text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.reads_for(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT has_schema_privilege('bkpriv', 'USAGE')
        AND EXISTS (SELECT FROM pg_roles o CROSS JOIN pg_roles c
                    WHERE o.rolname = owner AND c.rolname = current_user AND pg_has_role(o.oid, 'MEMBER')
                        AND (o.rolsuper OR NOT c.rolsuper)
                        -- Who administers a role makes anybody a member of it, whether they want to be or not.
                        AND (has_function_privilege(o.oid, 'bkpriv_internal.auditor()', 'EXECUTE')
                             OR NOT has_function_privilege(c.oid, 'bkpriv_internal.auditor()', 'EXECUTE')))
$$;
COMMENT ON FUNCTION bkpriv_internal.reads_for(text) IS
    'Whether what a role has named is read for the current user.
That is the role or a member; a superuser or an auditor only if the role is one, too. Whoever names
a relation trusts it, as with SELECT, and nobody more powerful is made to read it';
GRANT EXECUTE ON FUNCTION bkpriv_internal.reads_for(text) TO bkpriv_publisher, bkpriv_auditor;
