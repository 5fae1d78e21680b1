\echo Use "CREATE EXTENSION bkpriv" to load this file. \quit

-- Preamble: what an installation and every upgrade begin with. What they cannot work without is checked,
-- and the group roles that hold the privileges of each job are made, which belong to the whole cluster.

-- What is called here is the server's own, not what somebody put into schema bkpriv under its name. Nor
-- do settings of the session, which the database's owner may give, change how the script is read.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL standard_conforming_strings = on;
SET LOCAL quote_all_identifiers = off;

DO $$
DECLARE
    job text;
    stray text;
    alert name;
BEGIN
    -- PL/Python reads and writes text in the database's encoding by way of Python's codecs, which differ
    -- from PostgreSQL's in other encodings, or are missing.
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'bkpriv needs a database in UTF8, not in %', getdatabaseencoding()
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'In other encodings PL/Python would change texts, or fail.',
                  HINT = 'Copy the data into a database made by CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8''.';
    END IF;
    -- Citus would make the extension on its workers, too, and fail where its files are missing: now, or when a node
    -- is added. They need it only for releases that are distributed; then Citus makes it there by itself.
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND to_regclass('bkpriv.dataset') IS NULL
        AND current_setting('citus.enable_ddl_propagation', true) = 'on' THEN
        RAISE EXCEPTION 'Citus would create bkpriv on its workers'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'That fails where its files are missing, now or when a node is added. The coordinator alone needs it.',
                  HINT = 'SET citus.enable_ddl_propagation = off, CREATE EXTENSION bkpriv CASCADE, and RESET it.';
    END IF;
    -- CREATE EXTENSION takes a schema that is there already. Its owner could put functions into it
    -- that are called in place of ours.
    IF NOT (SELECT r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'bkpriv') THEN
        RAISE EXCEPTION 'schema bkpriv exists and does not belong to a superuser'
            USING ERRCODE = 'duplicate_schema', DETAIL = 'Its owner could change what the extension''s functions do.',
                  HINT = 'Drop or rename it first.';
    END IF;
    -- So could whoever was allowed to create in it.
    SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ') INTO stray
        FROM pg_depend d
        WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'bkpriv'::regnamespace
            AND d.classid <> ALL (ARRAY['pg_extension'::regclass, 'pg_default_acl'::regclass]::oid[])
            AND NOT EXISTS (SELECT FROM pg_depend m WHERE (m.classid, m.objid, m.deptype) = (d.classid, d.objid, 'e'));
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'schema bkpriv holds what is not of the extension'
            USING ERRCODE = 'duplicate_object', DETAIL = format('In it: %s.', stray),
                  HINT = 'Drop it, or move it to another schema.';
    END IF;
    FOREACH job IN ARRAY ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = job) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', job);
        ELSIF EXISTS (SELECT FROM pg_roles r WHERE rolname = job
                      AND (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
                           OR EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid))) THEN
            RAISE EXCEPTION 'role % exists and is more than a group', job
                USING ERRCODE = 'duplicate_object',
                      DETAIL = 'The group roles of bkpriv cannot log in, have no attributes, and are members of no role.',
                      HINT = 'Rename that role first.';
        END IF;
    END LOOP;
    -- What others have built on what a step alters would stop it half way, with the advice to drop by CASCADE.
    -- A column stands for itself and its table's row type, a table, which has columns added, for that type.
    SELECT string_agg(DISTINCT pg_describe_object(o.class, o.object, 0) || coalesce(' of role ' || quote_ident(pg_get_userbyid(
               coalesce((SELECT relowner FROM pg_class WHERE o.class = 'pg_class'::regclass AND oid = o.object),
                        (SELECT proowner FROM pg_proc WHERE o.class = 'pg_proc'::regclass AND oid = o.object)))), ''), ', ') INTO stray
        FROM unnest(string_to_array('', '; ')) AS item
        CROSS JOIN LATERAL (
            SELECT 'pg_proc'::regclass::oid AS class, to_regprocedure(item)::oid AS object, 0 AS part WHERE item ~ '\('
            UNION ALL
            SELECT 'pg_class'::regclass, c.oid, coalesce(a.attnum, 0)
            FROM (SELECT parse_ident(item) AS names WHERE item !~ '\(') AS i
            JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', names[1], names[2]))
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = names[3]
            WHERE a.attnum IS NOT NULL OR c.relkind = 'v'
            UNION ALL
            SELECT 'pg_type'::regclass, y.oid, 0
            FROM (SELECT parse_ident(item) AS names WHERE item !~ '\(') AS i
            JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', names[1], names[2]))
            JOIN pg_type y ON c.reltype IN (y.oid, y.typelem)
        ) AS altered
        JOIN pg_depend d ON (d.refclassid, d.refobjid, d.deptype) = (class, altered.object, 'n') AND part IN (0, d.refobjsubid)
        CROSS JOIN LATERAL (SELECT coalesce(
            (SELECT ev_class FROM pg_rewrite WHERE d.classid = 'pg_rewrite'::regclass AND oid = d.objid),
            (SELECT adrelid FROM pg_attrdef WHERE d.classid = 'pg_attrdef'::regclass AND oid = d.objid),
            (SELECT polrelid FROM pg_policy WHERE d.classid = 'pg_policy'::regclass AND oid = d.objid),
            (SELECT tgrelid FROM pg_trigger WHERE d.classid = 'pg_trigger'::regclass AND oid = d.objid),
            (SELECT nullif(conrelid, 0) FROM pg_constraint WHERE d.classid = 'pg_constraint'::regclass AND oid = d.objid)) AS relation) AS on_
        CROSS JOIN LATERAL (SELECT CASE WHEN on_.relation IS NULL THEN d.classid ELSE 'pg_class'::regclass END AS class,
                                   coalesce(on_.relation, d.objid) AS object) AS o
        WHERE NOT EXISTS (SELECT FROM pg_depend m WHERE (m.classid, m.objid, m.deptype) = (o.class, o.object, 'e'))
            AND NOT EXISTS (SELECT FROM pg_type y WHERE d.classid = 'pg_type'::regclass AND y.oid = d.objid AND y.typelem = altered.object);
    IF stray IS NOT NULL THEN
        RAISE EXCEPTION 'objects that others made depend on what the upgrade alters'
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('They are %s.', stray),
                  HINT = 'Nothing was changed. Drop them, or have their owners do it, upgrade, and make them again.';
    END IF;
    -- The script's own alterations are nobody's concern; ties/ puts these event triggers on again.
    FOR alert IN SELECT evtname FROM pg_event_trigger JOIN pg_proc p ON p.oid = evtfoid
                 JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'bkpriv_internal' LOOP
        EXECUTE format('DROP EVENT TRIGGER %I', alert);
    END LOOP;
END $$;

-- Schemas. What people call is in bkpriv, which CREATE EXTENSION has made or found. The others must not
-- exist: what is in them would be taken for the extension's.

CREATE SCHEMA bkpriv_internal;
CREATE SCHEMA bkpriv_release;

-- Dataset: which table is published from, and which of its columns are what.

CREATE TABLE bkpriv.dataset (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL,
    source_schema text NOT NULL,
    source_name text NOT NULL,
    quasi_identifiers text[] NOT NULL CHECK (cardinality(quasi_identifiers) > 0),
    sensitive text[] NOT NULL CHECK (cardinality(sensitive) > 0),
    respondent text,
    period text,
    registered_at timestamptz NOT NULL DEFAULT now(),
    bins jsonb NOT NULL DEFAULT '{}',
    attributes text[] NOT NULL DEFAULT '{}',
    source_owners text[] NOT NULL DEFAULT '{}',
    CHECK (NOT sensitive && quasi_identifiers),
    CHECK (NOT attributes && (quasi_identifiers || sensitive)),
    CONSTRAINT dataset_texts CHECK (octet_length(name) <= 9000 AND greatest(octet_length(owner), octet_length(source_schema), octet_length(source_name),
           octet_length(respondent), octet_length(period)) <= 63 AND octet_length(bins::text) <= 1000000),
    CONSTRAINT dataset_quasi_identifiers_names CHECK (num_nulls(VARIADIC quasi_identifiers) = 0 AND coalesce(array_ndims(quasi_identifiers), 1) = 1 AND cardinality(quasi_identifiers) <= 1600
           AND octet_length(array_to_string(quasi_identifiers, '')) <= 100800),
    CONSTRAINT dataset_sensitive_names CHECK (num_nulls(VARIADIC sensitive) = 0 AND coalesce(array_ndims(sensitive), 1) = 1 AND cardinality(sensitive) <= 1600
           AND octet_length(array_to_string(sensitive, '')) <= 100800),
    CONSTRAINT dataset_attributes_names CHECK (num_nulls(VARIADIC attributes) = 0 AND coalesce(array_ndims(attributes), 1) = 1 AND cardinality(attributes) <= 1600
           AND octet_length(array_to_string(attributes, '')) <= 100800),
    CONSTRAINT dataset_source_owners_names CHECK (num_nulls(VARIADIC source_owners) = 0 AND coalesce(array_ndims(source_owners), 1) = 1 AND cardinality(source_owners) IN (0, 2)
           AND octet_length(array_to_string(source_owners, '')) <= 126)
);

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

-- Policy: named requirements.

CREATE TABLE bkpriv.policy (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL,
    requirements jsonb NOT NULL CHECK (jsonb_typeof(requirements) = 'object'),
    set_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT policy_texts CHECK (octet_length(name) <= 9000 AND octet_length(owner) <= 63 AND octet_length(requirements::text) <= 1000000)
);

-- Staleness: the tokens of watched tables.

CREATE TABLE bkpriv.watched (
    token text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- How the table is called; NULL once the watch has ended.
    named text
);

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

-- Session: how PL/Python finds the packages: beside the libraries of the server that runs, which only
-- its own program tells. No setting, table or environment variable changes it.

CREATE OR REPLACE FUNCTION bkpriv_internal.python_path() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    path text := (SELECT setting FROM pg_config() WHERE name = 'PKGLIBDIR') || '/bkpriv/0.9.0';
BEGIN
    IF (pg_stat_file(path || '/bkpriv_pl/server/session.py', true)).size IS NULL THEN
        RAISE EXCEPTION 'the Python packages of bkpriv 0.9.0 are not installed in this server'
            USING ERRCODE = 'undefined_file', DETAIL = format('They would be in %s.', path),
                  HINT = format('Install bkpriv 0.9.0 there: make install PG_CONFIG=%s/pg_config, or the package for this '
                      'server. Where a later version is installed: ALTER EXTENSION bkpriv UPDATE.',
                      (SELECT setting FROM pg_config() WHERE name = 'BINDIR'));
    END IF;
    RETURN path;
END $$;
COMMENT ON FUNCTION bkpriv_internal.python_path() IS
    'Directory of the Python packages, in the library directory of the server that runs';
GRANT EXECUTE ON FUNCTION bkpriv_internal.python_path() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.version() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT '0.9.0' $$;
COMMENT ON FUNCTION bkpriv.version() IS 'Version of the extension''s SQL; doctor() compares it with that of the Python packages';
GRANT EXECUTE ON FUNCTION bkpriv.version() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.digest() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'd44242c2695cd266115768b3fa4ecda74feb48bfe22b9b4af80a214500523628' $$;
COMMENT ON FUNCTION bkpriv_internal.digest() IS
    'Digest of the files in sql/ that this was made from.
doctor() compares it with that of what is installed';
GRANT EXECUTE ON FUNCTION bkpriv_internal.digest() TO bkpriv_publisher, bkpriv_auditor;

-- Access: whose datasets, releases, audits and attacks a role may see. A dataset belongs to the role that
-- registered it and to that role's members; an auditor sees every release. What makes a role an
-- auditor is the right to execute bkpriv_internal.auditor(), so that it is granted, dumped and revoked
-- like any other privilege.

CREATE OR REPLACE FUNCTION bkpriv_internal.auditor() RETURNS void
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT $$;
COMMENT ON FUNCTION bkpriv_internal.auditor() IS
    'Does nothing; a role that may execute it sees every release (grant_auditor)';
-- Granted to nobody: to auditors themselves (grant_auditor).

CREATE OR REPLACE FUNCTION bkpriv_internal.has_job(role oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT coalesce(has_schema_privilege(role, 'bkpriv', 'USAGE'), false) $$;
COMMENT ON FUNCTION bkpriv_internal.has_job(oid) IS
    'Whether a role has a job in this database.
Group roles, and so the right to call functions, are the cluster''s';
GRANT EXECUTE ON FUNCTION bkpriv_internal.has_job(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.write() RETURNS void
    LANGUAGE plpython3u SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].writing.execute()
$$;
COMMENT ON FUNCTION bkpriv_internal.write() IS
    'Executes the statement that the functions of bkpriv have left in the memory of the session.
It is the only way into the tables of bkpriv; called by anybody else, it finds none';
GRANT EXECUTE ON FUNCTION bkpriv_internal.write() TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.owned() RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- Nobody owns anything without a job here, though a view that was made on the history by then can still
    -- be queried.
    SELECT rolname FROM pg_roles WHERE pg_has_role(oid, 'MEMBER') AND has_schema_privilege('bkpriv', 'USAGE')
$$;
COMMENT ON FUNCTION bkpriv_internal.owned() IS
    'Roles whose datasets and releases are the current user''s.
Policies ask for them once, not for each row';
GRANT EXECUTE ON FUNCTION bkpriv_internal.owned() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.sees_all() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT has_function_privilege('bkpriv_internal.auditor()', 'EXECUTE')
        OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
$$;
COMMENT ON FUNCTION bkpriv_internal.sees_all() IS 'Whether the current user may see every release: auditors, and superusers';
GRANT EXECUTE ON FUNCTION bkpriv_internal.sees_all() TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.owns(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- Superusers own what belongs to a role that is gone, too.
    SELECT has_schema_privilege('bkpriv', 'USAGE')
        AND EXISTS (SELECT FROM pg_roles WHERE rolname = owner AND pg_has_role(oid, 'MEMBER')
                    OR rolname = current_user AND rolsuper)
$$;
COMMENT ON FUNCTION bkpriv_internal.owns(text) IS 'Whether the current user is the role, a member of it, or a superuser, and has a job in this database';
GRANT EXECUTE ON FUNCTION bkpriv_internal.owns(text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.reads_for(owner text) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT has_schema_privilege('bkpriv', 'USAGE')
        AND EXISTS (SELECT FROM pg_roles o CROSS JOIN pg_roles c
                    WHERE o.rolname = owner AND c.rolname = current_user AND pg_has_role(o.oid, 'MEMBER')
                        AND (o.rolsuper OR NOT c.rolsuper)
                        -- Who administers a role makes anybody a member of it, whether they want to be or not.
                        AND (has_function_privilege(o.oid, 'bkpriv_internal.auditor()', 'EXECUTE')
                             OR NOT has_function_privilege(c.oid, 'bkpriv_internal.auditor()', 'EXECUTE')))
$$;
COMMENT ON FUNCTION bkpriv_internal.reads_for(text) IS
    'Whether what a role has named is read for the current user.
That is the role or a member; a superuser or an auditor only if the role is one, too. Whoever names
a relation trusts it, as with SELECT, and nobody more powerful is made to read it';
GRANT EXECUTE ON FUNCTION bkpriv_internal.reads_for(text) TO bkpriv_publisher, bkpriv_auditor;

-- Dataset: which table is published from, and which of its columns are what.

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text,
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, [sensitive], [], respondent, period, bins)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) IS
    'Declares a table as a dataset: its quasi-identifiers and its sensitive column.
A respondent column and a period column make its releases a sequence. bins makes values of a column
intervals of one calendar unit or width ({"birth_date": "year", "age": 5}), and numbers that are
codes labels ({"method": "label"}). Quasi-identifiers that are nearly unique, alone or together,
numbers that may be codes, and NULL are warned of';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text, jsonb) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.register_dataset(
    name text, source regclass, quasi_identifiers text[], sensitive text[],
    respondent text DEFAULT NULL, period text DEFAULT NULL, bins jsonb DEFAULT '{}', attributes text[] DEFAULT '{}'
) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].dataset.register(name, source, quasi_identifiers, sensitive, attributes, respondent, period, bins)
$$;
COMMENT ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]) IS
    'Declares a table with one or several sensitive columns.
