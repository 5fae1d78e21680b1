"""Numbers that are codes: what registration says of them, and that they can be labels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import one, overhear, publish, sentence, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

METHODS = ("mondrian", "agglomerate", "bucketize", "anatomy")

POLICY = {
    "k_anonymity": {"k": 3},
    "l_diversity": {"l": 2},
    "t_closeness": {"t": 0.5},
    "bt_privacy": {"bandwidth": 0.5, "t": 0.4},
}


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection to a database with codes as numbers, and as texts of one digit."""
    db.execute(
        "CREATE TABLE visit AS SELECT 20 + i * 7 % 40 AS age, 1 + i * 37 / 11 % 5 AS ward, "
        "1 + i * 29 / 7 % 4 AS method, i % 30 - 5 AS dose, i % 2 AS smokes, i AS person "
        "FROM generate_series(1, 120) AS i;"
        "CREATE TABLE written AS SELECT age, ward::text, method::text FROM visit"
    )
    return db


def register(
    connection: Connection, known: list[str], told: str, bins: Any = None, source: str = "visit"
) -> list[str]:
    """Register a dataset of the name of its source, and return what is said of codes."""
    said: list[str] = []
    connection.add_notice_handler(
        lambda notice: said.append(
            f"{notice.message_primary}: {notice.message_detail} {notice.message_hint}"
        )
    )
    connection.execute(
        "SELECT bkpriv.register_dataset(%s, %s, %s, %s, bins => %s::jsonb)",
        [source, source, known, told, json.dumps(bins or {})],
    )
    return [line for line in said if "codes" in line]


def test_sensitive_numbers_of_few_values_are_warned_of(visits: Connection) -> None:
    (said,) = register(visits, ["age"], "method")
    assert '"method" (4)' in said
    assert """bins => '{"method": "label"}';""" in said


def test_what_the_warning_says_works(visits: Connection) -> None:
    bins = {"method": "label", "ward": "label"}
    assert register(visits, ["age", "ward"], "method", bins) == []


def test_quasi_identifiers_that_look_like_codes_are_warned_of(visits: Connection) -> None:
    visits.execute("ALTER TABLE visit ADD zip_code int, ADD codeine int; UPDATE visit "
                   "SET zip_code = 10000 + person % 30, codeine = 3 * (person % 25)")  # fmt: skip
    (said,) = register(visits, ["age", "ward", "dose", "smokes", "zip_code", "codeine"], "person")
    assert '"ward" (5), "zip_code" (30).' in said


def test_numbers_in_bins_and_of_few_records_are_not_warned_of(visits: Connection) -> None:
    assert register(visits, ["age", "ward"], "dose", {"ward": 2, "dose": 10}) == []
    visits.execute("SELECT bkpriv.drop_dataset('visit')")
    visits.execute("DELETE FROM visit WHERE person > 19")
    assert register(visits, ["age", "ward"], "method") == []


def test_codes_are_counted_within_a_period(visits: Connection) -> None:
    visits.execute("CREATE TABLE monthly AS SELECT m, age, 10 * m + method AS told "
                   "FROM visit, generate_series(0, 11) AS m")  # fmt: skip
    said = overhear(visits)
    visits.execute(
        "SELECT bkpriv.register_dataset('monthly', 'monthly', '{age}', 'told', period => 'm')"
    )
    assert any('"told" (4)' in line for line in said)


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_what_texts_are(visits: Connection, method: str) -> None:
    register(visits, ["age", "ward"], "method", {"method": "label", "ward": "label"})
    register(visits, ["age", "ward"], "method", source="written")
    state_policy(visits, "strict", POLICY)
    releases = [
        publish(visits, source, "strict", f"public.{source}_shown", {"seed": 1}, method)
        for source in ("visit", "written")
    ]
    for measured in (
        "SELECT requirement, threshold, worst, mean, vulnerable FROM bkpriv.audit(%s)",
        "SELECT * FROM bkpriv.utility(%s)",
        "SELECT * FROM bkpriv.disclosure(%s, '0.5') ORDER BY group_id",
        "SELECT sensitive, prior, posterior FROM bkpriv.posterior(%s, '0.5') ORDER BY 1, 2, 3",
    ):
        coded, written = (visits.execute(measured, [release]).fetchall() for release in releases)
        assert coded == written
        assert coded
    shown = [
        visits.execute(f"SELECT v::text FROM (SELECT * FROM {source}_shown) AS v ORDER BY 1")
        for source in ("visit", "written")
    ]
    assert shown[0].fetchall() == shown[1].fetchall()
    counted = "SELECT count(*) FROM visit WHERE method = 2 AND ward IN (1, 3)"
    written_count = counted.replace("visit", "written").replace("= 2", "= '2'")
    written_count = written_count.replace("(1, 3)", "('1', '3')")
    accuracies = [
        visits.execute("SELECT actual, estimate FROM bkpriv.query_accuracy(%s, %s)", asked)
        for asked in ((releases[0], counted), (releases[1], written_count))
    ]
    assert accuracies[0].fetchall() == accuracies[1].fetchall()


