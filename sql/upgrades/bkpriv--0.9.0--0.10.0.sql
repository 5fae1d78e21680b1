-- From 0.9.0 to 0.10.0.
-- Alters:

-- Rows that attributes link; unknown of earlier releases.
ALTER TABLE bkpriv.release ADD COLUMN shared_rows bigint[],
    ADD CONSTRAINT release_shared_rows CHECK (cardinality(shared_rows) = cardinality(attributes) AND array_position(shared_rows, NULL) IS NULL
           AND 0 <= ALL (shared_rows));
