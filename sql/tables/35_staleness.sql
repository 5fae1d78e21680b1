-- Staleness: the tokens of watched tables.

CREATE TABLE bkpriv.watched (
    token text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- The table, and how it was called, by which one that is restored is known again; neither once it is dropped.
    relation oid,
    named text
);