Each of them is bounded by itself, and all jointly where a policy says so. attributes pass through
unchanged with the sensitive values of a record; adversaries are supposed not to know them';
GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text[], text, text, jsonb, text[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.drop_dataset(dataset text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].dataset.drop(dataset)
$$;
COMMENT ON FUNCTION bkpriv.drop_dataset(text) IS
    'Forgets a dataset whose releases are all withdrawn; their history stays';
GRANT EXECUTE ON FUNCTION bkpriv.drop_dataset(text) TO bkpriv_publisher;

-- Hierarchy: how labels and numbers of an attribute are made coarser.

CREATE OR REPLACE FUNCTION bkpriv.set_hierarchy(dataset text, attribute text, levels regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.set_hierarchy(dataset, attribute, levels)
$$;
COMMENT ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) IS
    'Gives an attribute a generalization hierarchy, read from a table.
The columns of the table are, in order, value, coarser, ..., root';
GRANT EXECUTE ON FUNCTION bkpriv.set_hierarchy(text, text, regclass) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_interval_hierarchy(
    dataset text, attribute text, widths numeric[], origin numeric DEFAULT 0
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.set_interval_hierarchy(dataset, attribute, widths, origin)
$$;
COMMENT ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) IS
    'Gives a numeric attribute nested intervals of rising widths, counted from the origin.
They serve methods that generalize whole columns; others publish ranges of their own';
GRANT EXECUTE ON FUNCTION bkpriv.set_interval_hierarchy(text, text, numeric[], numeric) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_prefix_hierarchy(dataset text, attribute text, lengths int[]) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.set_prefix_hierarchy(dataset, attribute, lengths)
$$;
COMMENT ON FUNCTION bkpriv.set_prefix_hierarchy(text, text, int[]) IS
    'Gives an attribute a hierarchy by prefixes, for codes and postcodes.
A value becomes its first characters, fewer and fewer, with * behind them, and at last *.
It is a rule, so values that come later have a path, too';
GRANT EXECUTE ON FUNCTION bkpriv.set_prefix_hierarchy(text, text, int[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_date_hierarchy(dataset text, attribute text,
    units text[] DEFAULT '{month,year}') RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.set_date_hierarchy(dataset, attribute, units)
$$;
COMMENT ON FUNCTION bkpriv.set_date_hierarchy(text, text, text[]) IS
    'Gives an attribute of days or times a hierarchy by units of the calendar.
A value becomes its month, such as 2024-03, its quarter 2024-Q1, its year, its decade 2020s, and *.
The attribute is then published in labels. It is a rule, so values that come later have a path, too';
GRANT EXECUTE ON FUNCTION bkpriv.set_date_hierarchy(text, text, text[]) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.set_list_hierarchy(dataset text, attribute text, branches jsonb, rest text DEFAULT NULL)
    RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.set_list_hierarchy(dataset, attribute, branches, rest)
$$;
COMMENT ON FUNCTION bkpriv.set_list_hierarchy(text, text, jsonb, text) IS
    'Gives an attribute a hierarchy that is listed.
The list is such as {"north": ["Kiel", "Hamburg"], "south": ["Ulm"]}, with * above all. Values that
are not listed go under the rest, if it has a name, and are refused by publication without it';
GRANT EXECUTE ON FUNCTION bkpriv.set_list_hierarchy(text, text, jsonb, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_hierarchy(dataset text, attribute text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].hierarchy.unset_hierarchy(dataset, attribute)
$$;
COMMENT ON FUNCTION bkpriv.unset_hierarchy(text, text) IS
    'Takes an attribute''s generalization hierarchy or intervals back';
GRANT EXECUTE ON FUNCTION bkpriv.unset_hierarchy(text, text) TO bkpriv_publisher;

-- Identification: which columns of a table tell people apart, before it is declared.

CREATE OR REPLACE FUNCTION bkpriv.inspect_columns(source regclass)
    RETURNS TABLE (
        columns text[], distinct_share float8, unique_people float8, looks_like text, role text, reason text,
        separated_share float8, nulls bigint, alike bigint, records bigint, sampled boolean
    )
    LANGUAGE plpython3u ROWS 40
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].identification.inspect_columns(source)
$$;
COMMENT ON FUNCTION bkpriv.inspect_columns(regclass) IS
    'Says how many people columns of a table single out, and which roles they might have.
After the columns come the pairs, then the triples that single out most, the best first.
distinct_share: distinct values (NULL is one) divided by records. unique_people: records whose
values no other has. separated_share: share of pairs of records told apart. looks_like: constant,
key, free text, date, code, number or label, and the role. role: the argument of register_dataset
that is proposed, for you to review; NULL: leave it out. nulls: records with NULL. alike: values
that differ from others only in case, blanks or normal form. records: how many were looked at;
sampled: not all, so people are less unique than said';
GRANT EXECUTE ON FUNCTION bkpriv.inspect_columns(regclass) TO bkpriv_publisher;

-- Suggestion: hierarchies that are proposed for labels.

CREATE OR REPLACE FUNCTION bkpriv.suggest_hierarchy(dataset text, attribute text)
    RETURNS TABLE (levels int, gcp float8, gcp_now float8, statement text, reason text)
    LANGUAGE plpython3u ROWS 3
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].suggestion.suggest_hierarchy(dataset, attribute)
$$;
COMMENT ON FUNCTION bkpriv.suggest_hierarchy(text, text) IS
    'Proposes hierarchies for a quasi-identifier of labels, by prefixes or as a list.
Codes go up to their first characters; other labels are brought together by how alike their records
are in the other quasi-identifiers. The sensitive column is not read. Nothing is declared.
levels: how many there are between the labels and *. gcp: what k-anonymous groups would lose with it
(mondrian, in the mean over k of 5, 10 and 20; drafts, which publish improves); gcp_now: without it.
statement: to be run, once you have read it; NULL: see the reason. The row that loses least is first';
GRANT EXECUTE ON FUNCTION bkpriv.suggest_hierarchy(text, text) TO bkpriv_publisher;

-- Policy: named requirements. Policies are no secret among publishers; a release keeps the
-- requirements it was made under, whatever becomes of the policy.

CREATE OR REPLACE VIEW bkpriv.policies WITH (security_barrier) AS
SELECT name, owner, requirements, set_at
FROM bkpriv.policy
WHERE has_schema_privilege('bkpriv', 'USAGE');
COMMENT ON VIEW bkpriv.policies IS
    'Named privacy requirements';
GRANT SELECT ON bkpriv.policies TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.policies.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.policies.owner IS 'Role that stated it';
COMMENT ON COLUMN bkpriv.policies.requirements IS 'What a release must keep';
COMMENT ON COLUMN bkpriv.policies.set_at IS 'When it was stated last';

CREATE OR REPLACE FUNCTION bkpriv.set_policy(name text, requirements jsonb) RETURNS text
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].policy.set_policy(name, requirements)
$$;
COMMENT ON FUNCTION bkpriv.set_policy(text, jsonb) IS
    'States requirements under a name, or states them anew; releases already made keep theirs';
GRANT EXECUTE ON FUNCTION bkpriv.set_policy(text, jsonb) TO bkpriv_publisher;

-- Staleness: whether a source has changed since a release was made from it. The owner of a table has it
-- watched: statement triggers for all datasets, which share a random token. A release keeps the tokens
-- of all tables that a write to its source may name; a write marks the releases that have its token.
-- A watch that is taken off and put on again has another token, so that nothing is said of the time
-- between: a release is known to be fresh only where the present tokens are its own.
--
-- Anybody may copy a trigger with its token to a table of his own. So a token is bound to the table that
-- was watched under it, and on any other it means nothing: that one is not watched, and what is written
-- to it marks and locks nothing. It is bound by name, which a dump keeps and no two tables have at a time:
-- whoever renames the table, or its schema, renames it here too, and the end of a watch ends the name. Its
-- triggers may be dropped, replaced or renamed by whoever owns the table, and be put back; that is its end, too.
--
-- Before it commits, a publication locks the source against writers and looks once more whether the
-- source is as it was read; if writers do not finish soon, it calls itself stale. So no change slips
-- between reading and publishing. A writer whose snapshot is too old to show it a release cannot mark
-- that release; it fails to serialize instead, on the row of the token, which every publication writes
-- anew.
--
-- Alterations that change values without a write, or stop the watch for a while, mark releases too, by
-- event triggers.

CREATE OR REPLACE FUNCTION bkpriv_internal.written_tables(source oid) RETURNS SETOF oid
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE family AS (
        SELECT oid FROM pg_class WHERE oid = source
        UNION
        SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.oid
    ), named AS (
        SELECT oid FROM family
        UNION
        SELECT i.inhparent FROM pg_inherits i JOIN named w ON i.inhrelid = w.oid
    )
    SELECT oid FROM named
$$;
COMMENT ON FUNCTION bkpriv_internal.written_tables(oid) IS
    'A source with its partitions and children, and the parents of all these.
That is whatever a write to it may name, and the other way round the sources that a write to this
table may change';
GRANT EXECUTE ON FUNCTION bkpriv_internal.written_tables(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.mark_stale() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.add_stale(TG_RELID, ARRAY[TG_ARGV[0]], format('%s on %I.%I', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME));
    RETURN NULL;
END $$;
COMMENT ON FUNCTION bkpriv_internal.mark_stale() IS
    'Statement trigger on a watched table: marks the releases that have its token as stale';
GRANT EXECUTE ON FUNCTION bkpriv_internal.mark_stale() TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.called(relation oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET quote_all_identifiers = off
    AS $$
    SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = called.relation
$$;
COMMENT ON FUNCTION bkpriv_internal.called(oid) IS 'Name of a relation as in SQL, with its schema';
GRANT EXECUTE ON FUNCTION bkpriv_internal.called(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.columns_read(made bkpriv.release) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT a.attribute FROM bkpriv.release_attribute a WHERE a.release = made.release
    UNION
    SELECT read FROM unnest(made.attributes || ARRAY[made.period_column, made.respondent_column, made.options->>'latest_by']) AS read
    WHERE read IS NOT NULL
$$;
COMMENT ON FUNCTION bkpriv_internal.columns_read(bkpriv.release) IS 'Columns of the source that a release was made from';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.add_stale(changed oid, tokens text[], reason text, lost text DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    carried text;
    -- Those of other tables are copies.
    held text[] := ARRAY(
        SELECT t FROM unnest(tokens) AS t
        WHERE t IS NOT NULL
            AND NOT EXISTS (SELECT FROM bkpriv.watched w
                            WHERE w.token = t AND w.named IS DISTINCT FROM bkpriv_internal.called(changed)));
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        -- A release, or the whole watch, may be younger than the snapshot, which shows no catalog either.
        FOREACH carried IN ARRAY held LOOP
            PERFORM FROM bkpriv.watched WHERE token = carried FOR SHARE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'could not serialize access due to the watch of %', changed::regclass
                    USING ERRCODE = 'serialization_failure', DETAIL = 'It began after this transaction.',
                          HINT = 'The transaction might succeed if retried.';
            END IF;
        END LOOP;
    END IF;
    -- In the collation of the index: variables have that of the names in the reason.
    INSERT INTO bkpriv.release_event (release, kind, reason, by)
    SELECT r.release, 'stale', add_stale.reason, session_user
    FROM bkpriv.release r
    WHERE r.watch && held COLLATE "default"
        AND (lost IS NULL OR lost IN (SELECT bkpriv_internal.columns_read(r)))
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e
                        WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'));
    -- What is stale loses its tokens, so that later writes do not find it: whoever publishes decides how many
    -- there are. A release that another writer has hold of is left to the next; and a snapshot that is kept may
    -- not see who had hold of it.
    IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
        UPDATE bkpriv.release AS old SET watch = NULL
        FROM (SELECT r.release FROM bkpriv.release r
              WHERE r.watch && held COLLATE "default"
                  AND EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind IN ('stale', 'withdrawn'))
              FOR NO KEY UPDATE SKIP LOCKED) AS done
        WHERE old.release = done.release;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.add_stale(oid, text[], text, text) IS
    'Marks the releases that have one of the tokens of a table as stale, and the column that was lost.
It takes their tokens from those that are stale or withdrawn';
-- Granted to nobody: triggers call it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_trigger(watched oid) RETURNS TABLE (token text, complete boolean)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT convert_from(substring(t.tgargs FOR position(decode('00', 'hex') IN t.tgargs) - 1), 'UTF8'),
        -- After each statement that writes: insert, delete, update, truncate.
        t.tgfoid = 'bkpriv_internal.mark_stale()'::regprocedure AND t.tgtype = 4 + 8 + 16 + 32
            AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = ''
    FROM pg_trigger t
    WHERE t.tgrelid = watched AND t.tgname = 'bkpriv_watch' AND t.tgnargs = 1
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_trigger(oid) IS
    'Token of the trigger that watches a table, and whether it watches all that is written, always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_trigger(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.carried_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT t.token FROM bkpriv_internal.watch_trigger(watched) AS t WHERE t.complete
$$;
COMMENT ON FUNCTION bkpriv_internal.carried_token(oid) IS
    'Token of the trigger on a table, whosever it is.
NULL if there is none, or it does not watch all that is written, always';
GRANT EXECUTE ON FUNCTION bkpriv_internal.carried_token(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_token(watched oid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET row_security = on -- views call it, too
    AS $$
    SELECT w.token FROM bkpriv.watched w
    WHERE w.token = bkpriv_internal.carried_token(watch_token.watched) AND w.named = bkpriv_internal.called(watch_token.watched)
        -- A crash empties what is unlogged, which is no write.
        AND (SELECT c.relpersistence FROM pg_class c WHERE c.oid = watch_token.watched) <> 'u'
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_token(oid) IS
    'Token of the trigger that watches a table.
NULL if none does, or not always all that is written, or it is of another table, or this is unlogged';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_token(oid) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.watch_tokens(source_schema text, source_name text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT CASE WHEN bool_and(token IS NOT NULL) THEN array_agg(token ORDER BY token COLLATE "C") END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN bkpriv_internal.written_tables(c.oid) AS w CROSS JOIN bkpriv_internal.watch_token(w) AS token
    WHERE n.nspname = source_schema AND c.relname = source_name
$$;
COMMENT ON FUNCTION bkpriv_internal.watch_tokens(text, text) IS
    'Tokens of all tables that a write to the source may name; NULL unless every one of them is watched';
GRANT EXECUTE ON FUNCTION bkpriv_internal.watch_tokens(text, text) TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv_internal.note_alteration() RETURNS event_trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    altered oid;
    lost text;
    tokens text[];
    watches boolean;
BEGIN
    IF TG_EVENT = 'table_rewrite' THEN
        altered := pg_event_trigger_table_rewrite_oid();
        -- 4: a column has another type, and its values may have been computed anew. 2: they have been, by a new
        -- default of a new column, or since PostgreSQL 17 by another expression of a generated one. 1: it was or is
        -- unlogged, and a crash empties it.
        IF pg_event_trigger_table_rewrite_reason() & (1 + 4) <> 0 OR pg_event_trigger_table_rewrite_reason() & 2 <> 0
                AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = altered AND attgenerated <> '') THEN
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.carried_token(altered)], format('ALTER TABLE on %s', altered::regclass));
        END IF;
    ELSIF TG_EVENT = 'sql_drop' THEN
        -- The next table of its name is another, and so is the next watch.
        UPDATE bkpriv.watched SET named = NULL
            WHERE named IN (SELECT format('%I.%I', address_names[1], address_names[2]) FROM pg_event_trigger_dropped_objects()
                            WHERE object_type = 'trigger')
                AND token IS DISTINCT FROM bkpriv_internal.carried_token(to_regclass(named));
        FOR altered, lost IN SELECT objid, address_names[3] FROM pg_event_trigger_dropped_objects()
                WHERE classid = 'pg_class'::regclass AND objsubid > 0 LOOP
            PERFORM bkpriv_internal.add_stale(altered, ARRAY[bkpriv_internal.watch_token(altered)],
                                      format('ALTER TABLE on %s: column %I was dropped', altered::regclass, lost), lost);
        END LOOP;
    ELSE
        -- A watch whose trigger was replaced or renamed has ended. A restore makes other triggers of the table first.
        UPDATE bkpriv.watched SET named = NULL
            WHERE named IN (SELECT bkpriv_internal.called(t.tgrelid)
                            FROM pg_event_trigger_ddl_commands() AS d JOIN pg_trigger t ON t.oid = d.objid
                            WHERE d.classid = 'pg_trigger'::regclass AND (TG_TAG <> 'CREATE TRIGGER' OR t.tgname = 'bkpriv_watch'))
                AND token IS DISTINCT FROM bkpriv_internal.carried_token(to_regclass(named));
        UPDATE bkpriv.watched AS w SET named = format('%I.%I', n.nspname, c.relname)
            FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'bkpriv_watch'
            WHERE n.oid IN (SELECT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_namespace'::regclass)
                AND (parse_ident(w.named))[2] = c.relname AND to_regnamespace(quote_ident((parse_ident(w.named))[1])) IS NULL
                AND w.token IN (SELECT token FROM bkpriv_internal.watch_trigger(c.oid));
        FOR altered IN SELECT DISTINCT objid FROM pg_event_trigger_ddl_commands() WHERE classid = 'pg_class'::regclass LOOP
            SELECT ARRAY[token], complete INTO tokens, watches FROM bkpriv_internal.watch_trigger(altered);
            CONTINUE WHEN tokens IS NULL;
            -- It may have another name; then nothing has the old one.
            UPDATE bkpriv.watched SET named = bkpriv_internal.called(altered)
                WHERE token = ANY (tokens) AND named <> bkpriv_internal.called(altered) AND to_regclass(named) IS NULL;
            IF NOT watches THEN
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: it was not watched for a time', altered::regclass));
            END IF;
            FOR lost IN
                SELECT DISTINCT read
                FROM bkpriv.release r CROSS JOIN LATERAL bkpriv_internal.columns_read(r) AS read
                JOIN pg_namespace n ON n.nspname = r.source_schema
                JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = r.source_name
                WHERE r.watch && tokens
                    AND NOT EXISTS (SELECT FROM pg_attribute p WHERE p.attrelid = c.oid AND p.attname = read AND p.attnum > 0) LOOP
                PERFORM bkpriv_internal.add_stale(altered, tokens, format('ALTER TABLE on %s: there is no column %I', altered::regclass, lost), lost);
            END LOOP;
        END LOOP;
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.note_alteration() IS
    'Event trigger: marks releases as stale where a watched table loses what they rest on.
That is its watch or a column that is read, or the type of a column';
-- Granted to nobody: an event trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.register_watch(source oid, role oid) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT pg_has_role(role, (SELECT relowner FROM pg_class WHERE oid = register_watch.source), 'MEMBER') THEN
        RAISE EXCEPTION 'must be owner of %', source::regclass
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'A watch is for the owner of a table to allow.',
                  HINT = 'Ask that role to call bkpriv.watch.';
    END IF;
    INSERT INTO bkpriv.watched (token, named)
        SELECT carried, bkpriv_internal.called(register_watch.source)
        FROM bkpriv_internal.carried_token(register_watch.source) AS carried WHERE carried IS NOT NULL
        ON CONFLICT (token) DO NOTHING;
END $$;
COMMENT ON FUNCTION bkpriv_internal.register_watch(oid, oid) IS
    'Binds a new token to the table that is watched under it, by a role that owns the table';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.hold_writers(new_release bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    made bkpriv.release;
    source oid;
BEGIN
    SELECT * INTO STRICT made FROM bkpriv.release WHERE release = new_release;
    -- Only a source that is watched, which its owner must have allowed, and that the publisher may read.
    SELECT c.oid INTO source
        FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
        WHERE (n.nspname, c.relname) = (made.source_schema, made.source_name)
            AND has_any_column_privilege(made.created_by, c.oid, 'SELECT');
    IF source IS NULL OR made.watch IS NULL OR made.watch IS DISTINCT FROM bkpriv_internal.watch_tokens(made.source_schema, made.source_name) THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I.%I IN SHARE MODE NOWAIT', made.source_schema, made.source_name);
    -- The name may have come to mean another table; then that one is let go of again.
    IF NOT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
                   AND relation = source AND mode = 'ShareLock' AND granted) THEN
        RAISE lock_not_available;
    END IF;
    -- Writers whose snapshot does not show this release cannot mark it, and must fail: see add_stale.
    PERFORM FROM bkpriv.watched WHERE token = ANY (made.watch) FOR NO KEY UPDATE NOWAIT;
    UPDATE bkpriv.watched SET at = now() WHERE token = ANY (made.watch);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.hold_writers(bigint) IS
    'Locks the source of a release against writers, unless one is at work';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.watch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].staleness.watch(source)
$$;
COMMENT ON FUNCTION bkpriv.watch(regclass) IS
    'Has a table watched, by its owner, so that it is known whether releases made from it are stale.
That holds for all datasets, and tells nobody about them';
GRANT EXECUTE ON FUNCTION bkpriv.watch(regclass) TO bkpriv_publisher, bkpriv_watcher;

CREATE OR REPLACE FUNCTION bkpriv.unwatch(source regclass) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].staleness.unwatch(source)
$$;
COMMENT ON FUNCTION bkpriv.unwatch(regclass) IS
    'Ends the watch of a table, its partitions and children, by their owner.
Whether releases made from them are stale becomes unknown, and stays so';
GRANT EXECUTE ON FUNCTION bkpriv.unwatch(regclass) TO bkpriv_publisher, bkpriv_watcher;

-- History: what was released, what it was made from, what became of it, and what audits and attacks found.
-- Append-only: guard triggers refuse UPDATE, DELETE and TRUNCATE, to everyone. What happens to a
-- release later is an event beside it, so a release's own row never changes. Two things are let
-- through, of a release for which the same transaction has recorded such an event: what it was made
-- from is deleted when it is purged, and its owner changes when it is reassigned. And one that is stale or
-- withdrawn loses the tokens of its watch, by which writers would find it.

-- A restore over a database that holds more than the dump sets sequences back. Ids that anything
-- still bears are passed over; calling nextval until then, unlike setval, races with nobody.
CREATE OR REPLACE FUNCTION bkpriv_internal.next_release() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.release_id');
        EXIT WHEN NOT EXISTS (
            SELECT FROM bkpriv.release WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_attribute WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_content WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_draw WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_respondent WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_belief WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_base WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_notice WHERE release = id
            UNION ALL SELECT FROM bkpriv.release_event WHERE release = id
            UNION ALL SELECT FROM bkpriv.audit_record WHERE release = id
            UNION ALL SELECT FROM bkpriv.attack_record WHERE release = id
            UNION ALL SELECT FROM bkpriv_internal.release_tables(id));
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_release() IS 'The next id that no record and no table has as a release';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.next_audit() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    id bigint;
BEGIN
    LOOP
        id := nextval('bkpriv.audit_id');
        EXIT WHEN NOT EXISTS (SELECT FROM bkpriv.audit_record WHERE audit = id
                              UNION ALL SELECT FROM bkpriv.attack_record WHERE attack = id);
    END LOOP;
    RETURN id;
END $$;
COMMENT ON FUNCTION bkpriv_internal.next_audit() IS 'The next id that no audit and no attack bears';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.guard() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    -- A restore of data alone finds the guards of release tables in place. It is told by a setting that
    -- pg_dump makes; a superuser, and nobody else may insert, could disable the trigger as well.
    IF TG_OP = 'INSERT' AND current_setting('check_function_bodies') = 'off'
        AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = CASE TG_TABLE_SCHEMA WHEN 'bkpriv' THEN 'The history of releases is append-only.'
                            ELSE 'A release is a frozen snapshot.' END,
              HINT = 'Publish again, or withdraw the release with bkpriv.withdraw(release, reason).';
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard() IS 'Trigger that refuses to change history and release tables';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bkpriv.release_event
                   WHERE release = OLD.release
                       AND CASE TG_ARGV[0] WHEN 'stale' THEN kind IN ('stale', 'withdrawn') AND to_jsonb(NEW) -> 'watch' = 'null'
                                ELSE kind = TG_ARGV[0] AND at = now() END) THEN
        RAISE EXCEPTION '% on %.% is refused', TG_OP, quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The history of releases is append-only.',
                  HINT = CASE TG_ARGV[0] WHEN 'purged' THEN 'Call bkpriv.withdraw(release, reason), then bkpriv.purge(release, reason).'
                              WHEN 'stale' THEN 'Releases that are stale or withdrawn lose their tokens by themselves.'
                              ELSE 'Call bkpriv.reassign(owner, new_owner).' END;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_row() IS
    'Trigger that refuses to change a row of the history.
The exception is a transaction that has recorded the event that the trigger names';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.bases(source_schema text, source_name text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH RECURSIVE beneath(oid, reader) AS (
        SELECT c.oid, r.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
        WHERE n.nspname = source_schema AND c.relname = source_name AND r.rolname = current_user
        UNION
        SELECT below.oid, below.reader
        FROM beneath AS b CROSS JOIN LATERAL (
            -- A view or a copy reads what its rule names, if its owner may: whoever may look into the schema can
            -- name it. A table reads its partitions and children as well.
            SELECT d.refobjid, v.reader
            FROM (SELECT c.oid, c.relkind = 'm' AND c.relispopulated AS filled,
                         CASE WHEN bkpriv_internal.invoked(c.oid) THEN b.reader ELSE c.relowner END AS reader
                  FROM pg_class c WHERE c.oid = b.oid AND c.relkind IN ('v', 'm') OFFSET 0) AS v
            JOIN pg_rewrite w ON w.ev_class = v.oid AND w.ev_type = '1'
            JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
            WHERE has_any_column_privilege(v.reader, d.refobjid, 'SELECT') OR v.filled AND d.refobjsubid > 0
            UNION ALL
            SELECT i.inhrelid, b.reader FROM pg_inherits i WHERE i.inhparent = b.oid
        ) AS below(oid, reader)
    )
    SELECT array_agg(name ORDER BY name COLLATE "C") FROM (
        SELECT format('%I.%I', n.nspname, c.relname) AS name
        FROM (SELECT DISTINCT oid FROM beneath) AS b JOIN pg_class c ON c.oid = b.oid AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
        JOIN pg_namespace n ON n.oid = c.relnamespace
        -- What catalogs say is no record of anybody, but in a source that is one itself.
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') OR (n.nspname, c.relname) = (source_schema, source_name)
        ORDER BY (n.nspname, c.relname) <> (source_schema, source_name), c.relispartition, c.oid LIMIT 2000
    ) AS named
