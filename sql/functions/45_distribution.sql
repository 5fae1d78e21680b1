-- Distribution: release tables whose rows lie on the workers of Citus. Where it is not installed, these
-- functions find that nothing is distributed.

CREATE OR REPLACE FUNCTION bkpriv_internal.distributed(relation regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    found boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)'
            INTO found USING relation;
    END IF;
    RETURN found;
END $$;
COMMENT ON FUNCTION bkpriv_internal.distributed(regclass) IS
    'Whether Citus distributes a table, or has copies of it on every node';
GRANT EXECUTE ON FUNCTION bkpriv_internal.distributed(regclass) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.distribute_release_table(new_release bigint, part text, distribute_by text) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    release_table regclass := format('bkpriv_release.%I', bkpriv_internal.release_table(new_release, part))::regclass;
    told text := current_setting('client_min_messages');
BEGIN
    PERFORM set_config('client_min_messages', 'warning', true);
    -- A companion is small, and joined with the records by their groups: every node has a copy.
    IF part = 'records' THEN
        -- Shards beside those of the source would be altered over connections that have read these.
        EXECUTE 'SELECT pg_catalog.create_distributed_table($1, $2, colocate_with => ''none'')' USING release_table, distribute_by;
    ELSE
        EXECUTE 'SELECT pg_catalog.create_reference_table($1)' USING release_table;
    END IF;
    -- Its rows were copied to the shards.
    EXECUTE 'SELECT pg_catalog.truncate_local_data_after_distributing_table($1)' USING release_table;
    PERFORM set_config('client_min_messages', told, true);
END $$;
COMMENT ON FUNCTION bkpriv_internal.distribute_release_table(bigint, text, text) IS
    'Distributes a table of a release by a column, before it is sealed.
Of those beside the records every node has a copy';
-- Granted to nobody: write() calls it, as the extension's owner.
