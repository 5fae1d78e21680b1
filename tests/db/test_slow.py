"""Publications that take long: said at the start, with what makes them faster."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection

pytestmark = pytest.mark.pooled

SLOW = "this publication may take minutes"

READERS = '{"bt_privacy": {"bandwidth": 0.3, "t": 0.3}}'
ALONE = '{"k_anonymity": {"k": 5}}'
PREFIXES = "SELECT bkpriv.set_prefix_hierarchy('jobs', 'occupation', '{4}')"

# Kinds of people by sensitive values, the policy, what else is declared, and what is hinted at.
CASES = {
    "many labels on both sides": (
        8000,
        400,
        READERS,
        "",
        "suggest_hierarchy('jobs', 'occupation')",
    ),
    "a hierarchy that is there": (8000, 400, READERS, PREFIXES, "Wider bins"),
    "no reader": (8000, 400, ALONE, "", None),
    "few values": (8000, 8, READERS, "", None),
    "few people": (400, 400, READERS, "", None),
}


@pytest.mark.parametrize("case", CASES)
def test_what_takes_long_is_said_at_the_start(db: Connection, case: str) -> None:
    people, values, policy, declared, hint = CASES[case]
    db.execute(
        "CREATE TABLE public.job AS SELECT 20 + mod(i, 40) AS age, 'occ' || i / 40 AS occupation, "
        "'icd' || mod(i, %s) AS dx FROM generate_series(1, %s) AS i",
        [values, people],
    )
    db.execute("SELECT bkpriv.register_dataset('jobs', 'public.job', '{age,occupation}', 'dx')")
    db.execute("SELECT bkpriv.set_policy('p', %s)", [policy])
    if declared:
        db.execute(declared.encode())
    said: list[tuple[str | None, str | None]] = []
    db.add_notice_handler(lambda it: said.append((it.message_primary, it.message_hint)))
    db.execute("SET statement_timeout = '4s'")
    try:
        db.execute("SELECT bkpriv.publish('jobs', 'p', 'public.v')")
    except psycopg.errors.QueryCanceled:
        assert hint
    finally:
        db.execute("RESET statement_timeout")
    hints = [found or "" for message, found in said if (message or "").startswith(SLOW)]
    assert len(hints) == (hint is not None), said
    assert all((hint or "") in each for each in hints), hints
