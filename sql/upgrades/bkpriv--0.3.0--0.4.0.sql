-- From 0.3.0.
-- Alters: bkpriv.dataset; bkpriv.hierarchy; bkpriv.sequential_knowledge

ALTER TABLE bkpriv.dataset ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);
ALTER TABLE bkpriv.hierarchy ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);
ALTER TABLE bkpriv.sequential_knowledge ADD COLUMN dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped);

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
ALTER TABLE bkpriv.release ADD COLUMN bases text[];
ALTER TABLE bkpriv.release ADD CHECK (cardinality(bases) BETWEEN 1 AND 2000 AND array_position(bases, NULL) IS NULL
                                      AND octet_length(array_to_string(bases, '')) <= 600000);

-- How many rows are unique within their group by what passes through; of older releases that is not known.
ALTER TABLE bkpriv.release ADD COLUMN unique_rows bigint[];
ALTER TABLE bkpriv.release ADD CHECK (cardinality(unique_rows) = cardinality(attributes) + 1
                                      AND array_position(unique_rows, NULL) IS NULL AND 0 <= ALL (unique_rows));

-- Between the bandwidths of a range a bound may not be shown to hold, though nobody is over it where it was computed.
ALTER TABLE bkpriv.audit_record DROP CONSTRAINT audit_record_check, ADD CHECK (NOT satisfied OR vulnerable = 0);
