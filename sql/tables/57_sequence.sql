-- Sequence: what adversaries know of how values follow each other, and what they believe after each
-- release.

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
    CHECK (octet_length(dataset) + octet_length(name) <= 10000),
    CONSTRAINT sequential_knowledge_values CHECK (num_nulls(VARIADIC labels) = 0 AND coalesce(array_ndims(labels), 1) = 1 AND cardinality(labels) <= 20000000
           AND octet_length(array_to_string(labels, '')) <= 100000000),
    CONSTRAINT sequential_knowledge_shapes CHECK (coalesce(num_nulls(VARIADIC parents), 0) = 0 AND coalesce(num_nulls(VARIADIC oldest), 0) = 0 AND coalesce(num_nulls(VARIADIC offsets), 0) = 0
           AND coalesce(num_nulls(VARIADIC following), 0) = 0 AND coalesce(num_nulls(VARIADIC probabilities), 0) = 0 AND coalesce(num_nulls(VARIADIC support), 0) = 0
           AND greatest(array_ndims(parents), array_ndims(oldest), array_ndims(offsets), array_ndims(following), array_ndims(probabilities), array_ndims(support), 1) = 1
           AND greatest(cardinality(parents), cardinality(oldest), cardinality(offsets), cardinality(following), cardinality(probabilities), cardinality(support), 0) <= 80000000)
);

CREATE TABLE bkpriv.release_belief (
    release bigint NOT NULL,
    digest text NOT NULL CHECK (octet_length(digest) = 64),
    knowledge text NOT NULL CHECK (octet_length(knowledge) <= 10000),
    probabilities float8[] NOT NULL,
    PRIMARY KEY (release, digest)
);
