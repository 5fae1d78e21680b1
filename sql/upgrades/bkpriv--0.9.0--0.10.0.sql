-- From 0.9.0 to 0.10.0: verdicts are recorded; of an older release bkpriv.audit(release) records one.
-- Alters: bkpriv.dataset; bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb); bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]); bkpriv.audit(bigint, jsonb, text); bkpriv.disclosure(bigint, jsonb, text); bkpriv.explain_disclosure(bigint, jsonb, text); bkpriv.posterior(bigint, jsonb, text); bkpriv.prior(text, jsonb, text)

DROP FUNCTION bkpriv.audit(bigint, jsonb, text);
DROP FUNCTION bkpriv.disclosure(bigint, jsonb, text);
DROP FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text);
DROP FUNCTION bkpriv.posterior(bigint, jsonb, text);
DROP FUNCTION bkpriv.prior(text, jsonb, text);

-- Verdicts have their ids from the sequence of audits.
CREATE TABLE bkpriv.verdict_record (
    verdict bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    release bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('satisfied', 'judge', 'violated')),
    what text NOT NULL,
    count bigint CHECK (count >= 0),
    among bigint CHECK (among >= 0),
    advice text,
    key text CHECK (octet_length(key) <= 63),
    judged_at timestamptz NOT NULL DEFAULT now(),
    judged_by text NOT NULL,
    PRIMARY KEY (verdict, place),
    CHECK ((place = 0) = (key IS NULL)),
    CONSTRAINT verdict_record_texts CHECK (octet_length(what) <= 100000 AND octet_length(advice) <= 10000 AND octet_length(judged_by) <= 63)
);

CREATE INDEX ON bkpriv.verdict_record (release);

-- Rows that attributes link; unknown of earlier releases.
ALTER TABLE bkpriv.release ADD COLUMN shared_rows bigint[],
    ADD CONSTRAINT release_shared_rows CHECK (cardinality(shared_rows) = cardinality(attributes) AND array_position(shared_rows, NULL) IS NULL
           AND 0 <= ALL (shared_rows));

-- A dataset may have no sensitive column.
ALTER TABLE bkpriv.dataset DROP CONSTRAINT dataset_sensitive_check;

ALTER TABLE bkpriv.dataset ADD scales jsonb NOT NULL DEFAULT '{}';
ALTER TABLE bkpriv.dataset ADD CONSTRAINT dataset_scales CHECK (octet_length(scales::text) <= 1000000);
ALTER TABLE bkpriv.release_attribute ADD bounds float8[] CHECK (bounds IS NULL OR positions IS NOT NULL AND cardinality(bounds) = 2);

DROP FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb);
DROP FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]);
