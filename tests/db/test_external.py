"""Tables made elsewhere: audited as the releases that they are, and as counting in them says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, rows_of, state_policy
from tests.db.monthly import create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged
from tests.db.several import COLUMNS, create_releases

AUDIT = "SELECT * FROM bkpriv.audit_table(%s, %s, %s, %s)"

COUNTED = {
    "k_anonymity": {"k": 5},
    "l_diversity": {"l": 3},
    "max_disclosure": {"tau": 0.6},
    "t_closeness": {"t": 0.2, "ground": "equal"},
    "beta_likeness": {"beta": 1, "variant": "basic"},
    "ck_safety": {"c": 0.9, "k": 1},
}
"""Requirements of what groups show by themselves."""

BELIEVED = {
    **COUNTED,
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.1}, {"bandwidth": {"kernel": "uniform"}, "t": 0.2}],
}

GROUP, SUPPRESSED = 8, "suppressed"


def audit_table(
    db: Connection,
    table: str,
    requirements: Any,
    columns: Any = None,
    dataset: str = "patients",
) -> list[tuple[Any, ...]]:
    """Rows of an audit of a table, but for the worst group's labels, and what is suppressed."""
    rows = db.execute(AUDIT, [table, dataset, Jsonb(columns or {}), Jsonb(requirements)]).fetchall()
    return [(*row[:GROUP], *row[GROUP + 1 :]) for row in rows if row[0] != SUPPRESSED]


def audit(db: Connection, release: int, requirements: Any) -> list[tuple[Any, ...]]:
    """Rows of an audit of a release, but for the number of the worst group."""
    rows = db.execute(
        "SELECT * FROM bkpriv.audit(%s, %s)", [release, Jsonb(requirements)]
    ).fetchall()
    return [(*row[:GROUP], *row[GROUP + 1 :]) for row in rows]


def agree(found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    """Assert that audits agree but for rounding, and for which of equally bad groups they name."""
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        for place in (*range(2, GROUP), GROUP + 6, GROUP + 5):
            assert row[place] == (
                pytest.approx(wanted[place], abs=1e-9)
                if isinstance(wanted[place], float)
                else wanted[place]
            ), (row, wanted)


def naive(db: Connection, table: str) -> dict[str, tuple[float, float]]:
    """Worst figure, and mean over records, of what can be counted by hand in a view."""
    groups: dict[tuple[Any, ...], Counter[Any]] = {}
    for *labels, value in rows_of(db, table):
        groups.setdefault(tuple(map(str, labels)), Counter())[value] += 1
    shares: Counter[Any] = Counter(value for *_, value in rows_of(db, "clinic.patient"))
    whole = shares.total()
    figures: dict[str, tuple[Callable[..., Any], Callable[[Counter[Any]], float]]] = {
        "k_anonymity": (min, lambda held: held.total()),
        "l_diversity": (min, len),
        "max_disclosure": (max, lambda held: max(held.values()) / held.total()),
        "t_closeness": (
            max,
            lambda held: (
                sum(abs(held[value] / held.total() - shares[value] / whole) for value in shares) / 2
            ),
        ),
        "beta_likeness": (
            max,
            lambda held: max(
                held[value] / held.total() / (shares[value] / whole) - 1 for value in held
            ),
        ),
    }
    records = sum(held.total() for held in groups.values())
    return {
        name: (
            worst(map(figure, groups.values())),
            sum(held.total() * figure(held) for held in groups.values()) / records,
        )
        for name, (worst, figure) in figures.items()
    }


# --- Our own releases -----------------------------------------------------------------------------

OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "mondrian": ("mondrian", {}),
    "text": ("mondrian", {"ranges": "text"}),
    "bounds": ("mondrian", {"ranges": "bounds"}),
    "agglomerate": ("agglomerate", {}),
    "microaggregate": ("microaggregate", {}),
    "incognito": ("incognito", {"suppression": 0.3}),
}