def test_labels_may_have_a_hierarchy_and_no_intervals(visits: Connection) -> None:
    register(visits, ["age", "ward"], "method", {"ward": "label"})
    visits.execute("CREATE TABLE wards AS SELECT w, CASE WHEN w < 3 THEN 'low' ELSE 'high' END "
                   "AS floor, '*' AS root FROM generate_series(1, 5) AS w")  # fmt: skip
    intervals = "SELECT bkpriv.set_interval_hierarchy('visit', 'ward', '{2, 4}')"
    refused(visits, intervals, sqlstate="22023", names=["ward"])
    visits.execute("SELECT bkpriv.set_hierarchy('visit', 'ward', 'wards')")
    state_policy(visits, "many", {"k_anonymity": {"k": 20}})
    publish(visits, "visit", "many", "public.shown")
    found = one(visits, "SELECT array_agg(DISTINCT ward) FROM shown")
    assert "low" in found or "high" in found


def test_a_period_is_no_label(visits: Connection) -> None:
    with unchanged(visits):
        refused(
            visits,
            "SELECT bkpriv.register_dataset('visit', 'visit', '{age}', 'method', "
            "period => 'ward', bins => '{\"ward\": \"label\"}')",
            sqlstate="22023",
            names=["ward"],
        )


def test_many_labels_without_a_hierarchy_are_named(visits: Connection) -> None:
    visits.execute("ALTER TABLE visit ADD town text, ADD street text, ADD quarter text; "
                   "UPDATE visit SET town = 't' || person % 21, street = 's' || person, "
                   "quarter = 'q' || person % 20")  # fmt: skip
    said = overhear(visits)
    visits.execute(
        "SELECT bkpriv.register_dataset('visit', 'visit', '{town, street, quarter}', 'dose')"
    )
    (many,) = (line for line in said if "many labels" in line)
    assert '"town" (21).' in many  # Streets are nearly unique, which is worse, and said.


def test_columns_of_which_nothing_is_left_are_named(visits: Connection) -> None:
    visits.execute("ALTER TABLE visit ADD town text, ADD one text; "
                   "UPDATE visit SET town = 't' || person * 7 % 60, one = 'same'")  # fmt: skip
    register(visits, ["age", "town", "one"], "dose")
    state_policy(visits, "many", {"k_anonymity": {"k": 5}})
    release = publish(visits, "visit", "many", "public.shown")
    lost = one(visits, "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp(town)'", [release])
    assert "hardly anything is left of town" in sentence(visits, release)
    assert lost > 0.95
    advice = "SELECT advice FROM bkpriv.verdict(%s) WHERE what LIKE 'lost:%%'"
    assert one(visits, advice, [release]).startswith(
        "Give town a hierarchy (bkpriv.suggest_hierarchy proposes one), or leave it out"
    )
    other = publish(visits, "visit", "many", "public.buckets", method="bucketize")
    assert "hardly anything" not in sentence(visits, other)
