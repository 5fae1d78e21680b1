"""A seed makes a release repeatable: who knew it could tell what was drawn, so none is kept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.statements import hear_statements

SEED = 918273645546372

METHODS: dict[str, dict[str, Any]] = {
    "mondrian": {},
    "bucketize": {},
    "anatomy": {},
    "randomize": {"scheme": "rr-both"},
}


@pytest.mark.parametrize("method", METHODS)
def test_no_statement_and_no_record_tells_a_seed(clinic: Connection, method: str) -> None:
    needed = (
        {"max_disclosure": {"tau": 0.9}} if method == "randomize" else {"l_diversity": {"l": 2}}
    )
    state_policy(clinic, "p", needed)
    heard = hear_statements(clinic)
    publish(
        clinic, policy="p", view="public.v", method=method, options={"seed": SEED} | METHODS[method]
    )
    clinic.execute("SET client_min_messages = notice")
    written = 0
    for text in heard:
        if "bkpriv.publish(" in text:
            continue  # The call itself, by whoever made it.
        if "INSERT INTO bkpriv_release." in text:
            # A plan shows parameters, which auto_explain alone logs; the statement does not.
            (text,) = [line for line in text.splitlines() if "INSERT INTO bkpriv_release." in line]
            written += 1
        assert str(SEED) not in text
    assert written > 0
    for (table,) in clinic.execute(
        "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace IN ('bkpriv'::regnamespace, 'bkpriv_release'::regnamespace)"
    ).fetchall():
        kept = f"SELECT count(*) FROM {table} AS t WHERE strpos(t::text, '{SEED}') > 0"
        assert one(clinic, kept) == 0, table
    about = "SELECT count(*) FROM pg_description WHERE strpos(description, %s) > 0"
    assert one(clinic, about, [str(SEED)]) == 0
