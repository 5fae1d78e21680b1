-- Implication: what a release discloses at worst to an adversary who knows k pieces of anything.

CREATE OR REPLACE FUNCTION bkpriv.max_disclosure(release bigint, k int, language text DEFAULT 'implications')
    RETURNS TABLE (k int, disclosure float8, witness jsonb, target jsonb)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].implication.max_disclosure(*args)
$$;
COMMENT ON FUNCTION bkpriv.max_disclosure(bigint, int, text) IS
    'Maximum disclosure for 0, 1, ..., k implications or negations, and a witness that attains it';
GRANT EXECUTE ON FUNCTION bkpriv.max_disclosure(bigint, int, text) TO bkpriv_publisher, bkpriv_auditor;
