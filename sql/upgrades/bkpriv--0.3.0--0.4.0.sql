-- From 0.3.0.
-- Alters: bkpriv.audit(bigint, jsonb, text); bkpriv.audit_readers(text, jsonb, jsonb, text); bkpriv.audit_record; bkpriv.audit_together(bigint[], jsonb, text); bkpriv.dataset; bkpriv.explain_disclosure(bigint, jsonb, text); bkpriv.explain_sequence(text, text, int, text, jsonb); bkpriv.explore(text, jsonb, text, jsonb, text); bkpriv.hierarchy; bkpriv.policy; bkpriv.release; bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb); bkpriv.sequential_audit(text, text, text, boolean, jsonb); bkpriv.sequential_knowledge; bkpriv_internal.bootstrap(); bkpriv_internal.sees(text)

DROP FUNCTION bkpriv_internal.bootstrap();

-- Policies and views ask what the current user may see once; what follows makes them anew.
DO $$
DECLARE
    shown regclass;
BEGIN
    FOREACH shown IN ARRAY ARRAY['bkpriv.releases', 'bkpriv.audits'] LOOP
        EXECUTE format('CREATE OR REPLACE VIEW %s AS %s', shown,
                       replace(pg_get_viewdef(shown), 'bkpriv_internal.sees(r.owner)', 'false'));
    END LOOP;
END $$;
DROP POLICY see ON bkpriv.dataset;
DROP POLICY see ON bkpriv.release;
DROP FUNCTION bkpriv_internal.sees(text);

ALTER TABLE bkpriv.dataset ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);
ALTER TABLE bkpriv.hierarchy ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);
ALTER TABLE bkpriv.sequential_knowledge ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);

-- Hierarchies may be rules, which make the paths of values that come later, too.
ALTER TABLE bkpriv.hierarchy ADD COLUMN rule jsonb;
ALTER TABLE bkpriv.hierarchy DROP CONSTRAINT hierarchy_check, ADD CHECK (num_nonnulls(levels, widths, rule) = 1);

-- Tokens are bound to the tables that bear them. Where several bear one, some are copies, and none counts.
ALTER TABLE bkpriv.watched ADD COLUMN named text;

DO $$
DECLARE
    carried text;
    tables regclass[];
BEGIN
    FOR carried, tables IN
        SELECT k.token, array_agg(k.relation::regclass)
        FROM (SELECT DISTINCT t.tgrelid AS relation, bkpriv_internal.watch_token(t.tgrelid) AS token
              FROM pg_trigger t WHERE t.tgname = 'bkpriv_watch') AS k
        WHERE k.token IS NOT NULL GROUP BY k.token
    LOOP
        IF cardinality(tables) = 1 THEN
            UPDATE bkpriv.watched SET named = format('%I.%I', n.nspname, c.relname)
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE token = carried AND c.oid = tables[1];
        ELSE
            RAISE WARNING 'tables % are not watched any more', array_to_string(tables, ', ')
                USING DETAIL = 'The trigger of one was copied to the others, and nothing tells which it was.',
                      HINT = 'Their owners call bkpriv.watch; releases made from them until then stay of unknown staleness.';
        END IF;
    END LOOP;
END $$;

-- What a source reads is recorded with each release from now on.
CREATE TABLE bkpriv.release_base (
    release bigint NOT NULL,
    base text NOT NULL CHECK (octet_length(base) <= 257),
    PRIMARY KEY (base, release)
);

CREATE INDEX ON bkpriv.release_base (release);

-- How many rows are unique within their group by what passes through; of older releases that is not known.
ALTER TABLE bkpriv.release ADD COLUMN unique_rows bigint[];
ALTER TABLE bkpriv.release ADD CHECK (cardinality(unique_rows) = cardinality(attributes) + 1
                                      AND array_position(unique_rows, NULL) IS NULL AND 0 <= ALL (unique_rows));

-- By what it was made from, it is known whether a release would be made anew; of older releases that is not known.
ALTER TABLE bkpriv.release_content ADD COLUMN made_from jsonb CHECK (octet_length(made_from::text) <= 1000);

-- What publications tell is kept from now on.
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

-- What nothing bounds is counted, and has no verdict.
ALTER TABLE bkpriv.audit_record ALTER COLUMN threshold DROP NOT NULL, ALTER COLUMN satisfied DROP NOT NULL,
    DROP CONSTRAINT audit_record_check1,
    ADD CONSTRAINT audit_record_bounded CHECK ((satisfied IS NULL) = (threshold IS NULL)),
    ADD CONSTRAINT audit_record_check1 CHECK (vulnerable IS NOT NULL OR requirement = 'query_error' OR satisfied IS NULL);

