-- History: its owner's and auditors' to see, and append-only for everybody.

ALTER TABLE bkpriv.release ALTER release SET DEFAULT bkpriv_internal.next_release();

DO $$
DECLARE
    history text;
    refused text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_base', 'release_attribute', 'release_content', 'release_draw', 'release_respondent',
                                  'release_belief', 'release_notice', 'release_event', 'audit_record',
                                  'attack_record', 'verdict_record'] LOOP
        refused := CASE
            WHEN history = 'release' THEN (
                SELECT 'DELETE OR TRUNCATE OR UPDATE OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                FROM pg_attribute
                WHERE attrelid = 'bkpriv.release'::regclass AND attnum > 0 AND attname <> ALL (ARRAY['owner', 'watch']) AND NOT attisdropped)
            WHEN history IN ('release_base', 'release_event', 'audit_record', 'attack_record', 'verdict_record') THEN 'DELETE OR TRUNCATE OR UPDATE'
            ELSE 'TRUNCATE OR UPDATE' END;
        EXECUTE format('CREATE TRIGGER guard BEFORE %s ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', refused, history);
    END LOOP;
    FOREACH history IN ARRAY ARRAY['release_attribute', 'release_content', 'release_draw', 'release_respondent', 'release_belief',
                                  'release_notice'] LOOP
        EXECUTE format('CREATE TRIGGER guard_row BEFORE DELETE ON bkpriv.%I
                        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row(''purged'')', history);
    END LOOP;
    CREATE TRIGGER guard_row BEFORE UPDATE OF owner ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('reassigned');
    CREATE TRIGGER guard_watch BEFORE UPDATE OF watch ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('stale');
END $$;

COMMENT ON TABLE bkpriv.release IS 'What was published, and how; append-only';
COMMENT ON COLUMN bkpriv.release.release IS 'Id, as publish() returns it';
COMMENT ON COLUMN bkpriv.release.dataset IS 'Dataset that was published';
COMMENT ON COLUMN bkpriv.release.owner IS 'Role that the dataset belongs to';
COMMENT ON COLUMN bkpriv.release.version IS 'Number of the release among those of its dataset, from 1';
COMMENT ON COLUMN bkpriv.release.source_schema IS 'Schema of the table that was published';
COMMENT ON COLUMN bkpriv.release.source_name IS 'Name of the table that was published';
COMMENT ON COLUMN bkpriv.release.view_schema IS 'Schema of the view';
COMMENT ON COLUMN bkpriv.release.view_name IS 'Name of the view';
COMMENT ON COLUMN bkpriv.release.method IS 'Method that made it';
COMMENT ON COLUMN bkpriv.release.policy IS 'Name of the policy';
COMMENT ON COLUMN bkpriv.release.requirements IS 'Requirements of the policy at that time, as they were stated';
COMMENT ON COLUMN bkpriv.release.options IS 'Options of the publication';
COMMENT ON COLUMN bkpriv.release.period IS 'Period whose records were published; NULL: all records';
COMMENT ON COLUMN bkpriv.release.records IS 'Records of the source, or of the period';
COMMENT ON COLUMN bkpriv.release.suppressed IS 'Records that were left out';
COMMENT ON COLUMN bkpriv.release.groups IS 'Groups that are shown; 0 of a randomized release';
COMMENT ON COLUMN bkpriv.release.created_at IS 'When it was published';
COMMENT ON COLUMN bkpriv.release.created_by IS 'Role that published it';
COMMENT ON COLUMN bkpriv.release.watch IS 'Tokens of the triggers that watched the source; NULL: it was not watched, or is stale';
COMMENT ON COLUMN bkpriv.release.period_type IS 'Built-in type that periods are compared as, text for others; NULL: texts do not tell them apart';
COMMENT ON COLUMN bkpriv.release.period_column IS 'Column of periods';
COMMENT ON COLUMN bkpriv.release.period_bin IS 'Unit or width by which the column of periods is binned';
COMMENT ON COLUMN bkpriv.release.counterfeited IS 'Records that are shown with another sensitive value than they have';
COMMENT ON COLUMN bkpriv.release.grown_from IS 'Release whose groups it keeps';
COMMENT ON COLUMN bkpriv.release.respondent_column IS 'Column that names respondents';
COMMENT ON COLUMN bkpriv.release.attributes IS 'Columns that pass through unchanged';
COMMENT ON COLUMN bkpriv.release.unique_rows IS 'Rows unique within their group by each attribute, and by all together; NULL: no attributes';
COMMENT ON COLUMN bkpriv.release.shared_rows IS 'Rows whose value of each attribute 2 to 20 rows share, 0 if it has at most 20 values; NULL: unknown';
GRANT SELECT ON bkpriv.release TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release FOR SELECT
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));

COMMENT ON TABLE bkpriv.release_base IS
    'What releases were made from, as bkpriv_internal.bases() found it; append-only';
