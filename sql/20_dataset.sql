-- Dataset: which table is published from, and which of its columns are what.

CREATE TABLE bkpriv.dataset (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    source_schema text NOT NULL,
    source_name text NOT NULL,
    quasi_identifiers text[] NOT NULL CHECK (cardinality(quasi_identifiers) > 0),
    sensitive text NOT NULL CHECK (sensitive <> ALL (quasi_identifiers)),
    respondent text,
    period text,
    registered_at timestamptz NOT NULL DEFAULT now(),
    bins jsonb NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE bkpriv.dataset IS 'Tables that may be published from, by schema and name';
ALTER TABLE bkpriv.dataset ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.dataset FOR SELECT USING (bkpriv_internal.sees(owner));
-- Group roles are the cluster's: who may look into bkpriv_release is a publisher in this database.
CREATE POLICY register ON bkpriv.dataset FOR INSERT
    WITH CHECK (owner = current_user AND has_schema_privilege('bkpriv_release', 'USAGE'));
CREATE POLICY touch ON bkpriv.dataset FOR UPDATE USING (bkpriv_internal.owns(owner));
CREATE POLICY forget ON bkpriv.dataset FOR DELETE USING (bkpriv_internal.owns(owner));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.dataset', '');

-- No foreign key: a parallel restore fills the tables in any order.
CREATE TABLE bkpriv.hierarchy (
    dataset text NOT NULL,
    attribute text NOT NULL,
    levels text[],
    widths numeric[],
    origin numeric,
    PRIMARY KEY (dataset, attribute),
    CHECK ((levels IS NULL) <> (widths IS NULL)),
    CHECK ((widths IS NULL) = (origin IS NULL))
);
COMMENT ON TABLE bkpriv.hierarchy IS
    'Generalization hierarchies: rows of labels from leaf to root, or widths of nested intervals';
ALTER TABLE bkpriv.hierarchy ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON bkpriv.hierarchy FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
CREATE POLICY change ON bkpriv.hierarchy
    USING (dataset IN (SELECT name FROM bkpriv.dataset WHERE bkpriv_internal.owns(owner)));
SELECT pg_catalog.pg_extension_config_dump('bkpriv.hierarchy', '');

CREATE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text,
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, sensitive, respondent, period, bins)
$$;
REVOKE ALL ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) IS
    'Declares a table as a dataset: its quasi-identifiers, sensitive column and, for serial releases, respondent and period columns; bins, such as {"birth_date": "year", "age": 5}, makes values of a column intervals of one calendar unit or width; warns of nearly unique quasi-identifiers and of NULL';

CREATE FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.set_hierarchy(dataset, attribute, levels)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) IS
    'Gives an attribute a generalization hierarchy, read from a table whose columns are, in order, value, coarser, ..., root';

CREATE FUNCTION bkpriv.set_interval_hierarchy(
    dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.set_interval_hierarchy(dataset, attribute, widths, origin)
$$;
REVOKE ALL ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) IS
    'Gives a numeric attribute nested intervals of rising widths, counted from the origin, for methods that generalize whole columns; mondrian publishes ranges of its own';

CREATE FUNCTION bkpriv.unset_hierarchy(dataset text, attribute text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.unset_hierarchy(dataset, attribute)
$$;
REVOKE ALL ON FUNCTION bkpriv.unset_hierarchy(text, text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.unset_hierarchy(text, text) IS
    'Takes an attribute''s generalization hierarchy or intervals back';

CREATE FUNCTION bkpriv.drop_dataset(dataset text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
if "bkpriv" not in GD: plpy.execute("SELECT bkpriv_internal.bootstrap()")
GD["bkpriv"].dataset.drop(dataset)
$$;
REVOKE ALL ON FUNCTION bkpriv.drop_dataset(text) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.drop_dataset(text) IS
    'Forgets a dataset whose releases are all withdrawn; their history stays';
