-- Every table and schema: who may see them, what holds for all tables, and what is dumped. What is made
-- in ties/ is taken off here first, so that an upgrade leaves it as an installation makes it.

COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';
COMMENT ON SCHEMA bkpriv_internal IS 'What the functions and tables of bkpriv call; not for people';
COMMENT ON SCHEMA bkpriv_release IS 'Frozen release tables of bkpriv, read through the published views';
GRANT USAGE ON SCHEMA bkpriv_internal TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

DO $$
DECLARE
    kept regclass;
    tie text;
BEGIN
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'S') ORDER BY relname LOOP
        PERFORM pg_extension_config_dump(kept, '');
        EXECUTE format('REVOKE ALL ON %s FROM bkpriv_publisher, bkpriv_auditor, bkpriv_watcher', kept);
    END LOOP;
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
        -- EXPLAIN estimates by values of all rows, whoever may see them; and those of rows that are gone would stay.
        EXECUTE (SELECT format('ALTER TABLE %s ', kept) || string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ')
                 FROM pg_attribute WHERE attrelid = kept AND attnum > 0 AND NOT attisdropped);
        FOR tie IN SELECT format('POLICY %I', polname) FROM pg_policy WHERE polrelid = kept
                UNION ALL SELECT format('TRIGGER %I', tgname) FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
                WHERE tgrelid = kept AND p.pronamespace = 'bkpriv_internal'::regnamespace LOOP
            EXECUTE format('DROP %s ON %s', tie, kept);
        END LOOP;
    END LOOP;
END $$;
