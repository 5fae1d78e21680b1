-- Dataset: which table is published from, and which of its columns are what.

CREATE TABLE bkpriv.dataset (
    name text PRIMARY KEY CHECK (name <> ''),
    owner text NOT NULL DEFAULT current_user,
    source_schema text NOT NULL,
    source_name text NOT NULL,
    quasi_identifiers text[] NOT NULL CHECK (cardinality(quasi_identifiers) > 0),
    sensitive text[] NOT NULL CHECK (cardinality(sensitive) > 0),
    respondent text,
    period text,
    registered_at timestamptz NOT NULL DEFAULT now(),
    bins jsonb NOT NULL DEFAULT '{}',
    attributes text[] NOT NULL DEFAULT '{}',
    -- Never true: see bkpriv_internal.drop_row.
    dropped boolean NOT NULL DEFAULT false CHECK (NOT dropped),
    -- To whom source, schema and what it reads belonged when it was registered, but for the owner and superusers; NULL: unknown.
    source_owners text[],
    CHECK (NOT sensitive && quasi_identifiers),
    CHECK (NOT attributes && (quasi_identifiers || sensitive))
);