$$;
COMMENT ON FUNCTION bkpriv_internal.bases(text, text) IS
    'A relation, and every one that it reads.
They are found through views, materialized views, partitions and children, as far as their owners
may read; up to 2000, partitions last. Functions are not looked through, nor what a foreign table
reads elsewhere';
GRANT EXECUTE ON FUNCTION bkpriv_internal.bases(text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.releases_of(dataset text, owner text, bases text[])
    RETURNS TABLE (release bigint, shared text[])
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    WITH found AS MATERIALIZED (
        SELECT b.release, array_agg(b.base ORDER BY b.base COLLATE "C") AS shared FROM bkpriv.release_base b
        WHERE b.base = ANY (releases_of.bases) GROUP BY b.release
    )
    SELECT r.release, CASE WHEN own.dataset THEN '{}' ELSE f.shared END
    FROM bkpriv.release r LEFT JOIN found AS f ON f.release = r.release
    CROSS JOIN LATERAL (SELECT (r.dataset, r.owner) = (releases_of.dataset, releases_of.owner)) AS own(dataset)
    WHERE own.dataset OR f.release IS NOT NULL
$$;
COMMENT ON FUNCTION bkpriv_internal.releases_of(text, text, text[]) IS
    'Releases the current user may see that may show the same records.
They are those of a dataset, and others made from a relation that reads one of these, with which
they share';
GRANT EXECUTE ON FUNCTION bkpriv_internal.releases_of(text, text, text[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.live_releases(dataset text, owner text) RETURNS TABLE (release bigint, view_name text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT r.release, format('%I.%I', r.view_schema, r.view_name) FROM bkpriv.release r
    WHERE (r.dataset, r.owner) = (live_releases.dataset, live_releases.owner)
        AND NOT EXISTS (SELECT FROM bkpriv.release_event e WHERE e.release = r.release AND e.kind = 'withdrawn')
    ORDER BY r.release
$$;
COMMENT ON FUNCTION bkpriv_internal.live_releases(text, text) IS
    'Releases of a dataset that are not withdrawn, shown or not';
GRANT EXECUTE ON FUNCTION bkpriv_internal.live_releases(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv_internal.guard_dataset() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    alive text;
BEGIN
    SELECT string_agg(format('%s (%s)', release, view_name), ', ') INTO alive
        FROM bkpriv_internal.live_releases(OLD.name, OLD.owner);
    IF alive IS NOT NULL THEN
        RAISE EXCEPTION 'dataset "%" has releases that are not withdrawn', OLD.name
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('Release (view): %s.', alive),
                  HINT = 'Withdraw them with bkpriv.withdraw(release, reason).';
    END IF;
    RETURN OLD;
END $$;
COMMENT ON FUNCTION bkpriv_internal.guard_dataset() IS
    'Trigger that keeps a dataset whose releases are not all withdrawn';
-- Granted to nobody: a trigger.

CREATE OR REPLACE FUNCTION bkpriv_internal.views_of(release bigint)
    RETURNS TABLE (view regclass, materialized boolean, release_table regclass, readable boolean)
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    -- Not of releases of others: that there is one is theirs to say.
    IF NOT EXISTS (SELECT FROM bkpriv.release r WHERE r.release = views_of.release) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.oid::regclass, c.relkind = 'm', t.oid::regclass,
        -- A copy holds what its owner could read when it was filled; a stranger's may name the table, and read nothing of it.
        (c.relkind = 'v' OR c.relispopulated)
            AND (has_table_privilege(c.relowner, t.oid, 'SELECT') OR c.relkind = 'm' AND max(d.refobjsubid) > 0)
    FROM bkpriv_internal.release_tables(release) AS name
    JOIN pg_class t ON t.relname = name AND t.relnamespace = 'bkpriv_release'::regnamespace
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
    JOIN pg_rewrite w ON w.oid = d.objid
    JOIN pg_class c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm')
    GROUP BY c.oid, t.oid;
END $$;
COMMENT ON FUNCTION bkpriv_internal.views_of(bigint) IS
    'Views that read a table of a release that the current user may see, whatever their names.
readable: whether anybody can read it through them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.views_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.invoked(view oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT coalesce(bool_or(option_value::boolean), false)
    FROM pg_class c CROSS JOIN LATERAL pg_options_to_table(c.reloptions)
    WHERE c.oid = invoked.view AND option_name = 'security_invoker'
$$;
COMMENT ON FUNCTION bkpriv_internal.invoked(oid) IS 'Whether a view reads with the rights of who asks, and not with those of its owner';
GRANT EXECUTE ON FUNCTION bkpriv_internal.invoked(oid) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.as_published(view regclass, release_table regclass) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    SET quote_all_identifiers = off
    AS $$
    -- The columns, by their own names and in any order, and nothing else. Names have the table before them in
    -- what versions before 16 write.
    SELECT coalesce(pg_get_viewdef(v.oid, false) = ANY (x.written), false)
        AND NOT EXISTS (SELECT FROM pg_rewrite WHERE ev_class = v.oid AND ev_type <> '1')
        AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = v.oid)
        AND NOT EXISTS (SELECT FROM pg_attrdef WHERE adrelid = v.oid)
        AND (v.relkind = 'm' OR NOT bkpriv_internal.invoked(v.oid) AND EXISTS (
            SELECT FROM pg_options_to_table(v.reloptions) WHERE option_name = 'security_barrier' AND option_value::boolean))
    FROM pg_class v CROSS JOIN LATERAL (
        SELECT array_agg(format(E' SELECT %s\n   FROM %I.%I;', p.columns, n.nspname, t.relname)) AS written
        FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace CROSS JOIN (VALUES (false), (true)) AS q(prefixed)
        CROSS JOIN LATERAL (
            SELECT string_agg(CASE WHEN prefixed THEN quote_ident(t.relname) || '.' ELSE '' END || quote_ident(a.attname), E',\n    '
                              ORDER BY shown.attnum) AS columns
            FROM pg_attribute a JOIN pg_attribute shown ON (shown.attrelid, shown.attname) = (v.oid, a.attname)
            WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) AS p
        WHERE t.oid = release_table
            AND (SELECT array_agg((attname, atttypid) ORDER BY attname) FROM pg_attribute
                 WHERE attrelid = v.oid AND attnum > 0 AND NOT attisdropped)
                = (SELECT array_agg((attname, atttypid) ORDER BY attname) FROM pg_attribute
                   WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped)) AS x
    WHERE v.oid = as_published.view
$$;
COMMENT ON FUNCTION bkpriv_internal.as_published(regclass, regclass) IS
    'Whether a view shows all of a release table and nothing else, as publication writes it.
Any other is not the release''s: it is not handed on, refreshed or exported as such';
GRANT EXECUTE ON FUNCTION bkpriv_internal.as_published(regclass, regclass) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.built_on(relation oid)
    RETURNS TABLE (view oid, owner oid, invoked boolean, filled boolean, columns int2[])
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT b.view, b.owner, b.invoked, b.filled, b.columns FROM (
        -- As invoked() says, which would be called for every pair of relations that strangers choose to have.
        SELECT c.oid AS view, c.relowner AS owner, EXISTS (
                SELECT FROM pg_options_to_table(c.reloptions)
                WHERE option_name = 'security_invoker' AND option_value::boolean) AS invoked,
            c.relkind = 'm' AND c.relispopulated AND max(d.refobjsubid) > 0 AS filled,
            coalesce(array_agg(DISTINCT d.refobjsubid::int2) FILTER (WHERE d.refobjsubid > 0), '{}') AS columns
        FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_type = '1'
        JOIN pg_class c ON c.oid = w.ev_class AND c.oid <> built_on.relation AND c.relkind IN ('v', 'm')
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = built_on.relation
        GROUP BY c.oid
    ) AS b
    -- Anybody who may look into the schema may name it in a view, and read nothing.
    WHERE b.invoked OR b.filled OR has_any_column_privilege(b.owner, built_on.relation, 'SELECT')
$$;
COMMENT ON FUNCTION bkpriv_internal.built_on(oid) IS
    'Views that read a relation, but for those whose owners may not.
filled: a copy of its columns; columns: those that are read';
GRANT EXECUTE ON FUNCTION bkpriv_internal.built_on(oid) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.readers_of(release bigint) RETURNS TABLE (reader text)
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    -- A view reads with the rights of its owner, a copy was made with them. Others read with those of who
    -- asks, who then needs what they read, too. One that nobody can read through tells nobody anything:
    -- whoever may look into a schema may make it, and grant it to everybody. So strangers decide how many views
    -- there are, and how many paths lead through them: each relation is followed once with the rights of each
    -- role, and no more than 300 relations and 10000 steps are.
    WITH RECURSIVE above(relation) AS (
        SELECT t.oid FROM bkpriv.release r CROSS JOIN bkpriv_internal.release_tables(r.release) AS name
        JOIN pg_class t ON t.relname = name AND t.relnamespace = 'bkpriv_release'::regnamespace
        WHERE r.release = readers_of.release
        UNION
        SELECT b.view FROM above AS a CROSS JOIN bkpriv_internal.built_on(a.relation) AS b
    ), followed AS MATERIALIZED (
        SELECT a.relation FROM above AS a LIMIT 301
    ), step AS MATERIALIZED (
        SELECT f.relation, b.* FROM (SELECT relation FROM followed LIMIT 300) AS f
        CROSS JOIN bkpriv_internal.built_on(f.relation) AS b LIMIT 10001
    ), owner AS MATERIALIZED (
        SELECT DISTINCT s.owner FROM step AS s WHERE NOT s.invoked
    -- Who sees the release in a relation: a role; with 0 whoever may read it; with NULL whoever may, and may read
    -- what is below.
    ), seen(relation, reader) AS (
        SELECT f.relation, w.reader
        FROM followed AS f JOIN pg_class t ON t.oid = f.relation AND t.relnamespace = 'bkpriv_release'::regnamespace AND t.relkind = 'r'
        CROSS JOIN LATERAL (
            SELECT NULL::oid
            UNION ALL SELECT o.owner FROM owner AS o WHERE has_any_column_privilege(o.owner, f.relation, 'SELECT')
        ) AS w(reader)
        UNION
        SELECT s.view, w.reader
        FROM seen AS r JOIN step AS s ON s.relation = r.relation AND r.reader IS DISTINCT FROM 0
        CROSS JOIN LATERAL (SELECT coalesce(r.reader <> 0 AND NOT EXISTS (
            SELECT FROM unnest(s.columns) AS c WHERE NOT has_column_privilege(r.reader, s.relation, c, 'SELECT')), false)) AS own(may)
        CROSS JOIN LATERAL (SELECT s.filled OR coalesce(NOT s.invoked AND r.reader = s.owner AND own.may, false)) AS x(open)
        CROSS JOIN LATERAL (
            SELECT 0::oid WHERE x.open
            UNION ALL SELECT NULL WHERE x.open OR s.invoked AND r.reader IS NULL
            UNION ALL SELECT o.owner FROM owner AS o WHERE x.open AND has_any_column_privilege(o.owner, s.view, 'SELECT')
            UNION ALL SELECT r.reader WHERE s.invoked AND own.may AND has_any_column_privilege(r.reader, s.view, 'SELECT')
        ) AS w(reader)
    ), found AS MATERIALIZED (
        SELECT s.relation, s.reader FROM seen AS s LIMIT 10001
    ), granted AS (
        SELECT c.relowner AS grantee, 'SELECT' AS privilege_type FROM found AS f JOIN pg_class c ON c.oid = f.relation WHERE f.reader = 0
        UNION
        SELECT a.grantee, a.privilege_type
        FROM found AS f JOIN pg_class c ON c.oid = f.relation CROSS JOIN LATERAL aclexplode(c.relacl) AS a WHERE f.reader = 0
        UNION
        SELECT a.grantee, a.privilege_type
        FROM found AS f JOIN pg_attribute t ON t.attrelid = f.relation CROSS JOIN LATERAL aclexplode(t.attacl) AS a WHERE f.reader = 0
    )
    SELECT DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC')
    FROM granted AS g LEFT JOIN pg_roles r ON r.oid = g.grantee
    WHERE g.privilege_type = 'SELECT' AND (g.grantee = 0 OR r.oid IS NOT NULL)
    UNION ALL
    SELECT NULL WHERE (SELECT count(*) > 300 FROM followed) OR (SELECT count(*) > 10000 FROM step) OR (SELECT count(*) > 10000 FROM found)
$$;
COMMENT ON FUNCTION bkpriv_internal.readers_of(bigint) IS
    'Roles, quoted, and PUBLIC, that may SELECT from views of a release that the current user may see.
Views on these count, owners as well as grants, and only what can be read through. NULL: there may
be more, for there are too many views';
GRANT EXECUTE ON FUNCTION bkpriv_internal.readers_of(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE VIEW bkpriv.releases WITH (security_barrier) AS
SELECT r.release, r.dataset, r.version, format('%I.%I', r.view_schema, r.view_name) AS view_name,
    r.method, r.policy, r.period, r.records, r.suppressed, r.groups,
    CASE WHEN e.withdrawn AND e.purged THEN 'purged' WHEN e.withdrawn THEN 'withdrawn'
         WHEN e.superseded THEN 'superseded'
         WHEN EXISTS (SELECT FROM bkpriv_internal.views_of(r.release) WHERE readable) THEN 'published'
         ELSE 'dropped' END AS status,
    CASE WHEN e.stale THEN true
         WHEN r.watch = bkpriv_internal.watch_tokens(r.source_schema, r.source_name) THEN false END AS stale,
    r.created_at, r.created_by, r.requirements, r.options,
    e.reason, r.counterfeited,
    r.grown_from
FROM bkpriv.release r
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(kind = 'withdrawn'), false) AS withdrawn,
        coalesce(bool_or(kind = 'purged'), false) AS purged,
        coalesce(bool_or(kind = 'superseded'), false) AS superseded,
        coalesce(bool_or(kind = 'stale'), false) AS stale,
        (array_agg(reason ORDER BY at DESC, event DESC) FILTER (WHERE kind <> 'reassigned'))[1] AS reason
    FROM bkpriv.release_event WHERE release = r.release
) AS e
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.releases IS
    'Releases the current user may see';
GRANT SELECT ON bkpriv.releases TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.releases.release IS 'Id, as publish() returns it';
COMMENT ON COLUMN bkpriv.releases.dataset IS 'Dataset that was published';
COMMENT ON COLUMN bkpriv.releases.version IS 'Number of the release among those of its dataset, from 1';
COMMENT ON COLUMN bkpriv.releases.view_name IS 'View that shows it, or showed it, with its schema';
COMMENT ON COLUMN bkpriv.releases.method IS 'Method that made it';
COMMENT ON COLUMN bkpriv.releases.policy IS 'Name of the policy';
COMMENT ON COLUMN bkpriv.releases.period IS 'Period whose records were published; NULL: all records';
COMMENT ON COLUMN bkpriv.releases.records IS 'Records of the source, or of the period';
COMMENT ON COLUMN bkpriv.releases.suppressed IS 'Records that were left out';
COMMENT ON COLUMN bkpriv.releases.groups IS 'Groups that are shown; 0 of a randomized release';
COMMENT ON COLUMN bkpriv.releases.status IS 'published, superseded, dropped (no view shows it any more), withdrawn or purged';
COMMENT ON COLUMN bkpriv.releases.stale IS 'Whether the source has changed since; NULL: unknown, it was not watched all the time';
COMMENT ON COLUMN bkpriv.releases.created_at IS 'When it was published';
COMMENT ON COLUMN bkpriv.releases.created_by IS 'Role that published it';
COMMENT ON COLUMN bkpriv.releases.requirements IS 'What the release had to keep';
COMMENT ON COLUMN bkpriv.releases.options IS 'Options of the publication';
COMMENT ON COLUMN bkpriv.releases.reason IS 'Why it became what status says, in words';
COMMENT ON COLUMN bkpriv.releases.counterfeited IS 'Records that are shown with another sensitive value than they have';
COMMENT ON COLUMN bkpriv.releases.grown_from IS 'Release whose groups it keeps';

CREATE OR REPLACE VIEW bkpriv.audits WITH (security_barrier) AS
SELECT a.audit, a.release, r.dataset, a.requirement,
    a.parameters, a.threshold, a.worst, a.mean,
    a.vulnerable, a.satisfied, a.estimator, a.audited_at, a.audited_by
FROM bkpriv.audit_record a JOIN bkpriv.release r USING (release)
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.audits IS
    'Audits of the releases the current user may see; the first of each release is its certification';
GRANT SELECT ON bkpriv.audits TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.audits.audit IS 'Id of the call of audit(), or of the certification';
COMMENT ON COLUMN bkpriv.audits.release IS 'Release that was measured';
COMMENT ON COLUMN bkpriv.audits.dataset IS 'Dataset of the release';
COMMENT ON COLUMN bkpriv.audits.requirement IS 'Requirement that the bound is of, or name of what was counted';
COMMENT ON COLUMN bkpriv.audits.parameters IS 'Parameters of the requirement';
COMMENT ON COLUMN bkpriv.audits.threshold IS 'Bound; NULL: nothing bounds what was counted';
COMMENT ON COLUMN bkpriv.audits.worst IS 'Figure of the worst group or person, in the unit of the threshold';
COMMENT ON COLUMN bkpriv.audits.mean IS 'Mean of the figure over all records';
COMMENT ON COLUMN bkpriv.audits.vulnerable IS 'Records over the threshold, or the count; NULL: not about records, or not counted';
COMMENT ON COLUMN bkpriv.audits.satisfied IS 'Whether the bound holds; NULL: nothing is bounded';
COMMENT ON COLUMN bkpriv.audits.estimator IS 'Estimator of beliefs that was used';
COMMENT ON COLUMN bkpriv.audits.audited_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.audits.audited_by IS 'Role that measured it';

CREATE OR REPLACE VIEW bkpriv.attacks WITH (security_barrier) AS
SELECT a.attack, a.release, r.dataset, a.attacker, a.options, a.metric, a.value, a.sensitive, a.attacked_at, a.attacked_by
FROM bkpriv.attack_record a JOIN bkpriv.release r USING (release)
WHERE (SELECT bkpriv_internal.sees_all()) OR r.owner IN (SELECT bkpriv_internal.owned());
COMMENT ON VIEW bkpriv.attacks IS
    'Attacks on the releases the current user may see, one row per figure';
GRANT SELECT ON bkpriv.attacks TO bkpriv_publisher, bkpriv_auditor;
COMMENT ON COLUMN bkpriv.attacks.attack IS 'Id of the call of attack()';
COMMENT ON COLUMN bkpriv.attacks.release IS 'Release that was attacked';
COMMENT ON COLUMN bkpriv.attacks.dataset IS 'Dataset of the release';
COMMENT ON COLUMN bkpriv.attacks.attacker IS 'Attacker that was played';
COMMENT ON COLUMN bkpriv.attacks.options IS 'Options of the attacker, with those that were left out as they are meant';
COMMENT ON COLUMN bkpriv.attacks.metric IS 'Name of the figure, as attack() has it';
COMMENT ON COLUMN bkpriv.attacks.value IS 'Figure';
COMMENT ON COLUMN bkpriv.attacks.sensitive IS 'Column that it is about; NULL: none, or all as one';
COMMENT ON COLUMN bkpriv.attacks.attacked_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.attacks.attacked_by IS 'Role that measured it';

-- Distribution: release tables whose rows lie on the workers of Citus. Where it is not installed, these
-- functions find that nothing is distributed.

CREATE OR REPLACE FUNCTION bkpriv_internal.distributed(relation regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    found boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)'
            INTO found USING relation;
    END IF;
    RETURN found;
END $$;
COMMENT ON FUNCTION bkpriv_internal.distributed(regclass) IS
    'Whether Citus distributes a table, or has copies of it on every node';
GRANT EXECUTE ON FUNCTION bkpriv_internal.distributed(regclass) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.distribute_release_table(new_release bigint, part text, distribute_by text) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    release_table regclass := format('bkpriv_release.%I', bkpriv_internal.release_table(new_release, part))::regclass;
    told text := current_setting('client_min_messages');
BEGIN
    PERFORM set_config('client_min_messages', 'warning', true);
    -- A companion is small, and joined with the records by their groups: every node has a copy.
    IF part = 'records' THEN
        -- Shards beside those of the source would be altered over connections that have read these.
        EXECUTE 'SELECT pg_catalog.create_distributed_table($1, $2, colocate_with => ''none'')' USING release_table, distribute_by;
    ELSE
        EXECUTE 'SELECT pg_catalog.create_reference_table($1)' USING release_table;
    END IF;
    -- Its rows were copied to the shards.
    EXECUTE 'SELECT pg_catalog.truncate_local_data_after_distributing_table($1)' USING release_table;
    PERFORM set_config('client_min_messages', told, true);
END $$;
COMMENT ON FUNCTION bkpriv_internal.distribute_release_table(bigint, text, text) IS
    'Distributes a table of a release by a column, before it is sealed.
Of those beside the records every node has a copy';
-- Granted to nobody: write() calls it, as the extension's owner.

-- Publication: frozen release tables, and the views that show them. Release tables belong to the
-- extension's owner, as whom they are made and sealed.

CREATE OR REPLACE FUNCTION bkpriv_internal.release_table(release bigint, part text DEFAULT 'records') RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT 'release_' || release || CASE WHEN part = 'records' THEN '' WHEN part IN ('sensitive', 'randomization') THEN '_' || part END $$;
COMMENT ON FUNCTION bkpriv_internal.release_table(bigint, text) IS
    'Name in bkpriv_release of a release''s table of records, or of another part of it.
sensitive: the sensitive values of its groups; randomization: how values were randomized';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_table(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.release_tables(release bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.relname::text FROM pg_class c
    WHERE c.relnamespace = 'bkpriv_release'::regnamespace
        AND c.relname IN (SELECT bkpriv_internal.release_table(release, part)
                          FROM unnest(ARRAY['records', 'sensitive', 'randomization']) AS part)
$$;
COMMENT ON FUNCTION bkpriv_internal.release_tables(bigint) IS 'The tables of a release that exist';
GRANT EXECUTE ON FUNCTION bkpriv_internal.release_tables(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.create_release_table(
    new_release bigint, columns text[], types regtype[], part text DEFAULT 'records'
) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    reader text;
    release_table text := bkpriv_internal.release_table(new_release, part);
BEGIN
    SELECT created_by INTO STRICT publisher FROM bkpriv.release WHERE release = new_release;
    -- ANALYZE would run the functions of a user's type as the table's owner, and whoever owns a type may
    -- drop it and the column with it, or rename the values of an enumeration.
    IF EXISTS (SELECT FROM unnest(types) AS t JOIN pg_type p ON p.oid = t
               WHERE p.typnamespace <> 'pg_catalog'::regnamespace) THEN
        RAISE EXCEPTION 'a release table holds built-in types only'
            USING ERRCODE = 'feature_not_supported', DETAIL = format('The types are %s.', types),
                  HINT = 'Publish the column as text.';
    END IF;
    EXECUTE (
        SELECT format('CREATE TABLE bkpriv_release.%I (%s)', release_table,
                      string_agg(format('%I %s', c.name, format_type(c.type, -1)), ', ' ORDER BY c.place))
        FROM unnest(columns, types) WITH ORDINALITY AS c(name, type, place));
    -- Default privileges may have given it away.
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c, aclexplode(c.relacl) AS a
        WHERE c.oid = format('bkpriv_release.%I', release_table)::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON bkpriv_release.%I FROM %s CASCADE', release_table, reader);
    END LOOP;
    EXECUTE format('GRANT INSERT ON bkpriv_release.%I TO %I', release_table, publisher);
END $$;
COMMENT ON FUNCTION bkpriv_internal.create_release_table(bigint, text[], regtype[], text) IS
    'Makes a table of a release, for its publisher to fill';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.seal_release_tables(new_release bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    publisher text;
    dataset_owner text;
    release_table text;
    triggers text;
    passing text := '';
BEGIN
    SELECT created_by, owner INTO STRICT publisher, dataset_owner FROM bkpriv.release WHERE release = new_release;
    FOR release_table IN SELECT * FROM bkpriv_internal.release_tables(new_release) LOOP
        IF bkpriv_internal.distributed(format('bkpriv_release.%I', release_table)::regclass) THEN
            -- Statements come to shards as others, or as COPY, so rows are guarded there; TRUNCATE is here, too.
            triggers := current_setting('citus.enable_unsafe_triggers');
            PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
            EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON bkpriv_release.%I
                            FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
            EXECUTE format('CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON bkpriv_release.%I
                            FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
            PERFORM set_config('citus.enable_unsafe_triggers', triggers, true);
            -- On shards a view's readers read with their own rights, which its owner is to give them.
            passing := ' WITH GRANT OPTION';
        ELSE
            EXECUTE format('CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON bkpriv_release.%I
                            FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', release_table);
        END IF;
        EXECUTE format('REVOKE INSERT ON bkpriv_release.%I FROM %I', release_table, publisher);
        -- The view belongs to the one or the other: a superuser may publish for the dataset's owner.
        EXECUTE format('GRANT SELECT ON bkpriv_release.%I TO %I, %I', release_table, publisher, dataset_owner) || passing;
        EXECUTE format('ANALYZE bkpriv_release.%I', release_table);
    END LOOP;
END $$;
COMMENT ON FUNCTION bkpriv_internal.seal_release_tables(bigint) IS
    'Freezes the tables of a release.
Its publisher and the dataset''s owner may then only read them';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.publish(
    dataset text, policy text, view_name text, method text DEFAULT 'agglomerate',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
) RETURNS bigint
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].publication.publish(dataset, policy, view_name, method, period, options, view_schema)
$$;
COMMENT ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) IS
    'Publishes a dataset under a policy as a view over a frozen release, certified before it is visible.
Where the dataset names respondents, it is certified together with its earlier releases. Publishing
under the same view name again moves the view. bucketize and anatomy make a second view,
view_name_sensitive; randomize makes view_name_randomization, which says how values were distorted.
anatomy needs l_diversity in the policy, randomize max_disclosure and the option scheme';
GRANT EXECUTE ON FUNCTION bkpriv.publish(text, text, text, text, text, jsonb, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.explain_publication(
    dataset text, policy text, view_name text, method text DEFAULT 'agglomerate',
    period text DEFAULT NULL, options jsonb DEFAULT '{}', view_schema text DEFAULT current_schema()
)
    RETURNS TABLE (release bigint, reason text, detail text)
    LANGUAGE plpython3u VOLATILE ROWS 3
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].standing.explain_publication(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_publication(text, text, text, text, text, jsonb, text) IS
    'Says why publish with these arguments would make a release anew.
A row for each reason: view, policy, method, options, period, dataset, hierarchies, knowledge
or source; one row without a reason if the release that the view shows stands.
What is not watched is read';
GRANT EXECUTE ON FUNCTION bkpriv.explain_publication(text, text, text, text, text, jsonb, text) TO bkpriv_publisher;

-- Recount: whether a source still has the cells that a release was made from.

CREATE OR REPLACE FUNCTION bkpriv.recount(release bigint) RETURNS boolean
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].recount.recount(release)
$$;
COMMENT ON FUNCTION bkpriv.recount(bigint) IS
    'Whether the source of a release, counted anew, has the cells and counts that were published.
It reads what publish reads, and so also respondents and attributes, of the period; the caller must
be able to. False, with a notice that says how, too if the source cannot be read so any more. It
holds for the moment of the reading, and records nothing';
GRANT EXECUTE ON FUNCTION bkpriv.recount(bigint) TO bkpriv_publisher, bkpriv_auditor;

-- Withdrawal: the data of a release stops being readable, whatever was built on its views. What empties
-- and removes it goes by what reads the release's tables, never by the name of a view.

CREATE OR REPLACE FUNCTION bkpriv_internal.clear_release(old_release bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    old_table text;
    shown record;
    kept boolean := false;
    patience text := current_setting('lock_timeout');
    triggers text := current_setting('citus.enable_unsafe_triggers', true);
BEGIN
    IF triggers IS NOT NULL THEN
        PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
    END IF;
    FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
        -- One by one, as Citus wants them.
        EXECUTE format('ALTER TABLE bkpriv_release.%I DISABLE TRIGGER USER', old_table);
        EXECUTE format('TRUNCATE bkpriv_release.%I', old_table);
        EXECUTE format('ALTER TABLE bkpriv_release.%I ENABLE TRIGGER USER', old_table);
    END LOOP;
    IF triggers IS NOT NULL THEN
        PERFORM set_config('citus.enable_unsafe_triggers', triggers, true);
    END IF;
    -- From here on nothing may fail: the data are gone, and what strangers have built is no hindrance.
    FOR shown IN SELECT * FROM bkpriv_internal.views_of(old_release) WHERE readable ORDER BY view::oid DESC LOOP
        -- To drop it would wait for what others do with what they built on it.
        IF EXISTS (SELECT FROM pg_depend d LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                   WHERE d.deptype = 'n' AND w.ev_class IS DISTINCT FROM shown.view::oid
                       AND (d.refclassid, d.refobjid) IN (
                           VALUES ('pg_class'::regclass::oid, shown.view::oid)
                           UNION ALL SELECT 'pg_type'::regclass, y.oid FROM pg_type y JOIN pg_class c ON y.oid = c.reltype OR y.typelem = c.reltype
                           WHERE c.oid = shown.view::oid AND c.reltype <> 0)) THEN
            kept := kept OR NOT shown.materialized OR bkpriv_internal.empty_view(shown.view, shown.release_table);
            CONTINUE;
        END IF;
        BEGIN
            EXECUTE format('DROP %s %s', CASE WHEN shown.materialized THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, shown.view);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            kept := kept OR NOT shown.materialized OR bkpriv_internal.empty_view(shown.view, shown.release_table);
        END;
    END LOOP;
    IF NOT kept THEN
        FOR old_table IN SELECT * FROM bkpriv_internal.release_tables(old_release) LOOP
            BEGIN
                -- Anybody who may look into the schema can build on a table, though not read it, and be busy with
                -- what they built.
                PERFORM set_config('lock_timeout', '1s', true);
                EXECUTE format('DROP TABLE bkpriv_release.%I CASCADE', old_table);
            EXCEPTION WHEN OTHERS THEN
                NULL;  -- It stays, empty: so many objects depend on it, or such busy ones, that they cannot be locked.
            END;
        END LOOP;
        PERFORM set_config('lock_timeout', patience, true);
    END IF;
END $$;
COMMENT ON FUNCTION bkpriv_internal.clear_release(bigint) IS
    'Empties a withdrawn release, and removes its views, unless something depends on them, and tables';
-- Granted to nobody: write() calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv_internal.empty_view(stored regclass, emptied regclass) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
DECLARE
    reader text;
BEGIN
    -- An index may call functions when it is built, which could fail or run for ever.
    IF EXISTS (SELECT FROM pg_index WHERE indrelid = stored AND (indexprs IS NOT NULL OR indpred IS NOT NULL)) THEN
        EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
        RETURN false;
    END IF;
    -- So could the query of a view that publication did not write.
    IF NOT bkpriv_internal.as_published(stored, emptied) THEN
        EXECUTE format('REFRESH MATERIALIZED VIEW %s WITH NO DATA', stored);
        RETURN true;
    END IF;
    -- It runs as the view's owner, who need not be the publisher.
    SELECT r.rolname INTO reader FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.oid = stored AND NOT has_table_privilege(r.oid, emptied, 'SELECT');
    IF reader IS NOT NULL THEN
        EXECUTE format('GRANT SELECT ON %s TO %I', emptied, reader);
    END IF;
    EXECUTE format('REFRESH MATERIALIZED VIEW %s', stored);
    IF reader IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON %s FROM %I', emptied, reader);
    END IF;
    RETURN true;
EXCEPTION WHEN OTHERS THEN
    EXECUTE format('DROP MATERIALIZED VIEW %s CASCADE', stored);
    RETURN false;
END $$;
COMMENT ON FUNCTION bkpriv_internal.empty_view(regclass, regclass) IS
    'Empties a materialized view over an emptied table, or drops it where that fails.
One that is not as it was published becomes unreadable; the result is whether it is still there';
-- Granted to nobody: clear_release calls it, as the extension's owner.

CREATE OR REPLACE FUNCTION bkpriv.withdraw(release bigint, reason text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].withdrawal.withdraw(release, reason)
$$;
COMMENT ON FUNCTION bkpriv.withdraw(bigint, text) IS
    'Removes a release''s data and the views that show it.
A view that others build on stays, empty; the history stays';
GRANT EXECUTE ON FUNCTION bkpriv.withdraw(bigint, text) TO bkpriv_publisher;

-- Purge: erasing what a withdrawn release was made from. The history holds the source's cells, the
-- labels of its attributes and, if declared, the names of its respondents and what may be believed of
-- them, and what its publication told. They go; the release, its audits, attacks
-- and events stay, with one that says so.

CREATE OR REPLACE FUNCTION bkpriv.purge(release bigint, reason text, force boolean DEFAULT false) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].purge.purge(release, reason, force)
$$;
COMMENT ON FUNCTION bkpriv.purge(bigint, text, boolean) IS
    'Erases what a withdrawn release was made from.
That is cells, labels, respondents, beliefs and notices; its figures, audits, attacks and
events stay. It is refused, unless forced, while the dataset has releases that are not withdrawn';
GRANT EXECUTE ON FUNCTION bkpriv.purge(bigint, text, boolean) TO bkpriv_publisher;

-- Ownership: handing on what belongs to a role, by name, that was renamed or dropped.

CREATE OR REPLACE FUNCTION bkpriv.reassign(owner text, new_owner regrole) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].ownership.reassign(owner, new_owner)
$$;
COMMENT ON FUNCTION bkpriv.reassign(text, regrole) IS
    'For superusers: hands what a role has in bkpriv to another.
That is its datasets, policies and releases, and the views that show these; the role may be gone';
-- Granted to nobody: for superusers.

-- Lattice: the nodes of full-domain generalization, which method incognito chooses from.

CREATE OR REPLACE FUNCTION bkpriv.lattice(dataset text, policy text, options jsonb DEFAULT '{}', period text DEFAULT NULL)
    RETURNS TABLE (levels jsonb, safe boolean, minimal boolean, chosen boolean, measured boolean, suppressed bigint,
                   discernibility float8, average_class_size float8, gcp float8, kl float8)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].lattice.lattice(dataset, policy, options, period)
$$;
COMMENT ON FUNCTION bkpriv.lattice(text, text, jsonb, text) IS
    'Every combination of generalization levels, and whether it is safe under the policy.
chosen: the one that publish with method incognito and the same options would take. measured:
whether groups were measured or it followed from other nodes. A safe one has what it suppresses and
costs, a minimal one also what it loses in bits (kl)';
GRANT EXECUTE ON FUNCTION bkpriv.lattice(text, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Sequence: what adversaries know of how sensitive values follow each other, and what they learn from all
-- releases of a dataset together.

CREATE OR REPLACE FUNCTION bkpriv.set_sequential_knowledge(
    dataset text, name text, kind text, source regclass DEFAULT NULL, memory int DEFAULT NULL
) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].sequence.set_knowledge(dataset, name, kind, source, memory)
$$;
COMMENT ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) IS
    'Says what adversaries know of how a respondent''s values follow each other.
Policies name it as {"sequence": "name"}. kind: domain (source has history text[], the oldest value
first, next, probability), mined (from a corpus: respondent, period, value), incremental (from the
releases themselves) or constant (values never change)';
GRANT EXECUTE ON FUNCTION bkpriv.set_sequential_knowledge(text, text, text, regclass, int) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.unset_sequential_knowledge(dataset text, name text) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
GD["bkpriv"].sequence.unset_knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) IS
    'Takes sequential knowledge of a dataset back.
Policies that name it cannot be published under any more';
GRANT EXECUTE ON FUNCTION bkpriv.unset_sequential_knowledge(text, text) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.sequential_knowledge(dataset text, name text)
    RETURNS TABLE (history text[], next text, probability float8, support float8)
    LANGUAGE plpython3u STABLE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].sequence.knowledge(dataset, name)