@pytest.fixture(scope="module", params=OWN)
def own(request: pytest.FixtureRequest, shared_clinic: Connection) -> tuple[Connection, int, str]:
    """A release in generalized form."""
    method, options = OWN[request.param]
    view = f"public.own_{request.param}"
    return shared_clinic, publish(shared_clinic, "patients", "plain", view, options, method), view


def test_a_view_of_ours_is_audited_as_its_release(own: tuple[Connection, int, str]) -> None:
    db, release, view = own
    with unchanged(db):
        found = audit_table(db, view, COUNTED)
    # Groups with equal boxes are one to a reader.
    groups = one(db, "SELECT groups FROM bkpriv.releases WHERE release = %s", [release])
    boxes = len({row[:-1] for row in rows_of(db, view)})
    if boxes == groups:
        agree(found, audit(db, release, COUNTED))
    counted = naive(db, view)
    assert {row[0]: row[3:5] for row in found if row[0] in counted} == {
        name: pytest.approx(figures, abs=1e-9) for name, figures in counted.items()
    }


def test_records_that_are_left_out_are_counted(own: tuple[Connection, int, str]) -> None:
    db, release, view = own
    left = one(db, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release])
    rows = db.execute(AUDIT, [view, "patients", Jsonb({}), Jsonb(COUNTED)]).fetchall()
    assert [row[5] for row in rows if row[0] == SUPPRESSED] == ([left] if left else [])


def test_beliefs_are_judged_where_labels_tell_whose_rows_are_whose(
    own: tuple[Connection, int, str],
) -> None:
    db, release, view = own
    heard = overhear(db)
    audit_table(db, view, COUNTED)
    (said,) = heard
    if "told by the labels" in said:
        agree(audit_table(db, view, BELIEVED), audit(db, release, BELIEVED))
    else:
        parameters = [view, "patients", Jsonb({}), Jsonb(BELIEVED)]
        refused(db, AUDIT, parameters, sqlstate="0A000", names=["bt_privacy", "whose rows"])


def test_mondrians_labels_tell_whose_rows_are_whose(shared_clinic: Connection) -> None:
    db = shared_clinic
    release = publish(db, view="public.told")
    heard = overhear(db)
    agree(audit_table(db, "public.told", BELIEVED), audit(db, release, BELIEVED))
    assert "told by the labels" in heard[0]


def utility(db: Connection, release: int) -> dict[str, float | None]:
    """Metrics of a release."""
    return dict(db.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall())


def utility_table(db: Connection, table: str, columns: Any = None) -> dict[str, float | None]:
    """Metrics of a table."""
    query = "SELECT * FROM bkpriv.utility_table(%s, 'patients', %s)"
    return dict(db.execute(query, [table, Jsonb(columns or {})]).fetchall())


def test_a_view_of_ours_is_as_useful_as_its_release(own: tuple[Connection, int, str]) -> None:
    db, release, view = own
    with unchanged(db):
        found = utility_table(db, view)
    expected = {
        name: figure
        for name, figure in utility(db, release).items()
        if not name.endswith("_k_anonymous")
    }
    if len({row[:-1] for row in rows_of(db, view)}) != one(
        db, "SELECT groups FROM bkpriv.releases WHERE release = %s", [release]
    ):
        for name in ("discernibility", "average_class_size"):
            del found[name], expected[name]
    if found["suppressed_share"] and found["rgcp"] is None:
        del found["rgcp"], expected["rgcp"]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", ["bucketize", "anatomy"])
def test_exact_values_beside_groups_are_audited_as_their_release(
    shared_clinic: Connection, method: str
) -> None:
    db, view = shared_clinic, f"public.exact_{method}"
    state_policy(db, "two", {"l_diversity": {"l": 2, "variant": "probabilistic"}})
    release = publish(db, "patients", "two", view, method=method)
    db.execute(
        sql.SQL(
            "CREATE VIEW {} AS SELECT group_id, disease FROM {}, generate_series(1, count)"
        ).format(sql.SQL(f"{view}_linked"), sql.SQL(f"{view}_sensitive"))
    )
    agree(audit_table(db, f"{view}_linked", COUNTED), audit(db, release, COUNTED))
    if method == "bucketize":
        agree(audit_table(db, view, BELIEVED), audit(db, release, BELIEVED))
        found = utility_table(db, view)
        assert found == pytest.approx({name: utility(db, release)[name] for name in found})


