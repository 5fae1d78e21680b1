-- History: what was released, what it was made from, what became of it, and what audits and attacks found.
-- Append-only: guard triggers refuse UPDATE, DELETE and TRUNCATE, to everyone. What happens to a
-- release later is an event beside it, so a release's own row never changes. Two things are let
-- through, of a release for which the same transaction has recorded such an event: what it was made
-- from is deleted when it is purged, and its owner changes when it is reassigned. And one that is stale or
-- withdrawn loses the tokens of its watch, by which writers would find it.

-- A restore over a database that holds more than the dump sets sequences back. Ids that anything
-- still bears are passed over; calling nextval until then, unlike setval, races with nobody.
CREATE OR REPLACE FUNCTION bkpriv_internal.next_release() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.release_id');
        EXIT WHEN NOT EXISTS (
            SELECT FROM bkpriv.release WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_attribute WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_content WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_draw WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_respondent WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_belief WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_base WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_notice WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_event WHERE release = id
            UNION ALL SELECT FROM bkpriv.audit_record WHERE release = id
            UNION ALL SELECT FROM bkpriv.attack_record WHERE release = id
            UNION ALL SELECT FROM bkpriv.verdict_record WHERE release = id
            UNION ALL SELECT FROM bkpriv_internal.release_tables(id));
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_release() IS 'The next id that no record and no table has as a release';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.next_audit() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.audit_id');
        EXIT WHEN NOT EXISTS (SELECT FROM bkpriv.audit_record WHERE audit = id
                              UNION ALL SELECT FROM bkpriv.attack_record WHERE attack = id
                              UNION ALL SELECT FROM bkpriv.verdict_record WHERE verdict = id);
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_audit() IS 'The next id that no audit, attack or verdict has';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.guard() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    -- A restore of data alone finds the guards of release tables in place. It is told by a setting that
    -- pg_dump makes; a superuser, and nobody else may insert, could disable the trigger as well.
    IF TG_OP = 'INSERT' AND current_setting('check_function_bodies') = 'off'
        AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = CASE TG_TABLE_SCHEMA WHEN 'bkpriv' THEN 'The history of releases is append-only.'
                            ELSE 'A release is a frozen snapshot.' END,
              HINT = 'Publish again, or withdraw the release with bkpriv.withdraw(release, reason).';
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard() IS 'Trigger that refuses to change history and release tables';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bkpriv.release_event
                   WHERE release = OLD.release
                       AND CASE TG_ARGV[0] WHEN 'stale' THEN kind IN ('stale', 'withdrawn') AND to_jsonb(NEW) -> 'watch' = 'null'
                                ELSE kind = TG_ARGV[0] AND at = now() END) THEN
        RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The history of releases is append-only.',
                  HINT = CASE TG_ARGV[0] WHEN 'purged' THEN 'Call bkpriv.withdraw(release, reason), then bkpriv.purge(release, reason).'
                              WHEN 'stale' THEN 'Releases that are stale or withdrawn lose their tokens by themselves.'
                              ELSE 'Call bkpriv.reassign(owner, new_owner).' END;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_row() IS
    'Trigger that refuses to change a row of the history.
