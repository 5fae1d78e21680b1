-- Session: how PL/Python finds the packages. The path is baked in when the extension is built; no
-- setting, table or environment variable changes it.

REVOKE ALL ON SCHEMA bkpriv FROM PUBLIC;

CREATE FUNCTION bkpriv._python_path() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@PYTHON_PATH@' $$;
REVOKE ALL ON FUNCTION bkpriv._python_path() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._python_path() IS
    'Directory of the Python packages, fixed when the extension was built';

CREATE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@VERSION@' $$;
REVOKE ALL ON FUNCTION bkpriv.version() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';

CREATE FUNCTION bkpriv._bootstrap() RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
import sys; path = plpy.execute("SELECT bkpriv._python_path() AS path")[0]["path"]; sys.path.insert(0, path)
import bkpriv_pl.session; GD["bkpriv"] = bkpriv_pl.session.start(path)
$$;
REVOKE ALL ON FUNCTION bkpriv._bootstrap() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._bootstrap() IS
    'Loads the Python packages, once in a session; the other functions call it';
