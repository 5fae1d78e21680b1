-- Implication: what a release discloses at worst to whoever knows k pieces of anything, and what it
-- discloses under knowledge that is stated.

CREATE OR REPLACE FUNCTION bkpriv.max_disclosure(release bigint, k int, language text DEFAULT 'implications')
    RETURNS TABLE (k int, disclosure float8, witness jsonb, target jsonb)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].implication.max_disclosure(*args)
$$;
COMMENT ON FUNCTION bkpriv.max_disclosure(bigint, int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications.
Or negations; with knowledge that attains it, as disclosure_given takes it, and what it discloses.
Of several sensitive columns about the one disclosed most; exact up to rounding';
GRANT EXECUTE ON FUNCTION bkpriv.max_disclosure(bigint, int, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.disclosure_given(
    release bigint, knowledge jsonb, OUT respondent text[], OUT group_id int[], OUT qi text[], OUT person int[],
    OUT place int[], OUT beliefs text[], OUT sensitive text[]
)
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].implication.disclosure_given(release, knowledge)
$$;
COMMENT ON FUNCTION bkpriv_internal.disclosure_given(bigint, jsonb) IS
    'Arrays of disclosure_given(): persons, and for each the place of its row of beliefs';
GRANT EXECUTE ON FUNCTION bkpriv_internal.disclosure_given(bigint, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.disclosure_given(release bigint, knowledge jsonb)
    RETURNS TABLE (respondent text, sensitive text, probability float8, group_id int, qi jsonb, person int)
    LANGUAGE sql STABLE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT p.respondent, v.label, v.probability, p.group_id, p.qi::jsonb, p.person
    FROM bkpriv_internal.disclosure_given(release, knowledge) f
    CROSS JOIN LATERAL unnest(f.respondent, f.group_id, f.qi, f.person, f.place)
        AS p(respondent, group_id, qi, person, place)
    JOIN LATERAL (
        SELECT b.place, u.label, u.probability
        FROM unnest(f.beliefs) WITH ORDINALITY AS b(shares, place)
        CROSS JOIN LATERAL unnest(f.sensitive, b.shares::float8[]) AS u(label, probability)
    ) AS v ON v.place = p.place
$$;
COMMENT ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) IS
    'Probability of every person''s having every value, for who knows groups, members and implications.
Exact. knowledge: [{"if": [atom, ...], "then": [atom, ...]}, {"not": atom}], an atom being
{"respondent": "7", "value": "flu"}, or, where the dataset declares no respondents, {"group": 3,
"qi": {...}, "person": 1, "value": "flu"}. Of several sensitive columns a value is the text of a
combination, or that of one column''s value, {"disease":"flu"}. person is NULL for all others of that
cell in that group';
GRANT EXECUTE ON FUNCTION bkpriv.disclosure_given(bigint, jsonb) TO bkpriv_publisher, bkpriv_auditor;
