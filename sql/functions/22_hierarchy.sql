-- Hierarchy: how labels and numbers of an attribute are made coarser.

CREATE OR REPLACE FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.set_hierarchy(dataset, attribute, levels)
$$;
COMMENT ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) IS
    'Gives an attribute a generalization hierarchy, read from a table.
The columns of the table are, in order, value, coarser, ..., root';
GRANT EXECUTE ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_interval_hierarchy(
    dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.set_interval_hierarchy(dataset, attribute, widths, origin)
$$;
COMMENT ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) IS
    'Gives a numeric attribute nested intervals of rising widths, counted from the origin.
They serve methods that generalize whole columns; others publish ranges of their own';
GRANT EXECUTE ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_prefix_hierarchy(dataset text, attribute text, lengths int[]) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.set_prefix_hierarchy(dataset, attribute, lengths)
$$;
COMMENT ON FUNCTION bkpriv.set_prefix_hierarchy(text, text, int[]) IS
    'Gives an attribute a hierarchy by prefixes, for codes and postcodes.
A value becomes its first characters, fewer and fewer, with * behind them, and at last *.
It is a rule, so values that come later have a path, too';
GRANT EXECUTE ON FUNCTION bkpriv.set_prefix_hierarchy(text, text, int[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_date_hierarchy(dataset text, attribute text,
    units text[] DEFAULT '{month,year}') RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.set_date_hierarchy(dataset, attribute, units)
$$;
COMMENT ON FUNCTION bkpriv.set_date_hierarchy(text, text, text[]) IS
    'Gives an attribute of days or times a hierarchy by units of the calendar.
A value becomes its month, such as 2024-03, its quarter 2024-Q1, its year, its decade 2020s, and *.
The attribute is then published in labels. It is a rule, so values that come later have a path, too';
GRANT EXECUTE ON FUNCTION bkpriv.set_date_hierarchy(text, text, text[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_list_hierarchy(dataset text, attribute text, branches jsonb, rest text DEFAULT NULL)
    RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.set_list_hierarchy(dataset, attribute, branches, rest)
$$;
COMMENT ON FUNCTION bkpriv.set_list_hierarchy(text, text, jsonb, text) IS
    'Gives an attribute a hierarchy that is listed.
The list is such as {"north": ["Kiel", "Hamburg"], "south": ["Ulm"]}, with * above all. Values that
are not listed go under the rest, if it has a name, and are refused by publication without it';
GRANT EXECUTE ON FUNCTION bkpriv.set_list_hierarchy(text, text, jsonb, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_hierarchy(dataset text, attribute text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].hierarchy.unset_hierarchy(dataset, attribute)
$$;
COMMENT ON FUNCTION bkpriv.unset_hierarchy(text, text) IS
    'Takes an attribute''s generalization hierarchy or intervals back';
GRANT EXECUTE ON FUNCTION bkpriv.unset_hierarchy(text, text) TO bkpriv_publisher;
