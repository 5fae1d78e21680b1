-- Session: how PL/Python finds the packages. The path is baked in when the extension is built; no
-- setting, table or environment variable changes it.

DO $$
BEGIN
    -- PL/Python reads and writes text in the database's encoding by way of Python's codecs, which differ
    -- from PostgreSQL's in other encodings, or are missing.
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'bkpriv needs a database in UTF8, not in %', getdatabaseencoding()
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'In other encodings PL/Python would change texts, or fail.',
                  HINT = 'Copy the data into a database made by CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8''.';
    END IF;
    -- CREATE EXTENSION takes a schema that is there already. Its owner could put functions into it
    -- that are called in place of ours.
    IF NOT (SELECT r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'bkpriv') THEN
        RAISE EXCEPTION 'schema bkpriv exists and does not belong to a superuser'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'Its owner could change what the extension''s functions do.',
                  HINT = 'Drop or rename it first.';
    END IF;
END $$;
REVOKE ALL ON SCHEMA bkpriv FROM PUBLIC;
COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';

-- What people call is in bkpriv; what only the functions there call, here. One that exists is refused.
CREATE SCHEMA bkpriv_internal;
COMMENT ON SCHEMA bkpriv_internal IS 'What the functions and tables of bkpriv call; not for people';

CREATE FUNCTION bkpriv_internal.python_path() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@PYTHON_PATH@' $$;
REVOKE ALL ON FUNCTION bkpriv_internal.python_path() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.python_path() IS
    'Directory of the Python packages, fixed when the extension was built';

CREATE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '@VERSION@' $$;
REVOKE ALL ON FUNCTION bkpriv.version() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';

CREATE FUNCTION bkpriv_internal.bootstrap() RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
import sys; path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]; sys.path.insert(0, path)
import bkpriv_pl.session; GD["bkpriv"] = bkpriv_pl.session.start(path)
$$;
REVOKE ALL ON FUNCTION bkpriv_internal.bootstrap() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv_internal.bootstrap() IS
    'Loads the Python packages, once in a session; the other functions call it';
