-- Disclosure: what adversaries believe before and after a release, and whether it keeps its bounds.
-- Functions in bkpriv_internal hand back one array element per cell, a row of beliefs as the text of
-- an array; those of the same name in bkpriv turn them into rows.

CREATE OR REPLACE FUNCTION bkpriv_internal.prior(
    dataset text, bandwidth jsonb, period text, OUT qi text[], OUT probabilities text[], OUT sensitive text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].disclosure.prior(dataset, bandwidth, period)
$$;
COMMENT ON FUNCTION bkpriv_internal.prior(text, jsonb, text) IS 'Arrays of prior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.prior(text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.prior(dataset text, bandwidth anycompatible, period text DEFAULT NULL)
    RETURNS TABLE (qi jsonb, sensitive text, probability float8)
    LANGUAGE sql VOLATILE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.qi::jsonb, v.label, v.probability
    FROM bkpriv_internal.prior(dataset, bandwidth::text::jsonb, period) f
    CROSS JOIN LATERAL unnest(f.qi, f.probabilities) AS c(qi, probabilities)
    CROSS JOIN LATERAL unnest(f.sensitive, c.probabilities::float8[]) AS v(label, probability)
$$;
COMMENT ON FUNCTION bkpriv.prior(text, anycompatible, text) IS
    'What an adversary believes about each cell of a dataset''s source before any release; exact.
bandwidth: a number, one for each quasi-identifier, {"kernel": "uniform"}, {"learned": "logistic"}
or {"table": "schema.prior"}. Of a dataset with periods, from the records of the one that is given,
else from all';
GRANT EXECUTE ON FUNCTION bkpriv.prior(text, anycompatible, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.posterior(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[],
    OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].disclosure.posterior(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) IS 'Arrays of posterior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.posterior(release bigint, bandwidth anycompatible, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, prior float8, posterior float8, estimator_used text)
    LANGUAGE sql VOLATILE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.group_id, c.qi::jsonb, v.label, v.prior, v.posterior, c.estimated
    FROM bkpriv_internal.posterior(release, bandwidth::text::jsonb, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.priors, f.posteriors, f.estimated)
        AS c(group_id, qi, priors, posteriors, estimated)
    CROSS JOIN LATERAL unnest(f.sensitive, c.priors::float8[], c.posteriors::float8[])
        AS v(label, prior, posterior)
$$;
COMMENT ON FUNCTION bkpriv.posterior(bigint, anycompatible, text) IS
    'What an adversary believes about each published cell before and after a release.
bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.posterior(bigint, anycompatible, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.disclosure(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[], OUT records bigint[],
    OUT disclosure float8[], OUT estimated text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].disclosure.disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) IS 'Arrays of disclosure()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.disclosure(release bigint, bandwidth anycompatible, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, records bigint, disclosure float8, estimator_used text)
    LANGUAGE sql VOLATILE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT u.group_id, u.qi::jsonb, u.records, u.disclosure, u.estimated
    FROM bkpriv_internal.disclosure(release, bandwidth::text::jsonb, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.records, f.disclosure, f.estimated)
        AS u(group_id, qi, records, disclosure, estimated)
$$;
COMMENT ON FUNCTION bkpriv.disclosure(bigint, anycompatible, text) IS
    'How far a release moves an adversary''s belief about each published cell, in bits from 0 to 1.
Beliefs are compared by the smoothing that the release''s policy states for all adversaries, which a
notice names, or else as they are. bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.disclosure(bigint, anycompatible, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.explain_disclosure(release bigint, bandwidth jsonb, estimator text)
    RETURNS TABLE (group_id int, records bigint, qi jsonb, disclosure float8, sensitive text, prior float8,
                   posterior float8, estimator_used text, sure bigint, sure_qi jsonb, sure_sensitive text,
                   sure_prior float8, sure_posterior float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].disclosure.explain_disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.explain_disclosure(bigint, jsonb, text) IS 'explain_disclosure(), of JSON';
GRANT EXECUTE ON FUNCTION bkpriv_internal.explain_disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth anycompatible, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, records bigint, qi jsonb, disclosure float8, sensitive text, prior float8,
                   posterior float8, estimator_used text, sure bigint, sure_qi jsonb, sure_sensitive text,
                   sure_prior float8, sure_posterior float8)
    LANGUAGE sql VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT * FROM bkpriv_internal.explain_disclosure(release, bandwidth::text::jsonb, estimator)
$$;
COMMENT ON FUNCTION bkpriv.explain_disclosure(bigint, anycompatible, text) IS
    'For each group, the worst first: about whose records, and of which value, a belief moved most.
sure: of how many of its records the adversary becomes sure, believing a value or a node of its
hierarchy at most .5 before and above .9 after; then of whom of them and of what most. Beliefs are
compared as in disclosure(). Of a randomized release: the share of the sensitive value of records,
and the probability that they are found as they were';
GRANT EXECUTE ON FUNCTION bkpriv.explain_disclosure(bigint, anycompatible, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.audit(release bigint, requirements jsonb, estimator text)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].audit.audit(release, requirements, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.audit(bigint, jsonb, text) IS 'audit(), of JSON';
GRANT EXECUTE ON FUNCTION bkpriv_internal.audit(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit(release bigint, requirements anycompatible DEFAULT NULL::text, estimator text DEFAULT 'auto')
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE sql VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- What is no JSON may be the name of a policy: it is refused with what to write.
    SELECT * FROM bkpriv_internal.audit(
        release, CASE WHEN requirements::text ~ '^\s*[{["]' THEN requirements::text::jsonb
                 ELSE to_jsonb(requirements::text) END, estimator)
$$;
COMMENT ON FUNCTION bkpriv.audit(bigint, anycompatible, text) IS
    'Measures a release against requirements, by default those of its policy, and records the figures.
estimator_used: bound for groups that are proved to keep it, where figures are upper bounds.
worst_group, worst_qi and value say what is at fault: its share in the table and the group, or the
belief before and after. sure: of how many its reader becomes sure: of some value or node of the
hierarchy, believed at most .5 before, above .9 after. most: what no release of the table exceeds; a
threshold as large cannot bind. A randomized release has the share in the table and the probability
that the riskiest records are found as they were, and a row for all releases of the same records
together. By the release''s own policy, further rows are of counts (vulnerable) that nothing bounds:
attributes, rows that are unique within their group by what passes through; exchange, people of
groups whose ranges overlap so that they can exchange members, of whom a reader who does not know
the groups may believe more than is certified, and movable, those of them who can be elsewhere';
GRANT EXECUTE ON FUNCTION bkpriv.audit(bigint, anycompatible, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.verdict(release bigint)
    RETURNS TABLE (state text, what text, count bigint, "of" bigint, advice text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].verdict.verdict(release)
$$;
COMMENT ON FUNCTION bkpriv.verdict(bigint) IS
    'The latest verdict on a release: the whole, then each broken bound and each thing to judge';
GRANT EXECUTE ON FUNCTION bkpriv.verdict(bigint) TO bkpriv_publisher, bkpriv_auditor;
