"""The order in which quasi-identifiers are declared: that of the view's columns, and no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import pytest

from bkpriv_core.method import METHODS
from tests.conftest import Connection
from tests.core.strategies import NEEDED
from tests.db.clinic import fill, one

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

POLICY = {
    "k_anonymity": {"k": 3},
    "l_diversity": {"l": 2},
    "beta_likeness": {"beta": 2.5},
    "pair_divergence": {"theta": 0.9, "bandwidth": 0.5},
    "max_disclosure": {"tau": 0.8},
}

DECLARED = [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]]


@pytest.fixture
def alike(db: Connection) -> Connection:
    """Database with datasets of one table, of columns that cost alike, by each order."""
    db.execute("CREATE TABLE public.alike (a int, b int, c int, s text)")
    rows = [(i % 6, i // 6 % 6, (i + i // 6) % 6, "uvwx"[(7 * i + i // 9) % 4]) for i in range(72)]
    fill(db, "public.alike", rows)
    for order in DECLARED:
        db.execute(
            "SELECT bkpriv.register_dataset(%s, 'public.alike', %s, 's')", ["".join(order), order]
        )
    return db


def published(db: Connection, order: Sequence[str], method: str) -> Counter[tuple[str, ...]]:
    """Publish the dataset of an order: the rows of its view, columns by their names."""
    name, needed = "".join(order), NEEDED.get(method, {"k_anonymity"})
    needed = {"max_disclosure"} if method == "randomize" else needed
    options = {"seed": 1} | ({"scheme": "rr-both"} if method == "randomize" else {})
    view, stated = f"{method}_{name}", {key: POLICY[key] for key in needed}
    db.execute("SELECT bkpriv.set_policy(%s, %s)", [view, json.dumps(stated)])
    db.execute(
        "SELECT bkpriv.publish(%s, %s, %s, %s, options => %s)",
        [name, view, f"public.{view}", method, json.dumps(options)],
    )
    shown = db.execute(f"SELECT * FROM public.{view} LIMIT 0").description or []
    # Of forms that add a number of the group, columns that are declared come first or after it.
    assert [column.name for column in shown if column.name in order] == [*order]
    listed = ", ".join(sorted(column.name for column in shown))
    return Counter(
        tuple(map(str, row)) for row in db.execute(f"SELECT {listed} FROM public.{view}")
    )


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_publishes_the_same_by_every_order(alike: Connection, method: str) -> None:
    first, *others = (published(alike, order, method) for order in DECLARED)
    assert first.total() > 0
    assert [other == first for other in others] == [True] * len(others)


def test_a_hierarchy_is_suggested_of_the_column_that_was_named(alike: Connection) -> None:
    alike.execute("CREATE TABLE public.named (z int, kind text, s text)")
    fill(alike, "public.named", [(i % 9, f"k{i % 5}{i % 2}", "uv"[i % 2]) for i in range(90)])
    found = []
    for name, order in (("one", ["z", "kind"]), ("other", ["kind", "z"])):
        alike.execute("SELECT bkpriv.register_dataset(%s, 'public.named', %s, 's')", [name, order])
        found.append(
            one(alike, "SELECT gcp FROM bkpriv.suggest_hierarchy(%s, 'kind') LIMIT 1", [name])
        )
    assert found[0] == found[1]