COMMENT ON COLUMN bkpriv.release_base.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_base.base IS 'Relation that the source read, with its schema; the source is one';
GRANT SELECT ON bkpriv.release_base TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_base FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies and types of the source as they were at the release; append-only';
COMMENT ON COLUMN bkpriv.release_attribute.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_attribute.place IS 'Order of the attributes, from 0; the sensitive ones come last';
COMMENT ON COLUMN bkpriv.release_attribute.attribute IS 'Name of the column';
COMMENT ON COLUMN bkpriv.release_attribute.labels IS 'Values of the column, in their order';
COMMENT ON COLUMN bkpriv.release_attribute.positions IS 'Numbers of the values; NULL: they are labels';
COMMENT ON COLUMN bkpriv.release_attribute.levels IS 'Hierarchy: labels row by row, each row from leaf to root';
COMMENT ON COLUMN bkpriv.release_attribute.type IS 'Type of the column in the source';
COMMENT ON COLUMN bkpriv.release_attribute.widths IS 'Widths of nested intervals, in the unit of positions';
COMMENT ON COLUMN bkpriv.release_attribute.origin IS 'Number that the intervals are counted from';
COMMENT ON COLUMN bkpriv.release_attribute.level IS 'Level to which the whole column was generalized; NULL: there is none';
COMMENT ON COLUMN bkpriv.release_attribute.ends IS 'Where the interval of each value ends; NULL: the column is not binned';
COMMENT ON COLUMN bkpriv.release_attribute.retention IS 'Probability with which a randomized release kept its values';
COMMENT ON COLUMN bkpriv.release_attribute.bounds IS 'Least and greatest number of its scale; NULL: its scale is the range of all values';
GRANT SELECT ON bkpriv.release_attribute TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_content IS
    'Cells of the source at the release, their groups and sensitive values; append-only';
COMMENT ON COLUMN bkpriv.release_content.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_content.codes IS 'Quasi-identifiers of each cell, cell by cell, as places in labels';
COMMENT ON COLUMN bkpriv.release_content.group_ids IS 'Group of each cell, -1: none; a cell in several groups recurs';
COMMENT ON COLUMN bkpriv.release_content.cells IS 'Cells of the counts that follow, by place';
COMMENT ON COLUMN bkpriv.release_content.sensitive_codes IS 'Sensitive values of these counts, by place, or combinations of values';
COMMENT ON COLUMN bkpriv.release_content.counts IS 'Records with this cell and value';
COMMENT ON COLUMN bkpriv.release_content.false_cells IS 'Cells with counterfeits, by place; NULL: there are none';
COMMENT ON COLUMN bkpriv.release_content.false_codes IS 'Values of these counterfeits, by place';
COMMENT ON COLUMN bkpriv.release_content.false_counts IS 'How many more records of the cell are shown with the value than have it';
COMMENT ON COLUMN bkpriv.release_content.combinations IS 'Codes of the sensitive columns, row by row, of each combination; NULL: one column';
COMMENT ON COLUMN bkpriv.release_content.combination_offsets IS 'Where the rows of each combination begin and end; NULL: each has one';
COMMENT ON COLUMN bkpriv.release_content.made_from IS 'Digests of what it was made from, to tell whether it stands';
GRANT SELECT ON bkpriv.release_content TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_draw IS
    'Distinct records that a randomized release drew and published; append-only';
COMMENT ON COLUMN bkpriv.release_draw.release IS 'Randomized release';
COMMENT ON COLUMN bkpriv.release_draw.codes IS 'Codes of all attributes of each distinct record that was drawn, record by record';
COMMENT ON COLUMN bkpriv.release_draw.counts IS 'How often each was drawn';
GRANT SELECT ON bkpriv.release_draw TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_draw FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_respondent IS
    'Who was published in which group, where the dataset names respondents; append-only';
COMMENT ON COLUMN bkpriv.release_respondent.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_respondent.respondents IS 'Names of the respondents, in order';
COMMENT ON COLUMN bkpriv.release_respondent.group_ids IS 'Group that each was published in; -1: none';
COMMENT ON COLUMN bkpriv.release_respondent.parts IS 'Part of a cell that each is in, as the place of its group in release_content';
COMMENT ON COLUMN bkpriv.release_respondent.sensitive_codes IS 'Sensitive value of each, by place';
COMMENT ON COLUMN bkpriv.release_respondent.shown_codes IS 'Value that each is shown with; NULL: the true ones';
GRANT SELECT ON bkpriv.release_respondent TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_notice IS
    'Notices and warnings that publications told whoever published; erased by purge; append-only';
