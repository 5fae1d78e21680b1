"""Worst-case knowledge: max_disclosure, disclosure_given and worst_case, in SQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import declare_people, fill, one, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged

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
GIVEN = "SELECT * FROM bkpriv.disclosure_given(%s, %s)"
WORST = "SELECT k, disclosure, witness, target FROM bkpriv.max_disclosure(%s, %s, %s)"
METHODS = ("mondrian", "bucketize", "anatomy")


def create_hospital(db: Connection, respondent: str | None = "name") -> int:
    """Publish the paper's ten patients in its two buckets."""
    db.execute("CREATE TABLE hospital (name text, sex text, disease text)")
    fill(db, "hospital", HOSPITAL)
    db.execute(
        "SELECT bkpriv.register_dataset('hospital', 'hospital', '{sex}', 'disease', %s)",
        [respondent],
    )
    state_policy(db, "five", {"k_anonymity": {"k": 5}})
    return publish(db, "hospital", "five", "public.v")


@pytest.fixture(scope="module")
def hospital(shared_db: Connection) -> Connection:
    """The paper's patients, published with their names as release 1."""
    assert create_hospital(shared_db) == 1
    return shared_db


@pytest.fixture
def named(clinic: Connection) -> Connection:
    """The clinic's patients with numbers, as dataset ``people``."""
    declare_people(clinic)
    return clinic


def says(who: str, value: str | None) -> dict[str, Any]:
    """An atom."""
    return {"respondent": who, "value": value}


def given(db: Connection, knowledge: Any, release: int = 1) -> dict[tuple[str, str], float]:
    """Probabilities by respondent and value."""
    rows = db.execute(GIVEN, [release, Jsonb(knowledge)]).fetchall()
    found = {row[:2]: row[2] for row in rows}
    assert len(found) == len(rows)
    return found


# --- the paper's figures --------------------------------------------------------------------------


def test_the_worst_case_of_the_paper(hospital: Connection) -> None:
    rows = hospital.execute(WORST, [1, 2, "implications"]).fetchall()
    assert [row[0] for row in rows] == [0, 1, 2]
    # The paper says 10/19 for k = 1, which is the best implication from the other bucket.
    assert [row[1] for row in rows] == pytest.approx([2 / 5, 2 / 3, 1], abs=1e-12)
    assert [len(row[2]) for row in rows] == [0, 1, 2]


def test_cross_bucket_implication_of_the_paper(hospital: Connection) -> None:
    knowledge = [{"if": [says("Hannah", "flu")], "then": [says("Charlie", "flu")]}]
    assert given(hospital, knowledge)["Charlie", "flu"] == pytest.approx(10 / 19, abs=1e-12)


