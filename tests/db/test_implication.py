"""Worst-case knowledge: max_disclosure and worst_case, in SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import declare_people, fill, one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.witness import given_witness

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

# Martin, Kifer, Machanavajjhala, Gehrke, Halpern 2007, figures 1 and 3.
HOSPITAL = [
    ("Bob", "m", "flu"),
    ("Charlie", "m", "flu"),
    ("Dave", "m", "lung cancer"),
    ("Ed", "m", "lung cancer"),
    ("Frank", "m", "mumps"),
    ("Gloria", "f", "flu"),
    ("Hannah", "f", "flu"),
    ("Irma", "f", "breast cancer"),
    ("Jessica", "f", "ovarian cancer"),
    ("Karen", "f", "heart disease"),
]
WORST = "SELECT k, disclosure, witness, target FROM bkpriv.max_disclosure(%s, %s, %s)"
METHODS = ("mondrian", "bucketize", "anatomy")


@pytest.fixture(scope="module")
def hospital(shared_db: Connection) -> Connection:
    """The paper's patients, published with their names in its two buckets as release 1."""
    shared_db.execute("CREATE TABLE hospital (name text, sex text, disease text)")
    fill(shared_db, "hospital", HOSPITAL)
    shared_db.execute(
        "SELECT bkpriv.register_dataset('hospital', 'hospital', '{sex}', 'disease', 'name')"
    )
    state_policy(shared_db, "five", {"k_anonymity": {"k": 5}})
    assert publish(shared_db, "hospital", "five", "public.v") == 1
    return shared_db


@pytest.fixture
def named(clinic: Connection) -> Connection:
    """The clinic's patients with numbers, as dataset ``people``."""
    declare_people(clinic)
    return clinic


# --- the paper's figures --------------------------------------------------------------------------


def test_the_worst_case_of_the_paper(hospital: Connection) -> None:
    rows = hospital.execute(WORST, [1, 2, "implications"]).fetchall()
    assert [row[0] for row in rows] == [0, 1, 2]
    # The paper says 10/19 for k = 1, which is the best implication from the other bucket.
    assert [row[1] for row in rows] == pytest.approx([2 / 5, 2 / 3, 1], abs=1e-12)
    assert [len(row[2]) for row in rows] == [0, 1, 2]


def test_the_calculator(shared_db: Connection) -> None:
    buckets = [[2, 2, 1, 0, 0, 0], [2, 0, 0, 1, 1, 1]]
    for language, curve in (
        ("implications", [2 / 5, 2 / 3, 1, 1]),
        ("negations", [2 / 5, 2 / 3, 1, 1]),
    ):
        query = "SELECT bkpriv.worst_case(%s, 3, %s)"
        assert one(shared_db, query, [buckets, language]) == pytest.approx(curve, abs=1e-12)
    assert one(shared_db, "SELECT bkpriv.worst_case('{3,1}', 0)") == [0.75]
    assert one(shared_db, "SELECT bkpriv.worst_case(NULL, 0)") is None


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("'{{2,1},{0,0}}', 1", ["row 2"]),
        ("'{{2,-1}}', 1", ["row 1"]),
        ("'{}', 1", ["no buckets"]),
        ("'{2,NULL}', 1", ["NULL"]),
        ("'{2,1}', -1", ["-1"]),
        ("'{2,1}', 1, 'rumours'", ["rumours"]),
    ],
)
def test_the_calculator_refuses(shared_db: Connection, arguments: str, names: list[str]) -> None:
    statement = f"SELECT bkpriv.worst_case({arguments})"
    refused(shared_db, statement, sqlstate="22023", names=names)


# --- the witness ----------------------------------------------------------------------------------