$$;
COMMENT ON FUNCTION bkpriv.sequential_knowledge(text, text) IS
    'Sequential knowledge as rows: for each history the probability of each next value.
Histories begin with the oldest value; support is how often it was seen, if it was mined;
incremental: counted in the releases so far';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_knowledge(text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.sequential_audit(
    dataset text, knowledge text, estimator text DEFAULT 'omega', bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (release bigint, period text, records bigint, gain float8, confidence float8, worst float8,
                   remembered bigint, estimator_used text, exact_share float8, status text, left_out text)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].sequence.sequential_audit(*args)
$$;
COMMENT ON FUNCTION bkpriv.sequential_audit(text, text, text, jsonb) IS
    'What each release of a dataset gives away to an adversary who saw all releases before it.
Withdrawn ones count. confidence and worst: the mean and the largest probability of an actual value
for this adversary. gain: the increase over its share in the group, as a part of what could be
gained. remembered: published records of respondents whom an earlier release showed. left_out: why a
release could not be judged. estimator: omega understates, auto comes nearest to exact inference';
GRANT EXECUTE ON FUNCTION bkpriv.sequential_audit(text, text, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.revised_belief(
    dataset text, knowledge text, respondent text, period text, estimator text DEFAULT 'auto',
    bandwidth jsonb DEFAULT NULL
)
    RETURNS TABLE (sensitive text, prior float8, posterior float8, release bigint)
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].sequence.revised_belief(*args)
$$;
COMMENT ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, jsonb) IS
    'Beliefs about a respondent before and after the last release of a period that shows them.
