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
    AS $$ SELECT '@VERSION@' $$;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';
GRANT EXECUTE ON FUNCTION bkpriv.version() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.digest() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@DIGEST@' $$;
COMMENT ON FUNCTION bkpriv_internal.digest() IS
    'Digest of the files in sql/ that this was made from; doctor() compares it with that of what is installed';
GRANT EXECUTE ON FUNCTION bkpriv_internal.digest() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.bootstrap() RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
import sys; path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]; sys.path.insert(0, path)
import bkpriv_pl.session; GD["bkpriv"] = bkpriv_pl.session.Topics(path)
$$;
COMMENT ON FUNCTION bkpriv_internal.bootstrap() IS
    'Loads the Python packages, once in a session; the other functions call it';
GRANT EXECUTE ON FUNCTION bkpriv_internal.bootstrap() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;
