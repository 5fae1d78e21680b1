-- Ownership: handing on what belongs to a role, by name, that was renamed or dropped.

CREATE OR REPLACE FUNCTION bkpriv.reassign(owner text, new_owner regrole) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].ownership.reassign(owner, new_owner)
$$;
COMMENT ON FUNCTION bkpriv.reassign(text, regrole) IS
    'For superusers: hands what a role has in bkpriv to another.
That is its datasets, policies and releases, and the views that show these; the role may be gone';
-- Granted to nobody: for superusers.
