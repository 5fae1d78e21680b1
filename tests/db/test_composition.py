"""Composition in the database: cells drawn anew in each run publish, are audited and read back.

A cell is as in `tests.core.test_compatibility`, and may have attributes that pass through. One with
an obstacle is refused by the words of that.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from bkpriv_core.compatibility import obstacles
from tests.conftest import Connection, sample
from tests.core.test_compatibility import CELLS, GROWN, NEEDED, OPTIONS, PEOPLE, POLICIES, Cell
from tests.db.clinic import one, publish, state_policy

SEED = random.SystemRandom().getrandbits(32)
"""Another one in each run; a failure names it."""

CELL = "(id text, age int, town text, illness text, drug text, note text)"


@pytest.fixture(scope="module")
def clinic(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic of people, some with several records."""
    db = shared_clinic
    db.execute(f"CREATE TABLE clinic.person {CELL}")
    admit(db, 0, PEOPLE)
    db.execute(
        "CREATE VIEW clinic.single AS SELECT DISTINCT ON (id) * FROM clinic.person "
        "ORDER BY id, illness, drug, note"
    )
    return db


def admit(db: Connection, first: int, last: int) -> None:
    """Add people, of whom every third has two records."""
    rows = []
    for person in range(first, last):
        draw = random.Random(person)
        age, town = draw.randrange(20, 40), draw.choice("abc")
        for _ in range(1 + (person % 3 == 0)):
            told = draw.choice("abcd"), draw.choice("wxyz"), f"note {draw.randrange(9)}"
            rows.append((f"{person:03}", age, town, *told))
    with db.cursor().copy("COPY clinic.person FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def drawn() -> list[tuple[Cell, bool]]:
    """Cells with and without attributes."""
    draw = random.Random(SEED)
    return [(cell, draw.random() < 0.4) for cell in draw.sample(CELLS, sample(100))]


def released(db: Connection, cell: Cell) -> int:
    """Publish a cell, after an earlier release where its layers need one."""
    first = replace(cell, grown=False, beside=False)
    if cell.grown or cell.beside:
        ask(db, first, "before", {})
        admit(db, PEOPLE, PEOPLE + 10)
    return ask(db, cell, "shown", GROWN if cell.grown else {})


def ask(db: Connection, cell: Cell, view: str, options: dict[str, Any]) -> int:
    """Publish, perhaps in vain."""
    policy = {**NEEDED.get(cell.method, {}), **POLICIES[cell.policy]}
    if "primacy" in cell.method:
        joint = {"joint": True} if cell.several else {}
        policy["pair_divergence"] = {"theta": 0.9, "bandwidth": 0.5, **joint}
    policy["overlap"] = "certify" if cell.beside else "warn"
    state_policy(db, view, policy)
    stated = {**OPTIONS.get(cell.method, {}), **options}
    stated |= {"unfit": cell.unfit} if cell.unfit != "suppress" else {}
    stated |= {"max_records_per_person": "all"} if cell.several else {}
    return publish(db, "people", view, f"public.{view}", stated, cell.method)


@pytest.mark.parametrize("number", range(sample(100)))
def test_a_cell_publishes_and_reads_back_or_says_why_not(clinic: Connection, number: int) -> None:
    cell, attributes = drawn()[number]
    named = f"seed {SEED}: {cell}, attributes: {attributes}"
    source = "clinic.person" if cell.several else "clinic.single"
    passed = ["note"] if attributes else []
    space = {"source": source, "attributes": tuple(passed)}
    plan = cell.plan(**space)
    with clinic.transaction(force_rollback=True):
        clinic.execute(
            "SELECT bkpriv.register_dataset('people', %s, '{age,town}', %s::text[], "
            "attributes => %s::text[], respondent => 'id')",
            [source, list(cell.columns), passed],
        )
        if cell.policy == "memory" and len(cell.columns) == 1:
            clinic.execute("SELECT bkpriv.set_sequential_knowledge('people', 'past', 'constant')")
        obstacle = next(obstacles(plan), None)
        if obstacle is not None:
            with pytest.raises(psycopg.Error) as refused:
                released(clinic, cell)
            alone = next(obstacles(replace(plan, overlap="warn")), None)
            first = next(obstacles(replace(cell, grown=False, beside=False).plan(**space)), None)
            # The method is looked at before the policy is.
            space |= {"attributes": ()}
            bare = next(
                obstacles(replace(cell.plan(**space), overlap="warn", requirements=())), None
            )
            expected = [obstacle, alone, first, bare]
            said = (refused.value.diag.message_primary or "").removeprefix("bkpriv: ")
            assert said in {each.message for each in expected if each is not None}, named
            assert refused.value.diag.message_hint, named
            return
        release = released(clinic, cell)
        rows = one(clinic, "SELECT count(*) FROM shown")
        assert 0 < rows <= one(clinic, f"SELECT count(*) FROM {source}"), named
        columns = "requirement, parameters, worst, satisfied"
        again = clinic.execute(
            f"SELECT {columns} FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL", [release]
        ).fetchall()
        certified = clinic.execute(
            f"SELECT {columns} FROM bkpriv.audit_record WHERE release = %s "
            "AND NOT parameters ? 'together' AND threshold IS NOT NULL "
            "AND audit = (SELECT min(audit) FROM bkpriv.audit_record WHERE release = %s) "
            "ORDER BY place",
            [release, release],
        ).fetchall()
        assert [row[:2] for row in again] == [row[:2] for row in certified], named
        assert [row[2] for row in again] == pytest.approx([row[2] for row in certified]), named
        if cell.unfit == "suppress" and not cell.grown:
            assert all(row[3] for row in again), named
