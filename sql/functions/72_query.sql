-- Query: how far counts from a release are from those of its source. Queries are parsed, never run.

CREATE OR REPLACE FUNCTION bkpriv.query_accuracy(release bigint, query text)
    RETURNS TABLE (key jsonb, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].query.query_accuracy(release, query)
$$;
COMMENT ON FUNCTION bkpriv.query_accuracy(bigint, text) IS
    'Counts that a query asks for, in the source, and as a reader of the release estimates them.
The query is SELECT count(*) FROM dataset WHERE ... GROUP BY ..., the source as it was when the
release was made. Rows are counted, also where people have several, and those of the source that
were suppressed, but none that option max_records_per_person left out. The error is NULL where
nothing is counted';
GRANT EXECUTE ON FUNCTION bkpriv.query_accuracy(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.query_workload(
    release bigint, queries int, dimensions int, selectivity float8, seed bigint DEFAULT NULL
)
    RETURNS TABLE (query text, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].query.query_workload(release, queries, dimensions, selectivity, seed)
$$;
COMMENT ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) IS
    'Random queries on so many quasi-identifiers and the sensitive attribute, as by query_accuracy.
Together they ask for a share of all combinations of values (selectivity); a seed repeats them';
GRANT EXECUTE ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.rewrite_query(release bigint, query text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].query.rewrite_query(release, query)
$$;
COMMENT ON FUNCTION bkpriv.rewrite_query(bigint, text) IS
    'The estimate of query_accuracy as SQL over the published views alone, for their readers to run.
With GROUP BY, keys and estimates; of a randomized release also the standard error';
GRANT EXECUTE ON FUNCTION bkpriv.rewrite_query(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.association(release bigint)
    RETURNS TABLE (attribute text, other text, original float8, released float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].query.association(release)
$$;
COMMENT ON FUNCTION bkpriv.association(bigint) IS
    'Uncertainty coefficients U(attribute | other), in the source and as the release leaves them.
Each is the share of the attribute''s entropy that knowing the other takes away; NULL for an
attribute with one value';
GRANT EXECUTE ON FUNCTION bkpriv.association(bigint) TO bkpriv_publisher, bkpriv_auditor;
