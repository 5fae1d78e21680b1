-- Calculators: the mathematics on plain arrays, for checking by hand. They read no table.

CREATE OR REPLACE FUNCTION bkpriv.exact_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.exact_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.exact_posterior(float8[], int[]) IS
    'Exact posterior of a group: prior is records x values, counts how often each value occurs';
GRANT EXECUTE ON FUNCTION bkpriv.exact_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.bethe_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.bethe_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) IS
    'Bethe estimate of a group''s posterior; no bound.
An error where belief propagation does not converge';
GRANT EXECUTE ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.omega_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.omega_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.omega_posterior(float8[], int[]) IS
    'Omega-estimate of a group''s posterior; it may understate what an adversary learns';
GRANT EXECUTE ON FUNCTION bkpriv.omega_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.additive_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.additive_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.additive_posterior(float8[], int[]) IS
    'Additive estimate of a group''s posterior: assignments weigh by the sum of beliefs.
It understates what an adversary learns in all but the smallest groups';
GRANT EXECUTE ON FUNCTION bkpriv.additive_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.js_divergence(p float8[], q float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.js_divergence(p, q)
$$;
COMMENT ON FUNCTION bkpriv.js_divergence(float8[], float8[]) IS
    'Jensen-Shannon divergence of two distributions, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.js_divergence(float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.emd(p float8[], q float8[], ground float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.emd(p, q, ground)
$$;
COMMENT ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) IS
    'Earth mover''s distance of two distributions under a matrix of ground distances.
They have at most 500 values';
GRANT EXECUTE ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.smoothed_distance(p float8[], q float8[], ground float8[], bandwidth float8) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.smoothed_distance(p, q, ground, bandwidth)
$$;
COMMENT ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8) IS
    'Jensen-Shannon divergence after both distributions are smoothed over the ground distances, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.worst_case(histograms int[], k int, language text DEFAULT 'implications') RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.worst_case(histograms, k, language)
$$;
COMMENT ON FUNCTION bkpriv.worst_case(int[], int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications.
Or negations; about buckets, one row of counts for each; exact up to rounding';
GRANT EXECUTE ON FUNCTION bkpriv.worst_case(int[], int, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.randomization_risk(joint float8[], retention float8[], scheme text) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].calculator.randomization_risk(joint, retention, scheme)
$$;
COMMENT ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) IS
    'Probability with which each sensitive value is guessed from a randomized release; exact.
joint: the distribution over cells (one quasi-identifier''s values) x sensitive values. retention:
the probabilities of keeping the one and the other; scheme rr-s, rr-qi or rr-both. The result has a
figure for a person of each cell and value';
GRANT EXECUTE ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) TO bkpriv_publisher, bkpriv_auditor;