def test_a_witness_names_numbers_as_all_else_does(db: Connection) -> None:
    prices = ["1.50", "2", "0.1", "0.1000000000000000000001"]
    db.execute("CREATE TABLE sale (price numeric, item text)")
    fill(db, "sale", [(price, item) for price in prices for item in ("hat", "cap")])
    db.execute("SELECT bkpriv.register_dataset('sale', 'sale', '{price}', 'item')")
    state_policy(db, "plain", {"k_anonymity": {"k": 2}})
    release = publish(db, "sale", view="public.v", method="bucketize")
    belief = "SELECT DISTINCT qi::text FROM bkpriv.posterior(%s, '0.3')"
    written = {row[0] for row in db.execute(belief, [release])}
    assert written == {f'{{"price": {price}}}' for price in prices}
    rows = db.execute(
        "SELECT (target -> 'qi')::text FROM bkpriv.max_disclosure(%s, 1)", [release]
    ).fetchall()
    assert {row[0] for row in rows} <= written


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("language", ["implications", "negations"])
def test_the_witness_gives_the_maximum(named: Connection, method: str, language: str) -> None:
    release = publish(named, "people", view="public.v", method=method)
    group_of = groups_of(named, release)
    rows = named.execute(WORST, [release, 3, language]).fetchall()
    check_witnesses(rows, held_by(named, group_of), lambda atom: group_of[atom["respondent"]])
    if language == "negations":
        assert all(set(item) == {"not"} for row in rows for item in row[2])


@pytest.mark.parametrize("method", ["bucketize", "anatomy"])
def test_persons_are_numbered_without_respondents(clinic: Connection, method: str) -> None:
    release = publish(clinic, view="public.v", method=method)
    held: dict[int, Counter[str]] = {}
    for group, value, count in rows_of(clinic, "public.v_sensitive"):
        held.setdefault(group, Counter())[value] = count
    records = Counter(tuple(row[:4]) for row in rows_of(clinic, "public.v"))

    def group_of(atom: dict[str, Any]) -> int:
        group: int = atom["group"]
        cell = (*atom["qi"].values(), group)
        assert 1 <= atom["person"] <= records[cell]
        return group

    rows = clinic.execute(WORST, [release, 3, "implications"]).fetchall()
    check_witnesses(rows, held, group_of)


def check_witnesses(
    rows: Sequence[tuple[Any, ...]],
    held: Mapping[int, Counter[Any]],
    group_of: Callable[[dict[str, Any]], int],
) -> None:
    """Assert that disclosures rise to what their witnesses give."""
    figures = [row[1] for row in rows]
    assert figures == sorted(figures)
    assert figures[0] == max(max(group.values()) / group.total() for group in held.values())
    assert figures[0] < figures[-1]
    for k, disclosure, witness, target in rows:
        assert len(witness) <= k
        given = given_witness(held, group_of, target, witness)
        assert given == pytest.approx(disclosure, abs=1e-9)


def test_what_implications_disclose_is_at_least_what_negations_do(named: Connection) -> None:
    release = publish(named, view="public.v", method="anatomy")
    ours, theirs = (
        [row[1] for row in named.execute(WORST, [release, 4, language]).fetchall()]
        for language in ("implications", "negations")
    )
    assert all(mine >= other - 1e-12 for mine, other in zip(ours, theirs, strict=True))


# --- respondents ----------------------------------------------------------------------------------


def groups_of(db: Connection, release: int) -> dict[str, int]:
    """Group of each respondent by the history."""
    rows = db.execute(
        "SELECT u.* FROM bkpriv.release_respondent, unnest(respondents, group_ids) AS u "
        "WHERE release = %s",
        [release],
    ).fetchall()
    return dict(rows)


def held_by(db: Connection, group_of: Mapping[str, int]) -> dict[int, Counter[str]]:
    """People of each group with each value, by the source."""
    held: dict[int, Counter[str]] = {}
    for name, *_, value in rows_of(db, "clinic.person"):
        if (group := group_of[str(name)]) >= 0:
            held.setdefault(group, Counter())[value] += 1
    return held


@pytest.mark.parametrize("method", METHODS)
def test_groups_of_respondents_hold_their_values(named: Connection, method: str) -> None:
    release = publish(named, "people", view="public.v", method=method)
    group_of = groups_of(named, release)
    source = {str(row[0]): row[1:] for row in rows_of(named, "clinic.person")}
    assert set(group_of) == set(source)
    suppressed = one(named, "SELECT suppressed FROM bkpriv.releases")
    assert list(group_of.values()).count(-1) == suppressed
    if method != "mondrian":
        told: dict[int, Counter[str]] = {}
        for group, value, count in rows_of(named, "public.v_sensitive"):
            told.setdefault(group, Counter())[value] = count
        assert told == held_by(named, group_of)
        cells: dict[int, Counter[tuple[Any, ...]]] = {}
        for name, group in group_of.items():
            if group >= 0:
                cells.setdefault(group, Counter())[source[name][:-1]] += 1
        shown: dict[int, Counter[tuple[Any, ...]]] = {}
        for row in rows_of(named, "public.v"):
            shown.setdefault(row[3], Counter())[tuple(row[:3])] += 1
        assert shown == cells


