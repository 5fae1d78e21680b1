-- Reports: a release as one page, for who answers for it, or for anybody.

CREATE OR REPLACE FUNCTION bkpriv.report_html(release bigint, audience text DEFAULT 'officer') RETURNS text
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].report.report_html(release, audience)
$$;
COMMENT ON FUNCTION bkpriv.report_html(bigint, text) IS
    'A release as one HTML page that loads and runs nothing.
It says what was published, who is protected against whom, worst cases, what is exact and what
estimated, what the latest attacks found, what was left out, utility, history, limits. outsiders:
without values of records, small counts, names of people, sources, views and policies, and reasons';
GRANT EXECUTE ON FUNCTION bkpriv.report_html(bigint, text) TO bkpriv_publisher, bkpriv_auditor;
