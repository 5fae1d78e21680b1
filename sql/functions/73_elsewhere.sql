-- Tables made elsewhere: views and tables of other software, judged against the dataset that they were made of.

CREATE OR REPLACE FUNCTION bkpriv.audit_table(
    source regclass, dataset text, columns jsonb, requirements jsonb, estimator text DEFAULT 'auto',
    period text DEFAULT NULL
)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_labels jsonb,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].elsewhere.audit_table(source, dataset, columns, requirements, estimator, period)
$$;
COMMENT ON FUNCTION bkpriv.audit_table(regclass, text, jsonb, jsonb, text, text) IS
    'Measures a table that was made elsewhere of a dataset against requirements; records nothing.
Rows with equal labels are a group, or with equal group_id where the table has it. The figures are
those of audit(), worst_labels the labels of the worst group. A last row, suppressed, counts the
records of the dataset that the table lacks. Requirements of beliefs need to know whose rows are
whose: by a key that both have, or by labels under which nobody else can be; a notice says how.
A notice names the other columns that identify people: names, keys, values that are nearly unique.
The caller must be able to read both; to read a view is to run its owner''s code';
GRANT EXECUTE ON FUNCTION bkpriv.audit_table(regclass, text, jsonb, jsonb, text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.utility_table(
    source regclass, dataset text, columns jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].elsewhere.utility_table(source, dataset, columns, period)
$$;
COMMENT ON FUNCTION bkpriv.utility_table(regclass, text, jsonb, text) IS
    'Utility of a table that was made elsewhere of a dataset; the metrics of utility().
Those of k-anonymity alone are left out, for they need a method. Labels are read as ranges, sets,
labels of hierarchies and * for any; a range counts by the values of the dataset that it holds.
Where labels of a column cannot be read, the extents of the values of groups'' people stand in, if a
key tells who they are, and a notice says so. rgcp is NULL where it is not known who is left out';
GRANT EXECUTE ON FUNCTION bkpriv.utility_table(regclass, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.attack_table(
    source regclass, dataset text, columns jsonb DEFAULT '{}', attacker text DEFAULT 'learner',
    options jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (metric text, value float8, sensitive text)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].elsewhere.attack_table(source, dataset, columns, attacker, options, period)
$$;
COMMENT ON FUNCTION bkpriv.attack_table(regclass, text, jsonb, text, jsonb, text) IS
    'Plays an attacker on a table that was made elsewhere of a dataset; the figures of attack().
It must be known whose rows are whose, as for beliefs in audit_table(). Attackers are majority,
learner, informed, and without_groups, who needs labels that can be read. Nothing is recorded';
GRANT EXECUTE ON FUNCTION bkpriv.attack_table(regclass, text, jsonb, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;