-- Beliefs are compared as they are where a requirement does not state a smoothing. Until now 0.75 was meant.
ALTER TABLE bkpriv.policy ADD COLUMN smoothing float8 DEFAULT 0.75 CHECK (smoothing = 0.75);
ALTER TABLE bkpriv.release ADD COLUMN smoothing float8 DEFAULT 0.75 CHECK (smoothing = 0.75);
ALTER TABLE bkpriv.audit_record ADD COLUMN smoothing float8 DEFAULT 0.75 CHECK (smoothing = 0.75);

-- A name is trusted as long as it leads to what belongs to the same roles. Of older names: the present ones.
ALTER TABLE bkpriv.dataset ADD COLUMN source_owners text[];
ALTER TABLE bkpriv.policy ADD COLUMN table_owners text[];

DO $$
DECLARE
    stated record;
    owners text[];
    relation oid;
BEGIN
    FOR stated IN
        SELECT d.name AS dataset, NULL AS policy, d.owner, format('%I.%I', d.source_schema, d.source_name) AS named
        FROM bkpriv.dataset d
        UNION ALL
        SELECT NULL, p.name, p.owner, t #>> '{}'
        FROM bkpriv.policy p, jsonb_path_query(p.requirements, 'strict $.**.table') t WHERE jsonb_typeof(t) = 'string'
    LOOP
        BEGIN
            relation := to_regclass(stated.named);
        EXCEPTION WHEN OTHERS THEN
            relation := NULL;
        END;
        WITH RECURSIVE reach(class, id) AS (
            SELECT 'pg_class'::regclass::oid, relation
            UNION
            SELECT d.refclassid, d.refobjid FROM reach AS r
            JOIN pg_class v ON r.class = 'pg_class'::regclass AND v.oid = r.id AND v.relkind = 'v'
            JOIN pg_rewrite w ON w.ev_class = v.oid JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
            WHERE d.refclassid IN ('pg_class'::regclass, 'pg_proc'::regclass)
        ), owner(id) AS (
            SELECT c.relowner FROM reach AS r JOIN pg_class c ON c.oid = r.id AND r.class = 'pg_class'::regclass
            UNION SELECT f.proowner FROM reach AS r JOIN pg_proc f ON f.oid = r.id AND r.class = 'pg_proc'::regclass
            UNION SELECT CASE n.nspowner WHEN 'pg_database_owner'::regrole THEN d.datdba ELSE n.nspowner END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_database d ON d.datname = current_database()
            WHERE c.oid = relation
        )
        SELECT coalesce(array_agg(DISTINCT r.rolname::text), '{}') INTO owners FROM owner AS o JOIN pg_roles r ON r.oid = o.id
        WHERE NOT r.rolsuper AND r.rolname <> stated.owner;
        UPDATE bkpriv.dataset SET source_owners = owners WHERE name = stated.dataset;
        UPDATE bkpriv.policy SET table_owners = coalesce(table_owners, '{}') || owners WHERE name = stated.policy;
    END LOOP;
END $$;

-- What publishers may append is bounded, and its arrays are as functions write them: others read it, too.
ALTER TABLE bkpriv.dataset
    ADD CONSTRAINT dataset_texts CHECK (octet_length(name) <= 9000 AND greatest(octet_length(owner), octet_length(source_schema), octet_length(source_name),
           octet_length(respondent), octet_length(period)) <= 63 AND octet_length(bins::text) <= 1000000),
    ADD CONSTRAINT dataset_quasi_identifiers_names CHECK (num_nulls(VARIADIC quasi_identifiers) = 0 AND coalesce(array_ndims(quasi_identifiers), 1) = 1 AND cardinality(quasi_identifiers) <= 1600
           AND octet_length(array_to_string(quasi_identifiers, '')) <= 100800),
    ADD CONSTRAINT dataset_sensitive_names CHECK (num_nulls(VARIADIC sensitive) = 0 AND coalesce(array_ndims(sensitive), 1) = 1 AND cardinality(sensitive) <= 1600
           AND octet_length(array_to_string(sensitive, '')) <= 100800),
    ADD CONSTRAINT dataset_attributes_names CHECK (num_nulls(VARIADIC attributes) = 0 AND coalesce(array_ndims(attributes), 1) = 1 AND cardinality(attributes) <= 1600
           AND octet_length(array_to_string(attributes, '')) <= 100800),
    ADD CONSTRAINT dataset_source_owners_names CHECK (num_nulls(VARIADIC source_owners) = 0 AND coalesce(array_ndims(source_owners), 1) = 1 AND cardinality(source_owners) <= 10000
           AND octet_length(array_to_string(source_owners, '')) <= 630000);
