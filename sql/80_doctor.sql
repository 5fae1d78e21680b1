-- Doctor: whether the installation is sound.

CREATE FUNCTION bkpriv.doctor() RETURNS TABLE (check_name text, ok boolean, detail text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].doctor.doctor()
$$;
REVOKE ALL ON FUNCTION bkpriv.doctor() FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.doctor() IS
    'Checks versions, paths, permissions and guards of the installation';
