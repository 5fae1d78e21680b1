-- Staleness: whether a source has changed since a release was made from it. The owner of a table has it
-- watched: one statement trigger for all datasets, whose one argument is a random token. A release
-- keeps the tokens of all tables that a write to its source may name; a write marks the releases that
-- have its token. A watch that is taken off and put on again has another token, so that nothing is
-- said of the time between: a release is known to be fresh only where the present tokens are its own.
--
-- Before it commits, a publication locks the source against writers and looks once more whether the
-- source is as it was read; if writers do not finish soon, it calls itself stale. So no change slips
-- between reading and publishing. A writer whose snapshot is too old to show it a release cannot mark
-- that release; it fails to serialize instead, on the row of the token, which every publication writes
-- anew.
--
-- Alterations that change values without a write, or stop the watch for a while, mark releases too, by
-- event triggers.

CREATE OR REPLACE FUNCTION bkpriv_internal.written_tables(source oid) RETURNS SETOF oid
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE family AS (
        SELECT oid FROM pg_class WHERE oid = source
        UNION
        SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
    ), named AS (
        SELECT oid FROM family
        UNION
        SELECT i.inhparent FROM pg_inherits i JOIN named w ON i.inhrelid = w.oid
    )
    SELECT oid FROM named
$$;
COMMENT ON FUNCTION bkpriv_internal.written_tables(oid) IS
    'A source with its partitions and children, and the parents of all these: whatever a write to it may name; and the other way round, the sources that a write to this table may change';
GRANT EXECUTE ON FUNCTION bkpriv_internal.written_tables(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.mark_stale() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.add_stale(TG_RELID, ARRAY[TG_ARGV[0]], format('%s on %I.%I', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME));
    RETURN NULL;
END $$;
COMMENT ON FUNCTION bkpriv_internal.mark_stale() IS
    'Statement trigger on a watched table: marks the releases that have its token as stale';
GRANT EXECUTE ON FUNCTION bkpriv_internal.mark_stale() TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.add_stale(changed oid, tokens text[], reason text, lost text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    carried text;
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        -- A release, or the whole watch, may be younger than the snapshot, which shows no catalog either.
        FOREACH carried IN ARRAY array_remove(tokens, NULL) LOOP
            PERFORM FROM bkpriv.watched WHERE token = carried FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'could not serialize access due to the watch of %', changed::regclass
                    USING ERRCODE = 'serialization_failure', DETAIL = 'It began after this transaction.',
                          HINT = 'The transaction might succeed if retried.';
            END IF;
        END LOOP;
    END IF;
    WITH marked AS MATERIALIZED (
        SELECT r.release, r.source_schema, r.source_name
        FROM bkpriv.release r
        WHERE r.watch && tokens
            AND (lost IS NULL OR EXISTS (SELECT FROM bkpriv.release_attribute a
                                         WHERE a.release = r.release AND a.attribute = lost))
            AND NOT EXISTS (SELECT FROM bkpriv.release_event e
                            WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))
    ), elsewhere AS (
        -- Tokens are no secret: a table elsewhere that has the token of another means nothing. It is
        -- looked at once, for anybody may have recorded any number of releases of it.
        SELECT s.source_schema, s.source_name
        FROM (SELECT DISTINCT source_schema, source_name FROM marked) AS s
        JOIN pg_namespace n ON n.nspname = s.source_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.source_name
        CROSS JOIN bkpriv_internal.written_tables(c.oid) AS w
        WHERE changed NOT IN (SELECT * FROM bkpriv_internal.written_tables(c.oid))
            AND bkpriv_internal.watch_token(w) = ANY (tokens)
    )
    INSERT INTO bkpriv.release_event (release, kind, reason, by)
    SELECT m.release, 'stale', add_stale.reason, session_user
    FROM marked m WHERE (m.source_schema, m.source_name) NOT IN (SELECT * FROM elsewhere);
END $$;
COMMENT ON FUNCTION bkpriv_internal.add_stale(oid, text[], text, text) IS
    'Marks the releases that have one of the tokens of a table, and the attribute that was lost, if one was, unless they are stale or withdrawn already';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT convert_from(substring(t.tgargs FOR length(t.tgargs) - 1), 'UTF8') FROM pg_trigger t
    WHERE t.tgrelid = watched AND t.tgname = 'bkpriv_watch'
        -- Nothing else under its name: on every statement that writes, always.
        AND t.tgfoid = 'bkpriv_internal.mark_stale()'::regprocedure AND t.tgtype = 4 + 8 + 16 + 32
        AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = '' AND t.tgnargs = 1
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_token(oid) IS 'Token of the trigger that watches a table; NULL if none does, or not always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_token(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_tokens(source_schema text, source_name text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT CASE WHEN bool_and(token IS NOT NULL) THEN array_agg(token ORDER BY token COLLATE "C") END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN bkpriv_internal.written_tables(c.oid) AS w CROSS JOIN bkpriv_internal.watch_token(w) AS token
    WHERE n.nspname = source_schema AND c.relname = source_name
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_tokens(text, text) IS
    'Tokens of all tables that a write to the source may name; NULL unless every one of them is watched';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_tokens(text, text) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.note_alteration() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    altered oid;
    lost text;
    tokens text[];
BEGIN
    IF TG_EVENT = 'table_rewrite' THEN
        -- 4: a column has another type, and its values may have been computed anew.
        IF pg_event_trigger_table_rewrite_reason() & 4 <> 0 THEN
            altered := pg_event_trigger_table_rewrite_oid();
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)], format('ALTER TABLE on %s', altered::regclass));
        END IF;
    ELSIF TG_EVENT = 'sql_drop' THEN
        FOR altered, lost IN SELECT objid, address_names[3] FROM pg_event_trigger_dropped_objects()
                WHERE classid = 'pg_class'::regclass AND objsubid > 0 LOOP
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)],
                                      format('ALTER TABLE on %s: column %I was dropped', altered::regclass, lost), lost);
        END LOOP;
    ELSE
        FOR altered IN SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass LOOP
            SELECT array_agg(convert_from(substring(t.tgargs FOR length(t.tgargs) - 1), 'UTF8')) INTO tokens
                FROM pg_trigger t WHERE t.tgrelid = altered AND t.tgname = 'bkpriv_watch' AND t.tgnargs = 1;
            CONTINUE WHEN tokens IS NULL;
            IF bkpriv_internal.watch_token(altered) IS NULL THEN
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: it was not watched for a time', altered::regclass));
            END IF;
            FOR lost IN
                SELECT DISTINCT a.attribute
                FROM bkpriv.release r JOIN bkpriv.release_attribute a USING (release)
                JOIN pg_namespace n ON n.nspname = r.source_schema
                JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = r.source_name
                WHERE r.watch && tokens AND NOT EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid
                                                        AND p.attname = a.attribute AND p.attnum > 0) LOOP
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: there is no column %I', altered::regclass, lost), lost);
            END LOOP;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.note_alteration() IS
    'Event trigger: marks releases as stale where a watched table loses its watch or a published column, or a column changes its type';
