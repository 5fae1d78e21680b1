-- Hierarchy: how labels and numbers of an attribute are made coarser.

-- No foreign key: a parallel restore fills the tables in any order.
CREATE TABLE bkpriv.hierarchy (
    dataset text NOT NULL,
    attribute text NOT NULL,
    levels text[],
    widths numeric[],
    origin numeric,
    -- What makes the paths of values, where they are not listed: see bkpriv_core/table/rule.py.
    rule jsonb,
    PRIMARY KEY (dataset, attribute),
    CHECK (num_nonnulls(levels, widths, rule) = 1),
    CHECK ((widths IS NULL) = (origin IS NULL)),
    CONSTRAINT hierarchy_texts CHECK (octet_length(dataset) <= 9000 AND octet_length(attribute) <= 63),
    CONSTRAINT hierarchy_paths CHECK (num_nulls(VARIADIC levels) = 0 AND coalesce(array_ndims(levels), 2) = 2 AND cardinality(levels) <= 4000000
           AND octet_length(array_to_string(levels, '')) <= 100000000),
    CONSTRAINT hierarchy_intervals CHECK (num_nulls(VARIADIC widths) = 0 AND coalesce(array_ndims(widths), 1) = 1 AND cardinality(widths) <= 2100
           AND octet_length(array_to_string(widths, '')) <= 1000000),
    CONSTRAINT hierarchy_ruled CHECK (octet_length(rule::text) <= 100000000)
);
