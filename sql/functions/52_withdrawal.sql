-- Withdrawal: the data of a release stops being readable, whatever was built on its views. What empties
-- and removes it goes by what reads the release's tables, never by the name of a view.

CREATE OR REPLACE FUNCTION bkpriv_internal.clear_release(old_release bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    old_table text;
    shown record;
    kept boolean := false;
    patience text := current_setting('lock_timeout');
    triggers text := current_setting('citus.enable_unsafe_triggers', true);
BEGIN
    IF triggers IS NOT NULL THEN
        PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
    END IF;
    FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
        -- One by one, as Citus wants them.
        EXECUTE format('ALTER TABLE bkpriv_release.%I DISABLE TRIGGER USER', old_table);
        EXECUTE format('TRUNCATE bkpriv_release.%I', old_table);
        EXECUTE format('ALTER TABLE bkpriv_release.%I ENABLE TRIGGER USER', old_table);
    END LOOP;
    IF triggers IS NOT NULL THEN
        PERFORM set_config('citus.enable_unsafe_triggers', triggers, true);
    END IF;
    -- From here on nothing may fail: the data are gone, and what strangers have built is no hindrance.
    FOR shown IN SELECT * FROM bkpriv_internal.views_of(old_release) WHERE readable ORDER BY view::oid DESC LOOP
        -- To drop it would wait for what others do with what they built on it.
        IF EXISTS (SELECT FROM pg_depend d LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                   WHERE d.deptype = 'n' AND w.ev_class IS DISTINCT FROM shown.view::oid
                       AND (d.refclassid, d.refobjid) IN (
                           VALUES ('pg_class'::regclass::oid, shown.view::oid)
                           UNION ALL SELECT 'pg_type'::regclass, y.oid FROM pg_type y JOIN pg_class c ON y.oid = c.reltype OR y.typelem = c.reltype
                           WHERE c.oid = shown.view::oid AND c.reltype <> 0)) THEN
            kept := kept OR NOT shown.materialized OR bkpriv_internal.empty_view(shown.view, shown.release_table);
            CONTINUE;
        END IF;
        BEGIN
            EXECUTE format('DROP %s %s', CASE WHEN shown.materialized THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, shown.view);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            kept := kept OR NOT shown.materialized OR bkpriv_internal.empty_view(shown.view, shown.release_table);
        END;
    END LOOP;
    IF NOT kept THEN
        FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
            BEGIN
                -- Anybody who may look into the schema can build on a table, though not read it, and be busy with
                -- what they built.
                PERFORM set_config('lock_timeout', '1s', true);
                EXECUTE format('DROP TABLE bkpriv_release.%I CASCADE', old_table);
            EXCEPTION WHEN OTHERS THEN
                NULL;  -- It stays, empty: so many objects depend on it, or such busy ones, that they cannot be locked.
            END;
        END LOOP;
        PERFORM set_config('lock_timeout', patience, true);
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.clear_release(bigint) IS
    'Empties a withdrawn release, and removes its views, unless something depends on them, and tables';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.empty_view(stored regclass, emptied regclass) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    reader text;
BEGIN
    -- An index may call functions when it is built, which could fail or run for ever.
    IF EXISTS (SELECT FROM pg_index WHERE indrelid = stored AND (indexprs IS NOT NULL OR indpred IS NOT NULL)) THEN
        EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
        RETURN false;
    END IF;
    -- So could the query of a view that publication did not write.
    IF NOT bkpriv_internal.as_published(stored, emptied) THEN
        EXECUTE format('REFRESH MATERIALIZED VIEW %s WITH NO DATA', stored);
        RETURN true;
    END IF;
    -- It runs as the view's owner, who need not be the publisher.
    SELECT r.rolname INTO reader FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.oid = stored AND NOT has_table_privilege(r.oid, emptied, 'SELECT');
    IF reader IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON %s TO %I', emptied, reader);
    END IF;
    EXECUTE format('REFRESH MATERIALIZED VIEW %s', stored);
    IF reader IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON %s FROM %I', emptied, reader);
    END IF;
    RETURN true;
EXCEPTION WHEN OTHERS THEN
    EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.empty_view(regclass, regclass) IS
    'Empties a materialized view over an emptied table, or drops it where that fails.
One that is not as it was published becomes unreadable; the result is whether it is still there';
-- Granted to nobody: clear_release calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.withdraw(release bigint, reason text DEFAULT NULL) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].withdrawal.withdraw(release, reason)
$$;
COMMENT ON FUNCTION bkpriv.withdraw(bigint, text) IS
    'Removes a release''s data and the views that show it.
A view that others build on stays, empty; the history stays';
GRANT EXECUTE ON FUNCTION bkpriv.withdraw(bigint, text) TO bkpriv_publisher;