They are those of an adversary who saw the releases before it; period NULL: the last release.
Arguments are as in sequential_audit()';
GRANT EXECUTE ON FUNCTION bkpriv.revised_belief(text, text, text, text, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

-- Randomization: how strongly records are to be distorted.

CREATE OR REPLACE FUNCTION bkpriv.optimize_randomization(
    dataset text, scheme text, tau float8, options jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (attribute text, domain_size int, retention float8, epsilon float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].randomization.optimize_randomization(*args)
$$;
COMMENT ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text) IS
    'Probability with which each attribute''s values are kept, by scheme rr-s, rr-qi or rr-both.
Nobody''s sensitive value is guessed with a probability above tau, and counts can be estimated as
well as may be (the best of several local optima). epsilon is its local differential privacy,
infinite where all values are kept; options and period as in publish()';
GRANT EXECUTE ON FUNCTION bkpriv.optimize_randomization(text, text, float8, jsonb, text)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.reconstruct(
    release bigint, attributes text[], estimator text DEFAULT 'unbiased'
)
    RETURNS TABLE (key jsonb, estimate float8, standard_error float8, low float8, high float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].reconstruction.reconstruct(release, attributes, estimator)
$$;
COMMENT ON FUNCTION bkpriv.reconstruct(bigint, text[], text) IS
    'Records by the values of some attributes, estimated from a randomized release.
unbiased has the standard error of the drawing and the ends of a 95 % confidence interval;
maximum_likelihood is never negative and has neither. Combinations that no record can have are left
out';
GRANT EXECUTE ON FUNCTION bkpriv.reconstruct(bigint, text[], text)
    TO bkpriv_publisher, bkpriv_auditor;

-- Disclosure: what adversaries believe before and after a release, and whether it keeps its bounds.
-- Functions in bkpriv_internal hand back one array element per cell, a row of beliefs as the text of
-- an array; those of the same name in bkpriv turn them into rows.

CREATE OR REPLACE FUNCTION bkpriv_internal.prior(
    dataset text, bandwidth jsonb, period text, OUT qi text[], OUT probabilities text[], OUT sensitive text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].disclosure.prior(dataset, bandwidth, period)
$$;
COMMENT ON FUNCTION bkpriv_internal.prior(text, jsonb, text) IS 'Arrays of prior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.prior(text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.prior(dataset text, bandwidth jsonb, period text DEFAULT NULL)
    RETURNS TABLE (qi jsonb, sensitive text, probability float8)
    LANGUAGE sql VOLATILE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.qi::jsonb, v.label, v.probability
    FROM bkpriv_internal.prior(dataset, bandwidth, period) f
    CROSS JOIN LATERAL unnest(f.qi, f.probabilities) AS c(qi, probabilities)
    CROSS JOIN LATERAL unnest(f.sensitive, c.probabilities::float8[]) AS v(label, probability)
$$;
COMMENT ON FUNCTION bkpriv.prior(text, jsonb, text) IS
    'What an adversary believes about each cell of a dataset''s source before any release; exact.
bandwidth: a number, one for each quasi-identifier, {"kernel": "uniform"}, {"learned": "logistic"}
or {"table": "schema.prior"}. Of a dataset with periods, from the records of the one that is given,
else from all';
GRANT EXECUTE ON FUNCTION bkpriv.prior(text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.posterior(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[],
    OUT priors text[], OUT posteriors text[], OUT estimated text[], OUT sensitive text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].disclosure.posterior(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) IS 'Arrays of posterior()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.posterior(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.posterior(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, prior float8, posterior float8, estimator_used text)
    LANGUAGE sql VOLATILE ROWS 100000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT c.group_id, c.qi::jsonb, v.label, v.prior, v.posterior, c.estimated
    FROM bkpriv_internal.posterior(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.priors, f.posteriors, f.estimated)
        AS c(group_id, qi, priors, posteriors, estimated)
    CROSS JOIN LATERAL unnest(f.sensitive, c.priors::float8[], c.posteriors::float8[])
        AS v(label, prior, posterior)
$$;
COMMENT ON FUNCTION bkpriv.posterior(bigint, jsonb, text) IS
    'What an adversary believes about each published cell before and after a release.
bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.posterior(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv_internal.disclosure(
    release bigint, bandwidth jsonb, estimator text, OUT group_id int[], OUT qi text[], OUT records bigint[],
    OUT disclosure float8[], OUT estimated text[]
)
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].disclosure.disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) IS 'Arrays of disclosure()';
GRANT EXECUTE ON FUNCTION bkpriv_internal.disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, qi jsonb, records bigint, disclosure float8, estimator_used text)
    LANGUAGE sql VOLATILE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
    SELECT u.group_id, u.qi::jsonb, u.records, u.disclosure, u.estimated
    FROM bkpriv_internal.disclosure(release, bandwidth, estimator) f
    CROSS JOIN LATERAL unnest(f.group_id, f.qi, f.records, f.disclosure, f.estimated)
        AS u(group_id, qi, records, disclosure, estimated)
$$;
COMMENT ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) IS
    'How far a release moves an adversary''s belief about each published cell, in bits from 0 to 1.
Beliefs are compared by the smoothing that the release''s policy states for all adversaries, which a
notice names, or else as they are. bandwidth as in prior(); estimator_used says where it is exact';
GRANT EXECUTE ON FUNCTION bkpriv.disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_disclosure(release bigint, bandwidth jsonb, estimator text DEFAULT 'auto')
    RETURNS TABLE (group_id int, records bigint, qi jsonb, disclosure float8, sensitive text, prior float8,
                   posterior float8, estimator_used text, sure bigint, sure_qi jsonb, sure_sensitive text,
                   sure_prior float8, sure_posterior float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].disclosure.explain_disclosure(release, bandwidth, estimator)
$$;
COMMENT ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) IS
    'For each group, the worst first: about whose records, and of which value, a belief moved most.
sure: of how many of its records the adversary becomes sure, believing a value or a node of its
hierarchy at most .5 before and above .9 after; then of whom of them and of what most. Beliefs are
compared as in disclosure(). Of a randomized release: the share of the sensitive value of records,
and the probability that they are found as they were';
GRANT EXECUTE ON FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit(release bigint, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto')
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].audit.audit(release, requirements, estimator)
$$;
COMMENT ON FUNCTION bkpriv.audit(bigint, jsonb, text) IS
    'Measures a release against requirements, by default those of its policy, and records the figures.
