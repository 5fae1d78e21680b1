-- Ownership: handing on what belongs to a role, by name, that was renamed or dropped.

CREATE OR REPLACE FUNCTION bkpriv.reassign(owner text, new_owner regrole) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].ownership.reassign(owner, new_owner)
$$;
COMMENT ON FUNCTION bkpriv.reassign(text, regrole) IS
    'For superusers: hands the datasets, policies and releases of a role, which may be gone, and the views that show these, to another';
-- Granted to nobody: for superusers.
