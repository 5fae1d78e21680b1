-- Staleness: the tokens of watched tables.

CREATE TABLE bkpriv.watched (
    token text PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);
