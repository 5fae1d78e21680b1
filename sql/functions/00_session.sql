-- Session: how PL/Python finds the packages: beside the libraries of the server that runs, which only
-- its own program tells. No setting, table or environment variable changes it.

CREATE OR REPLACE FUNCTION bkpriv_internal.python_path() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    path text := (SELECT setting FROM pg_config() WHERE name = 'PKGLIBDIR') || '/bkpriv/@VERSION@';
BEGIN
    IF (pg_stat_file(path || '/bkpriv_pl/server/session.py', true)).size IS NULL THEN
        RAISE EXCEPTION 'the Python packages of bkpriv @VERSION@ are not installed in this server'
            USING ERRCODE = 'undefined_file', DETAIL = format('They would be in %s.', path),
                  HINT = format('Install bkpriv @VERSION@ there: make install PG_CONFIG=%s/pg_config, or the package for this '
                      'server. Where a later version is installed: ALTER EXTENSION bkpriv UPDATE.',
                      (SELECT setting FROM pg_config() WHERE name = 'BINDIR'));
    END IF;
    RETURN path;
END $$;
COMMENT ON FUNCTION bkpriv_internal.python_path() IS
    'Directory of the Python packages, in the library directory of the server that runs';
GRANT EXECUTE ON FUNCTION bkpriv_internal.python_path() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@VERSION@' $$;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';
GRANT EXECUTE ON FUNCTION bkpriv.version() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.digest() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@DIGEST@' $$;
COMMENT ON FUNCTION bkpriv_internal.digest() IS
    'Digest of the files in sql/ that this was made from.
doctor() compares it with that of what is installed';
GRANT EXECUTE ON FUNCTION bkpriv_internal.digest() TO bkpriv_publisher, bkpriv_auditor;
