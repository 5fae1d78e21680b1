-- Staleness: nobody reads tokens but the functions, and alterations are noticed.

COMMENT ON TABLE bkpriv.watched IS
    'Tokens of watches, each of one table.
Writers and publications that cannot see each other meet at their rows';
COMMENT ON COLUMN bkpriv.watched.token IS 'Token that the triggers of one table bear';
COMMENT ON COLUMN bkpriv.watched.at IS 'When a release was last made under it, or the watch began';
COMMENT ON COLUMN bkpriv.watched.named IS 'Table that bears it; NULL once the watch has ended';
-- Which table bears which token is no secret, for triggers are none. Functions with the rights of the
-- extension's owner write it.
GRANT SELECT (token, named) ON bkpriv.watched TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;
CREATE POLICY see ON bkpriv.watched FOR SELECT USING (true);

-- Columns of tables are renamed by other commands, too, and dropped with their types. A trigger may be replaced or renamed.
CREATE EVENT TRIGGER bkpriv_altered ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER INDEX',
                 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER SCHEMA', 'CREATE TRIGGER', 'ALTER TRIGGER')
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_dropped ON sql_drop
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_rewritten ON table_rewrite
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