COMMENT ON COLUMN bkpriv.release_notice.release IS 'Release whose publication told it';
COMMENT ON COLUMN bkpriv.release_notice.at IS 'When it was told';
COMMENT ON COLUMN bkpriv.release_notice.severity IS 'NOTICE, or WARNING for what is hardly as it was meant to be';
COMMENT ON COLUMN bkpriv.release_notice.message IS 'What was told';
COMMENT ON COLUMN bkpriv.release_notice.detail IS 'More about it';
COMMENT ON COLUMN bkpriv.release_notice.hint IS 'What could be done';
COMMENT ON COLUMN bkpriv.release_notice.place IS 'Order in which it was told, from 1; the last says what was given away';
GRANT SELECT ON bkpriv.release_notice TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_notice FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; append-only';
COMMENT ON COLUMN bkpriv.release_event.event IS 'Id; with the time it tells events apart';
COMMENT ON COLUMN bkpriv.release_event.release IS 'Release that it happened to';
COMMENT ON COLUMN bkpriv.release_event.kind IS 'stale, superseded, withdrawn, reassigned or purged';
COMMENT ON COLUMN bkpriv.release_event.reason IS 'Why, in words';
COMMENT ON COLUMN bkpriv.release_event.at IS 'When it was recorded';
COMMENT ON COLUMN bkpriv.release_event.by IS 'Role that did it';
COMMENT ON COLUMN bkpriv.release_event.readers IS 'Of a withdrawn release, roles (quoted) and PUBLIC that could read its views; last NULL: maybe others';
GRANT SELECT ON bkpriv.release_event TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.audit_record IS 'What audits found, one row per bound; append-only';
COMMENT ON COLUMN bkpriv.audit_record.audit IS 'Id of the call of audit(), or of the certification';
COMMENT ON COLUMN bkpriv.audit_record.place IS 'Order of the bounds, from 0';
COMMENT ON COLUMN bkpriv.audit_record.release IS 'Release that was measured';
COMMENT ON COLUMN bkpriv.audit_record.requirement IS 'Requirement that the bound is of';
COMMENT ON COLUMN bkpriv.audit_record.parameters IS 'Parameters of the requirement as they were stated';
COMMENT ON COLUMN bkpriv.audit_record.threshold IS 'Bound';
COMMENT ON COLUMN bkpriv.audit_record.worst IS 'Figure of the worst group or person, in the unit of the threshold';
COMMENT ON COLUMN bkpriv.audit_record.mean IS 'Mean of the figure over all records';
COMMENT ON COLUMN bkpriv.audit_record.vulnerable IS 'Records over the threshold; NULL: the requirement is not about records';
COMMENT ON COLUMN bkpriv.audit_record.satisfied IS 'Whether the bound holds';
COMMENT ON COLUMN bkpriv.audit_record.estimator IS 'Estimator of beliefs that was used';
COMMENT ON COLUMN bkpriv.audit_record.audited_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.audit_record.audited_by IS 'Role that measured it';
GRANT SELECT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.attack_record IS 'What attacks found, one row per figure; append-only';
COMMENT ON COLUMN bkpriv.attack_record.attack IS 'Id of the call of attack()';
COMMENT ON COLUMN bkpriv.attack_record.place IS 'Order of the figures, from 0';
COMMENT ON COLUMN bkpriv.attack_record.release IS 'Release that was attacked';
COMMENT ON COLUMN bkpriv.attack_record.attacker IS 'Attacker that was played';
COMMENT ON COLUMN bkpriv.attack_record.options IS 'Options of the attacker, with those that were left out as they are meant';
COMMENT ON COLUMN bkpriv.attack_record.metric IS 'Name of the figure, as attack() has it';
COMMENT ON COLUMN bkpriv.attack_record.value IS 'Figure';
COMMENT ON COLUMN bkpriv.attack_record.sensitive IS 'Column that it is about; NULL: none, or all as one';
COMMENT ON COLUMN bkpriv.attack_record.attacked_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.attack_record.attacked_by IS 'Role that measured it';
GRANT SELECT ON bkpriv.attack_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.attack_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.verdict_record IS 'Verdicts on releases, the whole and each thing to judge; append-only';
COMMENT ON COLUMN bkpriv.verdict_record.verdict IS 'Id of the verdict, of a publication or an audit';
COMMENT ON COLUMN bkpriv.verdict_record.place IS 'Order, from 0, which is the verdict as a whole';
COMMENT ON COLUMN bkpriv.verdict_record.release IS 'Release that was judged';
COMMENT ON COLUMN bkpriv.verdict_record.state IS 'satisfied, judge or violated';
COMMENT ON COLUMN bkpriv.verdict_record.what IS 'The state in one sentence, or what is broken or to be judged';
COMMENT ON COLUMN bkpriv.verdict_record.count IS 'People, rows, columns or releases that it is about; of the whole the number of things';
COMMENT ON COLUMN bkpriv.verdict_record.among IS 'Number of those that were looked at';
COMMENT ON COLUMN bkpriv.verdict_record.advice IS 'What to do about it';
COMMENT ON COLUMN bkpriv.verdict_record.key IS 'Kind of thing, or the broken requirement; NULL: the whole';
COMMENT ON COLUMN bkpriv.verdict_record.judged_at IS 'When it was judged';
COMMENT ON COLUMN bkpriv.verdict_record.judged_by IS 'Role that judged it';
GRANT SELECT ON bkpriv.verdict_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.verdict_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
