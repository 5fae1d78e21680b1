-- Recount: whether a source still has the cells that a release was made from.

CREATE OR REPLACE FUNCTION bkpriv.recount(release bigint) RETURNS boolean
    LANGUAGE plpython3u VOLATILE
    SET search_path = pg_catalog, pg_temp
    AS $$
@START@
return GD["bkpriv"].recount.recount(release)
$$;
COMMENT ON FUNCTION bkpriv.recount(bigint) IS
    'Whether the source of a release, counted anew, has the cells and counts that were published.
It reads what publish reads, and so also respondents and attributes, of the period; the caller must
be able to. False, with a notice that says how, too if the source cannot be read so any more. It
holds for the moment of the reading, and records nothing';
GRANT EXECUTE ON FUNCTION bkpriv.recount(bigint) TO bkpriv_publisher, bkpriv_auditor;
