-- Purge: erasing what a withdrawn release was made from. The history holds the source's cells, the
-- labels of its attributes and, if declared, the names of its respondents and what may be believed of
-- them, and what its publication told. They go; the release, its audits, attacks
-- and events stay, with one that says so.

CREATE OR REPLACE FUNCTION bkpriv.purge(release bigint, reason text DEFAULT NULL, force boolean DEFAULT false) RETURNS void
    LANGUAGE plpython3u
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
GD["bkpriv"].purge.purge(release, reason, force)
$$;
COMMENT ON FUNCTION bkpriv.purge(bigint, text, boolean) IS
    'Erases what a withdrawn release was made from.
That is cells, labels, respondents, beliefs and notices; its figures, audits, attacks and
events stay. It is refused, unless forced, while the dataset has releases that are not withdrawn';
GRANT EXECUTE ON FUNCTION bkpriv.purge(bigint, text, boolean) TO bkpriv_publisher;
