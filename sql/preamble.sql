-- Preamble: what an installation and every upgrade begin with. What they cannot work without is checked,
-- and the group roles that hold the privileges of each job are made, which belong to the whole cluster.

-- What is called here is the server's own, not what somebody put into schema bkpriv under its name. Nor
-- do settings of the session, which the database's owner may give, change how the script is read.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL standard_conforming_strings = on;
SET LOCAL quote_all_identifiers = off;

DO $$
DECLARE
    job text;
    stray text;
    alert name;
BEGIN
    -- PL/Python reads and writes text in the database's encoding by way of Python's codecs, which differ
    -- from PostgreSQL's in other encodings, or are missing.
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'bkpriv needs a database in UTF8, not in %', getdatabaseencoding()
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'In other encodings PL/Python would change texts, or fail.',
                  HINT = 'Copy the data into a database made by CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8''.';
    END IF;
    -- Citus would make the extension on its workers, too, and fail where its files are missing: now, or when a node
    -- is added. They need it only for releases that are distributed; then Citus makes it there by itself.
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND to_regclass('bkpriv.dataset') IS NULL
        AND current_setting('citus.enable_ddl_propagation', true) = 'on' THEN
        RAISE EXCEPTION 'Citus would create bkpriv on its workers'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'That fails where its files are missing, now or when a node is added. The coordinator alone needs it.',
                  HINT = 'SET citus.enable_ddl_propagation = off, CREATE EXTENSION bkpriv CASCADE, and RESET it.';
    END IF;
    -- CREATE EXTENSION takes a schema that is there already. Its owner could put functions into it
    -- that are called in place of ours.
    IF NOT (SELECT r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'bkpriv') THEN
        RAISE EXCEPTION 'schema bkpriv exists and does not belong to a superuser'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'Its owner could change what the extension''s functions do.',
                  HINT = 'Drop or rename it first.';
    END IF;
    -- So could whoever was allowed to create in it.
    SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') INTO stray
        FROM pg_depend d
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'bkpriv'::regnamespace
            AND d.classid <> ALL (ARRAY['pg_extension'::regclass, 'pg_default_acl'::regclass]::oid[])
            AND NOT EXISTS (SELECT FROM pg_depend m WHERE (m.classid, m.objid, m.deptype) = (d.classid, d.objid, 'e'));
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'schema bkpriv holds what is not of the extension'
            USING ERRCODE = 'duplicate_object', DETAIL = format('In it: %s.', stray),
                  HINT = 'Drop it, or move it to another schema.';
    END IF;
    FOREACH job IN ARRAY ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = job) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', job);
        ELSIF EXISTS (SELECT FROM pg_roles r WHERE rolname = job
                      AND (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
                           OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid))) THEN
            RAISE EXCEPTION 'role % exists and is more than a group', job
                USING ERRCODE = 'duplicate_object',
                      DETAIL = 'The group roles of bkpriv cannot log in, have no attributes, and are members of no role.',
                      HINT = 'Rename that role first.';
        END IF;
    END LOOP;
    -- What others have built on what a step alters would stop it half way, with the advice to drop by CASCADE.
    -- A column stands for itself and its table's row type, a table, which has columns added, for that type.
    SELECT string_agg(DISTINCT pg_describe_object(o.class, o.object, 0) || coalesce(' of role ' || quote_ident(pg_get_userbyid(
               coalesce((SELECT relowner FROM pg_class WHERE o.class = 'pg_class'::regclass AND oid = o.object),
                        (SELECT proowner FROM pg_proc WHERE o.class = 'pg_proc'::regclass AND oid = o.object)))), ''), ', ') INTO stray
        FROM unnest(string_to_array('@ALTERED@', '; ')) AS item
        CROSS JOIN LATERAL (
            SELECT 'pg_proc'::regclass::oid AS class, to_regprocedure(item)::oid AS object, 0 AS part WHERE item ~ '\('
            UNION ALL
            SELECT 'pg_class'::regclass, c.oid, coalesce(a.attnum, 0)
            FROM (SELECT parse_ident(item) AS names WHERE item !~ '\(') AS i
            JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', names[1], names[2]))
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = names[3]
            WHERE a.attnum IS NOT NULL OR c.relkind = 'v'
            UNION ALL
            SELECT 'pg_type'::regclass, y.oid, 0
            FROM (SELECT parse_ident(item) AS names WHERE item !~ '\(') AS i
            JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', names[1], names[2]))
            JOIN pg_type y ON c.reltype IN (y.oid, y.typelem)
        ) AS altered
        JOIN pg_depend d ON (d.refclassid, d.refobjid, d.deptype) = (class, altered.object, 'n') AND part IN (0, d.refobjsubid)
        CROSS JOIN LATERAL (SELECT coalesce(
            (SELECT ev_class FROM pg_rewrite WHERE d.classid = 'pg_rewrite'::regclass AND oid = d.objid),
            (SELECT adrelid FROM pg_attrdef WHERE d.classid = 'pg_attrdef'::regclass AND oid = d.objid),
            (SELECT polrelid FROM pg_policy WHERE d.classid = 'pg_policy'::regclass AND oid = d.objid),
            (SELECT tgrelid FROM pg_trigger WHERE d.classid = 'pg_trigger'::regclass AND oid = d.objid),
            (SELECT nullif(conrelid, 0) FROM pg_constraint WHERE d.classid = 'pg_constraint'::regclass AND oid = d.objid)) AS relation) AS on_
        CROSS JOIN LATERAL (SELECT CASE WHEN on_.relation IS NULL THEN d.classid ELSE 'pg_class'::regclass END AS class,
                                   coalesce(on_.relation, d.objid) AS object) AS o
        WHERE NOT EXISTS (SELECT FROM pg_depend m WHERE (m.classid, m.objid, m.deptype) = (o.class, o.object, 'e'))
            AND NOT EXISTS (SELECT FROM pg_type y WHERE d.classid = 'pg_type'::regclass AND y.oid = d.objid AND y.typelem = altered.object);
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'objects that others made depend on what the upgrade alters'
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('They are %s.', stray),
                  HINT = 'Nothing was changed. Drop them, or have their owners do it, upgrade, and make them again.';
    END IF;
    -- The script's own alterations are nobody's concern; ties/ puts these event triggers on again.
    FOR alert IN SELECT evtname FROM pg_event_trigger JOIN pg_proc p ON p.oid = evtfoid
                 JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'bkpriv_internal' LOOP
        EXECUTE format('DROP EVENT TRIGGER %I', alert);
    END LOOP;
END $$;