def test_the_history_has_respondents_in_the_order_of_their_names(named: Connection) -> None:
    names = list(groups_of(named, publish(named, "people", view="public.v")))
    assert names == sorted(names)


def test_respondents_are_known_after_the_source_has_changed(named: Connection) -> None:
    release = publish(named, "people", view="public.v")
    before = named.execute(WORST, [release, 2, "implications"]).fetchall()
    named.execute("DELETE FROM clinic.person WHERE age > 30")
    named.execute("UPDATE clinic.person SET id = -id")
    assert named.execute(WORST, [release, 2, "implications"]).fetchall() == before


def test_a_change_of_respondents_makes_a_release_stale(named: Connection) -> None:
    publish(named, "people", view="public.v")
    assert one(named, "SELECT stale FROM bkpriv.releases") is False
    named.execute("UPDATE clinic.person SET id = id + 1000")
    assert one(named, "SELECT stale FROM bkpriv.releases") is True


def test_without_a_respondent_column_nobody_is_kept(clinic: Connection) -> None:
    publish(clinic, view="public.v")
    assert one(clinic, "SELECT count(*) FROM bkpriv.release_respondent") == 0


def test_a_respondent_has_one_record(named: Connection) -> None:
    named.execute("UPDATE clinic.person SET id = 7 WHERE id IN (8, 9)")
    with unchanged(named):
        refused(
            named,
            "SELECT bkpriv.publish('people', 'plain', 'public.v')",
            sqlstate="22000",
            names=["'7' (3)", '"id"'],
        )
    named.execute("UPDATE clinic.person SET id = NULL WHERE id = 7")
    with unchanged(named):
        refused(
            named,
            "SELECT bkpriv.publish('people', 'plain', 'public.v')",
            sqlstate="22000",
            names=["NULL", "3 of 300", '"id"'],
        )


def test_a_respondent_column_must_be_there_and_readable(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    publisher = make_publisher()
    publisher.execute(
        "CREATE TABLE own AS SELECT i, i % 5 AS a, i % 3 AS b FROM generate_series(1, 60) i"
    )
    publisher.execute("SELECT bkpriv.register_dataset('own', 'own', '{a}', 'b', 'i')")
    state_policy(publisher, "k", {"k_anonymity": {"k": 3}})
    publish(publisher, "own", "k", "v")
    publisher.execute("ALTER TABLE own RENAME i TO j")
    refused(
        publisher,
        "SELECT bkpriv.publish('own', 'k', 'v')",
        sqlstate="42703",
        names=['column "i"'],
    )


def test_another_publisher_learns_nothing(
    make_publisher: Callable[..., Connection], named: Connection
) -> None:
    release = publish(named, "people", view="public.v")
    other = make_publisher()
    assert rows_of(other, "bkpriv.release_respondent") == []
    statement = "SELECT * FROM bkpriv.max_disclosure(%s, 1)"
    refused(other, statement, [release], sqlstate="42704", names=[str(release)])


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        ("1, -1", "22023", ["-1"]),
        ("1, NULL", "22023", ["k"]),
        ("1, 1, 'rumours'", "22023", ["rumours"]),
        ("1, 1, NULL", "22023", ["language"]),
        ("77, 1", "42704", ["77"]),
        ("NULL, 1", "22023", ["release"]),
    ],
)
def test_max_disclosure_refuses(
    hospital: Connection, arguments: str, sqlstate: str, names: list[str]
) -> None:
    statement = f"SELECT * FROM bkpriv.max_disclosure({arguments})"
    refused(hospital, statement, sqlstate=sqlstate, names=names)


def test_null_is_a_value(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET disease = NULL WHERE disease <> 'fracture'")
    release = publish(clinic, view="public.v", options={"nulls": "category"})
    rows = clinic.execute(WORST, [release, 0, "negations"]).fetchall()
    assert [row[3]["value"] for row in rows] == [None]
