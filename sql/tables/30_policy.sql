-- Policy: named requirements.

CREATE TABLE bkpriv.policy (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    requirements jsonb NOT NULL CHECK (jsonb_typeof(requirements) = 'object'),
    set_at timestamptz NOT NULL DEFAULT now(),
    -- To whom tables that it names, their schemas and what they read belonged when it was set, but for the owner and superusers.
    table_owners text[] NOT NULL DEFAULT '{}',
    CONSTRAINT policy_texts CHECK (octet_length(name) <= 9000 AND octet_length(owner) <= 63 AND octet_length(requirements::text) <= 1000000),
    CONSTRAINT policy_table_owners_names CHECK (num_nulls(VARIADIC table_owners) = 0 AND coalesce(array_ndims(table_owners), 1) = 1 AND cardinality(table_owners) <= 10000
           AND octet_length(array_to_string(table_owners, '')) <= 630000)
);
