-- Staleness: the tokens of watched tables.

CREATE TABLE bkpriv.watched (
    token text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- How the table is called; NULL once the watch has ended.
    named text
);