estimator_used: bound for groups that are proved to keep it, where figures are upper bounds.
worst_group, worst_qi and value say what is at fault: its share in the table and the group, or the
belief before and after. sure: of how many its reader becomes sure: of some value or node of the
hierarchy, believed at most .5 before, above .9 after. most: what no release of the table exceeds; a
threshold as large cannot bind. A randomized release has the share in the table and the probability
that the riskiest records are found as they were, and a row for all releases of the same records
together. By the release''s own policy, further rows are of counts (vulnerable) that nothing bounds:
attributes, rows that are unique within their group by what passes through; exchange, people of
groups whose ranges overlap so that they can exchange members, of whom a reader who does not know
the groups may believe more than is certified, and movable, those of them who can be elsewhere';
GRANT EXECUTE ON FUNCTION bkpriv.audit(bigint, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Suppression: which kinds of records a release left out, and why.

CREATE OR REPLACE FUNCTION bkpriv.explain_suppressed(release bigint, "limit" int DEFAULT 10)
    RETURNS TABLE (qi jsonb, records bigint, requirement text, parameters jsonb, threshold float8, attained float8,
                   worst_qi jsonb, value text, value_before float8, value_after float8, estimator_used text)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].suppression.explain_suppressed(release, limit)
$$;
COMMENT ON FUNCTION bkpriv.explain_suppressed(bigint, int) IS
    'Which kinds of records a release left out, those of most records first, at most so many.
Of each: the bound that stood in the way, what the best group attains of those tried (the records by
themselves, or with a published group nearby), and the value at fault as in audit(). Of a release
that has grown, the records with newcomers, or all who wait; and, as requirement grow, who was
withdrawn. qi: a number or label, an array of the least and greatest number, or the label above
several';
GRANT EXECUTE ON FUNCTION bkpriv.explain_suppressed(bigint, int) TO bkpriv_publisher, bkpriv_auditor;

-- Implication: what a release discloses at worst to an adversary who knows k pieces of anything.

CREATE OR REPLACE FUNCTION bkpriv.max_disclosure(release bigint, k int, language text DEFAULT 'implications')
    RETURNS TABLE (k int, disclosure float8, witness jsonb, target jsonb)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].implication.max_disclosure(*args)
$$;
COMMENT ON FUNCTION bkpriv.max_disclosure(bigint, int, text) IS
    'Maximum disclosure for 0, 1, ..., k implications or negations, and a witness that attains it';
GRANT EXECUTE ON FUNCTION bkpriv.max_disclosure(bigint, int, text) TO bkpriv_publisher, bkpriv_auditor;

-- Releases judged together: what several of the same people tell whoever holds all of them.

CREATE OR REPLACE FUNCTION bkpriv.audit_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_group int,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].together.audit_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) IS
    'What a reader of several releases of the same respondents learns from all of them together.
Columns and arguments are those of audit(), requirements by default all of their policies. Figures
are of respondents whom one of the releases shows: worst_records counts those of whom the same
groups tell the worst, and worst_group is NULL. k_anonymity: the fewest records that may be a
respondent''s; requirements on shares: the beliefs of a reader without knowledge; bt_privacy: how
far beliefs move. A value that changed makes another person';
GRANT EXECUTE ON FUNCTION bkpriv.audit_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_together(
    releases bigint[], requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (requirement text, parameters jsonb, respondent text, sensitive text, prior float8,
                   posterior float8, figure float8, releases bigint[])
    LANGUAGE plpython3u VOLATILE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].together.explain_together(*args)
$$;
COMMENT ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) IS
    'Respondents over a bound by several releases together, for each bound the worst first.
Of each: the value at fault, its share in the table, or the prior belief in it, and the belief after
the releases. releases: those that expose the respondent, none of which can be left out; arguments
as in audit_together()';
GRANT EXECUTE ON FUNCTION bkpriv.explain_together(bigint[], jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.audit_readers(
    dataset text, readers jsonb DEFAULT NULL, requirements jsonb DEFAULT NULL, estimator text DEFAULT 'auto'
)
    RETURNS TABLE (reader text, releases bigint[], requirement text, parameters jsonb, threshold float8,
                   worst float8, mean float8, vulnerable bigint, satisfied boolean, estimator_used text,
                   worst_group int, worst_records bigint, worst_qi jsonb, value text, value_before float8,
                   value_after float8, sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].together.audit_readers(*args)
$$;
COMMENT ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) IS
    'What each reader of a dataset''s releases learns from all that they hold, as audit_together().
The last, all, is all readers together. readers: {"name": ["schema.view", 7]}, views with all that
they ever showed, or releases. By default they are the roles, and PUBLIC, that may SELECT from its
views or views on these, or could until they were withdrawn, but for superusers and roles that may
read the source or act as its owner; roles that may read the same are listed once. Each period by
itself';
GRANT EXECUTE ON FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Attacks: what readers find out of a release whom no guarantee covers, by trying.

CREATE OR REPLACE FUNCTION bkpriv.attack(release bigint, attacker text DEFAULT 'learner', options jsonb DEFAULT '{}')
    RETURNS TABLE (metric text, value float8, sensitive text)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].attack.attack(release, attacker, options)
$$;
COMMENT ON FUNCTION bkpriv.attack(bigint, text, jsonb) IS
    'Plays an attacker on a release, and measures what they find out; no guarantee.
accuracy: share of people whose value they guess; log_loss: mean of -ln of the belief in the truth;
baseline_...: the same of a classifier that was trained on all other people, without the release, as
is legitimate. claimed: beliefs above sure (.9); claimed_right: those that are true. breached:
people of whom they are sure, and right, where the baseline believed less than unsure (.5). worst:
largest distance of the two beliefs, unblended, in bits; over_t: people for whom it is above t of
the policy. sensitive: the column that a figure is about. attacker: majority, who believes what a
group shows; learner, who learns from the release alone how values depend on quasi-identifiers;
informed, who knows what the baseline does; without_groups, who does not know who is in which group
of a generalized release. options: sure, unsure, model ("logistic" or "bayes"), folds, seed; of
learner and informed estimator; of learner rounds; of without_groups bandwidth, as in bt_privacy.
concerned, movable: people in groups that may hold others, and who may be in another group;
not_inferred: of whom no belief is known. All is kept in bkpriv.attacks, unless the transaction may
not write';
GRANT EXECUTE ON FUNCTION bkpriv.attack(bigint, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.explain_attack(release bigint, attacker text DEFAULT 'learner', options jsonb DEFAULT '{}')
    RETURNS TABLE (group_id int, qi jsonb, sensitive text, baseline float8, believed float8, records bigint,
                   correct bigint, breached bigint, distance float8)
    LANGUAGE plpython3u VOLATILE ROWS 10000
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].attack.explain_attack(release, attacker, options)
$$;
COMMENT ON FUNCTION bkpriv.explain_attack(bigint, text, jsonb) IS
    'What an attacker believes most of each published cell, the most damaging first; as attack().
baseline, believed: belief in that value without the release and with it. records: people of the
cell in the group; correct: those who have the value; breached: those whom attack() counts.
distance: that of the two beliefs, unblended, in bits. Of several sensitive columns each has rows:
values name theirs';
GRANT EXECUTE ON FUNCTION bkpriv.explain_attack(bigint, text, jsonb) TO bkpriv_publisher, bkpriv_auditor;

-- Exploration: what publishing would cost and disclose under many policies. Nothing is published or recorded.

CREATE OR REPLACE FUNCTION bkpriv.explore(dataset text, policies jsonb DEFAULT NULL, method text DEFAULT 'agglomerate',
                                          options jsonb DEFAULT '{}', period text DEFAULT NULL,
                                          draft boolean DEFAULT false)
    RETURNS TABLE (place int, policy jsonb, metric text, value float8)
    LANGUAGE plpython3u VOLATILE ROWS 300
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].exploration.explore(dataset, policies, method, options, period, draft)
$$;
COMMENT ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text, boolean) IS
    'What publish would cost and disclose under each of some policies, none of which is published.
policies: a JSON array, or {"grid": {"bandwidth": [...], "t": [...]}, "with": {...}}, over k and l
as well, which begins with each k alone; without any, a customary grid; place counts from 1.
Metrics: discernibility, average_class_size, gcp, rgcp, suppressed_share, query_error,
worst_disclosure and mean_disclosure (to the adversary of the policy who learns most), sure (people
of whom a reader becomes sure, one whom any of the policies names), known (of whom such a reader is
sure beforehand), exact_share, groups, seconds; or refused = 1, and a notice why. Other releases are
not considered';
GRANT EXECUTE ON FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text, boolean) TO bkpriv_publisher;

-- Utility: what a release costs the analyst.

CREATE OR REPLACE FUNCTION bkpriv.utility(release bigint) RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u STABLE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].utility.utility(release)
$$;
COMMENT ON FUNCTION bkpriv.utility(bigint) IS
    'Utility of a release: what its generalization and suppression cost analysts.
gcp: global certainty penalty, the share of detail lost; rgcp: of all records, where those left out
count as the nearest group widened to them. gcp(age): of one quasi-identifier; gcp is their mean.
..._k_anonymous: of the same table by the same method with k-anonymity only. kl (bits), chi_square,
l2: divergence of the joint distribution that it leaves from the original one, Infinity where the
release rules out what occurs';
GRANT EXECUTE ON FUNCTION bkpriv.utility(bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.compare_releases(releases bigint[])
    RETURNS TABLE (metric text, release bigint, value float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].utility.compare_releases(releases)
$$;
COMMENT ON FUNCTION bkpriv.compare_releases(bigint[]) IS
    'Releases of the same data side by side, an error if they are of other data.
The metrics of utility, NULL for a release that has no such figure. max_disclosure: the largest
probability with which a sensitive value is disclosed. The errors of the count queries that the
bound query_error measures by default. The average difference of uncertainty coefficients from those
of the source, of pairs with the sensitive attribute and of quasi-identifiers';
GRANT EXECUTE ON FUNCTION bkpriv.compare_releases(bigint[]) TO bkpriv_publisher, bkpriv_auditor;

-- Query: how far counts from a release are from those of its source. Queries are parsed, never run.

CREATE OR REPLACE FUNCTION bkpriv.query_accuracy(release bigint, query text)
    RETURNS TABLE (key jsonb, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u STABLE ROWS 100
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].query.query_accuracy(release, query)
$$;
COMMENT ON FUNCTION bkpriv.query_accuracy(bigint, text) IS
    'Counts that a query asks for, in the source, and as a reader of the release estimates them.
The query is SELECT count(*) FROM dataset WHERE ... GROUP BY ..., the source as it was when the
release was made. Rows are counted, also where people have several, and those of the source that
were suppressed, but none that option max_records_per_person left out. The error is NULL where
nothing is counted';
GRANT EXECUTE ON FUNCTION bkpriv.query_accuracy(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.query_workload(
    release bigint, queries int, dimensions int, selectivity float8, seed bigint DEFAULT NULL
)
    RETURNS TABLE (query text, actual float8, estimate float8, relative_error float8)
    LANGUAGE plpython3u VOLATILE ROWS 1000
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].query.query_workload(release, queries, dimensions, selectivity, seed)
$$;
COMMENT ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) IS
    'Random queries on so many quasi-identifiers and the sensitive attribute, as by query_accuracy.
Together they ask for a share of all combinations of values (selectivity); a seed repeats them';
GRANT EXECUTE ON FUNCTION bkpriv.query_workload(bigint, int, int, float8, bigint) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.rewrite_query(release bigint, query text) RETURNS text
    LANGUAGE plpython3u STABLE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].query.rewrite_query(release, query)
$$;
COMMENT ON FUNCTION bkpriv.rewrite_query(bigint, text) IS
    'The estimate of query_accuracy as SQL over the published views alone, for their readers to run.
With GROUP BY, keys and estimates; of a randomized release also the standard error';
GRANT EXECUTE ON FUNCTION bkpriv.rewrite_query(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.association(release bigint)
    RETURNS TABLE (attribute text, other text, original float8, released float8)
    LANGUAGE plpython3u STABLE ROWS 50
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].query.association(release)
$$;
COMMENT ON FUNCTION bkpriv.association(bigint) IS
    'Uncertainty coefficients U(attribute | other), in the source and as the release leaves them.
Each is the share of the attribute''s entropy that knowing the other takes away; NULL for an
attribute with one value';
GRANT EXECUTE ON FUNCTION bkpriv.association(bigint) TO bkpriv_publisher, bkpriv_auditor;

-- Tables made elsewhere: views and tables of other software, judged against the dataset that they were made of.

CREATE OR REPLACE FUNCTION bkpriv.audit_table(
    source regclass, dataset text, columns jsonb, requirements jsonb, estimator text DEFAULT 'auto',
    period text DEFAULT NULL
)
    RETURNS TABLE (requirement text, parameters jsonb, threshold float8, worst float8, mean float8,
                   vulnerable bigint, satisfied boolean, estimator_used text, worst_labels jsonb,
                   worst_records bigint, worst_qi jsonb, value text, value_before float8, value_after float8,
                   sure bigint, most float8)
    LANGUAGE plpython3u VOLATILE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].elsewhere.audit_table(source, dataset, columns, requirements, estimator, period)
$$;
COMMENT ON FUNCTION bkpriv.audit_table(regclass, text, jsonb, jsonb, text, text) IS
    'Measures a table that was made elsewhere of a dataset against requirements; records nothing.
Rows with equal labels are a group, or with equal group_id where the table has it. The figures are
those of audit(), worst_labels the labels of the worst group. A last row, suppressed, counts the
records of the dataset that the table lacks. Requirements of beliefs need to know whose rows are
whose: by a key that both have, or by labels under which nobody else can be; a notice says how.
The caller must be able to read both; to read a view is to run its owner''s code';
GRANT EXECUTE ON FUNCTION bkpriv.audit_table(regclass, text, jsonb, jsonb, text, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.utility_table(
    source regclass, dataset text, columns jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (metric text, value float8)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].elsewhere.utility_table(source, dataset, columns, period)
$$;
COMMENT ON FUNCTION bkpriv.utility_table(regclass, text, jsonb, text) IS
    'Utility of a table that was made elsewhere of a dataset; the metrics of utility().
Those of k-anonymity alone are left out, for they need a method. Labels are read as ranges, sets,
labels of hierarchies and * for any; a range counts by the values of the dataset that it holds.
Where labels of a column cannot be read, the extents of the values of groups'' people stand in, if a
key tells who they are, and a notice says so. rgcp is NULL where it is not known who is left out';
GRANT EXECUTE ON FUNCTION bkpriv.utility_table(regclass, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.attack_table(
    source regclass, dataset text, columns jsonb DEFAULT '{}', attacker text DEFAULT 'learner',
    options jsonb DEFAULT '{}', period text DEFAULT NULL
)
    RETURNS TABLE (metric text, value float8, sensitive text)
    LANGUAGE plpython3u VOLATILE ROWS 20
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].elsewhere.attack_table(source, dataset, columns, attacker, options, period)
$$;
COMMENT ON FUNCTION bkpriv.attack_table(regclass, text, jsonb, text, jsonb, text) IS
    'Plays an attacker on a table that was made elsewhere of a dataset; the figures of attack().
It must be known whose rows are whose, as for beliefs in audit_table(). Attackers are majority,
learner, informed, and without_groups, who needs labels that can be read. Nothing is recorded';
GRANT EXECUTE ON FUNCTION bkpriv.attack_table(regclass, text, jsonb, text, jsonb, text) TO bkpriv_publisher, bkpriv_auditor;

-- Calculators: the mathematics on plain arrays, for checking by hand. They read no table.

CREATE OR REPLACE FUNCTION bkpriv.exact_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.exact_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.exact_posterior(float8[], int[]) IS
    'Exact posterior of a group: prior is records x values, counts how often each value occurs';
GRANT EXECUTE ON FUNCTION bkpriv.exact_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.bethe_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.bethe_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) IS
    'Bethe estimate of a group''s posterior; no bound.
An error where belief propagation does not converge';
GRANT EXECUTE ON FUNCTION bkpriv.bethe_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.omega_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.omega_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.omega_posterior(float8[], int[]) IS
    'Omega-estimate of a group''s posterior; it may understate what an adversary learns';
GRANT EXECUTE ON FUNCTION bkpriv.omega_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.additive_posterior(prior float8[], counts int[]) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.additive_posterior(prior, counts)
$$;
COMMENT ON FUNCTION bkpriv.additive_posterior(float8[], int[]) IS
    'Additive estimate of a group''s posterior: assignments weigh by the sum of beliefs.
