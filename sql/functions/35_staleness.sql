-- Staleness: whether a source has changed since a release was made from it. The owner of a table has it
-- watched: statement triggers for all datasets, which share a random token. A release keeps the tokens
-- of all tables that a write to its source may name; a write marks the releases that have its token.
-- A watch that is taken off and put on again has another token, so that nothing is said of the time
-- between: a release is known to be fresh only where the present tokens are its own.
--
-- Anybody may copy a trigger with its token to a table of his own. So a token is bound to the table that
-- was watched under it, and on any other it means nothing: that one is not watched, and what is written
-- to it marks and locks nothing. It is bound by name, which a dump keeps and no two tables have at a time:
-- whoever renames the table, or its schema, renames it here too, and the end of a watch ends the name. Its
-- triggers may be dropped, replaced or renamed by whoever owns the table, and be put back; that is its end, too.
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
    'A source with its partitions and children, and the parents of all these.
That is whatever a write to it may name, and the other way round the sources that a write to this
table may change';
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

CREATE OR REPLACE FUNCTION bkpriv_internal.called(relation oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET quote_all_identifiers = off
    AS $$
    SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = called.relation
$$;
COMMENT ON FUNCTION bkpriv_internal.called(oid) IS 'Name of a relation as in SQL, with its schema';
GRANT EXECUTE ON FUNCTION bkpriv_internal.called(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.columns_read(made bkpriv.release) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT a.attribute FROM bkpriv.release_attribute a WHERE a.release = made.release
    UNION
    SELECT read FROM unnest(made.attributes || ARRAY[made.period_column, made.respondent_column, made.options->>'latest_by']) AS read
    WHERE read IS NOT NULL
$$;
COMMENT ON FUNCTION bkpriv_internal.columns_read(bkpriv.release) IS 'Columns of the source that a release was made from';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.add_stale(changed oid, tokens text[], reason text, lost text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    carried text;
    -- Those of other tables are copies.
    held text[] := ARRAY(
        SELECT t FROM unnest(tokens) AS t
        WHERE t IS NOT NULL
            AND NOT EXISTS (SELECT FROM bkpriv.watched w
                            WHERE w.token = t AND w.named IS DISTINCT FROM bkpriv_internal.called(changed)));
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        -- A release, or the whole watch, may be younger than the snapshot, which shows no catalog either.
        FOREACH carried IN ARRAY held LOOP
            PERFORM FROM bkpriv.watched WHERE token = carried FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'could not serialize access due to the watch of %', changed::regclass
                    USING ERRCODE = 'serialization_failure', DETAIL = 'It began after this transaction.',
                          HINT = 'The transaction might succeed if retried.';
            END IF;
        END LOOP;
    END IF;
    -- In the collation of the index: variables have that of the names in the reason.
    INSERT INTO bkpriv.release_event (release, kind, reason, by)
    SELECT r.release, 'stale', add_stale.reason, session_user
    FROM bkpriv.release r
    WHERE r.watch && held COLLATE "default"
        AND (lost IS NULL OR lost IN (SELECT bkpriv_internal.columns_read(r)))
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e
                        WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'));
    -- What is stale loses its tokens, so that later writes do not find it: whoever publishes decides how many
    -- there are. A release that another writer has hold of is left to the next; and a snapshot that is kept may
    -- not see who had hold of it.
    IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
        UPDATE bkpriv.release AS old SET watch = NULL
        FROM (SELECT r.release FROM bkpriv.release r
              WHERE r.watch && held COLLATE "default"
                  AND EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))
              FOR NO KEY UPDATE SKIP LOCKED) AS done
        WHERE old.release = done.release;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.add_stale(oid, text[], text, text) IS
    'Marks the releases that have one of the tokens of a table as stale, and the column that was lost.
It takes their tokens from those that are stale or withdrawn';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_trigger(watched oid) RETURNS TABLE (token text, complete boolean)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT convert_from(substring(t.tgargs FOR position(decode('00', 'hex') IN t.tgargs) - 1), 'UTF8'),
        -- After each statement that writes: insert, delete, update, truncate.
        t.tgfoid = 'bkpriv_internal.mark_stale()'::regprocedure AND t.tgtype = 4 + 8 + 16 + 32
            AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = ''
    FROM pg_trigger t
    WHERE t.tgrelid = watched AND t.tgname = 'bkpriv_watch' AND t.tgnargs = 1
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_trigger(oid) IS
    'Token of the trigger that watches a table, and whether it watches all that is written, always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_trigger(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.carried_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT t.token FROM bkpriv_internal.watch_trigger(watched) AS t WHERE t.complete
$$;
COMMENT ON FUNCTION bkpriv_internal.carried_token(oid) IS
    'Token of the trigger on a table, whosever it is.
NULL if there is none, or it does not watch all that is written, always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.carried_token(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET row_security = on -- views call it, too
    AS $$
    SELECT w.token FROM bkpriv.watched w
    WHERE w.token = bkpriv_internal.carried_token(watch_token.watched) AND w.named = bkpriv_internal.called(watch_token.watched)
        -- A crash empties what is unlogged, which is no write.
        AND (SELECT c.relpersistence FROM pg_class c WHERE c.oid = watch_token.watched) <> 'u'
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_token(oid) IS
    'Token of the trigger that watches a table.
NULL if none does, or not always all that is written, or it is of another table, or this is unlogged';
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
    watches boolean;
BEGIN
    IF TG_EVENT = 'table_rewrite' THEN
        altered := pg_event_trigger_table_rewrite_oid();
        -- 4: a column has another type, and its values may have been computed anew. 2: they have been, by a new
        -- default of a new column, or since PostgreSQL 17 by another expression of a generated one. 1: it was or is
        -- unlogged, and a crash empties it.
        IF pg_event_trigger_table_rewrite_reason() & (1 + 4) <> 0 OR pg_event_trigger_table_rewrite_reason() & 2 <> 0
                AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = altered AND attgenerated <> '') THEN
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.carried_token(altered)], format('ALTER TABLE on %s', altered::regclass));
        END IF;
    ELSIF TG_EVENT = 'sql_drop' THEN
        -- The next table of its name is another, and so is the next watch.
        UPDATE bkpriv.watched SET named = NULL
            WHERE named IN (SELECT format('%I.%I', address_names[1], address_names[2]) FROM pg_event_trigger_dropped_objects()
                            WHERE object_type = 'trigger')
                AND token IS DISTINCT FROM bkpriv_internal.carried_token(to_regclass(named));
        FOR altered, lost IN SELECT objid, address_names[3] FROM pg_event_trigger_dropped_objects()
                WHERE classid = 'pg_class'::regclass AND objsubid > 0 LOOP
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)],
                                      format('ALTER TABLE on %s: column %I was dropped', altered::regclass, lost), lost);
        END LOOP;
    ELSE
        -- A watch whose trigger was replaced or renamed has ended. A restore makes other triggers of the table first.
        UPDATE bkpriv.watched SET named = NULL
            WHERE named IN (SELECT bkpriv_internal.called(t.tgrelid)
                            FROM pg_event_trigger_ddl_commands() AS d JOIN pg_trigger t ON t.oid = d.objid
                            WHERE d.classid = 'pg_trigger'::regclass AND (TG_TAG <> 'CREATE TRIGGER' OR t.tgname = 'bkpriv_watch'))
                AND token IS DISTINCT FROM bkpriv_internal.carried_token(to_regclass(named));
        UPDATE bkpriv.watched AS w SET named = format('%I.%I', n.nspname, c.relname)
            FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'bkpriv_watch'
            WHERE n.oid IN (SELECT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_namespace'::regclass)
                AND (parse_ident(w.named))[2] = c.relname AND to_regnamespace(quote_ident((parse_ident(w.named))[1])) IS NULL
                AND w.token IN (SELECT token FROM bkpriv_internal.watch_trigger(c.oid));
        FOR altered IN SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass LOOP
            SELECT ARRAY[token], complete INTO tokens, watches FROM bkpriv_internal.watch_trigger(altered);
            CONTINUE WHEN tokens IS NULL;
            -- It may have another name; then nothing has the old one.
            UPDATE bkpriv.watched SET named = bkpriv_internal.called(altered)
                WHERE token = ANY (tokens) AND named <> bkpriv_internal.called(altered) AND to_regclass(named) IS NULL;
            IF NOT watches THEN
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: it was not watched for a time', altered::regclass));
            END IF;
            FOR lost IN
                SELECT DISTINCT read
                FROM bkpriv.release r CROSS JOIN LATERAL bkpriv_internal.columns_read(r) AS read
                JOIN pg_namespace n ON n.nspname = r.source_schema
                JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = r.source_name
                WHERE r.watch && tokens
                    AND NOT EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = read AND p.attnum > 0) LOOP
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: there is no column %I', altered::regclass, lost), lost);
            END LOOP;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.note_alteration() IS
    'Event trigger: marks releases as stale where a watched table loses what they rest on.
