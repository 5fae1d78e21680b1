-- History: what was released, what it was made from, what became of it, and what audits and attacks found.
-- The tables have no foreign keys: a parallel restore fills them in any order. Columns that a later
-- version adds come last, as in a database that is upgraded.

CREATE SEQUENCE bkpriv.release_id;

CREATE TABLE bkpriv.release (
    release bigint PRIMARY KEY,
    dataset text NOT NULL,
    owner text NOT NULL,
    version int NOT NULL CHECK (version > 0),
    source_schema text NOT NULL,
    source_name text NOT NULL,
    view_schema text NOT NULL,
    view_name text NOT NULL,
    method text NOT NULL,
    policy text NOT NULL,
    requirements jsonb NOT NULL,
    options jsonb NOT NULL,
    period text,
    records bigint NOT NULL CHECK (records > 0),
    suppressed bigint NOT NULL CHECK (suppressed BETWEEN 0 AND records),
    groups int NOT NULL CHECK (groups >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    watch text[] CHECK (cardinality(watch) > 0),
    period_type text,
    period_column text,
    period_bin text,
    counterfeited bigint NOT NULL DEFAULT 0,
    grown_from bigint,
    respondent_column text CHECK (octet_length(respondent_column) <= 63),
    attributes text[] NOT NULL DEFAULT '{}',
    unique_rows bigint[],
    shared_rows bigint[],
    UNIQUE (dataset, owner, version),
    CHECK (greatest(octet_length(source_schema), octet_length(source_name), octet_length(view_schema),
                    octet_length(view_name), octet_length(method)) <= 63),
    CHECK (octet_length(dataset) + octet_length(policy) + coalesce(octet_length(period), 0) <= 10000),
    CHECK (octet_length(requirements::text) + octet_length(options::text) <= 1000000),
    CHECK (period IS NOT NULL OR num_nonnulls(period_type, period_column, period_bin) = 0),
    CHECK (greatest(octet_length(period_type), octet_length(period_column), octet_length(period_bin)) <= 63),
    CHECK (counterfeited BETWEEN 0 AND records - suppressed),
    CHECK (grown_from < release),
    CHECK (cardinality(attributes) <= 1600 AND array_position(attributes, NULL) IS NULL
           AND octet_length(array_to_string(attributes, '')) <= 30000),
    CHECK ((unique_rows IS NULL) = (cardinality(attributes) = 0)),
    CHECK (cardinality(unique_rows) = cardinality(attributes) + 1 AND array_position(unique_rows, NULL) IS NULL
           AND 0 <= ALL (unique_rows)),
    CONSTRAINT release_shared_rows CHECK (cardinality(shared_rows) = cardinality(attributes) AND array_position(shared_rows, NULL) IS NULL
           AND 0 <= ALL (shared_rows)),
    CONSTRAINT release_roles CHECK (octet_length(owner) <= 63 AND octet_length(created_by) <= 63 AND octet_length(array_to_string(watch, '')) <= 1000000)
);

-- A write to a source finds the releases made from it by the tokens of its watch.
CREATE INDEX ON bkpriv.release USING gin (watch);

-- One row each, so that those of one name are found without reading what others have recorded.
CREATE TABLE bkpriv.release_base (
    release bigint NOT NULL,
    base text NOT NULL CHECK (octet_length(base) <= 257),
    PRIMARY KEY (base, release)
);

CREATE INDEX ON bkpriv.release_base (release);

CREATE TABLE bkpriv.release_attribute (
    release bigint NOT NULL,
    -- A table has no more columns: what is read of a release is no more than that.
    place int NOT NULL CHECK (place BETWEEN 0 AND 1599),
    attribute text NOT NULL CHECK (octet_length(attribute) <= 63),
    labels text[] NOT NULL,
    positions float8[] CHECK (cardinality(positions) = cardinality(labels)),
    levels text[] CHECK (levels IS NULL OR positions IS NULL),
    type text NOT NULL,
    widths numeric[] CHECK (widths IS NULL OR positions IS NOT NULL),
    origin numeric CHECK ((origin IS NULL) = (widths IS NULL)),
    level int CHECK (level >= 0),
    ends float8[] CHECK (ends IS NULL OR positions IS NOT NULL AND cardinality(ends) = cardinality(positions)),
    retention float8 CHECK (retention > 0 AND retention <= 1),
    bounds float8[] CHECK (bounds IS NULL OR positions IS NOT NULL AND cardinality(bounds) = 2),
    PRIMARY KEY (release, place),
    CONSTRAINT release_attribute_type CHECK (octet_length(type) <= 1000)
);

CREATE TABLE bkpriv.release_content (
    release bigint PRIMARY KEY,
    codes int[] NOT NULL,
    group_ids int[] NOT NULL,
    cells int[] NOT NULL,
    sensitive_codes int[] NOT NULL CHECK (cardinality(sensitive_codes) = cardinality(cells)),
    counts bigint[] NOT NULL CHECK (cardinality(counts) = cardinality(cells)),
    false_cells int[],
    false_codes int[],
    false_counts bigint[],
    combinations int[],
    combination_offsets int[],
    made_from jsonb NOT NULL CHECK (octet_length(made_from::text) <= 1000),
    CHECK (cardinality(codes) % cardinality(group_ids) = 0),
    CHECK (num_nulls(false_cells, false_codes, false_counts) IN (0, 3)),
    CHECK (cardinality(false_codes) = cardinality(false_cells) AND cardinality(false_counts) = cardinality(false_cells)),
    CHECK (combination_offsets IS NULL OR combinations IS NOT NULL)
);

CREATE TABLE bkpriv.release_draw (
    release bigint PRIMARY KEY,
    codes int[] NOT NULL,
    counts bigint[] NOT NULL,
    CHECK (cardinality(codes) % cardinality(counts) = 0)
);

CREATE TABLE bkpriv.release_respondent (
    release bigint PRIMARY KEY,
    respondents text[] NOT NULL,
    group_ids int[] NOT NULL CHECK (cardinality(group_ids) = cardinality(respondents)),
    parts int[] NOT NULL CHECK (cardinality(parts) = cardinality(respondents)),
    sensitive_codes int[] NOT NULL CHECK (cardinality(sensitive_codes) = cardinality(respondents)),
    shown_codes int[] CHECK (cardinality(shown_codes) = cardinality(respondents))
);

CREATE SEQUENCE bkpriv.release_event_id;

CREATE TABLE bkpriv.release_event (
    event bigint NOT NULL DEFAULT nextval('bkpriv.release_event_id'),
    release bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('stale', 'superseded', 'withdrawn', 'reassigned', 'purged')),
    reason text NOT NULL CHECK (reason <> ''),
    at timestamptz NOT NULL DEFAULT now(),
    by text NOT NULL,
    readers text[] CHECK (cardinality(readers) <= 1000 AND octet_length(readers::text) <= 200000),
    -- With the time, for the trigger of a source that is restored records events under ids that
    -- events yet to be restored have.
    PRIMARY KEY (event, at),
    CONSTRAINT release_event_texts CHECK (octet_length(reason) <= 100000 AND octet_length(by) <= 63)
);

