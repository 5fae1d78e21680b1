-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE TABLE bkpriv.policy (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    requirements jsonb NOT NULL CHECK (jsonb_typeof(requirements) = 'object'),
    set_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE bkpriv.policy IS 'Named privacy requirements';
ALTER TABLE bkpriv.policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (true);
CREATE POLICY state ON bkpriv.policy FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY change ON bkpriv.policy FOR UPDATE USING (bkpriv_internal.owns(owner));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.policy', '');

CREATE FUNCTION bkpriv.set_policy(name text, requirements jsonb) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].policy.set_policy(name, requirements)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_policy(text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_policy(text, jsonb) IS
    'States requirements under a name, or states them anew; releases already made keep theirs';
