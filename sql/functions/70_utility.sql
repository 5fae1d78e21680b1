-- Utility: what a release costs the analyst.

CREATE OR REPLACE FUNCTION bkpriv.utility(release bigint) RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u STABLE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].utility.utility(release)
$$;
COMMENT ON FUNCTION bkpriv.utility(bigint) IS
    'Utility of a release: what its generalization and suppression cost analysts.
gcp: global certainty penalty, the share of detail lost; rgcp: of all records, where those left out
count as the nearest group widened to them. gcp(age): of one quasi-identifier; gcp is their mean.
..._k_anonymous: of the same table by the same method with k-anonymity only. kl (bits), chi_square,
l2: divergence of the joint distribution that it leaves from the original one, Infinity where the
release rules out what occurs';
GRANT EXECUTE ON FUNCTION bkpriv.utility(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.compare_releases(releases bigint[])
    RETURNS TABLE (metric text, release bigint, value float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].utility.compare_releases(releases)
$$;
COMMENT ON FUNCTION bkpriv.compare_releases(bigint[]) IS
    'Releases of the same data side by side, an error if they are of other data.
The metrics of utility, NULL for a release that has no such figure. max_disclosure: the largest
probability with which a sensitive value is disclosed. The errors of the count queries that the
bound query_error measures by default. The average difference of uncertainty coefficients from those
of the source, of pairs with the sensitive attribute and of quasi-identifiers';
GRANT EXECUTE ON FUNCTION bkpriv.compare_releases(bigint[]) TO bkpriv_publisher, bkpriv_auditor;
