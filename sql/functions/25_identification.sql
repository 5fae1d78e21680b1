-- Identification: which columns of a table tell people apart, before it is declared.

CREATE OR REPLACE FUNCTION bkpriv.inspect_columns(source regclass)
    RETURNS TABLE (
        columns text[], distinct_share float8, unique_people float8, looks_like text, role text, reason text,
        separated_share float8, nulls bigint, alike bigint, records bigint, sampled boolean
    )
    LANGUAGE plpython3u ROWS 40
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].identification.inspect_columns(source)
$$;
COMMENT ON FUNCTION bkpriv.inspect_columns(regclass) IS
    'Says how many people columns of a table single out, and which roles they might have.
After the columns come the pairs, then the triples that single out most, the best first.
distinct_share: distinct values (NULL is one) divided by records. unique_people: records whose
values no other has. separated_share: share of pairs of records told apart. looks_like: constant,
key, free text, date, code, number or label, and the role. role: the argument of register_dataset
that is proposed, for you to review; NULL: leave it out. nulls: records with NULL. alike: values
that differ from others only in case, blanks or normal form. records: how many were looked at;
sampled: not all, so people are less unique than said';
GRANT EXECUTE ON FUNCTION bkpriv.inspect_columns(regclass) TO bkpriv_publisher;