It understates what an adversary learns in all but the smallest groups';
GRANT EXECUTE ON FUNCTION bkpriv.additive_posterior(float8[], int[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.js_divergence(p float8[], q float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.js_divergence(p, q)
$$;
COMMENT ON FUNCTION bkpriv.js_divergence(float8[], float8[]) IS
    'Jensen-Shannon divergence of two distributions, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.js_divergence(float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.emd(p float8[], q float8[], ground float8[]) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.emd(p, q, ground)
$$;
COMMENT ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) IS
    'Earth mover''s distance of two distributions under a matrix of ground distances.
They have at most 500 values';
GRANT EXECUTE ON FUNCTION bkpriv.emd(float8[], float8[], float8[]) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.smoothed_distance(p float8[], q float8[], ground float8[], bandwidth float8) RETURNS float8
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.smoothed_distance(p, q, ground, bandwidth)
$$;
COMMENT ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8) IS
    'Jensen-Shannon divergence after both distributions are smoothed over the ground distances, in bits';
GRANT EXECUTE ON FUNCTION bkpriv.smoothed_distance(float8[], float8[], float8[], float8)
    TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.worst_case(histograms int[], k int, language text DEFAULT 'implications') RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.worst_case(histograms, k, language)
$$;
COMMENT ON FUNCTION bkpriv.worst_case(int[], int, text) IS
    'Largest probability of anybody''s having any value, given whatever 0, 1, ..., k implications.
Or negations; about buckets, one row of counts for each; exact up to rounding';
GRANT EXECUTE ON FUNCTION bkpriv.worst_case(int[], int, text) TO bkpriv_publisher, bkpriv_auditor;

CREATE OR REPLACE FUNCTION bkpriv.randomization_risk(joint float8[], retention float8[], scheme text) RETURNS float8[]
    LANGUAGE plpython3u IMMUTABLE STRICT
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].calculator.randomization_risk(joint, retention, scheme)
$$;
COMMENT ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) IS
    'Probability with which each sensitive value is guessed from a randomized release; exact.
joint: the distribution over cells (one quasi-identifier''s values) x sensitive values. retention:
the probabilities of keeping the one and the other; scheme rr-s, rr-qi or rr-both. The result has a
figure for a person of each cell and value';
GRANT EXECUTE ON FUNCTION bkpriv.randomization_risk(float8[], float8[], text) TO bkpriv_publisher, bkpriv_auditor;

-- Reports: a release as one page, for who answers for it, or for anybody.

CREATE OR REPLACE FUNCTION bkpriv.report_html(release bigint, audience text DEFAULT 'officer') RETURNS text
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].report.report_html(release, audience)
$$;
COMMENT ON FUNCTION bkpriv.report_html(bigint, text) IS
    'A release as one HTML page that loads and runs nothing.
It says what was published, who is protected against whom, worst cases, what is exact and what
estimated, what the latest attacks found, what was left out, utility, history, limits. outsiders:
without values of records, small counts, names of people, sources, views and policies, and reasons';
GRANT EXECUTE ON FUNCTION bkpriv.report_html(bigint, text) TO bkpriv_publisher, bkpriv_auditor;

-- Export: the views of a release, opened for a client that reads them in the same transaction.

CREATE OR REPLACE FUNCTION bkpriv_internal.open_views(release bigint) RETURNS TABLE (view_schema text, view_name text)
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].export.open_views(release)
$$;
COMMENT ON FUNCTION bkpriv_internal.open_views(bigint) IS
    'The views of a release under the names that it was published by, locked.
Refused unless all still show it and nothing else, and nobody but the caller and superusers can have
put code into them';
GRANT EXECUTE ON FUNCTION bkpriv_internal.open_views(bigint) TO bkpriv_publisher, bkpriv_auditor;

-- Doctor: whether the installation is sound.

CREATE OR REPLACE FUNCTION bkpriv.doctor() RETURNS TABLE (check_name text, ok boolean, detail text)
    LANGUAGE plpython3u STABLE ROWS 10
    SET search_path = pg_catalog, pg_temp
    AS $$
spare = parallel = None
try:
    spare = None if "bkpriv" in GD else bytearray(2**21)  # Given back before an error is worded, which takes memory, too.
    import ctypes
    parallel = ctypes.pythonapi.IsInParallelMode() & 255
    if not parallel and "bkpriv" not in GD:
        import sys
        place = ctypes.c_void_p.in_dll(ctypes.pythonapi, "PG_exception_stack")  # See bkpriv_pl.server.memory.lifted.
        before, place.value = place.value, None
        try:
            path = plpy.execute("SELECT bkpriv_internal.python_path() AS path")[0]["path"]
        finally:
            place.value = before
        sys.path.insert(0, path)
        import bkpriv_pl.server.session
        GD["bkpriv"] = bkpriv_pl.server.session.Topics(sys.path[0])
    spare = None
except (plpy.SPIError, MemoryError, ImportError, OSError, SystemError) as failed:
    spare = None
    # What words errors is not loaded. PL/Python begins them with a class's name; 8389 is 53200, the other 58P01.
    state, detail, hint = (
        8389, f"{failed!r}: the start of a session wants some 256 MB to be free.",
        "Ask for less in this session before; or give the server's processes more.")
    if isinstance(failed, ModuleNotFoundError):
        state, detail, hint = 16908805, f"{failed!r}.", "Install bkpriv for this server: make install."
    said = getattr(failed, "spidata", None)
    if said is None or said[0] == 8389:  # The server's own words of lacking memory have no hint.
        said = (state, detail, hint, None, 0, *[None] * 5)
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": said})(
        failed if isinstance(failed, plpy.SPIError) else "the packages were not loaded") from None
if parallel:
    # PostgreSQL refuses each statement there by a jump over Python's frames, which ends the server sooner or later.
    raise type("bkpriv", (plpy.SPIError,), {"__module__": "builtins", "spidata": (
        322, "PostgreSQL allows none of the statements that it needs there.",
        "Declare the function that calls it PARALLEL UNSAFE.", None, 0, *[None] * 5)})(
        "functions of bkpriv cannot be called in a parallel operation")
return GD["bkpriv"].doctor.doctor()
$$;
COMMENT ON FUNCTION bkpriv.doctor() IS
    'Checks versions, paths, permissions and guards of the installation';
GRANT EXECUTE ON FUNCTION bkpriv.doctor() TO bkpriv_publisher, bkpriv_auditor;

-- Privilege: giving roles the jobs of publishers, auditors and watchers, and taking them back.
--
-- Group roles hold the privileges of each job, so that an upgrade grants what it adds to all who have
-- the job. Roles belong to the whole cluster, jobs to one database: a job is the membership together
-- with USAGE on the schema, and an auditor's with the right to execute bkpriv_internal.auditor(), which
-- are granted to the role itself, here, and show in a dump of this database. USAGE on bkpriv_internal is
-- the groups': its functions act on the tables of bkpriv, which who has no USAGE there cannot name.