def test_negations_of_the_paper(hospital: Connection) -> None:
    first, second = ({"not": says("Ed", value)} for value in ("mumps", "flu"))
    assert given(hospital, [first])["Ed", "lung cancer"] == pytest.approx(1 / 2, abs=1e-12)
    found = given(hospital, [first, second])
    assert found["Ed", "lung cancer"] == 1
    # A negation is the implication to another value of the same person.
    other = {"if": [says("Ed", "mumps")], "then": [says("Ed", "flu")]}
    assert given(hospital, [other])["Ed", "lung cancer"] == pytest.approx(1 / 2, abs=1e-12)


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
        "SELECT (target -> 'qi')::text, target FROM bkpriv.max_disclosure(%s, 1)", [release]
    ).fetchall()
    assert {qi for qi, _ in rows} <= written
    for qi in written:
        beliefs = db.execute(
            "SELECT sensitive, probability FROM bkpriv.disclosure_given(%s, jsonb_build_array("
            "jsonb_build_object('not', jsonb_build_object('qi', %s::jsonb, 'value', 'hat')))) "
            "WHERE qi = %s::jsonb AND person = 1",
            [release, qi, qi],
        ).fetchall()
        assert dict(beliefs) == {"hat": 0, "cap": 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dataset", ["people", "patients"])
@pytest.mark.parametrize("language", ["implications", "negations"])
def test_the_witness_gives_the_maximum(
    named: Connection, method: str, dataset: str, language: str
) -> None:
    release = publish(named, dataset, view="public.v", method=method)
    rows = named.execute(WORST, [release, 3, language]).fetchall()
    figures = [row[1] for row in rows]
    assert figures == sorted(figures)
    assert figures[0] < figures[-1]
    for k, disclosure, witness, target in rows:
        assert len(witness) <= k
        found = named.execute(GIVEN, [release, Jsonb(witness)]).fetchall()
        assert max(row[2] for row in found) == pytest.approx(disclosure, abs=1e-9)
        about = [
            row[2]
            for row in found
            if row[1] == target["value"]
            and (
                row[0] == target["respondent"]
                if "respondent" in target
                else (row[3], row[4]) == (target["group"], target["qi"])
                and row[5] in (None, target["person"])
            )
        ]
        assert max(about) == pytest.approx(disclosure, abs=1e-9)
        if language == "negations":
            assert all(set(item) == {"not"} for item in witness)


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


@pytest.mark.parametrize("method", METHODS)
def test_groups_of_respondents_hold_their_values(named: Connection, method: str) -> None:
    release = publish(named, "people", view="public.v", method=method)
    group_of = groups_of(named, release)
    source = {str(row[0]): row[1:] for row in rows_of(named, "clinic.person")}
    assert set(group_of) == set(source)
    held: dict[int, Counter[str]] = {}
    cells: dict[int, Counter[tuple[Any, ...]]] = {}
    for name, group in group_of.items():
        *qi, value = source[name]
        if group >= 0:
            held.setdefault(group, Counter())[value] += 1
            cells.setdefault(group, Counter())[tuple(qi)] += 1
    suppressed = one(named, "SELECT suppressed FROM bkpriv.releases")
    assert list(group_of.values()).count(-1) == suppressed
    base: dict[int, dict[str, float]] = {}
    for _, value, share, group, *_ in named.execute(GIVEN, [release, Jsonb([])]).fetchall():
        base.setdefault(group, {})[value] = share
    assert set(base) == set(held)
    for group, shares in base.items():
        total = held[group].total()
        assert shares == pytest.approx({v: held[group][v] / total for v in shares}, abs=1e-12)
    if method != "mondrian":
        shown: dict[int, Counter[tuple[Any, ...]]] = {}
        for row in rows_of(named, "public.v"):
            shown.setdefault(row[3], Counter())[tuple(row[:3])] += 1
        assert shown == cells


def test_the_history_has_respondents_in_the_order_of_their_names(named: Connection) -> None:
    names = list(groups_of(named, publish(named, "people", view="public.v")))
    assert names == sorted(names)


def test_respondents_are_known_after_the_source_has_changed(named: Connection) -> None:
    release = publish(named, "people", view="public.v")
    before = given(named, [], release)
    named.execute("DELETE FROM clinic.person WHERE age > 30")
    named.execute("UPDATE clinic.person SET id = -id")
    assert given(named, [], release) == before


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
    release = publish(publisher, "own", "k", "v")
    assert given(publisher, [], release)["7", "1"] == pytest.approx(1 / 3)
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
    for statement in (
        "SELECT * FROM bkpriv.disclosure_given(%s, '[]')",
        "SELECT * FROM bkpriv.max_disclosure(%s, 1)",
    ):
        refused(other, statement, [release], sqlstate="42704", names=[str(release)])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        other.execute(
            "INSERT INTO bkpriv.release_respondent VALUES (%s, '{x}', '{0}', '{0}', '{0}')",
            [release],
        )


# --- without respondents --------------------------------------------------------------------------


def test_persons_by_cell(db: Connection) -> None:
    release = create_hospital(db, respondent=None)
    rows = db.execute(GIVEN, [release, Jsonb([])]).fetchall()
    assert {(row[0], row[4]["sex"], row[5]) for row in rows} == {(None, s, None) for s in "mf"}

    def atom(sex: str, value: str, **more: Any) -> dict[str, Any]:
        return {"qi": {"sex": sex}, "value": value, **more}

    knowledge = [{"if": [atom("f", "flu")], "then": [atom("m", "flu", person=2)]}]
    found = {
        (row[4]["sex"], row[5]): row[2]
        for row in db.execute(GIVEN, [release, Jsonb(knowledge)]).fetchall()
        if row[1] == "flu"
    }
    assert set(found) == {("m", None), ("m", 2), ("f", None), ("f", 1)}
    assert found["m", 2] == pytest.approx(10 / 19, abs=1e-12)
    # Each group has two persons with flu.
    assert found["m", 2] + 4 * found["m", None] == pytest.approx(2, abs=1e-12)
    assert found["f", 1] + 4 * found["f", None] == pytest.approx(2, abs=1e-12)
    everyone = [{"not": atom("m", "flu", person=number)} for number in (1, 2, 3)]
    rows = db.execute(GIVEN, [release, Jsonb(everyone)]).fetchall()
    assert [row[2] for row in rows if row[1] == "flu" and row[4] == {"sex": "m"}] == [1, 0, 0, 0]
    bad = atom("m", "flu", person=6)
    refused(db, GIVEN, [release, Jsonb([{"not": bad}])], sqlstate="22023", names=["6", "1 to 5"])
    bad = atom("m", "flu", group=9)
    refused(db, GIVEN, [release, Jsonb([{"not": bad}])], sqlstate="22023", names=["9"])
    bad = {"respondent": "Ed", "value": "flu"}
    refused(db, GIVEN, [release, Jsonb([{"not": bad}])], sqlstate="22023", names=["Ed"])
    bad = {"qi": {"age": 4}, "value": "flu"}
    refused(db, GIVEN, [release, Jsonb([{"not": bad}])], sqlstate="22023", names=["sex"])


def test_a_split_cell_needs_its_group(clinic: Connection) -> None:
    release = publish(clinic, view="public.v", method="anatomy")
    group, age, sex, city = clinic.execute(
        "SELECT max(group_id), age, sex, city FROM public.v GROUP BY age, sex, city "
        "HAVING count(DISTINCT group_id) > 1 LIMIT 1"
    ).fetchall()[0]
    atom = {"qi": {"age": age, "sex": sex, "city": city}, "value": "ulcer"}
    refused(clinic, GIVEN, [release, Jsonb([{"not": atom}])], sqlstate="22023", names=["several"])
    rows = clinic.execute(GIVEN, [release, Jsonb([{"not": {**atom, "group": group}}])]).fetchall()
    assert {row[3] for row in rows if row[5] == 1} == {group}
    assert [row[2] for row in rows if row[5] == 1 and row[1] == "ulcer"] == [0]


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("knowledge", "names"),
    [
        ({"not": says("Ed", "flu")}, ["list"]),
        ([says("Ed", "flu")], ["Ed"]),
        ([{"if": [], "then": []}], ["no atoms"]),
        ([{"if": says("Ed", "flu"), "then": []}], ["Ed"]),
        ([{"if": [says("Ed", "flu")]}], ["Ed"]),
        ([{"not": says("Eve", "flu")}], ["Eve"]),
        ([{"not": says("Ed", "gout")}], ["gout", "disease"]),
        ([{"not": {"respondent": "Ed"}}], ["Ed", "value"]),
        ([{"not": {**says("Ed", "flu"), "mood": 1}}], ["mood"]),
        ([{"not": {"group": 1, "qi": {"sex": "m"}, "value": "flu"}}], ["group"]),
    ],
)
def test_knowledge_that_says_nothing(
    hospital: Connection, knowledge: Any, names: Sequence[str]
) -> None:
    refused(hospital, GIVEN, [1, Jsonb(knowledge)], sqlstate="22023", names=names)


