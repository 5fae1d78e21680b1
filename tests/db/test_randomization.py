"""Optimal retentions and risks of randomized releases, in SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from bkpriv_core.randomization.channel import Channel
from tests.conftest import Connection, Database
from tests.core import randomization_oracles as oracles
from tests.core.oracles import Attribute, Records
from tests.db.clinic import one
from tests.db.refusal import refused, unchanged
from tests.db.waiting import timed_out

OPTIMIZE = "SELECT * FROM bkpriv.optimize_randomization(%s, %s, %s)"

CLINIC = ("city", "sex", "disease")
"""Attributes of ``few``, a dataset of the clinic's patients."""


@pytest.fixture(scope="module")
def few(shared_clinic: Connection) -> Connection:
    """The clinic, with a dataset of few combinations, and one of none that matter."""
    shared_clinic.execute(
        "SELECT bkpriv.register_dataset('few', 'clinic.patient', '{sex,city}', 'disease');"
        "CREATE TABLE clinic.ward AS SELECT 'a' AS ward, 1 AS floor, 'flu' AS disease "
        "UNION ALL SELECT 'b', 1, 'flu' UNION ALL SELECT 'b', 1, 'cold';"
        "SELECT bkpriv.register_dataset('wards', 'clinic.ward', '{ward,floor}', 'disease')"
    )
    return shared_clinic


def as_records(connection: Connection) -> Records:
    """The records of ``few``."""
    columns = ", ".join(CLINIC)
    rows = connection.execute(f"SELECT {columns} FROM clinic.patient".encode()).fetchall()
    attributes = [
        Attribute(name, tuple(sorted({row[axis] for row in rows})))
        for axis, name in enumerate(CLINIC)
    ]
    return Records(tuple(attributes[:-1]), attributes[-1], tuple(rows))


@pytest.mark.parametrize("scheme", ["rr-s", "rr-qi", "rr-both"])
def test_retentions_keep_the_bound_and_no_more(few: Connection, scheme: str) -> None:
    records = as_records(few)
    sizes = [len(values) for values in oracles.domains(records)]
    rows = few.execute(OPTIMIZE, ["few", scheme, 0.2]).fetchall()
    assert [row[0] for row in rows] == list(CLINIC)
    assert [row[1] for row in rows] == sizes
    kept = [row[2] for row in rows]
    found = oracles.largest_risk(oracles.joint(records), sizes, kept)
    assert found == pytest.approx(0.2, rel=1e-9)
    for (_, size, retention, epsilon), chosen in zip(
        rows, [scheme != "rr-s", scheme != "rr-s", scheme != "rr-qi"], strict=True
    ):
        assert retention == 1 or chosen
        assert epsilon == pytest.approx(Channel(size, retention).epsilon)
    assert any(math.isinf(row[3]) for row in rows) == (scheme != "rr-both")


def test_options_and_attributes_that_matter_more(few: Connection) -> None:
    statement = "SELECT retention FROM bkpriv.optimize_randomization('few', 'rr-both', 0.2, %s)"
    plain = few.execute(statement, ["{}"]).fetchall()
    careful = few.execute(statement, ['{"utility": {"sex": 9}, "scheme": "rr-both"}']).fetchall()
    assert careful[1] > plain[1]
    assert careful[0] < plain[0]