The exception is a transaction that has recorded the event that the trigger names';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.bases(source_schema text, source_name text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE beneath(oid, reader) AS (
        SELECT c.oid, r.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
        WHERE n.nspname = source_schema AND c.relname = source_name AND r.rolname = current_user
        UNION
        SELECT below.oid, below.reader
        FROM beneath AS b CROSS JOIN LATERAL (
            -- A view or a copy reads what its rule names, if its owner may: whoever may look into the schema can
            -- name it. A table reads its partitions and children as well.
            SELECT d.refobjid, v.reader
            FROM (SELECT c.oid, c.relkind = 'm' AND c.relispopulated AS filled,
                         CASE WHEN bkpriv_internal.invoked(c.oid) THEN b.reader ELSE c.relowner END AS reader
                  FROM pg_class c WHERE c.oid = b.oid AND c.relkind IN ('v', 'm') OFFSET 0) AS v
            JOIN pg_rewrite w ON w.ev_class = v.oid AND w.ev_type = '1'
            JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
            WHERE has_any_column_privilege(v.reader, d.refobjid, 'SELECT') OR v.filled AND d.refobjsubid > 0
            UNION ALL
            SELECT i.inhrelid, b.reader FROM pg_inherits i WHERE i.inhparent = b.oid
        ) AS below(oid, reader)
    )
    SELECT array_agg(name ORDER BY name COLLATE "C") FROM (
        SELECT format('%I.%I', n.nspname, c.relname) AS name
        FROM (SELECT DISTINCT oid FROM beneath) AS b JOIN pg_class c ON c.oid = b.oid AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
        JOIN pg_namespace n ON n.oid = c.relnamespace
        -- What catalogs say is no record of anybody, but in a source that is one itself.
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') OR (n.nspname, c.relname) = (source_schema, source_name)
        ORDER BY (n.nspname, c.relname) <> (source_schema, source_name), c.relispartition, c.oid LIMIT 2000
    ) AS named
$$;
COMMENT ON FUNCTION bkpriv_internal.bases(text, text) IS
    'A relation, and every one that it reads.
