-- Policy: seen by all publishers, changed by its owner.

COMMENT ON TABLE bkpriv.policy IS
    'Named privacy requirements; bkpriv.policies shows them';
COMMENT ON COLUMN bkpriv.policy.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.policy.owner IS 'Role that stated it';
COMMENT ON COLUMN bkpriv.policy.requirements IS 'Requirements as they were stated';
COMMENT ON COLUMN bkpriv.policy.set_at IS 'When it was stated last';
GRANT SELECT ON bkpriv.policy TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (has_schema_privilege('bkpriv', 'USAGE'));