CREATE INDEX ON bkpriv.release_event (release);

CREATE TABLE bkpriv.release_notice (
    release bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    severity text NOT NULL CHECK (severity IN ('NOTICE', 'WARNING')),
    message text NOT NULL CHECK (message <> ''),
    detail text,
    hint text,
    place int NOT NULL CHECK (place BETWEEN 1 AND 1000),
    PRIMARY KEY (release, place),
    CHECK (greatest(octet_length(message), octet_length(detail), octet_length(hint)) <= 40000)
);

CREATE SEQUENCE bkpriv.audit_id;

CREATE TABLE bkpriv.audit_record (
    audit bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    release bigint NOT NULL,
    requirement text NOT NULL,
    parameters jsonb NOT NULL,
    threshold float8,
    worst float8,
    mean float8,
    vulnerable bigint CHECK (vulnerable >= 0),
    -- A bound on the error of queries has no vulnerable records.
    satisfied boolean CHECK (satisfied = (vulnerable = 0)),
    -- What nothing bounds has no verdict, and may not have been counted.
    CONSTRAINT audit_record_bounded CHECK ((satisfied IS NULL) = (threshold IS NULL)),
    CHECK (vulnerable IS NOT NULL OR requirement = 'query_error' OR satisfied IS NULL),
    estimator text NOT NULL,
    audited_at timestamptz NOT NULL DEFAULT now(),
    audited_by text NOT NULL,
    PRIMARY KEY (audit, place),
    CONSTRAINT audit_record_texts CHECK (octet_length(requirement) <= 1000 AND octet_length(estimator) <= 1000 AND octet_length(audited_by) <= 63
           AND octet_length(parameters::text) <= 1000000)
);

CREATE INDEX ON bkpriv.audit_record (release);

-- Attacks have their ids from the sequence of audits.
CREATE TABLE bkpriv.attack_record (
    attack bigint NOT NULL,
    place int NOT NULL CHECK (place >= 0),
    release bigint NOT NULL,
    attacker text NOT NULL CHECK (octet_length(attacker) <= 63),
    options jsonb NOT NULL CHECK (jsonb_typeof(options) = 'object' AND octet_length(options::text) <= 1000000),
    metric text NOT NULL CHECK (octet_length(metric) <= 63),
    value float8 NOT NULL CHECK (value >= 0 AND value <> 'NaN'),
    sensitive text CHECK (octet_length(sensitive) <= 63),
    attacked_at timestamptz NOT NULL DEFAULT now(),
    attacked_by text NOT NULL,
    PRIMARY KEY (attack, place),
    CONSTRAINT attack_record_role CHECK (octet_length(attacked_by) <= 63)
);

CREATE INDEX ON bkpriv.attack_record (release);

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
