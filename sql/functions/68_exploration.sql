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
about whom a reader becomes sure: one whom any policy names, or who knows only the table''s shares),
known (about whom such a reader is sure beforehand), known_by_columns (of these, by the
quasi-identifiers), knowable (people without a value that over nine tenths have), largest_disclosure
(to any of these readers), one_value (people in groups of one sensitive value), exact_share, rows,
records, groups, seconds; or refused = 1, and a notice why. Other releases are not considered';
GRANT EXECUTE ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text, boolean) TO bkpriv_publisher;
