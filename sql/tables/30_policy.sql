-- Policy: named requirements.

CREATE TABLE bkpriv.policy (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL,
    requirements jsonb NOT NULL CHECK (jsonb_typeof(requirements) = 'object'),
    set_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT policy_texts CHECK (octet_length(name) <= 9000 AND octet_length(owner) <= 63 AND octet_length(requirements::text) <= 1000000)
);