def test_groups_that_look_alike_are_one(shared_clinic: Connection) -> None:
    db = shared_clinic
    db.execute(
        "CREATE TABLE clinic.alike AS SELECT age, sex, disease FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('alike', 'clinic.alike', '{sex}', 'disease')"
    )
    state_policy(db, "tens", {"k_anonymity": {"k": 10}})
    release = publish(db, "alike", "tens", "public.alike", method="microaggregate")
    found = audit_table(db, "public.alike", {"k_anonymity": {"k": 10}}, dataset="alike")
    boxes = Counter(sex for sex, _ in rows_of(db, "public.alike"))
    assert found[0][3] == min(boxes.values())
    assert one(db, "SELECT groups FROM bkpriv.releases WHERE release = %s", [release]) > 2


# --- A key ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keyed(shared_clinic: Connection) -> tuple[Connection, int]:
    """Dataset ``people`` with a key, release by mondrian, and tables of the same groups."""
    db = shared_clinic
    db.execute(
        "CREATE TABLE clinic.person AS SELECT row_number() OVER () AS id, * FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex,city}', 'disease');"
        "SELECT bkpriv.set_hierarchy('people', 'city', 'clinic.city_levels');"
        "SELECT bkpriv.set_hierarchy('people', 'disease', 'clinic.disease_levels')"
    )
    release = publish(db, "people", "plain", "public.people")
    db.execute(
        """
        CREATE TABLE clinic.class AS SELECT row_number() OVER () AS class, * FROM (
            SELECT DISTINCT age, sex, city FROM public.people) AS x;
        CREATE TABLE clinic.keyed AS
            SELECT p.id::text AS person, 'class ' || c.class AS class, c.age::text AS years, c.sex,
                c.city, p.disease
            FROM clinic.person AS p JOIN clinic.class AS c ON p.age <@ c.age
            AND c.sex IN (p.sex, '*') AND (c.city IN (p.city, '*')
                OR c.city = (SELECT region FROM clinic.city_levels AS l WHERE l.city = p.city))
        """
    )
    assert one(db, "SELECT count(*) FROM clinic.keyed") == 300
    return db, release


LABELS = {"age": "years"}
CLASSES = {"age": "class", "sex": "class", "city": "class"}
KEY = {"id": "person"}


@pytest.mark.parametrize("columns", [LABELS, CLASSES, {"group_id": "class", "age": None}])
def test_what_a_key_tells_is_audited_as_the_release(
    keyed: tuple[Connection, int], columns: dict[str, str]
) -> None:
    db, release = keyed
    with unchanged(db):
        found = audit_table(db, "clinic.keyed", BELIEVED, {**columns, **KEY}, "people")
    agree(found, audit(db, release, BELIEVED))


def test_the_worst_group_is_named_by_its_labels(keyed: tuple[Connection, int]) -> None:
    db, _ = keyed
    query = (
        "SELECT worst_labels, worst_records FROM bkpriv.audit_table("
        "'clinic.keyed', 'people', '{\"age\": \"years\"}', '{\"k_anonymity\": {\"k\": 5}}')"
    )
    labels, size = db.execute(query).fetchall()[0]
    held = one(
        db,
        "SELECT count(*) FROM clinic.keyed WHERE (years, sex, city) = (%s, %s, %s)",
        [labels["age"], labels["sex"], labels["city"]],
    )
    assert held == size


