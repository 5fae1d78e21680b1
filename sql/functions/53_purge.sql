-- Purge: erasing what a withdrawn release was made from. The history holds the source's cells, the
-- labels of its attributes and, if declared, the names of its respondents and what may be believed of
-- them, and what its publication told. They go; the release, its audits, attacks
-- and events stay, with one that says so.

CREATE OR REPLACE FUNCTION bkpriv_internal.erase_release(old_release bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM bkpriv.release_event WHERE release = old_release AND kind = 'purged' AND at = now())
        OR NOT EXISTS (SELECT FROM bkpriv.release_event WHERE release = old_release AND kind = 'withdrawn') THEN
        RAISE EXCEPTION 'release % was not withdrawn, and purged in this transaction', old_release
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call bkpriv.purge(release, reason).';
    END IF;
    DELETE FROM bkpriv.release_content WHERE release = old_release;
    DELETE FROM bkpriv.release_draw WHERE release = old_release;
    DELETE FROM bkpriv.release_respondent WHERE release = old_release;
    DELETE FROM bkpriv.release_belief WHERE release = old_release;
    DELETE FROM bkpriv.release_notice WHERE release = old_release;
    DELETE FROM bkpriv.release_attribute WHERE release = old_release;
END $$;
COMMENT ON FUNCTION bkpriv_internal.erase_release(bigint) IS
    'Deletes what a release was made from, if this transaction has recorded that it is purged';
GRANT EXECUTE ON FUNCTION bkpriv_internal.erase_release(bigint) TO bkpriv_publisher;

CREATE OR REPLACE FUNCTION bkpriv.purge(release bigint, reason text, force boolean DEFAULT false) RETURNS void
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
