"""pycanon, which knows nothing of bkpriv, measures tables as an audit does.

pycanon [1]_ runs in an environment of its own and sees a table as a reader gets it, as CSV. It
takes the whole table's distribution from what is shown, an audit takes it from the source: they
agree once pycanon is shown the suppressed records as well. Not compared are entropy l, which it
rounds, recursive diversity and enhanced beta-likeness, which it defines otherwise (pycanon 1.3.6),
and t-closeness by a hierarchy, which it does not know.

.. [1] Sainz-Pardo Diaz, Lopez Garcia. A Python library to check the level of anonymity of a
   dataset. Scientific Data 9, 2022.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, sample
from tests.db.clinic import fill, one, publish, rows_of, state_policy

pytestmark = pytest.mark.extended

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".build" / "pycanon" / "bin" / "python"

Judgement = dict[str, Any]


def judge(header: Sequence[str], rows: str) -> Judgement:
    """Have pycanon measure rows of CSV; the last column is sensitive, the others are not."""
    (found,) = judge_each(header, [rows])
    return found


def judge_each(header: Sequence[str], tables: Sequence[str]) -> list[Judgement]:
    """Have pycanon measure several tables with the same columns."""
    if not PYTHON.exists():
        pytest.fail(f"{PYTHON} is missing: run `make test`, which makes pycanon's environment")
    *quasi_identifiers, sensitive = header
    done = subprocess.run(
        [PYTHON, "-I", "-W", "error", ROOT / "tests/db/judge.py", sensitive, *quasi_identifiers],
        input="\f".join(",".join(header) + "\n" + rows for rows in tables),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def read_csv(db: Connection, view: str) -> tuple[list[str], str]:
    """Copy a view: its columns, and its rows as CSV."""
    columns = db.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(sql.SQL(view))).description
    query = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT (FORMAT csv, NULL 'NULL')")
    with db.cursor().copy(query.format(sql.SQL(view))) as copy:
        rows = b"".join(copy).decode()
    return [column.name for column in columns or ()], rows


Figure = tuple[Callable[[float], dict[str, Any]], Callable[[Judgement], float]]
"""The requirement that bounds a figure, from the bound; the figure, from what pycanon found."""

FIGURES: dict[str, Figure] = {
    "k": (lambda k: {"k_anonymity": {"k": k}}, lambda found: found["k"]),
    "distinct l": (lambda least: {"l_diversity": {"l": least}}, lambda found: found["distinct_l"]),
    "probabilistic l": (
        # (alpha,k)-anonymity: no value has a share above alpha in any class.
        lambda least: {"l_diversity": {"l": least, "variant": "probabilistic"}},
        lambda found: 1 / found["alpha"],
    ),
    "equal t": (lambda t: {"t_closeness": {"t": t}}, lambda found: found["equal_t"]),
    "ordered t": (
        lambda t: {"t_closeness": {"t": t, "ground": "ordered"}},
        lambda found: found["ordered_t"],
    ),
    "basic beta": (lambda b: {"beta_likeness": {"beta": b}}, lambda found: found["basic_beta"]),
}


@pytest.fixture(scope="module")
def suppressing(shared_db: Connection) -> tuple[int, Judgement, Judgement]:
    """A release that leaves records out; pycanon on the view, and on the view and these records."""
    people = [(age, secret) for age, secrets in ((1, "aaab"), (2, "cccb"), (3, "abc"))
              for secret in secrets]  # fmt: skip
    db = shared_db
    db.execute("CREATE TABLE people (age int, secret text)")
    fill(db, "people", people)
    db.execute("SELECT bkpriv.register_dataset('people', 'people', '{age}', 'secret')")
    state_policy(db, "four", {"k_anonymity": {"k": 4}})
    options = {"suppression": 0.3}
    release = publish(db, "people", "four", "public.people_shown", options, "incognito")
    header, rows = read_csv(db, "public.people_shown")
    left_out = Counter(secret for _, secret in people)
    left_out.subtract(secret for _, secret in rows_of(db, "public.people_shown"))
    assert left_out == {"a": 1, "b": 1, "c": 1}
    # A class of their own, near the table's distribution, so it is the worst in nothing.
    restored = rows + "".join(f"left out,{secret}\n" for secret in left_out.elements())
    return release, judge(header, rows), judge(header, restored)


@pytest.mark.parametrize("name", ["equal t", "basic beta"])
def test_the_sources_distribution_counts_and_not_the_views(
    shared_db: Connection, suppressing: tuple[int, Judgement, Judgement], name: str
) -> None:
    release, shown, restored = suppressing
    requirement, judged = FIGURES[name]
    asked = "SELECT worst FROM bkpriv.audit(%s, %s)"
    worst = one(shared_db, asked, [release, Jsonb(requirement(1))])
    assert worst == pytest.approx(judged(restored), rel=0, abs=1e-9)
    assert abs(judged(shown) - judged(restored)) > 0.01


def test_pycanon_finds_the_same_in_random_tables(shared_db: Connection) -> None:
    db, draw = shared_db, random.Random(11)
    tables = []
    for trial in range(sample(50)):
        values = "abcde"[: draw.randint(2, 5)]
        rows = [
            (number, draw.randint(0, 99), draw.choice("xyz"), draw.choice(values))
            for number in range(draw.randint(8, 80))
        ]
        width, whole = draw.choice([10, 20, 25, 50]), draw.random() < 0.3
        db.execute(
            sql.SQL(
                "CREATE TABLE {} (id int, age int, kind text, told text, years text, sort text)"
            ).format(sql.SQL(f"public.trial_{trial}"))
        )
        shown = [
            # Now and then a label of a tool that nobody can read.
            (f"[{age // width * width}, {age // width * width + width}[", "*" if whole else kind)
            if draw.random() < 0.9
            else ("older", kind)
            for _, age, kind, _ in rows
        ]
        fill(
            db,
            f"public.trial_{trial}",
            [(*row, *made) for row, made in zip(rows, shown, strict=True)],
        )
        db.execute(
            "SELECT bkpriv.register_dataset(%s, %s::regclass, '{age,kind}', 'told')",
            [f"trial_{trial}", f"public.trial_{trial}"],
        )
        tables.append(
            "".join(
                f'"{years}",{sort},{row[-1]}\n'
                for row, (years, sort) in zip(rows, shown, strict=True)
            )
        )
    judged = judge_each(["years", "sort", "told"], tables)
    assert len(judged) == len(tables)
    for trial, found in enumerate(judged):
        figures = {name: judged(found) for name, (_, judged) in FIGURES.items()}
        # A policy has one bound of a kind; rows come in this order.
        for names in (
            ("k", "distinct l", "equal t", "basic beta"),
            ("probabilistic l", "ordered t"),
        ):
            requirements: dict[str, Any] = {}
            for name in names:
                requirements |= FIGURES[name][0](max(figures[name], 0.01))
            audited = db.execute(
                "SELECT worst FROM bkpriv.audit_table(%s, %s, %s, %s)",
                [
                    f"public.trial_{trial}",
                    f"trial_{trial}",
                    Jsonb({"age": "years", "kind": "sort"}),
                    Jsonb(requirements),
                ],
            )
            worst = [row[0] for row in audited]
            assert worst == pytest.approx([figures[name] for name in names], abs=1e-9), trial
