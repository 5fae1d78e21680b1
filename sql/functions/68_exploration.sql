-- Exploration: what publishing would cost and disclose under many policies. Nothing is published or recorded.

CREATE OR REPLACE FUNCTION bkpriv.explore(dataset text, policies jsonb DEFAULT NULL, method text DEFAULT 'agglomerate',
                                          options jsonb DEFAULT '{}', period text DEFAULT NULL,
                                          draft boolean DEFAULT false)
    RETURNS TABLE (place int, policy jsonb, metric text, value float8)
    LANGUAGE plpython3u VOLATILE ROWS 300
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].exploration.explore(dataset, policies, method, options, period, draft)
$$;
COMMENT ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text, boolean) IS
    'What publish would cost and disclose under each of some policies, none of which is published.
policies: a JSON array, or {"grid": {"bandwidth": [...], "t": [...]}, "with": {...}}, over k and l
as well, which begins with each k alone; without any, a customary grid; place counts from 1.
Metrics: discernibility, average_class_size, gcp, rgcp, suppressed_share, query_error,
worst_disclosure and mean_disclosure (to the adversary of the policy who learns most), sure (people
of whom a reader becomes sure, one whom any of the policies names), known (of whom such a reader is
sure beforehand), exact_share, groups, seconds; or refused = 1, and a notice why. Other releases are
not considered';
GRANT EXECUTE ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text, boolean) TO bkpriv_publisher;