def test_extents_of_people_stand_in_for_labels(keyed: tuple[Connection, int]) -> None:
    db, release = keyed
    query = "SELECT * FROM bkpriv.utility_table('clinic.keyed', 'people', %s)"
    expected = utility(db, release)
    for columns in (LABELS, {**LABELS, **KEY}, {**CLASSES, **KEY}):
        heard = overhear(db)
        found: dict[str, float] = dict(db.execute(query, [Jsonb(columns)]).fetchall())
        assert found == pytest.approx({name: expected[name] for name in found}, abs=1e-9)
        stand_in = 'Labels of "age" are read as the extent of its people' in heard[0]
        assert stand_in == (columns.get("age") == "class")
    refused(db, query, [Jsonb(CLASSES)], sqlstate="22000", names=['"age"', "class "])


def test_queries_err_as_of_the_release(keyed: tuple[Connection, int]) -> None:
    db, release = keyed
    demand = {"query_error": {"median": 0.5, "queries": 50}}
    ((*_, worst, mean),) = db.execute(
        "SELECT worst, mean FROM bkpriv.audit(%s, %s)", [release, Jsonb(demand)]
    ).fetchall()
    for columns in (LABELS, {**CLASSES, **KEY}):
        ((row),) = audit_table(db, "clinic.keyed", demand, columns, "people")
        assert row[3:5] == (pytest.approx(worst, abs=1e-9), pytest.approx(mean, abs=1e-9))
    parameters = ["clinic.keyed", "people", Jsonb(CLASSES), Jsonb(demand)]
    refused(db, AUDIT, parameters, sqlstate="22000", names=['"age"', "class "])


def test_a_key_is_that_of_respondents_by_itself(keyed: tuple[Connection, int]) -> None:
    db, _ = keyed
    db.execute(
        "SELECT bkpriv.register_dataset("
        "'named', 'clinic.person', '{age,sex,city}', 'disease', respondent => 'id');"
        "CREATE TABLE clinic.by_id AS SELECT person AS id, class AS age, sex, city, disease "
        "FROM clinic.keyed"
    )
    heard = overhear(db)
    assert audit_table(db, "clinic.by_id", BELIEVED, dataset="named")
    assert 'told by column "id"' in heard[0]
    heard = overhear(db)
    audit_table(db, "clinic.by_id", COUNTED, {"id": None}, "named")
    assert "not known" in heard[0]


def test_attacks_are_those_on_the_release(keyed: tuple[Connection, int]) -> None:
    db, release = keyed
    query = "SELECT * FROM bkpriv.attack_table('clinic.keyed', 'people', %s, %s)"
    for attacker in ("majority", "learner", "informed", "without_groups"):
        expected = {
            (name, column): value
            for name, value, column in db.execute(
                "SELECT * FROM bkpriv.attack(%s, %s)", [release, attacker]
            )
            if name not in ("seconds", "over_t")
        }
        for columns in (LABELS, {**LABELS, **KEY}):
            with unchanged(db):
                found = {
                    (name, column): value
                    for name, value, column in db.execute(query, [Jsonb(columns), attacker])
                }
            assert found == pytest.approx(expected, abs=1e-6), attacker
    refused(db, query, [Jsonb(CLASSES), "majority"], sqlstate="0A000", names=["whose rows"])


def test_values_that_were_changed_are_judged_as_they_are_shown(
    keyed: tuple[Connection, int],
) -> None:
    db, _ = keyed
    db.execute(
        "CREATE TABLE clinic.swapped AS SELECT person, class, "
        "CASE disease WHEN 'ulcer' THEN 'asthma' ELSE disease END AS disease FROM clinic.keyed"
    )
    columns = {**CLASSES, **KEY}
    found = audit_table(db, "clinic.swapped", {"max_disclosure": {"tau": 0.5}}, columns, "people")
    shares = one(
        db,
        "SELECT max(n / sum) FROM (SELECT class, count(*) AS n, sum(count(*)) OVER (PARTITION BY "
        "class) FROM clinic.swapped GROUP BY class, disease) AS x",
    )
    assert found[0][3] == pytest.approx(float(shares))
    parameters = ["clinic.swapped", "people", Jsonb(CLASSES), Jsonb(COUNTED)]
    refused(db, AUDIT, parameters, sqlstate="22000", names=["asthma", "rows"])


