-- From 0.2.0. Releases remember more of their periods and respondents; those that were made before do not.

DROP FUNCTION bkpriv.prior(text, jsonb), bkpriv_internal.prior(text, jsonb), bkpriv.lattice(text, text, jsonb);

ALTER TABLE bkpriv.release ADD COLUMN period_type text, ADD COLUMN period_column text, ADD COLUMN period_bin text,
    ADD CHECK (period IS NOT NULL OR num_nonnulls(period_type, period_column, period_bin) = 0),
    ADD CHECK (greatest(octet_length(period_type), octet_length(period_column), octet_length(period_bin)) <= 63);

ALTER TABLE bkpriv.release_respondent
    ADD COLUMN parts int[] CHECK (cardinality(parts) = cardinality(respondents)),
    ADD COLUMN sensitive_codes int[] CHECK (cardinality(sensitive_codes) = cardinality(respondents)),
    ADD CHECK ((parts IS NULL) = (sensitive_codes IS NULL));
