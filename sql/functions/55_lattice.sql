-- Lattice: the nodes of full-domain generalization, which method incognito chooses from.

CREATE OR REPLACE FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb DEFAULT '{}', period text DEFAULT NULL)
    RETURNS TABLE (levels jsonb, safe boolean, minimal boolean, chosen boolean, measured boolean, suppressed bigint,
                   discernibility float8, average_class_size float8, gcp float8, kl float8)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].lattice.lattice(dataset, policy, options, period)
$$;
COMMENT ON FUNCTION bkpriv.lattice(text, text, jsonb, text) IS
    'Every combination of generalization levels: whether it is safe under the policy, minimal among the safe ones, and the one that publish with method incognito and the same options would choose; whether groups were measured or it followed from other nodes; what a safe one suppresses and costs, and what a minimal one loses in bits (kl); period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.lattice(text, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;
