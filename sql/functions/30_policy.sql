-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE OR REPLACE FUNCTION bkpriv.set_policy(name text, requirements jsonb) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].policy.set_policy(name, requirements)
$$;
COMMENT ON FUNCTION bkpriv.set_policy(text, jsonb) IS
    'States requirements under a name, or states them anew; releases already made keep theirs';
GRANT EXECUTE ON FUNCTION bkpriv.set_policy(text, jsonb) TO bkpriv_publisher;
