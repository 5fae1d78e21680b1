-- Dataset: its owner's, and for auditors to see.

COMMENT ON TABLE bkpriv.dataset IS 'Tables that may be published from, by schema and name';
COMMENT ON COLUMN bkpriv.dataset.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.dataset.owner IS 'Role that registered it; only its members publish, measure and withdraw';
COMMENT ON COLUMN bkpriv.dataset.source_schema IS 'Schema of the table that is published';
COMMENT ON COLUMN bkpriv.dataset.source_name IS 'Name of the table that is published';
COMMENT ON COLUMN bkpriv.dataset.quasi_identifiers IS 'Columns that adversaries are supposed to know of everybody';
COMMENT ON COLUMN bkpriv.dataset.sensitive IS 'Sensitive columns';
COMMENT ON COLUMN bkpriv.dataset.respondent IS 'Column that names the person of a record; NULL: each record is a person';
COMMENT ON COLUMN bkpriv.dataset.period IS 'Column that says of which period a record is; NULL: none';
COMMENT ON COLUMN bkpriv.dataset.registered_at IS 'When it was registered last';
COMMENT ON COLUMN bkpriv.dataset.bins IS 'By column, the unit or width of its intervals, or {"method": "label"} for numbers that are codes';
COMMENT ON COLUMN bkpriv.dataset.attributes IS 'Columns that pass through unchanged';
COMMENT ON COLUMN bkpriv.dataset.dropped IS 'Always false; set to true, the row is deleted';
GRANT SELECT ON bkpriv.dataset TO bkpriv_publisher, bkpriv_auditor;
-- DELETE, or UPDATE of whole tables, would let publishers LOCK TABLE and so keep everybody waiting. A row
-- is deleted for those who may change it, when they set `dropped`.
GRANT INSERT, UPDATE (registered_at, dropped) ON bkpriv.dataset TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.dataset FOR SELECT 
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));
-- Group roles are the cluster's: who may look into bkpriv_release is a publisher in this database.
CREATE POLICY register ON bkpriv.dataset FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY touch ON bkpriv.dataset FOR UPDATE USING (bkpriv_internal.owns(owner));
-- Whoever publishes or withdraws writes the row anew, so a deletion waits for that, and fails to
-- serialize where its snapshot does not show what has been done.
CREATE TRIGGER guard BEFORE DELETE ON bkpriv.dataset
    FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_dataset();
CREATE TRIGGER drop_row BEFORE UPDATE OF dropped ON bkpriv.dataset
    FOR EACH ROW WHEN (NEW.dropped) EXECUTE FUNCTION bkpriv_internal.drop_row();