def test_what_is_one_value_is_kept(few: Connection) -> None:
    rows = few.execute(OPTIMIZE, ["wards", "rr-both", 0.6]).fetchall()
    assert rows[0] == ("floor", 1, 1.0, 0.0)
    assert few.execute(OPTIMIZE, ["wards", "rr-both", 1]).fetchall() == [
        ("floor", 1, 1.0, 0.0),
        ("ward", 2, 1.0, math.inf),
        ("disease", 2, 1.0, math.inf),
    ]


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (["nowhere", "rr-s", 0.5], "42704", ["nowhere"]),
        ([None, "rr-s", 0.5], "22023", ["dataset"]),
        (["few", None, 0.5], "22023", ["scheme is missing"]),
        (["few", "rr-s", None], "22023", ["tau is missing"]),
        (["few", "rr-qi", 0.01], "22023", ["rr-qi", "0.01", "best attainable", "disease"]),
        (["few", "rr-both", 0.2, None], "22023", ["options is missing"]),
        (["few", "rr-both", 0.2, "[]"], "22023", ["options must be"]),
        (["few", "rr-both", 0.2, '{"k": 1}'], "22023", ['"k"']),
        (["few", "rr-both", 0.2, '{"scheme": "rr-s"}'], "22023", ["rr-both", '"rr-s"']),
        (["few", "rr-qi", 0.4, "{}", "2024"], "22023", ["period"]),
        (["few", "rr-qi", 0.4, '{"levels": {"nose": 1}}'], "22023", ["levels", '"nose"']),
    ],
)
def test_what_cannot_be_optimized_is_refused(
    few: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    slots = ["%s", "%s", "%s", "%s::jsonb", "%s"][: len(arguments)]
    with unchanged(few):
        refused(
            few,
            f"SELECT * FROM bkpriv.optimize_randomization({', '.join(slots)})",
            arguments,
            sqlstate=sqlstate,
            names=names,
        )


def test_a_sensitive_column_of_one_value_is_refused(few: Connection) -> None:
    few.execute(
        "CREATE VIEW clinic.ill AS SELECT * FROM clinic.ward WHERE disease = 'flu';"
        "SELECT bkpriv.register_dataset('ill', 'clinic.ill', '{ward}', 'disease')"
    )
    refused(few, OPTIMIZE, ["ill", "rr-both", 0.5], sqlstate="22000", names=["disease", "'flu'"])


def test_a_grid_that_is_too_large_names_what_to_coarsen(few: Connection) -> None:
    few.execute(
        "CREATE TABLE clinic.wide AS SELECT i AS a, i * 7 % 5003 AS b, i % 4 AS c, i % 3 AS s "
        "FROM generate_series(1, 5003) AS i;"
        "SELECT bkpriv.register_dataset('wide', 'clinic.wide', '{a,b,c}', 's')"
    )
    said = refused(
        few, OPTIMIZE, ["wide", "rr-both", 0.2], sqlstate="54000", names=["100120036", '"c"']
    )
    assert said.message_hint == 'Coarsen "a", or do with fewer attributes.'
    # What is not distorted takes no place in the grid.
    found = few.execute(OPTIMIZE, ["wide", "rr-s", 1]).fetchall()
    assert len(found) == 4


def test_the_search_is_stopped_and_says_how_far_it_is(
    few: Connection, shared_database: Database
) -> None:
    few.execute(
        "CREATE TABLE clinic.large AS SELECT i % 120 AS a, i / 7 % 110 AS b, i % 60 AS c, "
        "i * i % 9 AS s FROM generate_series(1, 20000) AS i;"
        "SELECT bkpriv.register_dataset('large', 'clinic.large', '{a,b,c}', 's')"
    )
    connection = shared_database.connect()
    with timed_out(connection, 1.5):
        connection.execute(OPTIMIZE, ["large", "rr-both", 0.1])
    assert one(connection, "SHOW application_name") != "bkpriv optimize_randomization"


# --- By hand --------------------------------------------------------------------------------------

RISK = "SELECT bkpriv.randomization_risk(%s::float8[], %s::float8[], %s)"

# Guo, Ying, Wu 2011, table 1: of 100 persons, 12 are women with cancer. Other counts were lost.
PERSONS = [[0.1, 0.2, 0.2], [0.12, 0.2, 0.18]]


def test_the_example_of_the_paper(few: Connection) -> None:
    found = one(few, RISK, [PERSONS, [0.5, 1.0], "rr-qi"])
    assert found[1][0] == pytest.approx(0.12, abs=1e-12)
    found = one(few, RISK, [PERSONS, [0.5, 1 / 3], "rr-both"])
    assert found[1][0] == pytest.approx(0.12 * 0.24, abs=1e-12)
    found = one(few, RISK, [PERSONS, [0.5, 1 / 3], "rr-s"])
    assert found[1][0] == pytest.approx(0.24**2, abs=1e-12)


def test_the_calculator_says_what_the_search_does(few: Connection) -> None:
    rows = few.execute(OPTIMIZE, ["wards", "rr-both", 0.4]).fetchall()
    kept = [rows[1][2], rows[2][2]]
    # Values in order: a and b, cold and flu.
    joint = [[0.0, 1 / 3], [1 / 3, 1 / 3]]
    found = one(few, RISK, [joint, kept, "rr-both"])
    assert max(map(max, found)) == pytest.approx(0.4, rel=1e-9)
    assert found[0][0] == 0


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["{{0.5,0.4}}", "{1,0.5}", "rr-s"], ["0.9"]),
        (["{{0.5,NULL}}", "{1,0.5}", "rr-s"], ["NULL"]),
        (["{{0.5,0.5}}", "{{1,0.5}}", "rr-s"], ["two elements"]),
        (["{{0.5,0.5}}", "{1,NULL}", "rr-s"], ["NULL"]),
    ],
)
def test_what_makes_no_sense_by_hand_is_refused(
    few: Connection, arguments: Sequence[str], names: Sequence[str]
) -> None:
    refused(few, RISK, arguments, sqlstate="22023", names=names)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_null_by_hand_gives_null(few: Connection, place: int) -> None:
    arguments: list[Any] = [PERSONS, [0.5, 1.0], "rr-qi"]
    arguments[place] = None
    assert one(few, RISK, arguments) is None
