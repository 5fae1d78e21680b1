-- Privilege: what the two jobs need. Nothing is granted to PUBLIC. A grant shows in a dump like any
-- other; take one back with REVOKE ALL ON ALL TABLES/FUNCTIONS/SEQUENCES IN SCHEMA bkpriv.

CREATE FUNCTION bkpriv._grant_reading(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv TO %s', role);
    EXECUTE format('GRANT SELECT ON bkpriv.dataset, bkpriv.hierarchy, bkpriv.policy, bkpriv.release, '
                   'bkpriv.release_attribute, bkpriv.release_content, bkpriv.release_respondent, bkpriv.release_event, '
                   'bkpriv.audit_record, bkpriv.releases, bkpriv.audits TO %s', role);
    EXECUTE format('GRANT INSERT ON bkpriv.audit_record TO %s', role);
    EXECUTE format('GRANT USAGE ON SEQUENCE bkpriv.audit_id TO %s', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv._bootstrap(), bkpriv._python_path(), bkpriv.version(), '
                   'bkpriv._owns(text), bkpriv._sees(text), bkpriv._tracked(text, text, text), '
                   'bkpriv._written_tables(text, text), bkpriv._stale_trigger(text), '
                   'bkpriv._release_table(bigint, text), '
                   'bkpriv._prior(text, jsonb), bkpriv.prior(text, jsonb), '
                   'bkpriv._posterior(bigint, jsonb, text), bkpriv.posterior(bigint, jsonb, text), '
                   'bkpriv._disclosure(bigint, jsonb, text), bkpriv.disclosure(bigint, jsonb, text), '
                   'bkpriv.explain_disclosure(bigint, jsonb, text), '
                   'bkpriv.lattice(text, text, jsonb), bkpriv.max_disclosure(bigint, int, text), '
                   'bkpriv._disclosure_given(bigint, jsonb), bkpriv.disclosure_given(bigint, jsonb), '
                   'bkpriv.audit(bigint, jsonb, text), bkpriv.utility(bigint), '
                   'bkpriv.query_accuracy(bigint, text), bkpriv.query_workload(bigint, int, int, float8, bigint), '
                   'bkpriv.rewrite_query(bigint, text), bkpriv.association(bigint), '
                   'bkpriv.exact_posterior(float8[], int[]), bkpriv.bethe_posterior(float8[], int[]), '
                   'bkpriv.omega_posterior(float8[], int[]), '
                   'bkpriv.js_divergence(float8[], float8[]), bkpriv.emd(float8[], float8[], float8[]), '
                   'bkpriv.smoothed_distance(float8[], float8[], float8[], float8), bkpriv.worst_case(int[], int, text), '
                   'bkpriv.doctor() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv._grant_reading(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv._grant_reading(regrole) IS 'Grants what publishers and auditors have in common';

CREATE FUNCTION bkpriv.grant_auditor(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv._grant_reading(role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv._auditor() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv.grant_auditor(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.grant_auditor(regrole) IS
    'Lets a role measure every release and read the whole history, and change nothing';

CREATE FUNCTION bkpriv.grant_publisher(role regrole) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    PERFORM bkpriv._grant_reading(role);
    EXECUTE format('GRANT USAGE ON SCHEMA bkpriv_release TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE (registered_at), DELETE ON bkpriv.dataset TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON bkpriv.hierarchy TO %s', role);
    EXECUTE format('GRANT INSERT, UPDATE ON bkpriv.policy TO %s', role);
    EXECUTE format('GRANT INSERT ON bkpriv.release, bkpriv.release_attribute, bkpriv.release_content, '
                   'bkpriv.release_respondent, bkpriv.release_event TO %s', role);
    EXECUTE format('GRANT USAGE ON SEQUENCE bkpriv.release_id, bkpriv.release_event_id TO %s', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION bkpriv.register_dataset(text, regclass, text[], text, text, text), '
                   'bkpriv.set_hierarchy(text, text, regclass), '
                   'bkpriv.set_interval_hierarchy(text, text, numeric[], numeric), '
                   'bkpriv.drop_dataset(text), bkpriv.set_policy(text, jsonb), '
                   'bkpriv.publish(text, text, text, text, text, jsonb, text), bkpriv.withdraw(bigint, text), '
                   'bkpriv._release_tables(bigint), '
                   'bkpriv._create_release_table(bigint, text[], regtype[], text), '
                   'bkpriv._seal_release_tables(bigint), bkpriv._drop_release_tables(bigint), '
                   'bkpriv._hold_writers(bigint), bkpriv._mark_stale() TO %s', role);
END $$;
REVOKE ALL ON FUNCTION bkpriv.grant_publisher(regrole) FROM PUBLIC;
COMMENT ON FUNCTION bkpriv.grant_publisher(regrole) IS
    'Lets a role register and publish the tables it may read, and measure its own releases';
