-- Randomization: how strongly records are to be distorted.

CREATE OR REPLACE FUNCTION bkpriv.optimize_randomization(
    dataset text, scheme text, tau float8, options jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (attribute text, domain_size int, retention float8, epsilon float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].randomization.optimize_randomization(*args)
$$;
COMMENT ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text) IS
    'Probability with which each attribute''s values are kept, by scheme rr-s, rr-qi or rr-both.
Nobody''s sensitive value is guessed with a probability above tau, and counts can be estimated as
well as may be (the best of several local optima). epsilon is its local differential privacy,
infinite where all values are kept; options and period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.reconstruct(
    release bigint, attributes text[], estimator text DEFAULT 'unbiased'
)
    RETURNS TABLE (key jsonb, estimate float8, standard_error float8, low float8, high float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].reconstruction.reconstruct(release, attributes, estimator)
$$;
COMMENT ON FUNCTION bkpriv.reconstruct(bigint, text[], text) IS
    'Records by the values of some attributes, estimated from a randomized release.
unbiased has the standard error of the drawing and the ends of a 95 % confidence interval;
maximum_likelihood is never negative and has neither. Combinations that no record can have are left
out';
GRANT EXECUTE ON FUNCTION bkpriv.reconstruct(bigint, text[], text)
    TO bkpriv_publisher, bkpriv_auditor;
