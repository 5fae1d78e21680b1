-- Export: the views of a release, opened for a client that reads them in the same transaction.

CREATE OR REPLACE FUNCTION bkpriv_internal.open_views(release bigint) RETURNS TABLE (view_schema text, view_name text)
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].export.open_views(release)
$$;
COMMENT ON FUNCTION bkpriv_internal.open_views(bigint) IS
    'The views of a release under the names that it was published by, locked.
Refused unless all still show it and nothing else, and nobody but the caller and superusers can have
put code into them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.open_views(bigint) TO bkpriv_publisher, bkpriv_auditor;