CREATE OR REPLACE FUNCTION bkpriv_internal.grant_job(job text, role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'there is no role to grant a job to'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is NULL, or no role has that identifier.',
                  HINT = 'Name a role, such as ''nora''.';
    ELSIF NOT (SELECT rolinherit FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'role % does not inherit privileges, so no job can be granted to it', role
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The privileges of a job are those of a group role.',
                  HINT = format('ALTER ROLE %s INHERIT.', role);
    END IF;
    EXECUTE format('GRANT %I TO %s', 'bkpriv_' || job, role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv_internal.grant_job(text, regrole) IS 'Makes a role a member of a job''s group, in this database';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_auditor(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('auditor', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv_internal.auditor() TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_auditor(regrole) IS
    'Lets a role measure every release and read the whole history, and change nothing';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_publisher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('publisher', role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv_release TO %s', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_publisher(regrole) IS
    'Lets a role register and publish the tables it may read, and measure its own releases';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.grant_watcher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv_internal.grant_job('watcher', role);
END $$;
COMMENT ON FUNCTION bkpriv.grant_watcher(regrole) IS
    'Lets a role have its own tables watched (watch, unwatch), and nothing else; publishers may, too';
-- Granted to nobody: for superusers.

CREATE OR REPLACE FUNCTION bkpriv.revoke_jobs(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF role IS NULL OR NOT EXISTS (SELECT FROM pg_roles WHERE oid = role) THEN
        RAISE EXCEPTION 'there is no role to take jobs from'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is NULL, or no role has that identifier.',
                  HINT = 'Name a role, such as ''nora''.';
    END IF;
    -- What he gave on, if he was allowed to, goes with it.
    EXECUTE format('REVOKE ALL ON SCHEMA bkpriv, bkpriv_release FROM %s CASCADE', role);
    EXECUTE format('REVOKE ALL ON FUNCTION bkpriv_internal.auditor() FROM %s CASCADE', role);
END $$;
COMMENT ON FUNCTION bkpriv.revoke_jobs(regrole) IS
    'Takes all jobs in this database back from a role.
It stays a member of the group roles of the cluster';
-- Granted to nobody: for superusers.

-- Every table and schema: who may see them, what holds for all tables, and what is dumped. What is made
-- in ties/ is taken off here first, so that an upgrade leaves it as an installation makes it.

COMMENT ON SCHEMA bkpriv IS 'Publishing tables safely against adversaries with background knowledge';
COMMENT ON SCHEMA bkpriv_internal IS 'What the functions and tables of bkpriv call; not for people';
COMMENT ON SCHEMA bkpriv_release IS 'Frozen release tables of bkpriv, read through the published views';
GRANT USAGE ON SCHEMA bkpriv_internal TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;

DO $$
DECLARE
    kept regclass;
    tie text;
BEGIN
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'S') ORDER BY relname LOOP
        PERFORM pg_extension_config_dump(kept, '');
        EXECUTE format('REVOKE ALL ON %s FROM bkpriv_publisher, bkpriv_auditor, bkpriv_watcher', kept);
    END LOOP;
    FOR kept IN SELECT oid FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
        -- EXPLAIN estimates by values of all rows, whoever may see them; and those of rows that are gone would stay.
        EXECUTE (SELECT format('ALTER TABLE %s ', kept) || string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ')
                 FROM pg_attribute WHERE attrelid = kept AND attnum > 0 AND NOT attisdropped);
        FOR tie IN SELECT format('POLICY %I', polname) FROM pg_policy WHERE polrelid = kept
                UNION ALL SELECT format('TRIGGER %I', tgname) FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
                WHERE tgrelid = kept AND p.pronamespace = 'bkpriv_internal'::regnamespace LOOP
            EXECUTE format('DROP %s ON %s', tie, kept);
        END LOOP;
    END LOOP;
END $$;

-- Dataset: its owner's, and for auditors to see.

COMMENT ON TABLE bkpriv.dataset IS 'Tables that may be published from, by schema and name';
COMMENT ON COLUMN bkpriv.dataset.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.dataset.owner IS 'Role that registered it; only its members publish, measure and withdraw';
COMMENT ON COLUMN bkpriv.dataset.source_schema IS 'Schema of the table that is published';
COMMENT ON COLUMN bkpriv.dataset.source_name IS 'Name of the table that is published';
COMMENT ON COLUMN bkpriv.dataset.quasi_identifiers IS 'Columns that adversaries are supposed to know of everybody';
COMMENT ON COLUMN bkpriv.dataset.sensitive IS 'Sensitive columns';
COMMENT ON COLUMN bkpriv.dataset.respondent IS 'Column that names the person of a record; NULL: each record is a person';
COMMENT ON COLUMN bkpriv.dataset.period IS 'Column that says of which period a record is; NULL: none';
COMMENT ON COLUMN bkpriv.dataset.registered_at IS 'When it was registered last';
COMMENT ON COLUMN bkpriv.dataset.bins IS 'By column, the unit or width of its intervals, or {"method": "label"} for numbers that are codes';
COMMENT ON COLUMN bkpriv.dataset.attributes IS 'Columns that pass through unchanged';
COMMENT ON COLUMN bkpriv.dataset.source_owners IS 'Owner of the source and that of its schema, when it was registered last; empty after reassign';
GRANT SELECT ON bkpriv.dataset TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.dataset FOR SELECT 
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));
-- Whoever publishes or withdraws writes the row anew, so a deletion waits for that, and fails to
-- serialize where its snapshot does not show what has been done.
CREATE TRIGGER guard BEFORE DELETE ON bkpriv.dataset
    FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_dataset();

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

-- Policy: seen by all publishers, changed by its owner.

COMMENT ON TABLE bkpriv.policy IS
    'Named privacy requirements; bkpriv.policies shows them';
COMMENT ON COLUMN bkpriv.policy.name IS 'Name that functions take';
COMMENT ON COLUMN bkpriv.policy.owner IS 'Role that stated it';
COMMENT ON COLUMN bkpriv.policy.requirements IS 'Requirements as they were stated';
COMMENT ON COLUMN bkpriv.policy.set_at IS 'When it was stated last';
GRANT SELECT ON bkpriv.policy TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.policy FOR SELECT USING (has_schema_privilege('bkpriv', 'USAGE'));

-- Staleness: nobody reads tokens but the functions, and alterations are noticed.

COMMENT ON TABLE bkpriv.watched IS
    'Tokens of watches, each of one table.
Writers and publications that cannot see each other meet at their rows';
COMMENT ON COLUMN bkpriv.watched.token IS 'Token that the triggers of one table bear';
COMMENT ON COLUMN bkpriv.watched.at IS 'When a release was last made under it, or the watch began';
COMMENT ON COLUMN bkpriv.watched.named IS 'Table that bears it; NULL once the watch has ended';
-- Which table bears which token is no secret, for triggers are none. Functions with the rights of the
-- extension's owner write it.
GRANT SELECT (token, named) ON bkpriv.watched TO bkpriv_publisher, bkpriv_auditor, bkpriv_watcher;
CREATE POLICY see ON bkpriv.watched FOR SELECT USING (true);

-- Columns of tables are renamed by other commands, too, and dropped with their types. A trigger may be replaced or renamed.
CREATE EVENT TRIGGER bkpriv_altered ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER INDEX',
                 'ALTER SEQUENCE', 'ALTER TYPE', 'ALTER SCHEMA', 'CREATE TRIGGER', 'ALTER TRIGGER')
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_dropped ON sql_drop
    EXECUTE FUNCTION bkpriv_internal.note_alteration();
CREATE EVENT TRIGGER bkpriv_rewritten ON table_rewrite
    EXECUTE FUNCTION bkpriv_internal.note_alteration();

-- History: its owner's and auditors' to see, and append-only for everybody.

ALTER TABLE bkpriv.release ALTER release SET DEFAULT bkpriv_internal.next_release();

DO $$
DECLARE
    history text;
    refused text;
BEGIN
    FOREACH history IN ARRAY ARRAY['release', 'release_base', 'release_attribute', 'release_content', 'release_draw', 'release_respondent',
                                  'release_belief', 'release_notice', 'release_event', 'audit_record',
                                  'attack_record'] LOOP
        refused := CASE
            WHEN history = 'release' THEN (
                SELECT 'DELETE OR TRUNCATE OR UPDATE OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                FROM pg_attribute
                WHERE attrelid = 'bkpriv.release'::regclass AND attnum > 0 AND attname <> ALL (ARRAY['owner', 'watch']) AND NOT attisdropped)
            WHEN history IN ('release_base', 'release_event', 'audit_record', 'attack_record') THEN 'DELETE OR TRUNCATE OR UPDATE'
            ELSE 'TRUNCATE OR UPDATE' END;
        EXECUTE format('CREATE TRIGGER guard BEFORE %s ON bkpriv.%I
                        FOR EACH STATEMENT EXECUTE FUNCTION bkpriv_internal.guard()', refused, history);
    END LOOP;
    FOREACH history IN ARRAY ARRAY['release_attribute', 'release_content', 'release_draw', 'release_respondent', 'release_belief',
                                  'release_notice'] LOOP
        EXECUTE format('CREATE TRIGGER guard_row BEFORE DELETE ON bkpriv.%I
                        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row(''purged'')', history);
    END LOOP;
    CREATE TRIGGER guard_row BEFORE UPDATE OF owner ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('reassigned');
    CREATE TRIGGER guard_watch BEFORE UPDATE OF watch ON bkpriv.release
        FOR EACH ROW EXECUTE FUNCTION bkpriv_internal.guard_row('stale');
END $$;

COMMENT ON TABLE bkpriv.release IS 'What was published, and how; append-only';
COMMENT ON COLUMN bkpriv.release.release IS 'Id, as publish() returns it';
COMMENT ON COLUMN bkpriv.release.dataset IS 'Dataset that was published';
COMMENT ON COLUMN bkpriv.release.owner IS 'Role that the dataset belongs to';
COMMENT ON COLUMN bkpriv.release.version IS 'Number of the release among those of its dataset, from 1';
COMMENT ON COLUMN bkpriv.release.source_schema IS 'Schema of the table that was published';
COMMENT ON COLUMN bkpriv.release.source_name IS 'Name of the table that was published';
COMMENT ON COLUMN bkpriv.release.view_schema IS 'Schema of the view';
COMMENT ON COLUMN bkpriv.release.view_name IS 'Name of the view';
COMMENT ON COLUMN bkpriv.release.method IS 'Method that made it';
COMMENT ON COLUMN bkpriv.release.policy IS 'Name of the policy';
COMMENT ON COLUMN bkpriv.release.requirements IS 'Requirements of the policy at that time, as they were stated';
COMMENT ON COLUMN bkpriv.release.options IS 'Options of the publication';
COMMENT ON COLUMN bkpriv.release.period IS 'Period whose records were published; NULL: all records';
COMMENT ON COLUMN bkpriv.release.records IS 'Records of the source, or of the period';
COMMENT ON COLUMN bkpriv.release.suppressed IS 'Records that were left out';
COMMENT ON COLUMN bkpriv.release.groups IS 'Groups that are shown; 0 of a randomized release';
COMMENT ON COLUMN bkpriv.release.created_at IS 'When it was published';
COMMENT ON COLUMN bkpriv.release.created_by IS 'Role that published it';
COMMENT ON COLUMN bkpriv.release.watch IS 'Tokens of the triggers that watched the source; NULL: it was not watched, or is stale';
COMMENT ON COLUMN bkpriv.release.period_type IS 'Built-in type that periods are compared as, text for others; NULL: texts do not tell them apart';
COMMENT ON COLUMN bkpriv.release.period_column IS 'Column of periods';
COMMENT ON COLUMN bkpriv.release.period_bin IS 'Unit or width by which the column of periods is binned';
COMMENT ON COLUMN bkpriv.release.counterfeited IS 'Records that are shown with another sensitive value than they have';
COMMENT ON COLUMN bkpriv.release.grown_from IS 'Release whose groups it keeps';
COMMENT ON COLUMN bkpriv.release.respondent_column IS 'Column that names respondents';
COMMENT ON COLUMN bkpriv.release.attributes IS 'Columns that pass through unchanged';
COMMENT ON COLUMN bkpriv.release.unique_rows IS 'Rows unique within their group by each attribute, and by all together; NULL: no attributes';
GRANT SELECT ON bkpriv.release TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release FOR SELECT
    USING ((SELECT bkpriv_internal.sees_all()) OR owner IN (SELECT bkpriv_internal.owned()));

COMMENT ON TABLE bkpriv.release_base IS
    'What releases were made from, as bkpriv_internal.bases() found it; append-only';
COMMENT ON COLUMN bkpriv.release_base.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_base.base IS 'Relation that the source read, with its schema; the source is one';
GRANT SELECT ON bkpriv.release_base TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_base FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_attribute IS
    'Domains, hierarchies and types of the source as they were at the release; append-only';
COMMENT ON COLUMN bkpriv.release_attribute.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_attribute.place IS 'Order of the attributes, from 0; the sensitive ones come last';
COMMENT ON COLUMN bkpriv.release_attribute.attribute IS 'Name of the column';
COMMENT ON COLUMN bkpriv.release_attribute.labels IS 'Values of the column, in their order';
COMMENT ON COLUMN bkpriv.release_attribute.positions IS 'Numbers of the values; NULL: they are labels';
COMMENT ON COLUMN bkpriv.release_attribute.levels IS 'Hierarchy: labels row by row, each row from leaf to root';
COMMENT ON COLUMN bkpriv.release_attribute.type IS 'Type of the column in the source';
COMMENT ON COLUMN bkpriv.release_attribute.widths IS 'Widths of nested intervals, in the unit of positions';
COMMENT ON COLUMN bkpriv.release_attribute.origin IS 'Number that the intervals are counted from';
COMMENT ON COLUMN bkpriv.release_attribute.level IS 'Level to which the whole column was generalized; NULL: there is none';
COMMENT ON COLUMN bkpriv.release_attribute.ends IS 'Where the interval of each value ends; NULL: the column is not binned';
COMMENT ON COLUMN bkpriv.release_attribute.retention IS 'Probability with which a randomized release kept its values';
GRANT SELECT ON bkpriv.release_attribute TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_attribute FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_content IS
    'Cells of the source at the release, their groups and sensitive values; append-only';
COMMENT ON COLUMN bkpriv.release_content.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_content.codes IS 'Quasi-identifiers of each cell, cell by cell, as places in labels';
COMMENT ON COLUMN bkpriv.release_content.group_ids IS 'Group of each cell, -1: none; a cell in several groups recurs';
COMMENT ON COLUMN bkpriv.release_content.cells IS 'Cells of the counts that follow, by place';
COMMENT ON COLUMN bkpriv.release_content.sensitive_codes IS 'Sensitive values of these counts, by place, or combinations of values';
COMMENT ON COLUMN bkpriv.release_content.counts IS 'Records with this cell and value';
COMMENT ON COLUMN bkpriv.release_content.false_cells IS 'Cells with counterfeits, by place; NULL: there are none';
COMMENT ON COLUMN bkpriv.release_content.false_codes IS 'Values of these counterfeits, by place';
COMMENT ON COLUMN bkpriv.release_content.false_counts IS 'How many more records of the cell are shown with the value than have it';
COMMENT ON COLUMN bkpriv.release_content.combinations IS 'Codes of the sensitive columns, row by row, of each combination; NULL: one column';
COMMENT ON COLUMN bkpriv.release_content.combination_offsets IS 'Where the rows of each combination begin and end; NULL: each has one';
COMMENT ON COLUMN bkpriv.release_content.made_from IS 'Digests of what it was made from, to tell whether it stands';
GRANT SELECT ON bkpriv.release_content TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_content FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_draw IS
    'Distinct records that a randomized release drew and published; append-only';
COMMENT ON COLUMN bkpriv.release_draw.release IS 'Randomized release';
COMMENT ON COLUMN bkpriv.release_draw.codes IS 'Codes of all attributes of each distinct record that was drawn, record by record';
COMMENT ON COLUMN bkpriv.release_draw.counts IS 'How often each was drawn';
GRANT SELECT ON bkpriv.release_draw TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_draw FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_respondent IS
    'Who was published in which group, where the dataset names respondents; append-only';
COMMENT ON COLUMN bkpriv.release_respondent.release IS 'Release';
COMMENT ON COLUMN bkpriv.release_respondent.respondents IS 'Names of the respondents, in order';
COMMENT ON COLUMN bkpriv.release_respondent.group_ids IS 'Group that each was published in; -1: none';
COMMENT ON COLUMN bkpriv.release_respondent.parts IS 'Part of a cell that each is in, as the place of its group in release_content';
COMMENT ON COLUMN bkpriv.release_respondent.sensitive_codes IS 'Sensitive value of each, by place';
COMMENT ON COLUMN bkpriv.release_respondent.shown_codes IS 'Value that each is shown with; NULL: the true ones';
GRANT SELECT ON bkpriv.release_respondent TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_respondent FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_notice IS
    'Notices and warnings that publications told whoever published; erased by purge; append-only';
COMMENT ON COLUMN bkpriv.release_notice.release IS 'Release whose publication told it';
COMMENT ON COLUMN bkpriv.release_notice.at IS 'When it was told';
COMMENT ON COLUMN bkpriv.release_notice.severity IS 'NOTICE, or WARNING for what is hardly as it was meant to be';
COMMENT ON COLUMN bkpriv.release_notice.message IS 'What was told';
COMMENT ON COLUMN bkpriv.release_notice.detail IS 'More about it';
COMMENT ON COLUMN bkpriv.release_notice.hint IS 'What could be done';
COMMENT ON COLUMN bkpriv.release_notice.place IS 'Order in which it was told, from 1; the last says what was given away';
GRANT SELECT ON bkpriv.release_notice TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_notice FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.release_event IS 'What became of releases; append-only';
COMMENT ON COLUMN bkpriv.release_event.event IS 'Id; with the time it tells events apart';
COMMENT ON COLUMN bkpriv.release_event.release IS 'Release that it happened to';
COMMENT ON COLUMN bkpriv.release_event.kind IS 'stale, superseded, withdrawn, reassigned or purged';
COMMENT ON COLUMN bkpriv.release_event.reason IS 'Why, in words';
COMMENT ON COLUMN bkpriv.release_event.at IS 'When it was recorded';
COMMENT ON COLUMN bkpriv.release_event.by IS 'Role that did it';
COMMENT ON COLUMN bkpriv.release_event.readers IS 'Of a withdrawn release, roles (quoted) and PUBLIC that could read its views; last NULL: maybe others';
GRANT SELECT ON bkpriv.release_event TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_event FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.audit_record IS 'What audits found, one row per bound; append-only';
COMMENT ON COLUMN bkpriv.audit_record.audit IS 'Id of the call of audit(), or of the certification';
COMMENT ON COLUMN bkpriv.audit_record.place IS 'Order of the bounds, from 0';
COMMENT ON COLUMN bkpriv.audit_record.release IS 'Release that was measured';
COMMENT ON COLUMN bkpriv.audit_record.requirement IS 'Requirement that the bound is of';
COMMENT ON COLUMN bkpriv.audit_record.parameters IS 'Parameters of the requirement as they were stated';
COMMENT ON COLUMN bkpriv.audit_record.threshold IS 'Bound';
COMMENT ON COLUMN bkpriv.audit_record.worst IS 'Figure of the worst group or person, in the unit of the threshold';
COMMENT ON COLUMN bkpriv.audit_record.mean IS 'Mean of the figure over all records';
COMMENT ON COLUMN bkpriv.audit_record.vulnerable IS 'Records over the threshold; NULL: the requirement is not about records';
COMMENT ON COLUMN bkpriv.audit_record.satisfied IS 'Whether the bound holds';
COMMENT ON COLUMN bkpriv.audit_record.estimator IS 'Estimator of beliefs that was used';
COMMENT ON COLUMN bkpriv.audit_record.audited_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.audit_record.audited_by IS 'Role that measured it';
GRANT SELECT ON bkpriv.audit_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.audit_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

COMMENT ON TABLE bkpriv.attack_record IS 'What attacks found, one row per figure; append-only';
COMMENT ON COLUMN bkpriv.attack_record.attack IS 'Id of the call of attack()';
COMMENT ON COLUMN bkpriv.attack_record.place IS 'Order of the figures, from 0';
COMMENT ON COLUMN bkpriv.attack_record.release IS 'Release that was attacked';
COMMENT ON COLUMN bkpriv.attack_record.attacker IS 'Attacker that was played';
COMMENT ON COLUMN bkpriv.attack_record.options IS 'Options of the attacker, with those that were left out as they are meant';
COMMENT ON COLUMN bkpriv.attack_record.metric IS 'Name of the figure, as attack() has it';
COMMENT ON COLUMN bkpriv.attack_record.value IS 'Figure';
COMMENT ON COLUMN bkpriv.attack_record.sensitive IS 'Column that it is about; NULL: none, or all as one';
COMMENT ON COLUMN bkpriv.attack_record.attacked_at IS 'When it was measured';
COMMENT ON COLUMN bkpriv.attack_record.attacked_by IS 'Role that measured it';
GRANT SELECT ON bkpriv.attack_record TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.attack_record FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

-- Sequence: knowledge is the dataset owner's, and for auditors to see, like its hierarchies; beliefs are
-- part of the history (40_history.sql guards them).

COMMENT ON TABLE bkpriv.sequential_knowledge IS
    'What adversaries know of how sensitive values follow each other.
Values that never change, and what is learned from the releases themselves, have no contexts';
COMMENT ON COLUMN bkpriv.sequential_knowledge.dataset IS 'Dataset that it is about';
COMMENT ON COLUMN bkpriv.sequential_knowledge.name IS 'Name that policies take';
COMMENT ON COLUMN bkpriv.sequential_knowledge.kind IS 'domain, mined, incremental or constant';
COMMENT ON COLUMN bkpriv.sequential_knowledge.memory IS 'How many latest values count; NULL: all';
COMMENT ON COLUMN bkpriv.sequential_knowledge.labels IS 'Values; numbers in other columns are places in it, from 0';
COMMENT ON COLUMN bkpriv.sequential_knowledge.parents IS 'Contexts as a trie: the context without its oldest value, of each context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.oldest IS 'Oldest value of each context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.offsets IS 'Where the next values of each context begin and end';
COMMENT ON COLUMN bkpriv.sequential_knowledge.following IS 'Next values, context after context';
COMMENT ON COLUMN bkpriv.sequential_knowledge.probabilities IS 'Probability of each next value';
COMMENT ON COLUMN bkpriv.sequential_knowledge.support IS 'How often each was seen; NULL: it was not mined';
COMMENT ON COLUMN bkpriv.sequential_knowledge.set_at IS 'When it was stated last';
GRANT SELECT ON bkpriv.sequential_knowledge TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.sequential_knowledge FOR SELECT
    USING (dataset IN (SELECT name FROM bkpriv.dataset));

COMMENT ON TABLE bkpriv.release_belief IS
    'What adversaries who remember earlier releases believe after a release; append-only';
COMMENT ON COLUMN bkpriv.release_belief.release IS 'Release after which they are believed';
COMMENT ON COLUMN bkpriv.release_belief.digest IS 'Digest of all that the beliefs follow from';
COMMENT ON COLUMN bkpriv.release_belief.knowledge IS 'Sequential knowledge of the adversary';
COMMENT ON COLUMN bkpriv.release_belief.probabilities IS 'Of each respondent, group after group, the probability of each value of the group';
GRANT SELECT ON bkpriv.release_belief TO bkpriv_publisher, bkpriv_auditor;
CREATE POLICY see ON bkpriv.release_belief FOR SELECT
    USING (release IN (SELECT release FROM bkpriv.release));

-- Seal: what default privileges gave away while the script ran is taken back, and settings are pinned.
-- Only the group roles keep what the files granted them. What gates.sql speaks of is left alone.

DO $$
DECLARE
    held record;
    called regprocedure;
BEGIN
    -- What the files gave the groups could not be told from that.
    IF EXISTS (SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) AS a JOIN pg_roles r ON r.oid = a.grantee
               WHERE d.defaclrole = (SELECT oid FROM pg_roles WHERE rolname = current_user)
                   AND r.rolname IN ('bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher')) THEN
        RAISE EXCEPTION 'default privileges of % are granted to a group role of bkpriv', current_user
            USING ERRCODE = 'invalid_grant_operation', DETAIL = 'The groups would have more than their jobs need.',
                  HINT = 'Take them back with ALTER DEFAULT PRIVILEGES ... REVOKE; \ddp lists them.';
    END IF;
    FOR held IN
        SELECT DISTINCT o.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM (SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || oid::regclass AS name,
                     relacl AS acl, relowner AS owner
              FROM pg_class WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'v', 'S')
              UNION ALL SELECT 'TABLE ' || attrelid::regclass, attacl, relowner
              FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'bkpriv'::regnamespace
              UNION ALL SELECT 'FUNCTION ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner
              FROM pg_proc WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
                  AND oid <> 'bkpriv_internal.auditor()'::regprocedure
              UNION ALL SELECT 'SCHEMA ' || nspname, nspacl, nspowner FROM pg_namespace WHERE nspname = 'bkpriv_internal') AS o,
            LATERAL aclexplode(o.acl) AS a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE a.grantee <> o.owner
            AND coalesce(r.rolname <> ALL (ARRAY['bkpriv_publisher', 'bkpriv_auditor', 'bkpriv_watcher']), true)
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', held.name, held.grantee);
    END LOOP;
    -- Whatever changes how SQL is written, or values are, is pinned at every entry, and so is for which arguments
    -- queries are planned.
    FOR called IN
        SELECT p.oid FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
            AND l.lanname IN ('plpython3u', 'plpgsql')
    LOOP
        EXECUTE format('ALTER FUNCTION %1$s SET datestyle = ''ISO, YMD'';
                        ALTER FUNCTION %1$s SET intervalstyle = iso_8601;
                        ALTER FUNCTION %1$s SET timezone = ''UTC'';
                        ALTER FUNCTION %1$s SET extra_float_digits = 1;
                        ALTER FUNCTION %1$s SET bytea_output = hex;
                        ALTER FUNCTION %1$s SET lc_monetary = ''C'';
                        ALTER FUNCTION %1$s SET quote_all_identifiers = off;
                        ALTER FUNCTION %1$s SET standard_conforming_strings = on;
                        ALTER FUNCTION %1$s SET transform_null_equals = off;
                        ALTER FUNCTION %1$s SET array_nulls = on;
                        ALTER FUNCTION %1$s SET xmloption = content;
                        ALTER FUNCTION %1$s SET row_security = on;
                        ALTER FUNCTION %1$s SET gin_fuzzy_search_limit = 0;
                        ALTER FUNCTION %1$s SET default_tablespace = '''';
                        ALTER FUNCTION %1$s SET default_table_access_method = heap;
                        ALTER FUNCTION %1$s SET plan_cache_mode = auto', called);
    END LOOP;
    -- Nor does a server decide what a call costs: to compile a query of the catalogs takes seconds.
    FOR called IN
        SELECT oid FROM pg_proc WHERE pronamespace IN ('bkpriv'::regnamespace, 'bkpriv_internal'::regnamespace)
            AND proconfig IS NOT NULL
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET jit = off', called);
    END LOOP;
END $$;

-- Gates: what is granted to roles themselves, when they are given a job in this database: USAGE on two
-- schemas, and the right to execute auditor(). An installation begins with nobody having it, whatever
-- default privileges say. An upgrade never comes here: privileges that a script of an extension touches
-- count as the extension's, and pg_dump would leave those of all roles out.

DO $$
DECLARE
    held record;
    worker boolean := false;
BEGIN
    FOR held IN
        SELECT DISTINCT o.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM (SELECT 'SCHEMA ' || nspname AS name, coalesce(nspacl, acldefault('n', nspowner)) AS acl, nspowner AS owner
              FROM pg_namespace WHERE nspname IN ('bkpriv', 'bkpriv_release')
              UNION ALL SELECT 'FUNCTION ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner
              FROM pg_proc WHERE oid = 'bkpriv_internal.auditor()'::regprocedure) AS o,
            LATERAL aclexplode(o.acl) AS a
        WHERE a.grantee <> o.owner
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', held.name, held.grantee);
    END LOOP;
    -- Citus makes the extension on a worker for shards of releases, which come to be read there by whoever reads on
    -- the coordinator. What they may read, the tables say; nobody has a job on a worker.
    IF to_regclass('pg_catalog.pg_dist_local_group') IS NOT NULL THEN
        EXECUTE 'SELECT coalesce(max(groupid), 0) <> 0 FROM pg_catalog.pg_dist_local_group' INTO worker;
    END IF;
    IF worker THEN
        GRANT USAGE ON SCHEMA bkpriv_release TO PUBLIC;
    END IF;
END $$;
