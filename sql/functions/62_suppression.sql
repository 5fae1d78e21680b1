-- Suppression: which kinds of records a release left out, and why.

CREATE OR REPLACE FUNCTION bkpriv.explain_suppressed(release bigint, "limit" int DEFAULT 10)
    RETURNS TABLE (qi jsonb, records bigint, requirement text, parameters jsonb, threshold float8, attained float8,
                   worst_qi jsonb, value text, value_before float8, value_after float8, estimator_used text)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].suppression.explain_suppressed(release, limit)
$$;
COMMENT ON FUNCTION bkpriv.explain_suppressed(bigint, int) IS
    'Which kinds of records a release left out, those of most records first, at most so many.
Of each: the bound that stood in the way, what the best group attains of those tried (the records by
themselves, or with a published group nearby), and the value at fault as in audit(). Of a release
that has grown, the records with newcomers, or all who wait; and, as requirement grow, who was
withdrawn. qi: a number or label, an array of the least and greatest number, or the label above
several';
GRANT EXECUTE ON FUNCTION bkpriv.explain_suppressed(bigint, int) TO bkpriv_publisher, bkpriv_auditor;
