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
    dataset text, knowledge text, estimator text DEFAULT 'omega', bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (release bigint, period text, records bigint, gain float8, confidence float8, worst float8,
                   remembered bigint, estimator_used text, exact_share float8, status text, left_out text)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.sequential_audit(*args)
$$;
COMMENT ON FUNCTION bkpriv.sequential_audit(text, text, text, jsonb) IS
    'What each release of a dataset gives away to an adversary who saw all releases before it.
Withdrawn ones count. confidence and worst: the mean and the largest probability of an actual value
for this adversary. gain: the increase over its share in the group, as a part of what could be
gained. remembered: published records of respondents whom an earlier release showed. left_out: why a
release could not be judged. estimator: omega understates, auto comes nearest to exact inference';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_audit(text, text, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.revised_belief(
    dataset text, knowledge text, respondent text, period text, estimator text DEFAULT 'auto',
    bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (sensitive text, prior float8, posterior float8, release bigint)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].sequence.revised_belief(*args)
$$;
COMMENT ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, jsonb) IS
    'Beliefs about a respondent before and after the last release of a period that shows them.
They are those of an adversary who saw the releases before it; period NULL: the last release.
Arguments are as in sequential_audit()';
GRANT EXECUTE ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;
