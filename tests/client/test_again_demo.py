"""``bkpriv demo --again``: twelve months, three ways, and what whoever holds all of one learns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bkpriv_client.growing import GROW, NAIVE, WAYS
from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database

pytestmark = pytest.mark.extended

PEOPLE = 240


def dataset(way: str) -> str:
    return f"demo_hospital_{way}"


@pytest.fixture(scope="module")
def told(shared_database: Database) -> str:
    """The story, told once."""
    return succeeded("demo", "--again", "--uri", shared_database.uri(), "--records", str(PEOPLE))


def test_twelve_months(told: str, shared_db: Connection) -> None:
    months = re.findall(r"^ (\d+) +(\d+) +█* ?(\d+) +█* ?(\d+) +█* ?(\d+) *$", told, re.MULTILINE)
    assert [int(month) for month, *_ in months] == list(range(1, 13))
    assert [int(people) for _, people, *_ in months] == list(range(20, PEOPLE + 1, 20))
    naive = [int(exposed) for _, _, exposed, *_ in months]
    assert naive == sorted(naive)
    assert (naive[0], naive[-1] > PEOPLE / 2) == (0, True)
    assert {exposed for *_, grow, certify in months for exposed in (grow, certify)} == {"0"}

    line = re.search(r"Likeliest diagnosis +(\d+)% +(\d+)% +(\d+)%", told)
    assert line is not None
    worst = [int(share) for share in line.groups()]
    assert worst[0] == 100
    assert max(worst[1:]) <= 50

    releases = shared_db.execute(
        "SELECT dataset, count(*), count(grown_from), max(records) FROM bkpriv.releases"
        " GROUP BY dataset ORDER BY dataset"
    ).fetchall()
    assert releases == sorted(
        (dataset(way.name), 12, 11 if way is GROW else 0, PEOPLE) for way in WAYS
    )
    audited = shared_db.execute(
        "SELECT vulnerable FROM bkpriv.audit_together((SELECT array_agg(release) FROM"
        ' bkpriv.releases WHERE dataset = %s), \'{"max_disclosure": {"tau": 0.5}}\')',
        [dataset(NAIVE.name)],
    ).fetchone()
    assert audited == (naive[-1],)


def test_who_is_exposed_has_what_he_is_said_to_have(told: str, shared_db: Connection) -> None:
    rows = re.findall(r"^ (\d+) +([a-zA-Z ]+?) +[\d.]+% +100\.0% +\d+(?:, \d+)+ *$", told, re.M)
    assert rows
    for person, diagnosis in rows:
        truth = shared_db.execute("SELECT diagnosis FROM demo.hospital WHERE number = %s", [person])
        assert truth.fetchone() == (diagnosis,)


def test_the_statements_it_suggests_work(told: str, shared_db: Connection) -> None:
    *_, suggestions = told.partition("Go on from here")
    statements = [line for line in suggestions.splitlines() if line.startswith("  SELECT")]
    assert len(statements) == 3
    for statement in statements:
        assert shared_db.execute(statement.encode()).fetchall()


def test_it_may_be_told_again(database: Database, db: Connection) -> None:
    first, second = (
        succeeded("demo", "--again", "--uri", database.uri(), "--records", "100") for _ in range(2)
    )
    counts = db.execute(
        "SELECT dataset, count(*), count(*) FILTER (WHERE status = 'published')"
        " FROM bkpriv.releases GROUP BY dataset ORDER BY dataset"
    ).fetchall()
    assert counts == sorted((dataset(way.name), 24, 1) for way in WAYS)
    # Others come, with the same records: nobody stays from before.
    lost = [
        re.findall(r"Share of detail lost \(GCP\) +([\d.]+)%", told) for told in (first, second)
    ]
    assert lost[0] == lost[1] != []
    shown = db.execute(
        "SELECT max(records), count(grown_from) FROM bkpriv.releases WHERE dataset = %s",
        [dataset(GROW.name)],
    ).fetchone()
    assert shown == (100, 22)
    people = db.execute("SELECT min(number), max(number) FROM demo.hospital").fetchone()
    assert people == (101, 200)


@pytest.mark.parametrize(
    ("other", "words"),
    [(("--adult", "adult.csv"), "no second month"), (("--serial",), "two stories")],
)
def test_stories_do_not_mix(
    database: Database, tmp_path: Path, other: tuple[str, ...], words: str
) -> None:
    assert words in failed("demo", "--again", "--uri", database.uri(), *other)
