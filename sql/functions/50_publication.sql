-- Publication: frozen release tables, and the views that show them. Release tables belong to the
-- extension's owner, as whom they are made and sealed.

CREATE OR REPLACE FUNCTION bkpriv_internal.release_table(release bigint, part text DEFAULT 'records') RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'release_' || release || CASE WHEN part = 'records' THEN '' WHEN part IN ('sensitive', 'randomization') THEN '_' || part END $$;
COMMENT ON FUNCTION bkpriv_internal.release_table(bigint, text) IS
    'Name in bkpriv_release of a release''s table of records, or of another part of it.
sensitive: the sensitive values of its groups; randomization: how values were randomized';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_table(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.release_tables(release bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = 'bkpriv_release'::regnamespace
        AND c.relname IN (SELECT bkpriv_internal.release_table(release, part)
                          FROM unnest(ARRAY['records', 'sensitive', 'randomization']) AS part)
$$;
COMMENT ON FUNCTION bkpriv_internal.release_tables(bigint) IS 'The tables of a release that exist';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_tables(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.create_release_table(
    new_release bigint, columns text[], types regtype[], part text DEFAULT 'records'
) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    reader text;
    release_table text := bkpriv_internal.release_table(new_release, part);
BEGIN
    SELECT created_by INTO STRICT publisher FROM bkpriv.release WHERE release = new_release;
    -- ANALYZE would run the functions of a user's type as the table's owner, and whoever owns a type may
    -- drop it and the column with it, or rename the values of an enumeration.
    IF EXISTS (SELECT FROM unnest(types) AS t JOIN pg_type p ON p.oid = t
               WHERE p.typnamespace <> 'pg_catalog'::regnamespace) THEN
        RAISE EXCEPTION 'a release table holds built-in types only'
            USING ERRCODE = 'feature_not_supported', DETAIL = format('The types are %s.', types),
                  HINT = 'Publish the column as text.';
    END IF;
    EXECUTE (
        SELECT format('CREATE TABLE bkpriv_release.%I (%s)', release_table,
                      string_agg(format('%I %s', c.name, format_type(c.type, -1)), ', ' ORDER BY c.place))
        FROM unnest(columns, types) WITH ORDINALITY AS c(name, type, place));
    -- Default privileges may have given it away.
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c, aclexplode(c.relacl) AS a
        WHERE c.oid = format('bkpriv_release.%I', release_table)::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON bkpriv_release.%I FROM %s CASCADE', release_table, reader);
    END LOOP;
    EXECUTE format('GRANT INSERT ON bkpriv_release.%I TO %I', release_table, publisher);
END $$;
COMMENT ON FUNCTION bkpriv_internal.create_release_table(bigint, text[], regtype[], text) IS
    'Makes a table of a release, for its publisher to fill';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.seal_release_tables(new_release bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    dataset_owner text;
    release_table text;
    triggers text;
    passing text := '';
BEGIN
    SELECT created_by, owner INTO STRICT publisher, dataset_owner FROM bkpriv.release WHERE release = new_release;
    FOR release_table IN SELECT * FROM bkpriv_internal.release_tables(new_release) LOOP
        IF bkpriv_internal.distributed(format('bkpriv_release.%I', release_table)::regclass) THEN
            -- Statements come to shards as others, or as COPY, so rows are guarded there; TRUNCATE is here, too.
            triggers := current_setting('citus.enable_unsafe_triggers');
            PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
            EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON bkpriv_release.%I
                            FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
            EXECUTE format('CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON bkpriv_release.%I
                            FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
            PERFORM set_config('citus.enable_unsafe_triggers', triggers, true);
            -- On shards a view's readers read with their own rights, which its owner is to give them.
            passing := ' WITH GRANT OPTION';
        ELSE
            EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON bkpriv_release.%I
                            FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
        END IF;
        EXECUTE format('REVOKE INSERT ON bkpriv_release.%I FROM %I', release_table, publisher);
        -- The view belongs to the one or the other: a superuser may publish for the dataset's owner.
        EXECUTE format('GRANT SELECT ON bkpriv_release.%I TO %I, %I', release_table, publisher, dataset_owner) || passing;
        EXECUTE format('ANALYZE bkpriv_release.%I', release_table);
    END LOOP;
END $$;
COMMENT ON FUNCTION bkpriv_internal.seal_release_tables(bigint) IS
    'Freezes the tables of a release.
Its publisher and the dataset''s owner may then only read them';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.publish(
    dataset text, policy text, view_name text, method text DEFAULT 'agglomerate',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
) RETURNS bigint
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].publication.publish(dataset, policy, view_name, method, period, options, view_schema)
$$;
COMMENT ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) IS
    'Publishes a dataset under a policy as a view over a frozen release, certified before it is visible.
Where the dataset names respondents, it is certified together with its earlier releases. Publishing
under the same view name again moves the view. bucketize and anatomy make a second view,
view_name_sensitive; randomize makes view_name_randomization, which says how values were distorted.
anatomy needs l_diversity in the policy, randomize max_disclosure and the option scheme';
GRANT EXECUTE ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.explain_publication(
    dataset text, policy text, view_name text, method text DEFAULT 'agglomerate',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
)
    RETURNS TABLE (release bigint, reason text, detail text)
    LANGUAGE plpython3u VOLATILE ROWS 3
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].standing.explain_publication(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_publication(text, text, text, text, text, jsonb, text) IS
    'Says why publish with these arguments would make a release anew.
A row for each reason: view, policy, method, options, period, dataset, hierarchies, knowledge
or source; one row without a reason if the release that the view shows stands.
What is not watched is read';
GRANT EXECUTE ON FUNCTION bkpriv.explain_publication(text, text, text, text, text, jsonb, text) TO bkpriv_publisher;
