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
    'Every combination of generalization levels, and whether it is safe under the policy.
chosen: the one that publish with method incognito and the same options would take. measured:
whether groups were measured or it followed from other nodes. A safe one has what it suppresses and
costs, a minimal one also what it loses in bits (kl)';
GRANT EXECUTE ON FUNCTION bkpriv.lattice(text, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;