They are found through views, materialized views, partitions and children, as far as their owners
may read; up to 2000, partitions last. Functions are not looked through, nor what a foreign table
reads elsewhere';
GRANT EXECUTE ON FUNCTION bkpriv_internal.bases(text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.releases_of(dataset text, owner text, bases text[])
    RETURNS TABLE (release bigint, shared text[])
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH found AS MATERIALIZED (
        SELECT b.release, array_agg(b.base ORDER BY b.base COLLATE "C") AS shared FROM bkpriv.release_base b
        WHERE b.base = ANY (releases_of.bases) GROUP BY b.release
    )
    SELECT r.release, CASE WHEN own.dataset THEN '{}' ELSE f.shared END
    FROM bkpriv.release r LEFT JOIN found AS f ON f.release = r.release
    CROSS JOIN LATERAL (SELECT (r.dataset, r.owner) = (releases_of.dataset, releases_of.owner)) AS own(dataset)
    WHERE own.dataset OR f.release IS NOT NULL
$$;
COMMENT ON FUNCTION bkpriv_internal.releases_of(text, text, text[]) IS
    'Releases the current user may see that may show the same records.
They are those of a dataset, and others made from a relation that reads one of these, with which
they share';
GRANT EXECUTE ON FUNCTION bkpriv_internal.releases_of(text, text, text[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.live_releases(dataset text, owner text) RETURNS TABLE (release bigint, view_name text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT r.release, format('%I.%I', r.view_schema, r.view_name) FROM bkpriv.release r
    WHERE (r.dataset, r.owner) = (live_releases.dataset, live_releases.owner)
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind = 'withdrawn')
    ORDER BY r.release
$$;
COMMENT ON FUNCTION bkpriv_internal.live_releases(text, text) IS
    'Releases of a dataset that are not withdrawn, shown or not';
GRANT EXECUTE ON FUNCTION bkpriv_internal.live_releases(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_dataset() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    alive text;
BEGIN
    SELECT string_agg(format('%s (%s)', release, view_name), ', ') INTO alive
        FROM bkpriv_internal.live_releases(OLD.name, OLD.owner);
    IF alive IS NOT NULL THEN
        RAISE EXCEPTION 'dataset "%" has releases that are not withdrawn', OLD.name
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('Release (view): %s.', alive),
                  HINT = 'Withdraw them with bkpriv.withdraw(release, reason).';
    END IF;
    RETURN OLD;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_dataset() IS
    'Trigger that keeps a dataset whose releases are not all withdrawn';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.views_of(release bigint)
    RETURNS TABLE (view regclass, materialized boolean, release_table regclass, readable boolean)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    -- Not of releases of others: that there is one is theirs to say.
    IF NOT EXISTS (SELECT FROM bkpriv.release r WHERE r.release = views_of.release) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.oid::regclass, c.relkind = 'm', t.oid::regclass,
        -- A copy holds what its owner could read when it was filled; a stranger's may name the table, and read nothing of it.
        (c.relkind = 'v' OR c.relispopulated)
            AND (has_table_privilege(c.relowner, t.oid, 'SELECT') OR c.relkind = 'm' AND max(d.refobjsubid) > 0)
    FROM bkpriv_internal.release_tables(release) AS name
    JOIN pg_class t ON t.relname = name AND t.relnamespace = 'bkpriv_release'::regnamespace
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
    JOIN pg_rewrite w ON w.oid = d.objid
    JOIN pg_class c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm')
    GROUP BY c.oid, t.oid;
END $$;
COMMENT ON FUNCTION bkpriv_internal.views_of(bigint) IS
    'Views that read a table of a release that the current user may see, whatever their names.
readable: whether anybody can read it through them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.views_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.invoked(view oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT coalesce(bool_or(option_value::boolean), false)
    FROM pg_class c CROSS JOIN LATERAL pg_options_to_table(c.reloptions)
    WHERE c.oid = invoked.view AND option_name = 'security_invoker'
$$;
COMMENT ON FUNCTION bkpriv_internal.invoked(oid) IS 'Whether a view reads with the rights of who asks, and not with those of its owner';
GRANT EXECUTE ON FUNCTION bkpriv_internal.invoked(oid) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.as_published(view regclass, release_table regclass) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET quote_all_identifiers = off
    AS $$
    -- The columns, by their own names and in any order, and nothing else. Names have the table before them in
    -- what versions before 16 write.
    SELECT coalesce(pg_get_viewdef(v.oid, false) = ANY (x.written), false)
        AND NOT EXISTS (SELECT FROM pg_rewrite WHERE ev_class = v.oid AND ev_type <> '1')
        AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = v.oid)
        AND NOT EXISTS (SELECT FROM pg_attrdef WHERE adrelid = v.oid)
        AND (v.relkind = 'm' OR NOT bkpriv_internal.invoked(v.oid) AND EXISTS (
            SELECT FROM pg_options_to_table(v.reloptions) WHERE option_name = 'security_barrier' AND option_value::boolean))
    FROM pg_class v CROSS JOIN LATERAL (
        SELECT array_agg(format(E' SELECT %s\n   FROM %I.%I;', p.columns, n.nspname, t.relname)) AS written
        FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace CROSS JOIN (VALUES (false), (true)) AS q(prefixed)
        CROSS JOIN LATERAL (
            SELECT string_agg(CASE WHEN prefixed THEN quote_ident(t.relname) || '.' ELSE '' END || quote_ident(a.attname), E',\n    '
                              ORDER BY shown.attnum) AS columns
            FROM pg_attribute a JOIN pg_attribute shown ON (shown.attrelid, shown.attname) = (v.oid, a.attname)
            WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) AS p
        WHERE t.oid = release_table
            AND (SELECT array_agg((attname, atttypid) ORDER BY attname) FROM pg_attribute
                 WHERE attrelid = v.oid AND attnum > 0 AND NOT attisdropped)
                = (SELECT array_agg((attname, atttypid) ORDER BY attname) FROM pg_attribute
                   WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped)) AS x
    WHERE v.oid = as_published.view
$$;
COMMENT ON FUNCTION bkpriv_internal.as_published(regclass, regclass) IS
    'Whether a view shows all of a release table and nothing else, as publication writes it.
Any other is not the release''s: it is not handed on, refreshed or exported as such';
GRANT EXECUTE ON FUNCTION bkpriv_internal.as_published(regclass, regclass) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.built_on(relation oid)
    RETURNS TABLE (view oid, owner oid, invoked boolean, filled boolean, columns int2[])
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT b.view, b.owner, b.invoked, b.filled, b.columns FROM (
        -- As invoked() says, which would be called for every pair of relations that strangers choose to have.
        SELECT c.oid AS view, c.relowner AS owner, EXISTS (
                SELECT FROM pg_options_to_table(c.reloptions)
                WHERE option_name = 'security_invoker' AND option_value::boolean) AS invoked,
            c.relkind = 'm' AND c.relispopulated AND max(d.refobjsubid) > 0 AS filled,
            coalesce(array_agg(DISTINCT d.refobjsubid::int2) FILTER (WHERE d.refobjsubid > 0), '{}') AS columns
        FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_type = '1'
        JOIN pg_class c ON c.oid = w.ev_class AND c.oid <> built_on.relation AND c.relkind IN ('v', 'm')
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = built_on.relation
        GROUP BY c.oid
    ) AS b
    -- Anybody who may look into the schema may name it in a view, and read nothing.
    WHERE b.invoked OR b.filled OR has_any_column_privilege(b.owner, built_on.relation, 'SELECT')
$$;
COMMENT ON FUNCTION bkpriv_internal.built_on(oid) IS
    'Views that read a relation, but for those whose owners may not.
filled: a copy of its columns; columns: those that are read';
GRANT EXECUTE ON FUNCTION bkpriv_internal.built_on(oid) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.readers_of(release bigint) RETURNS TABLE (reader text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- A view reads with the rights of its owner, a copy was made with them. Others read with those of who
    -- asks, who then needs what they read, too. One that nobody can read through tells nobody anything:
    -- whoever may look into a schema may make it, and grant it to everybody. So strangers decide how many views
    -- there are, and how many paths lead through them: each relation is followed once with the rights of each
    -- role, and no more than 300 relations and 10000 steps are.
    WITH RECURSIVE above(relation) AS (
        SELECT t.oid FROM bkpriv.release r CROSS JOIN bkpriv_internal.release_tables(r.release) AS name
        JOIN pg_class t ON t.relname = name AND t.relnamespace = 'bkpriv_release'::regnamespace
        WHERE r.release = readers_of.release
        UNION
        SELECT b.view FROM above AS a CROSS JOIN bkpriv_internal.built_on(a.relation) AS b
    ), followed AS MATERIALIZED (
        SELECT a.relation FROM above AS a LIMIT 301
    ), step AS MATERIALIZED (
        SELECT f.relation, b.* FROM (SELECT relation FROM followed LIMIT 300) AS f
        CROSS JOIN bkpriv_internal.built_on(f.relation) AS b LIMIT 10001
    ), owner AS MATERIALIZED (
        SELECT DISTINCT s.owner FROM step AS s WHERE NOT s.invoked
    -- Who sees the release in a relation: a role; with 0 whoever may read it; with NULL whoever may, and may read
    -- what is below.
    ), seen(relation, reader) AS (
        SELECT f.relation, w.reader
        FROM followed AS f JOIN pg_class t ON t.oid = f.relation AND t.relnamespace = 'bkpriv_release'::regnamespace AND t.relkind = 'r'
        CROSS JOIN LATERAL (
            SELECT NULL::oid
            UNION ALL SELECT o.owner FROM owner AS o WHERE has_any_column_privilege(o.owner, f.relation, 'SELECT')
        ) AS w(reader)
        UNION
        SELECT s.view, w.reader
        FROM seen AS r JOIN step AS s ON s.relation = r.relation AND r.reader IS DISTINCT FROM 0
        CROSS JOIN LATERAL (SELECT coalesce(r.reader <> 0 AND NOT EXISTS (
            SELECT FROM unnest(s.columns) AS c WHERE NOT has_column_privilege(r.reader, s.relation, c, 'SELECT')), false)) AS own(may)
        CROSS JOIN LATERAL (SELECT s.filled OR coalesce(NOT s.invoked AND r.reader = s.owner AND own.may, false)) AS x(open)
        CROSS JOIN LATERAL (
            SELECT 0::oid WHERE x.open
            UNION ALL SELECT NULL WHERE x.open OR s.invoked AND r.reader IS NULL
            UNION ALL SELECT o.owner FROM owner AS o WHERE x.open AND has_any_column_privilege(o.owner, s.view, 'SELECT')
            UNION ALL SELECT r.reader WHERE s.invoked AND own.may AND has_any_column_privilege(r.reader, s.view, 'SELECT')
        ) AS w(reader)
    ), found AS MATERIALIZED (
        SELECT s.relation, s.reader FROM seen AS s LIMIT 10001
    ), granted AS (
        SELECT c.relowner AS grantee, 'SELECT' AS privilege_type FROM found AS f JOIN pg_class c ON c.oid = f.relation WHERE f.reader = 0
        UNION
        SELECT a.grantee, a.privilege_type
        FROM found AS f JOIN pg_class c ON c.oid = f.relation CROSS JOIN LATERAL aclexplode(c.relacl) AS a WHERE f.reader = 0
        UNION
        SELECT a.grantee, a.privilege_type
        FROM found AS f JOIN pg_attribute t ON t.attrelid = f.relation CROSS JOIN LATERAL aclexplode(t.attacl) AS a WHERE f.reader = 0
    )
    SELECT DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC')
    FROM granted AS g LEFT JOIN pg_roles r ON r.oid = g.grantee
    WHERE g.privilege_type = 'SELECT' AND (g.grantee = 0 OR r.oid IS NOT NULL)
    UNION ALL
    SELECT NULL WHERE (SELECT count(*) > 300 FROM followed) OR (SELECT count(*) > 10000 FROM step) OR (SELECT count(*) > 10000 FROM found)
$$;
COMMENT ON FUNCTION bkpriv_internal.readers_of(bigint) IS
    'Roles, quoted, and PUBLIC, that may SELECT from views of a release that the current user may see.
Views on these count, owners as well as grants, and only what can be read through. NULL: there may
be more, for there are too many views';
GRANT EXECUTE ON FUNCTION bkpriv_internal.readers_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn AND e.purged THEN 'purged' WHEN e.withdrawn THEN 'withdrawn'
         WHEN e.superseded THEN 'superseded'
         WHEN EXISTS (SELECT FROM bkpriv_internal.views_of(r.release) WHERE readable) THEN 'published'
         ELSE 'dropped' END AS status,
    CASE WHEN e.stale THEN true
         WHEN r.watch = bkpriv_internal.watch_tokens(r.source_schema, r.source_name) THEN false END AS stale,
    r.created_at, r.created_by, r.requirements, r.options,
    e.reason, r.counterfeited,
    r.grown_from, v.verdict
FROM bkpriv.release r
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(kind = 'withdrawn'), false) AS withdrawn,
        coalesce(bool_or(kind = 'purged'), false) AS purged,
        coalesce(bool_or(kind = 'superseded'), false) AS superseded,
        coalesce(bool_or(kind = 'stale'), false) AS stale,
        (array_agg(reason ORDER BY at DESC, event DESC) FILTER (WHERE kind <> 'reassigned'))[1] AS reason
    FROM bkpriv.release_event WHERE release = r.release
) AS e
LEFT JOIN LATERAL (
    SELECT state AS verdict FROM bkpriv.verdict_record WHERE release = r.release AND place = 0 ORDER BY verdict DESC LIMIT 1
) AS v ON true
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.releases IS
    'Releases the current user may see';
GRANT SELECT ON bkpriv.releases TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.releases.release IS 'Id, as publish() returns it';
COMMENT ON COLUMN bkpriv.releases.dataset IS 'Dataset that was published';
COMMENT ON COLUMN bkpriv.releases.version IS 'Number of the release among those of its dataset, from 1';
COMMENT ON COLUMN bkpriv.releases.view_name IS 'View that shows it, or showed it, with its schema';
COMMENT ON COLUMN bkpriv.releases.method IS 'Method that made it';
COMMENT ON COLUMN bkpriv.releases.policy IS 'Name of the policy';
COMMENT ON COLUMN bkpriv.releases.period IS 'Period whose records were published; NULL: all records';
COMMENT ON COLUMN bkpriv.releases.records IS 'Records of the source, or of the period';
COMMENT ON COLUMN bkpriv.releases.suppressed IS 'Records that were left out';
COMMENT ON COLUMN bkpriv.releases.groups IS 'Groups that are shown; 0 of a randomized release';
COMMENT ON COLUMN bkpriv.releases.status IS 'published, superseded, dropped (no view shows it any more), withdrawn or purged';
COMMENT ON COLUMN bkpriv.releases.stale IS 'Whether the source has changed since; NULL: unknown, it was not watched all the time';
COMMENT ON COLUMN bkpriv.releases.created_at IS 'When it was published';
COMMENT ON COLUMN bkpriv.releases.created_by IS 'Role that published it';
COMMENT ON COLUMN bkpriv.releases.requirements IS 'What the release had to keep';
COMMENT ON COLUMN bkpriv.releases.options IS 'Options of the publication';
COMMENT ON COLUMN bkpriv.releases.reason IS 'Why it became what status says, in words';
COMMENT ON COLUMN bkpriv.releases.counterfeited IS 'Records that are shown with another sensitive value than they have';
COMMENT ON COLUMN bkpriv.releases.grown_from IS 'Release whose groups it keeps';
COMMENT ON COLUMN bkpriv.releases.verdict IS 'satisfied, judge (things are to be judged) or violated, when it was judged last; NULL: never';

CREATE OR REPLACE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement,
    a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';
GRANT SELECT ON bkpriv.audits TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.audits.audit IS 'Id of the call of audit(), or of the certification';
COMMENT ON COLUMN bkpriv.audits.release IS 'Release that was measured';
COMMENT ON COLUMN bkpriv.audits.dataset IS 'Dataset of the release';
COMMENT ON COLUMN bkpriv.audits.requirement IS 'Requirement that the bound is of, or name of what was counted';
COMMENT ON COLUMN bkpriv.audits.parameters IS 'Parameters of the requirement';
COMMENT ON COLUMN bkpriv.audits.threshold IS 'Bound; NULL: nothing bounds what was counted';
COMMENT ON COLUMN bkpriv.audits.worst IS 'Figure of the worst group or person, in the unit of the threshold';
COMMENT ON COLUMN bkpriv.audits.mean IS 'Mean of the figure over all records';
COMMENT ON COLUMN bkpriv.audits.vulnerable IS 'Records over the threshold, or the count; NULL: not about records, or not counted';
COMMENT ON COLUMN bkpriv.audits.satisfied IS 'Whether the bound holds; NULL: nothing is bounded';
COMMENT ON COLUMN bkpriv.audits.estimator IS 'Estimator of beliefs that was used';
COMMENT ON COLUMN bkpriv.audits.audited_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.audits.audited_by IS 'Role that measured it';

CREATE OR REPLACE VIEW bkpriv.attacks WITH (security_barrier) AS
SELECT a.attack, a.release, r.dataset, a.attacker, a.options, a.metric, a.value, a.sensitive, a.attacked_at, a.attacked_by
FROM bkpriv.attack_record a JOIN bkpriv.release r USING (release)
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.attacks IS
    'Attacks on the releases the current user may see, one row per figure';
GRANT SELECT ON bkpriv.attacks TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.attacks.attack IS 'Id of the call of attack()';
COMMENT ON COLUMN bkpriv.attacks.release IS 'Release that was attacked';
COMMENT ON COLUMN bkpriv.attacks.dataset IS 'Dataset of the release';
COMMENT ON COLUMN bkpriv.attacks.attacker IS 'Attacker that was played';
COMMENT ON COLUMN bkpriv.attacks.options IS 'Options of the attacker, with those that were left out as they are meant';
COMMENT ON COLUMN bkpriv.attacks.metric IS 'Name of the figure, as attack() has it';
COMMENT ON COLUMN bkpriv.attacks.value IS 'Figure';
COMMENT ON COLUMN bkpriv.attacks.sensitive IS 'Column that it is about; NULL: none, or all as one';
COMMENT ON COLUMN bkpriv.attacks.attacked_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.attacks.attacked_by IS 'Role that measured it';
