-- Sequence: what adversaries know of how sensitive values follow each other, and what they learn from all
-- releases of a dataset together.

CREATE OR REPLACE FUNCTION bkpriv.set_sequential_knowledge(
    dataset text, name text, kind text, source regclass DEFAULT NULL, memory int DEFAULT NULL
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].sequence.set_knowledge(dataset, name, kind, source, memory)
$$;
COMMENT ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) IS
    'Says what adversaries know of how a respondent''s values follow each other.
Policies name it as {"sequence": "name"}. kind: domain (source has history text[], the oldest value
first, next, probability), mined (from a corpus: respondent, period, value), incremental (from the
releases themselves) or constant (values never change)';
GRANT EXECUTE ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_sequential_knowledge(dataset text, name text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].sequence.unset_knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) IS
    'Takes sequential knowledge of a dataset back.
Policies that name it cannot be published under any more';
GRANT EXECUTE ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.sequential_knowledge(dataset text, name text)
    RETURNS TABLE (history text[], next text, probability float8, support float8)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.sequential_knowledge(text, text) IS
    'Sequential knowledge as rows: for each history the probability of each next value.
Histories begin with the oldest value; support is how often it was seen, if it was mined;
incremental: counted in the releases so far';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_knowledge(text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.sequential_audit(
    dataset text, knowledge text, estimator text DEFAULT 'omega', retrospective boolean DEFAULT false,
    bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (release bigint, period text, records bigint, gain float8, confidence float8, worst float8,
                   remembered bigint, estimator_used text, exact_share float8, status text, left_out text)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.sequential_audit(*args)
$$;
COMMENT ON FUNCTION bkpriv.sequential_audit(text, text, text, boolean, jsonb) IS
    'What each release of a dataset gives away to an adversary who saw all releases before it.
Withdrawn ones count. confidence and worst: the mean and the largest probability of an actual value
for this adversary. gain: the increase over its share in the group, as a part of what could be
gained. remembered: published records of respondents whom an earlier release showed. left_out: why a
release could not be judged. estimator: omega understates, auto comes nearest to exact inference';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_audit(text, text, text, boolean, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.revised_belief(
    dataset text, knowledge text, respondent text, period text, estimator text DEFAULT 'auto',
    retrospective boolean DEFAULT false, bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (sensitive text, prior float8, posterior float8, release bigint)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.revised_belief(*args)
$$;
COMMENT ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb) IS
    'Beliefs about a respondent before and after the last release of a period that shows them.
They are those of an adversary who saw the releases before it; period NULL: the last release. With
auto and exact they are exact, from all these releases at once, if shared groups link few people,
else an estimate, as a notice says. Arguments are as in sequential_audit()';
GRANT EXECUTE ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_sequence(
    dataset text, knowledge text, "limit" int DEFAULT 10, estimator text DEFAULT 'auto', bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (respondent text, release bigint, period text, value text, alone float8, prior float8,
                   probability float8, past_releases bigint[], past_values text[], past_belief float8,
                   transition float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.explain_sequence(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_sequence(text, text, int, text, jsonb) IS
    'Respondents whose actual values a memory gives away most, each once.
alone: the probability of the value after the release for an adversary without memory; before and
after it for one with memory. Then the part of the past that did most: values in earlier releases,
the belief that the respondent had them, and the probability of the value after them (NULL: it was
the memory of others in the group)';
GRANT EXECUTE ON FUNCTION bkpriv.explain_sequence(text, text, int, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;
