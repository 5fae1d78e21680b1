-- Dataset: which table is published from, and which of its columns are what.

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text,
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}', scales jsonb DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, [sensitive], [], respondent, period, bins, scales)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb, jsonb) IS
    'Declares a table as a dataset: its quasi-identifiers and its sensitive column.
A respondent column and a period column make its releases a sequence. bins makes values of a column
intervals of one calendar unit or width ({"birth_date": "year", "age": 5}), and numbers that are
codes labels ({"method": "label"}). scales says of what range of a column a bandwidth and a loss are
shares ({"age": [0, 100]}); else it is the range without values far out. It warns of
quasi-identifiers that are nearly unique, alone or together, that determine a sensitive column or
repeat each other, of numbers that may be codes, of values far out or that may be missing, and of
NULL';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb, jsonb) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text[],
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}', attributes text[] DEFAULT '{}',
    scales jsonb DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, sensitive, attributes, respondent, period, bins, scales)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[], jsonb) IS
    'Declares a table with several sensitive columns, one, or none: {}.
Each of them is bounded by itself, and all jointly where a policy says so. Without any, policies can
require k_anonymity alone. attributes pass through
unchanged with the sensitive values of a record; adversaries are supposed not to know them';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[], jsonb) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.drop_dataset(dataset text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].dataset.drop(dataset)
$$;
COMMENT ON FUNCTION bkpriv.drop_dataset(text) IS
    'Forgets a dataset whose releases are all withdrawn; their history stays';
GRANT EXECUTE ON FUNCTION bkpriv.drop_dataset(text) TO bkpriv_publisher;
