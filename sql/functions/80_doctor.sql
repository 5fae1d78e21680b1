-- Doctor: whether the installation is sound.

CREATE OR REPLACE FUNCTION bkpriv.doctor() RETURNS TABLE (check_name text, ok boolean, detail text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].doctor.doctor()
$$;
COMMENT ON FUNCTION bkpriv.doctor() IS
    'Checks versions, paths, permissions and guards of the installation';
GRANT EXECUTE ON FUNCTION bkpriv.doctor() TO bkpriv_publisher, bkpriv_auditor;
