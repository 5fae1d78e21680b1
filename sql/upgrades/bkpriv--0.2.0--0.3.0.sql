-- From 0.2.0. Releases remember more of their periods and respondents; those that were made before do not.

DROP FUNCTION bkpriv.prior(text, jsonb), bkpriv_internal.prior(text, jsonb), bkpriv.lattice(text, text, jsonb),
    bkpriv.watch(regclass), bkpriv_internal.add_stale(oid, text[], text, text);

ALTER TABLE bkpriv.dataset DROP CONSTRAINT dataset_check;
ALTER TABLE bkpriv.dataset ALTER COLUMN sensitive TYPE text[] USING ARRAY[sensitive],
    ADD CHECK (cardinality(sensitive) > 0),
    ADD COLUMN attributes text[] NOT NULL DEFAULT '{}',
    ADD CHECK (NOT sensitive && quasi_identifiers),
    ADD CHECK (NOT attributes && (quasi_identifiers || sensitive));

ALTER TABLE bkpriv.release ADD COLUMN period_type text, ADD COLUMN period_column text, ADD COLUMN period_bin text,
    ADD CHECK (period IS NOT NULL OR num_nonnulls(period_type, period_column, period_bin) = 0),
    ADD CHECK (greatest(octet_length(period_type), octet_length(period_column), octet_length(period_bin)) <= 63),
    ADD COLUMN counterfeited bigint NOT NULL DEFAULT 0,
    ADD CHECK (counterfeited BETWEEN 0 AND records - suppressed),
    ADD COLUMN grown_from bigint,
    ADD CHECK (grown_from < release),
    ADD COLUMN respondent_column text CHECK (octet_length(respondent_column) <= 63),
    ADD COLUMN attributes text[] NOT NULL DEFAULT '{}',
    ADD CHECK (cardinality(attributes) <= 1600 AND array_position(attributes, NULL) IS NULL
           AND octet_length(array_to_string(attributes, '')) <= 30000);

ALTER TABLE bkpriv.release_event
    ADD COLUMN readers text[] CHECK (cardinality(readers) <= 1000 AND octet_length(readers::text) <= 200000);

ALTER TABLE bkpriv.release_content
    ADD COLUMN false_cells int[],
    ADD COLUMN false_codes int[],
    ADD COLUMN false_counts bigint[],
    ADD COLUMN combinations int[],
    ADD COLUMN combination_offsets int[],
    ADD CHECK (num_nulls(false_cells, false_codes, false_counts) IN (0, 3)),
    ADD CHECK (cardinality(false_codes) = cardinality(false_cells) AND cardinality(false_counts) = cardinality(false_cells)),
    ADD CHECK (combination_offsets IS NULL OR combinations IS NOT NULL);

ALTER TABLE bkpriv.release_attribute ADD COLUMN retention float8 CHECK (retention > 0 AND retention <= 1);

CREATE TABLE bkpriv.release_draw (
    release bigint PRIMARY KEY,
    codes int[] NOT NULL,
    counts bigint[] NOT NULL,
    CHECK (cardinality(codes) % cardinality(counts) = 0)
);

ALTER TABLE bkpriv.release_respondent
    ADD COLUMN parts int[] CHECK (cardinality(parts) = cardinality(respondents)),
    ADD COLUMN sensitive_codes int[] CHECK (cardinality(sensitive_codes) = cardinality(respondents)),
    ADD COLUMN shown_codes int[] CHECK (cardinality(shown_codes) = cardinality(respondents)),
    ADD CHECK ((parts IS NULL) = (sensitive_codes IS NULL)),
    ADD CHECK (shown_codes IS NULL OR sensitive_codes IS NOT NULL);

-- Contexts form a trie, as bkpriv_core.sequence.transitions has it; numbers of values are places in
-- `labels`, from 0.
CREATE TABLE bkpriv.sequential_knowledge (
    dataset text NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    kind text NOT NULL CHECK (kind IN ('domain', 'mined', 'incremental', 'constant')),
    memory int CHECK (memory > 0),
    labels text[],
    parents int[],
    oldest int[] CHECK (cardinality(oldest) = cardinality(parents)),
    offsets int[] CHECK (cardinality(offsets) = cardinality(parents) + 1),
    following int[],
    probabilities float8[] CHECK (cardinality(probabilities) = cardinality(following)),
    support int[] CHECK (cardinality(support) = cardinality(following)),
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (dataset, name),
    CHECK (num_nulls(labels, parents, oldest, offsets, following, probabilities)
           = CASE WHEN kind IN ('domain', 'mined') THEN 0 ELSE 6 END),
    CHECK ((support IS NULL) = (kind <> 'mined')),
    CHECK (octet_length(dataset) + octet_length(name) <= 10000)
);

CREATE TABLE bkpriv.release_belief (
    release bigint NOT NULL,
    digest text NOT NULL CHECK (octet_length(digest) = 64),
    knowledge text NOT NULL CHECK (octet_length(knowledge) <= 10000),
    probabilities float8[] NOT NULL,
    PRIMARY KEY (release, digest)
);
