-- Sequence: what adversaries know of how sensitive values follow each other, and what they learn from all
-- releases of a dataset together.

CREATE OR REPLACE FUNCTION bkpriv.set_sequential_knowledge(
    dataset text, name text, kind text, source regclass DEFAULT NULL, memory int DEFAULT NULL
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].sequence.set_knowledge(dataset, name, kind, source, memory)
$$;
COMMENT ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) IS
    'Says what adversaries know of how a respondent''s values follow each other, for policies to name as {"sequence": "name"}; kind: domain (source has history text[], the oldest value first, next, probability), mined (from a corpus: respondent, period, value), incremental (from the releases themselves) or constant (values never change); memory: how many latest values count, by default all';
GRANT EXECUTE ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_sequential_knowledge(dataset text, name text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].sequence.unset_knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) IS
    'Takes sequential knowledge of a dataset back; policies that name it cannot be published under any more';
GRANT EXECUTE ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.sequential_knowledge(dataset text, name text)
    RETURNS TABLE (history text[], next text, probability float8, support float8)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].sequence.knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.sequential_knowledge(text, text) IS
    'What is known after each history, the oldest value first: the probability of each next value, and how often it was seen, if it was mined; incremental: what the releases so far tell';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_knowledge(text, text) TO bkpriv_publisher, bkpriv_auditor;
