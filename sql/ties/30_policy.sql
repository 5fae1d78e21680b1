-- Policy: seen by all publishers, changed by its owner.

COMMENT ON TABLE bkpriv.policy IS
    'Named privacy requirements; smoothing: by which beliefs are compared where these do not say, NULL (values are alike or not) of all that is stated since 0.4.0; bkpriv.policies states it';
GRANT SELECT ON bkpriv.policy TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT, UPDATE (requirements, set_at, smoothing, table_owners) ON bkpriv.policy TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (has_schema_privilege('bkpriv', 'USAGE'));
CREATE POLICY state ON bkpriv.policy FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY change ON bkpriv.policy FOR UPDATE USING (bkpriv_internal.owns(owner));
