-- Hierarchy: how labels and numbers of an attribute are made coarser.

-- No foreign key: a parallel restore fills the tables in any order.
CREATE TABLE bkpriv.hierarchy (
    dataset text NOT NULL,
    attribute text NOT NULL,
    levels text[],
    widths numeric[],
    origin numeric,
    -- Never true: see bkpriv_internal.drop_row.
    dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped),
    -- What makes the paths of values, where they are not listed: see bkpriv_core/table/rule.py.
    rule jsonb,
    PRIMARY KEY (dataset, attribute),
    CHECK (num_nonnulls(levels, widths, rule) = 1),
    CHECK ((widths IS NULL) = (origin IS NULL))
);
