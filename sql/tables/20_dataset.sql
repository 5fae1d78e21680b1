-- Dataset: which table is published from, and which of its columns are what.

CREATE TABLE bkpriv.dataset (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL,
    source_schema text NOT NULL,
    source_name text NOT NULL,
    quasi_identifiers text[] NOT NULL CHECK (cardinality(quasi_identifiers) > 0),
    sensitive text[] NOT NULL,
    respondent text,
    period text,
    registered_at timestamptz NOT NULL DEFAULT now(),
    bins jsonb NOT NULL DEFAULT '{}',
    attributes text[] NOT NULL DEFAULT '{}',
    source_owners text[] NOT NULL DEFAULT '{}',
    scales jsonb NOT NULL DEFAULT '{}',
    CHECK (NOT sensitive && quasi_identifiers),
    CHECK (NOT attributes && (quasi_identifiers || sensitive)),
    CONSTRAINT dataset_texts CHECK (octet_length(name) <= 9000 AND greatest(octet_length(owner), octet_length(source_schema), octet_length(source_name),
           octet_length(respondent), octet_length(period)) <= 63 AND octet_length(bins::text) <= 1000000),
    CONSTRAINT dataset_scales CHECK (octet_length(scales::text) <= 1000000),
    CONSTRAINT dataset_quasi_identifiers_names CHECK (num_nulls(VARIADIC quasi_identifiers) = 0 AND coalesce(array_ndims(quasi_identifiers), 1) = 1 AND cardinality(quasi_identifiers) <= 1600
           AND octet_length(array_to_string(quasi_identifiers, '')) <= 100800),
    CONSTRAINT dataset_sensitive_names CHECK (num_nulls(VARIADIC sensitive) = 0 AND coalesce(array_ndims(sensitive), 1) = 1 AND cardinality(sensitive) <= 1600
           AND octet_length(array_to_string(sensitive, '')) <= 100800),
    CONSTRAINT dataset_attributes_names CHECK (num_nulls(VARIADIC attributes) = 0 AND coalesce(array_ndims(attributes), 1) = 1 AND cardinality(attributes) <= 1600
           AND octet_length(array_to_string(attributes, '')) <= 100800),
    CONSTRAINT dataset_source_owners_names CHECK (num_nulls(VARIADIC source_owners) = 0 AND coalesce(array_ndims(source_owners), 1) = 1 AND cardinality(source_owners) IN (0, 2)
           AND octet_length(array_to_string(source_owners, '')) <= 126)
);
