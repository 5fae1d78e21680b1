"""Hierarchies without a table of levels: by prefixes and by a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import one, publish
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

PREFIXES = "SELECT bkpriv.set_prefix_hierarchy(%s, %s, %s)"
LISTED = "SELECT bkpriv.set_list_hierarchy('patients', 'city', %s)"
REGIONS = {"north": ["Aln", "Brix"], "south": ["Corve", "Dunn"]}


@pytest.fixture
def coded(clinic: Connection) -> Connection:
    """The clinic, with a dataset of patients who have postcodes."""
    clinic.execute(
        """
        CREATE TABLE clinic.coded AS SELECT (ARRAY['24103', '24105', '22111', '80331', '80333'])
            [1 + i % 5] AS zip, i % 7 % 3 AS kind FROM generate_series(1, 150) AS i;
        SELECT bkpriv.register_dataset('coded', 'clinic.coded', '{zip}', 'kind',
            bins => '{"kind": "label"}');
        SELECT bkpriv.set_policy('crowds', '{"k_anonymity": {"k": 40}}');
        """
    )
    return clinic


def shown(connection: Connection, view: str) -> set[str]:
    found = connection.execute(f"SELECT DISTINCT zip FROM {view}").fetchall()
    return {zip for (zip,) in found}


def test_codes_are_published_by_their_first_characters(coded: Connection) -> None:
    coded.execute(PREFIXES, ["coded", "zip", [3, 2, 1]])
    coded.execute("SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown')")
    assert shown(coded, "clinic.shown") == {"2*", "803*"}


def test_a_rule_has_values_that_come_later(coded: Connection) -> None:
    coded.execute(PREFIXES, ["coded", "zip", [3, 2, 1]])
    coded.execute("INSERT INTO clinic.coded SELECT '99999', i % 3 FROM generate_series(1, 60) AS i")
    coded.execute("SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown')")
    assert shown(coded, "clinic.shown") == {"2*", "803*", "99999"}


def test_whole_columns_go_up_a_prefix_at_a_time(coded: Connection) -> None:
    coded.execute(PREFIXES, ["coded", "zip", [3, 1]])
    coded.execute("SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown', 'incognito')")
    assert shown(coded, "clinic.shown") == {"2*", "8*"}
    assert one(coded, "SELECT count(*) FROM bkpriv.audit(1) WHERE NOT satisfied") == 0


def test_numbers_with_prefixes_are_labels(coded: Connection) -> None:
    coded.execute("ALTER TABLE clinic.coded ALTER zip TYPE int USING zip::int")
    coded.execute(PREFIXES, ["coded", "zip", [3, 1]])
    coded.execute("SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown')")
    assert shown(coded, "clinic.shown") == {"2*", "803*"}


def test_a_hierarchy_takes_the_place_of_another(clinic: Connection) -> None:
    kept = "SELECT num_nonnulls(levels, widths, rule) FROM bkpriv.hierarchy WHERE attribute = %s"
    clinic.execute(PREFIXES, ["patients", "age", [1]])
    assert one(clinic, kept, ["age"]) == 1
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{5}')")
    clinic.execute("SELECT bkpriv.set_interval_hierarchy('patients', 'age', '{5}')")
    assert one(clinic, kept, ["age"]) == 1
    clinic.execute("SELECT bkpriv.unset_hierarchy('patients', 'age')")
    assert clinic.execute(kept, ["age"]).fetchall() == []


def test_a_list_is_what_a_table_of_levels_would_be(clinic: Connection) -> None:
    def detail() -> Any:
        return clinic.execute(
            "SELECT city, count(*) FROM clinic.shown GROUP BY 1 ORDER BY 1"
        ).fetchall()

    publish(clinic, view="clinic.shown")
    by_table = detail()
    clinic.execute(LISTED, [Jsonb(REGIONS)])
    publish(clinic, view="clinic.shown")
    assert detail() == by_table


def test_what_a_list_lacks_is_told_and_refused(clinic: Connection) -> None:
    told: list[str] = []
    clinic.add_notice_handler(lambda said: told.append(f"{said.message_detail}"))
    clinic.execute(LISTED, [Jsonb({"north": ["Aln", "Brix"]})])
    assert told == ["2 of 4 are missing: 'Corve', 'Dunn'."]
    refused(
        clinic,
        "SELECT bkpriv.publish('patients', 'plain', 'clinic.shown')",
        sqlstate="22000",
        names=["city", "Corve", "Dunn"],
    )


def test_the_rest_of_a_list_may_have_a_name(clinic: Connection) -> None:
    told: list[str] = []
    clinic.add_notice_handler(lambda said: told.append(f"{said.message_primary}"))
    clinic.execute(
        "SELECT bkpriv.set_list_hierarchy('patients', 'city', %s, 'elsewhere')",
        [Jsonb({"north": ["Aln", "Brix"]})],
    )
    assert told == []
    clinic.execute("UPDATE clinic.patient SET city = 'Oslo' WHERE city = 'Dunn'")
    clinic.execute("""SELECT bkpriv.set_policy('crowds', '{"k_anonymity": {"k": 100}}')""")
    clinic.execute("SELECT bkpriv.publish('patients', 'crowds', 'clinic.shown', 'incognito')")
    found = clinic.execute("SELECT DISTINCT city FROM clinic.shown ORDER BY 1").fetchall()
    assert found == [("elsewhere",), ("north",)]


def test_lengths_that_do_nothing_and_lost_zeros_are_told(coded: Connection) -> None:
    told: list[str] = []
    coded.add_notice_handler(
        lambda said: told.append(f"{said.message_primary}: {said.message_detail}")
    )
    coded.execute(PREFIXES, ["coded", "zip", [4, 3, 2]])
    assert told == [
        'lengths of prefixes of attribute "zip" merge nothing: Length (prefixes): 3 (3), 2 '
        "(3); there are 5 values, of 5 to 5 characters."
    ]
    told.clear()
    coded.execute("ALTER TABLE clinic.coded ALTER zip TYPE int USING zip::int")
    coded.execute("UPDATE clinic.coded SET zip = 1067 WHERE zip = 80331")
    coded.execute(PREFIXES, ["coded", "zip", [3, 1]])
    (said,) = told
    assert said.startswith(
        'the numbers of attribute "zip" have different lengths: They have 4 to 5'
    )


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (("patients", "city", None), "22023", ["city"]),
        (("patients", "city", [[3], [2]]), "22023", ["city"]),
        (("patients", "city", [3, None]), "22023", ["city"]),
        (("patients", "nothing", [3]), "42703", ["nothing"]),
        (("nobody", "city", [3]), "42704", ["nobody"]),
    ],
    ids=str,
)
def test_what_are_no_prefixes_is_refused(
    clinic: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(clinic):
        refused(
            clinic,
            "SELECT bkpriv.set_prefix_hierarchy(%s, %s, %s::int[])",
            arguments,
            sqlstate=sqlstate,
            names=names,
        )


@pytest.mark.parametrize(
    ("branches", "sqlstate"),
    [(None, "22023"), (Jsonb({"north": ["Aln", "Aln"]}), "22000")],
    ids=str,
)
def test_what_is_no_list_is_refused(clinic: Connection, branches: Any, sqlstate: str) -> None:
    with unchanged(clinic):
        refused(clinic, LISTED, [branches], sqlstate=sqlstate)


def test_a_rule_that_was_tampered_with_is_refused(coded: Connection) -> None:
    coded.execute(PREFIXES, ["coded", "zip", [3]])
    coded.execute(
        """UPDATE bkpriv.hierarchy SET rule = '{"prefixes": [3, 9]}' WHERE dataset = 'coded'"""
    )
    refused(
        coded,
        "SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown')",
        sqlstate="22023",
        names=["zip"],
    )


def test_days_are_published_by_units_of_the_calendar(coded: Connection) -> None:
    coded.execute("ALTER TABLE clinic.coded ALTER zip TYPE date USING "
                  "date '1980-01-01' + ('1' || right(zip, 2))::int * 10")  # fmt: skip
    coded.execute("SELECT bkpriv.set_date_hierarchy('coded', 'zip', '{month,year,decade}')")
    coded.execute("SELECT bkpriv.publish('coded', 'crowds', 'clinic.shown', 'incognito')")
    assert shown(coded, "clinic.shown") <= {"1982", "1983"}
    refused(
        coded,
        "SELECT bkpriv.set_date_hierarchy('patients', 'age', '{year}')",
        sqlstate="22023",
        names=["age", "integer"],
    )