ALTER TABLE bkpriv.hierarchy
    ADD CONSTRAINT hierarchy_texts CHECK (octet_length(dataset) <= 9000 AND octet_length(attribute) <= 63),
    ADD CONSTRAINT hierarchy_paths CHECK (num_nulls(VARIADIC levels) = 0 AND coalesce(array_ndims(levels), 2) = 2 AND cardinality(levels) <= 4000000
           AND octet_length(array_to_string(levels, '')) <= 100000000),
    ADD CONSTRAINT hierarchy_intervals CHECK (num_nulls(VARIADIC widths) = 0 AND coalesce(array_ndims(widths), 1) = 1 AND cardinality(widths) <= 2100
           AND octet_length(array_to_string(widths, '')) <= 1000000),
    ADD CONSTRAINT hierarchy_ruled CHECK (octet_length(rule::text) <= 100000000);
ALTER TABLE bkpriv.policy
    ADD CONSTRAINT policy_texts CHECK (octet_length(name) <= 9000 AND octet_length(owner) <= 63 AND octet_length(requirements::text) <= 1000000),
    ADD CONSTRAINT policy_table_owners_names CHECK (num_nulls(VARIADIC table_owners) = 0 AND coalesce(array_ndims(table_owners), 1) = 1 AND cardinality(table_owners) <= 10000
           AND octet_length(array_to_string(table_owners, '')) <= 630000);
ALTER TABLE bkpriv.sequential_knowledge
    ADD CONSTRAINT sequential_knowledge_values CHECK (num_nulls(VARIADIC labels) = 0 AND coalesce(array_ndims(labels), 1) = 1 AND cardinality(labels) <= 20000000
           AND octet_length(array_to_string(labels, '')) <= 100000000),
    ADD CONSTRAINT sequential_knowledge_shapes CHECK (coalesce(num_nulls(VARIADIC parents), 0) = 0 AND coalesce(num_nulls(VARIADIC oldest), 0) = 0 AND coalesce(num_nulls(VARIADIC offsets), 0) = 0
           AND coalesce(num_nulls(VARIADIC following), 0) = 0 AND coalesce(num_nulls(VARIADIC probabilities), 0) = 0 AND coalesce(num_nulls(VARIADIC support), 0) = 0
           AND greatest(array_ndims(parents), array_ndims(oldest), array_ndims(offsets), array_ndims(following), array_ndims(probabilities), array_ndims(support), 1) = 1
           AND greatest(cardinality(parents), cardinality(oldest), cardinality(offsets), cardinality(following), cardinality(probabilities), cardinality(support), 0) <= 80000000);
ALTER TABLE bkpriv.release
    ADD CONSTRAINT release_roles CHECK (octet_length(owner) <= 63 AND octet_length(created_by) <= 63 AND octet_length(array_to_string(watch, '')) <= 1000000);
ALTER TABLE bkpriv.release_attribute
    DROP CONSTRAINT release_attribute_place_check,
    ADD CONSTRAINT release_attribute_place_check CHECK (place BETWEEN 0 AND 1599),
    ADD CONSTRAINT release_attribute_type CHECK (octet_length(type) <= 1000);
ALTER TABLE bkpriv.release_event
    ADD CONSTRAINT release_event_texts CHECK (octet_length(reason) <= 100000 AND octet_length(by) <= 63);
ALTER TABLE bkpriv.audit_record
    ADD CONSTRAINT audit_record_texts CHECK (octet_length(requirement) <= 1000 AND octet_length(estimator) <= 1000 AND octet_length(audited_by) <= 63
           AND octet_length(parameters::text) <= 1000000);

-- What attacks find is kept from now on.
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
    attacked_by text NOT NULL DEFAULT current_user,
    PRIMARY KEY (attack, place),
    CONSTRAINT attack_record_role CHECK (octet_length(attacked_by) <= 63)
);

CREATE INDEX ON bkpriv.attack_record (release);

-- Audits count of whom a reader becomes sure, and explanations name them.
DROP FUNCTION bkpriv.explain_disclosure(bigint, jsonb, text);
DROP FUNCTION bkpriv.explore(text, jsonb, text, jsonb, text);
DROP FUNCTION bkpriv.audit(bigint, jsonb, text);
DROP FUNCTION bkpriv.audit_together(bigint[], jsonb, text);
DROP FUNCTION bkpriv.audit_readers(text, jsonb, jsonb, text);

DROP FUNCTION bkpriv.sequential_audit(text, text, text, boolean, jsonb);
DROP FUNCTION bkpriv.revised_belief(text, text, text, text, text, boolean, jsonb);
DROP FUNCTION bkpriv.explain_sequence(text, text, int, text, jsonb);