def test_contradictory_knowledge(hospital: Connection) -> None:
    knowledge = [{"not": says("Ed", value)} for value in ("flu", "mumps", "lung cancer")]
    group = groups_of(hospital, 1)["Ed"]
    refused(
        hospital,
        GIVEN,
        [1, Jsonb(knowledge)],
        sqlstate="22000",
        names=["release 1", f"{group} (1)"],
    )


def test_knowledge_beyond_the_budget(named: Connection) -> None:
    state_policy(named, "whole", {"k_anonymity": {"k": 300}})
    release = publish(named, "people", "whole", "public.v")
    values = ("asthma", "emphysema", "fracture", "pregnancy", "ulcer")
    knowledge = [
        {"if": [says(str(i), values[i % 5])], "then": [says(str(i + 1), values[(i + 1) % 5])]}
        for i in range(1, 15)
    ]
    refused(named, GIVEN, [release, Jsonb(knowledge)], sqlstate="54000", names=["0 (15)"])


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
    clinic.execute("UPDATE clinic.patient SET disease = NULL WHERE disease = 'fracture'")
    release = publish(clinic, view="public.v", options={"nulls": "category"})
    for k, disclosure, witness, _ in clinic.execute(WORST, [release, 3, "negations"]).fetchall():
        found = clinic.execute(GIVEN, [release, Jsonb(witness)]).fetchall()
        assert max(row[2] for row in found) == pytest.approx(disclosure, abs=1e-9), k
    assert None in {row[1] for row in found}
