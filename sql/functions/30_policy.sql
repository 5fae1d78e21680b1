-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE OR REPLACE FUNCTION bkpriv_internal.meant(requirements jsonb, smoothing float8, options jsonb DEFAULT '{}') RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT CASE WHEN smoothing IS NOT NULL AND jsonb_typeof(requirements) = 'object' AND jsonb_typeof(stated) IN ('object', 'array')
        THEN jsonb_set(requirements, '{bt_privacy}', CASE jsonb_typeof(stated)
            WHEN 'object' THEN by || stated
            ELSE (SELECT coalesce(jsonb_agg(CASE jsonb_typeof(one) WHEN 'object' THEN by || one ELSE one END ORDER BY place), '[]')
                  FROM jsonb_array_elements(stated) WITH ORDINALITY AS each(one, place)) END)
        ELSE requirements END
    FROM (SELECT requirements -> 'bt_privacy', jsonb_build_object('smoothing', coalesce(options -> 'smoothing', to_jsonb(smoothing))))
        AS found(stated, by)
$$;
COMMENT ON FUNCTION bkpriv_internal.meant(jsonb, float8, jsonb) IS
    'Requirements with the smoothing stated that a row of a version before 0.4.0 leaves out.
It is that of the row''s options, or that of its column of this name, which is NULL in rows since';
GRANT EXECUTE ON FUNCTION bkpriv_internal.meant(jsonb, float8, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE VIEW bkpriv.policies WITH (security_barrier) AS
SELECT name, owner, bkpriv_internal.meant(requirements, smoothing) AS requirements, set_at
FROM bkpriv.policy
WHERE has_schema_privilege('bkpriv', 'USAGE');
COMMENT ON VIEW bkpriv.policies IS
    'Named privacy requirements, as they are meant.
A smoothing that versions before 0.4.0 did not state is stated';
GRANT SELECT ON bkpriv.policies TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.policies.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.policies.owner IS 'Role that stated it';
COMMENT ON COLUMN bkpriv.policies.requirements IS 'What a release must keep, with every smoothing that holds';
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
