-- History: its owner's and auditors' to see, and append-only for everybody. A row can be added only in
-- the name of the current user and with the present time, about a release of his; audits, auditors add
-- too, about any.

ALTER TABLE bkpriv.release ALTER release SET DEFAULT bkpriv_internal.next_release();

DO $$
DECLARE
    history text;
    refused text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_base', 'release_attribute', 'release_content', 'release_draw', 'release_respondent',
                                  'release_belief', 'release_notice', 'release_event', 'audit_record'] LOOP
        refused := CASE
            WHEN history = 'release' THEN (
                SELECT 'DELETE OR TRUNCATE OR UPDATE OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                FROM pg_attribute
                WHERE attrelid = 'bkpriv.release'::regclass AND attnum > 0 AND attname <> 'owner' AND NOT attisdropped)
            WHEN history IN ('release_base', 'release_event', 'audit_record') THEN 'DELETE OR TRUNCATE OR UPDATE'
            ELSE 'TRUNCATE OR UPDATE' END;
        EXECUTE format('CREATE TRIGGER guard BEFORE %s ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', refused, history);
    END LOOP;
    FOREACH history IN ARRAY ARRAY['release_attribute', 'release_content', 'release_draw', 'release_respondent', 'release_belief',
                                  'release_notice'] LOOP
        EXECUTE format('CREATE TRIGGER guard_row BEFORE DELETE ON bkpriv.%I
                        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row(''purged'')', history);
        -- Statistics hold values, such as names, and stay when the rows are gone.
        EXECUTE (SELECT format('ALTER TABLE bkpriv.%I ', history)
                        || string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ')
                 FROM pg_attribute
                 WHERE attrelid = format('bkpriv.%I', history)::regclass AND attnum > 0 AND NOT attisdropped);
    END LOOP;
    CREATE TRIGGER guard_row BEFORE UPDATE OF owner ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('reassigned');
END $$;

GRANT USAGE ON SEQUENCE bkpriv.release_id, bkpriv.release_event_id TO bkpriv_publisher;
GRANT USAGE ON SEQUENCE bkpriv.audit_id TO bkpriv_publisher, bkpriv_auditor;

COMMENT ON TABLE bkpriv.release IS
    'Releases; watch: the tokens of the triggers that watched the source, NULL where it was not watched; period_type: the built-in type that periods of period_column are compared as, text for others, NULL where their texts do not tell them apart; period_bin: the unit or width by which that column is binned; counterfeited: how many records are shown with another sensitive value than they have; grown_from: the release whose groups it keeps; respondent_column: the column that names respondents; smoothing: by which beliefs are compared where neither the requirements nor the options say, NULL (values are alike or not) of releases since 0.4.0; append-only';
GRANT SELECT ON bkpriv.release TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release FOR SELECT
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));
-- An id must be the one that its sequence has just given to this session: nobody takes another's.
CREATE POLICY append ON bkpriv.release FOR INSERT
    WITH CHECK (bkpriv_internal.owns(owner) AND created_by = current_user AND created_at = now()
                AND release = currval('bkpriv.release_id') AND has_schema_privilege('bkpriv_release', 'USAGE')
                -- Whoever publishes what reads the source is told of it, or refused.
                AND bkpriv_internal.reads(source_schema, source_name)
                -- A release is marked by who writes under its tokens.
                AND (watch IS NULL OR watch = bkpriv_internal.watch_tokens(source_schema, source_name)));

COMMENT ON TABLE bkpriv.release_base IS
    'What releases were made from: the source, and every relation that it read then, as bkpriv_internal.bases() found them; none of releases of versions before 0.4.0; append-only';
GRANT SELECT ON bkpriv.release_base TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_base TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_base FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_base FOR INSERT
    WITH CHECK ((release, base) IN (SELECT r.release, unnest(bkpriv_internal.bases(r.source_schema, r.source_name))
                                    FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies, intervals (in the unit of positions) and types of the source as they were at the release, and the level to which a method generalized the whole column, or the probability with which a randomized release kept its values; of binned attributes where each bin ends; the last attributes are the sensitive ones; append-only';
GRANT SELECT ON bkpriv.release_attribute TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_attribute TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_attribute FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_content IS
    'Cells of the source at the release: quasi-identifier codes cell by cell, the group of each cell (-1: none), and how many records each cell has with each sensitive value; a cell whose records lie in several groups recurs, once for each; where there are counterfeits, how many more (or, below 0, fewer) records of a cell are shown with a value than have it; of several sensitive columns, values are combinations: codes of the columns, row by row, and where the rows of each combination begin and end if they have several (NULL: one each); append-only';
GRANT SELECT ON bkpriv.release_content TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_content TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_content FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_draw IS
    'Of randomized releases: the distinct records that were drawn and published, the codes of all attributes record by record, and how often each was drawn; append-only';
GRANT SELECT ON bkpriv.release_draw TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_draw TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_draw FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_draw FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_respondent IS
    'Of datasets that declare a respondent column: who was published in which group (-1: none), and in which part of a cell (the place of its group in release_content) with which sensitive value, in the order of names; shown_codes: the value that each is shown with, where some are counterfeits; append-only';
GRANT SELECT ON bkpriv.release_respondent TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_respondent TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_respondent FOR INSERT
    WITH CHECK (release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_notice IS
    'What publications told whoever published: notices and warnings, by place in their order; the last is what was given away; erased by purge; append-only';
GRANT SELECT ON bkpriv.release_notice TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_notice TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_notice FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_notice FOR INSERT
    WITH CHECK (at = now()
                AND release IN (SELECT r.release FROM bkpriv.release r WHERE r.created_at = now() AND bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; readers: of one that was withdrawn, the roles, quoted, and PUBLIC, that could read its views; append-only';
GRANT SELECT ON bkpriv.release_event TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.release_event TO bkpriv_publisher;
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.release_event FOR INSERT
    WITH CHECK (by = current_user AND at = now() AND event = currval('bkpriv.release_event_id')
                AND release IN (SELECT r.release FROM bkpriv.release r WHERE bkpriv_internal.owns(r.owner)));

COMMENT ON TABLE bkpriv.audit_record IS
    'What audits found, one row per bound; smoothing: by which beliefs were compared where parameters do not say, NULL (values are alike or not) since 0.4.0; append-only';
GRANT SELECT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
GRANT INSERT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));
CREATE POLICY append ON bkpriv.audit_record FOR INSERT
    WITH CHECK (audited_by = current_user AND audited_at = now() AND audit = currval('bkpriv.audit_id')
                AND release IN (SELECT release FROM bkpriv.release));