That is its watch or a column that is read, or the type of a column';
-- Granted to nobody: an event trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.register_watch(source oid, role oid) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT pg_has_role(role, (SELECT relowner FROM pg_class WHERE oid = register_watch.source), 'MEMBER') THEN
        RAISE EXCEPTION 'must be owner of %', source::regclass
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'A watch is for the owner of a table to allow.',
                  HINT = 'Ask that role to call bkpriv.watch.';
    END IF;
    INSERT INTO bkpriv.watched (token, named)
        SELECT carried, bkpriv_internal.called(register_watch.source)
        FROM bkpriv_internal.carried_token(register_watch.source) AS carried WHERE carried IS NOT NULL
        ON CONFLICT (token) DO NOTHING;
END $$;
COMMENT ON FUNCTION bkpriv_internal.register_watch(oid, oid) IS
    'Binds a new token to the table that is watched under it, by a role that owns the table';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.hold_writers(new_release bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    made bkpriv.release;
    source oid;
BEGIN
    SELECT * INTO STRICT made FROM bkpriv.release WHERE release = new_release;
    -- Only a source that is watched, which its owner must have allowed, and that the publisher may read.
    SELECT c.oid INTO source
        FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
        WHERE (n.nspname, c.relname) = (made.source_schema, made.source_name)
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
    'Locks the source of a release against writers, unless one is at work';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.watch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].staleness.watch(source)
$$;
COMMENT ON FUNCTION bkpriv.watch(regclass) IS
    'Has a table watched, by its owner, so that it is known whether releases made from it are stale.
That holds for all datasets, and tells nobody about them';
GRANT EXECUTE ON FUNCTION bkpriv.watch(regclass) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.unwatch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].staleness.unwatch(source)
$$;
COMMENT ON FUNCTION bkpriv.unwatch(regclass) IS
    'Ends the watch of a table, its partitions and children, by their owner.
Whether releases made from them are stale becomes unknown, and stays so';
GRANT EXECUTE ON FUNCTION bkpriv.unwatch(regclass) TO bkpriv_publisher, bkpriv_watcher;
