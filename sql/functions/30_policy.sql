-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE OR REPLACE VIEW bkpriv.policies WITH (security_barrier) AS
SELECT name, owner, requirements, set_at
FROM bkpriv.policy
WHERE has_schema_privilege('bkpriv', 'USAGE');
COMMENT ON VIEW bkpriv.policies IS
    'Named privacy requirements';
GRANT SELECT ON bkpriv.policies TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.policies.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.policies.owner IS 'Role that stated it';
COMMENT ON COLUMN bkpriv.policies.requirements IS 'What a release must keep';
COMMENT ON COLUMN bkpriv.policies.set_at IS 'When it was stated last';

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
