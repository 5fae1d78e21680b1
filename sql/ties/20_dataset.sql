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
COMMENT ON COLUMN bkpriv.dataset.scales IS 'By column, the least and the greatest value of its scale; of others it is computed';
COMMENT ON COLUMN bkpriv.dataset.attributes IS 'Columns that pass through unchanged';
COMMENT ON COLUMN bkpriv.dataset.source_owners IS 'Owner of the source and that of its schema, when it was registered last; empty after reassign';
GRANT SELECT ON bkpriv.dataset TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.dataset FOR SELECT 
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));
-- Whoever publishes or withdraws writes the row anew, so a deletion waits for that, and fails to
-- serialize where its snapshot does not show what has been done.
CREATE TRIGGER guard BEFORE DELETE ON bkpriv.dataset
    FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_dataset();
