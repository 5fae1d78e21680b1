-- Sequence: what adversaries know of how values follow each other, and what they believe after each
-- release.

-- Contexts form a trie: the first is empty, every other is the one before it in `parents` with the value
-- of `steps` before it in time. Numbers of values are places in `labels`, from 0.
CREATE TABLE bkpriv.sequential_knowledge (
    dataset text NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    kind text NOT NULL CHECK (kind IN ('domain', 'mined', 'incremental', 'constant')),
    memory int CHECK (memory > 0),
    labels text[],
    parents int[],
    steps int[] CHECK (cardinality(steps) = cardinality(parents)),
    contexts int[],
    next_codes int[] CHECK (cardinality(next_codes) = cardinality(contexts)),
    probabilities float8[] CHECK (cardinality(probabilities) = cardinality(contexts)),
    supports float8[] CHECK (cardinality(supports) = cardinality(contexts)),
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (dataset, name),
    CHECK (num_nulls(labels, parents, steps, contexts, next_codes, probabilities, supports)
           = CASE WHEN kind IN ('domain', 'mined') THEN 0 ELSE 7 END),
    CHECK (octet_length(dataset) + octet_length(name) <= 10000)
);

CREATE TABLE bkpriv.release_belief (
    release bigint NOT NULL,
    digest text NOT NULL CHECK (octet_length(digest) = 64),
    knowledge text NOT NULL CHECK (octet_length(knowledge) <= 10000),
    probabilities float8[] NOT NULL,
    PRIMARY KEY (release, digest)
);
