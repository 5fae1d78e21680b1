-- Releases judged together: what several of the same people tell whoever holds all of them.

CREATE OR REPLACE FUNCTION bkpriv.audit_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].together.audit_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) IS
    'What a reader of several releases of the same respondents learns from all of them together.
Columns and arguments are those of audit(), requirements by default all of their policies. Figures
are of respondents whom one of the releases shows: worst_records counts those of whom the same
groups tell the worst, and worst_group is NULL. k_anonymity: the fewest records that may be a
respondent''s; requirements on shares: the beliefs of a reader without knowledge; bt_privacy: how
far beliefs move. A value that changed makes another person';
GRANT EXECUTE ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, respondent text, sensitive text, prior float8,
                   posterior float8, figure float8, releases bigint[])
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].together.explain_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) IS
    'Respondents over a bound by several releases together, for each bound the worst first.
Of each: the value at fault, its share in the table, or the prior belief in it, and the belief after
the releases. releases: those that expose the respondent, none of which can be left out; arguments
as in audit_together()';
GRANT EXECUTE ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit_readers(
    dataset text, readers jsonb DEFAULT NULL, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (reader text, releases bigint[], requirement text, parameters jsonb, threshold float8,
                   worst float8, mean float8, vulnerable bigint, satisfied boolean, estimator_used text,
                   worst_group int, worst_records bigint, worst_qi jsonb, value text, value_before float8,
                   value_after float8, sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].together.audit_readers(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) IS
    'What each reader of a dataset''s releases learns from all that they hold, as audit_together().
The last, all, is all readers together. readers: {"name": ["schema.view", 7]}, views with all that
they ever showed, or releases. By default they are the roles, and PUBLIC, that may SELECT from its
views or views on these, or could until they were withdrawn, but for superusers and roles that may
read the source or act as its owner; roles that may read the same are listed once. Each period by
itself';
GRANT EXECUTE ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;
