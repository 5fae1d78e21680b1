-- Hierarchy: that of a dataset of its owner, and for auditors to see.

COMMENT ON TABLE bkpriv.hierarchy IS
    'Generalization hierarchies: rows of labels from leaf to root, widths of nested intervals, or a rule';
COMMENT ON COLUMN bkpriv.hierarchy.dataset IS 'Dataset of the attribute';
COMMENT ON COLUMN bkpriv.hierarchy.attribute IS 'Column that is generalized';
COMMENT ON COLUMN bkpriv.hierarchy.levels IS 'Labels row by row, each row from leaf to root; NULL: it has intervals or a rule';
COMMENT ON COLUMN bkpriv.hierarchy.widths IS 'Widths of nested intervals, rising; NULL: it has labels';
COMMENT ON COLUMN bkpriv.hierarchy.origin IS 'Number that the intervals are counted from';
COMMENT ON COLUMN bkpriv.hierarchy.rule IS 'Rule that makes the labels of values, such as {"prefixes": [3, 1]}; NULL: there is none';
GRANT SELECT ON bkpriv.hierarchy TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.hierarchy FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));