-- Granted to nobody: an event trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.register_watch(source oid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    INSERT INTO bkpriv.watched (token) SELECT carried FROM bkpriv_internal.watch_token(source) AS carried WHERE carried IS NOT NULL
        ON CONFLICT (token) DO NOTHING;
END $$;
COMMENT ON FUNCTION bkpriv_internal.register_watch(oid) IS 'Notes the token of a table that is watched';
GRANT EXECUTE ON FUNCTION bkpriv_internal.register_watch(oid) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.hold_writers(new_release bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    made bkpriv.release;
    source oid;
BEGIN
    SELECT * INTO STRICT made FROM bkpriv.release WHERE release = new_release AND created_at = now();
    -- Only a source that is watched, which its owner must have allowed, and that the publisher may
    -- read; and only for the owner of the dataset: a release's own row says what its publisher likes.
    SELECT c.oid INTO source
        FROM bkpriv.dataset d JOIN pg_namespace n ON n.nspname = d.source_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = d.source_name
        WHERE (d.name, d.owner, d.source_schema, d.source_name)
            = (made.dataset, made.owner, made.source_schema, made.source_name)
            AND has_any_column_privilege(made.created_by, c.oid, 'SELECT');
    IF source IS NULL OR made.watch IS NULL OR made.watch IS DISTINCT FROM bkpriv_internal.watch_tokens(made.source_schema, made.source_name) THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I.%I IN SHARE MODE NOWAIT', made.source_schema, made.source_name);
    -- The name may have come to mean another table; then that one is let go of again.
    IF NOT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
                   AND relation = source AND mode = 'ShareLock' AND granted) THEN
        RAISE lock_not_available;
    END IF;
    -- Writers whose snapshot does not show this release cannot mark it, and must fail: see add_stale.
    PERFORM FROM bkpriv.watched WHERE token = ANY (made.watch) FOR NO KEY UPDATE NOWAIT;
    UPDATE bkpriv.watched SET at = now() WHERE token = ANY (made.watch);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.hold_writers(bigint) IS
    'Locks the source of a release of this transaction against writers, unless one is at work';
GRANT EXECUTE ON FUNCTION bkpriv_internal.hold_writers(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.watch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].staleness.watch(source)
$$;
COMMENT ON FUNCTION bkpriv.watch(regclass) IS
    'Has a table watched, by its owner: from then on it is known whether releases that are made from it are stale; one trigger for all datasets, which tells nobody about them';
GRANT EXECUTE ON FUNCTION bkpriv.watch(regclass) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.unwatch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].staleness.unwatch(source)
$$;
COMMENT ON FUNCTION bkpriv.unwatch(regclass) IS
    'Ends the watch of a table, its partitions and children, by their owner: whether releases made from them are stale becomes unknown, and stays so';
GRANT EXECUTE ON FUNCTION bkpriv.unwatch(regclass) TO bkpriv_publisher, bkpriv_watcher;