# --- Several columns, periods, bins and NULL ------------------------------------------------------


def test_several_sensitive_columns(clinic: Connection) -> None:
    create_releases(clinic)
    view = one(clinic, "SELECT view_name FROM bkpriv.releases WHERE release = 1")
    requirements = {
        "l_diversity": [{"l": 2, "sensitive": COLUMNS[0]}, {"l": 2, "joint": True}],
        "bt_privacy": {"bandwidth": 0.3, "t": 0.3},
    }
    found = audit_table(clinic, view, requirements, dataset="visits")
    agree(found, audit(clinic, 1, requirements))
    clinic.execute(
        sql.SQL(
            "CREATE TABLE mixed AS SELECT age, sex, city, 'asthma' AS disease, treatment FROM {}"
        ).format(sql.SQL(view))
    )
    parameters = ["mixed", "visits", Jsonb({}), Jsonb(COUNTED | {"beta_likeness": {"beta": 2}})]
    refused(clinic, AUDIT, parameters, sqlstate="22000", names=["combinations"])


def test_a_table_of_one_period(clinic: Connection) -> None:
    create_visits(clinic)
    declare_visits(clinic)
    release = publish_period(clinic, "2024-02")
    view = one(clinic, "SELECT view_name FROM bkpriv.releases")
    query = (
        "SELECT requirement, worst, mean FROM bkpriv.audit_table(%s, 'visits', '{}', %s, "
        "period => %s) WHERE requirement <> 'suppressed'"
    )
    requirements = Jsonb({"k_anonymity": {"k": 2}, "t_closeness": {"t": 0.2, "ground": "equal"}})
    expected = [
        (name, pytest.approx(worst, abs=1e-9), pytest.approx(mean, abs=1e-9))
        for name, worst, mean in clinic.execute(
            "SELECT requirement, worst, mean FROM bkpriv.audit(%s, %s)", [release, requirements]
        )
    ]
    assert clinic.execute(query, [view, requirements, "2024-02"]).fetchall() == expected
    # Over all periods people have several records.
    parameters = [view, requirements, None]
    said = refused(clinic, query, parameters, sqlstate="22000", names=['"visits"', '"person"'])
    assert said.message_hint == "State the period that the table shows."
    clinic.execute("CREATE TABLE named AS SELECT * FROM clinic.visit WHERE month = '2024-02'")
    asked = Jsonb({"bt_privacy": {"bandwidth": 0.3, "t": 0.5}})
    assert clinic.execute(query, ["named", asked, "2024-02"]).fetchall()
    refused(clinic, query, ["named", asked, None], sqlstate="22023", names=["periods"])


@pytest.mark.parametrize("ranges", ["range", "bounds", "text"])
def test_bins_and_null_in_every_style(clinic: Connection, ranges: str) -> None:
    clinic.execute(
        "CREATE TABLE clinic.odd AS SELECT nullif(age, 33) AS age, nullif(sex, 'f') AS sex, "
        "(age * 37 % 1000) / 10.0 AS income, date '2020-01-01' + age * 9 AS day, age AS told "
        "FROM clinic.patient;"
        "SELECT bkpriv.register_dataset('odd', 'clinic.odd', '{age,sex,income,day}', 'told', "
        """bins => '{"income": 25, "told": 20, "day": "month"}')"""
    )
    state_policy(clinic, "six", {"k_anonymity": {"k": 6}})
    options = {"nulls": "category", "ranges": ranges}
    release = publish(clinic, "odd", "six", "public.odd", options)
    requirements = {"k_anonymity": {"k": 6}, "t_closeness": {"t": 0.2, "ground": "ordered"}}
    agree(
        audit_table(clinic, "public.odd", requirements, dataset="odd"),
        audit(clinic, release, requirements),
    )
    found: dict[str, float] = dict(
        clinic.execute("SELECT * FROM bkpriv.utility_table('public.odd', 'odd')").fetchall()
    )
    expected = utility(clinic, release)
    assert found == pytest.approx({name: expected[name] for name in found}, abs=1e-9)
