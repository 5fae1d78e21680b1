"""Attributes as they are registered: roles, limits, and warnings with the figures of an oracle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import fill, one, publish, rows_of, sentence, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

REGISTER = (
    "SELECT bkpriv.register_dataset('visits', %s, %s, %s::text[], attributes => %s::text[], "
    "respondent => %s, period => %s)"
)

COLUMNS = ["patient", "age", "city", "disease", "ward", "insurer", "school", "code", "week"]

CITIES = ["Aln", "Brix", "Corve", "Dunn"]
DISEASES = ["asthma", "fracture", "ulcer"]


def draw(records: int) -> list[tuple[Any, ...]]:
    """Draw visits; the ward mostly tells the city, the school the age, others tell nothing."""
    chance = random.Random(1)
    rows = []
    for patient in range(records):
        age, city = chance.randint(5, 14), chance.choice(CITIES)
        ward = f"ward of {city}" if chance.random() < 0.8 else chance.choice(CITIES)
        school = None if chance.random() < 0.1 else f"class {age // 2}"
        code = str(patient) if chance.random() < 0.7 else "none"
        disease, insurer = chance.choice(DISEASES), chance.choice("xyz")
        rows.append((patient, age, city, disease, ward, insurer, school, code, patient % 4))
    return rows


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection to a database with visits."""
    db.execute(
        "CREATE TABLE visit (patient int, age int, city text, disease text, ward text, "
        "insurer text, school text, code text, week int)"
    )
    fill(db, "visit", draw(400))
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    return db


def register(
    db: Connection,
    attributes: Sequence[str | None] | None,
    *,
    keys: Sequence[str] = ("age", "city"),
    sensitive: Sequence[str] = ("disease",),
    respondent: str | None = None,
    period: str | None = None,
    source: str = "visit",
) -> list[str]:
    """Register visits, and return the warnings."""
    said: list[str] = []
    db.add_notice_handler(
        lambda notice: (
            said.append(f"{notice.message_primary}: {notice.message_detail}")
            if notice.severity == "WARNING"
            else None
        )
    )
    asked = [source, list(keys), list(sensitive), attributes, respondent, period]
    db.execute(REGISTER, asked)
    return said


def alike(rows: list[tuple[Any, ...]], attribute: int, other: int) -> tuple[float, float]:
    """Shares of records that have another's value of a column: one alike in an attribute; any."""
    figures = []
    for same in (lambda a, b: a[attribute] == b[attribute], lambda a, b: True):
        hits = 0.0
        for place, row in enumerate(rows):
            others = [b for at, b in enumerate(rows) if at != place and same(row, b)]
            hits += sum(b[other] == row[other] for b in others) / max(len(others), 1)
        figures.append(hits / len(rows))
    return figures[0], figures[1]


def test_what_attributes_tell_is_warned_of_with_figures(visits: Connection) -> None:
    rows = draw(400)
    said = register(visits, ["ward", "insurer", "school", "code"])
    (apart, telling) = said
    codes = Counter(row[7] for row in rows)
    own = sum(count == 1 for count in codes.values())
    assert "attributes of dataset" in apart
    assert f'"code" ({own} of 400, {own / 400:.1%})' in apart
    assert '"ward"' not in apart
    assert "Seen" not in apart
    figures = {
        pair: alike(rows, COLUMNS.index(pair[0]), COLUMNS.index(pair[1]))
        for pair in [("ward", "city"), ("school", "age"), ("insurer", "city"), ("code", "age")]
    }
    for pair in [("ward", "city"), ("school", "age")]:
        with_, without = figures[pair]
        assert f'"{pair[0]}", "{pair[1]}" ({with_:.3g}; {without:.3g})' in telling
    assert telling.count(";") == 3
    for quiet in ("insurer", "code", "disease"):
        assert f'"{quiet}"' not in telling


HOUSEHOLDS = """
    CREATE TABLE member AS
    SELECT 1000 + i % 200 AS household, 'W' || i % 3 || '-' || i % 20 AS bed,
        i % 30 || 'b' AS class, 'R' || (i / 3) % 150 AS invoice, i % 80 AS age,
        i * i % 7 % 2 AS sex, i % 3 AS kind, (ARRAY['flu', 'gout'])[1 + i / 7 % 2] AS disease
    FROM generate_series(1, 420) AS i
"""


@pytest.mark.parametrize("attribute", ["household", "bed", "class", "invoice"])
def test_what_two_to_twenty_rows_share_is_warned_of_and_counted(
    visits: Connection, attribute: str
) -> None:
    visits.execute(HOUSEHOLDS)
    sizes = Counter(visits.execute(f"SELECT {attribute} FROM member").fetchall())
    shared = sum(size for size in sizes.values() if 2 <= size <= 20)
    said = register(visits, [attribute, "kind"], keys=["age", "sex"], source="member")
    (linking,) = [text for text in said if "have values that 2 to 20 records share" in text]
    share = f"({shared} of 420, {shared / 420:.1%})"
    assert linking.endswith(f'Attribute (such records): "{attribute}" {share}.')
    release = publish(visits, "visits", "plain", "public.shown")
    rows = visits.execute(f"SELECT {attribute} FROM public.shown").fetchall()
    counted = sum(size for size in Counter(rows).values() if 2 <= size <= 20)
    stored = one(visits, "SELECT shared_rows FROM bkpriv.release WHERE release = %s", [release])
    assert stored == [counted, 0]
    linked = f"{counted} of 420 rows share their {attribute} with 1 to 19 others"
    assert linked in sentence(visits, release)


def test_values_of_their_own_are_told_apart_within_periods(visits: Connection) -> None:
    visits.execute("UPDATE visit SET code = patient / 4")
    assert not any("records apart" in said for said in register(visits, ["code"]))
    visits.execute("SELECT bkpriv.drop_dataset('visits')")
    (said,) = register(visits, ["code"], period="week")
    assert '"code" (400 of 400, 100.0%)' in said


def test_nulls_of_attributes_are_neither_warned_of_nor_refused(visits: Connection) -> None:
    assert not any("NULL" in said for said in register(visits, ["school"]))
    publish(visits, "visits", view="public.shown")
    missing = "SELECT count(*) FROM {} WHERE school IS NULL"
    assert one(visits, missing.format("public.shown")) == one(visits, missing.format("visit")) > 0


@pytest.mark.parametrize(
    ("attributes", "more", "named"),
    [
        (["age"], {}, "age"),
        (["disease"], {}, "disease"),
        (["ward", "ward"], {}, "ward"),
        (["patient"], {"respondent": "patient"}, "patient"),
        (["week"], {"period": "week"}, "week"),
        (["Ward"], {}, "Ward"),
        (["ctid"], {}, "ctid"),
        (['ward"; DROP TABLE visit; --'], {}, "DROP TABLE"),
    ],
)
def test_attributes_have_one_role(
    visits: Connection, attributes: list[str], more: dict[str, Any], named: str
) -> None:
    extras = [more.get("respondent"), more.get("period")]
    asked = ["visit", ["age", "city"], ["disease"], attributes, *extras]
    with unchanged(visits):
        known = named in COLUMNS
        refused(visits, REGISTER, asked, sqlstate="42701" if known else "42703", names=[named])


def test_lists_that_are_none_are_refused_or_empty(visits: Connection) -> None:
    asked = ["visit", ["age", "city"], ["disease"]]
    for attributes in ([None], [""], [["ward"], ["code"]]):
        with unchanged(visits):
            refused(visits, REGISTER, [*asked, attributes, None, None], sqlstate="22023")
    assert register(visits, None) == []
    assert one(visits, "SELECT attributes FROM bkpriv.dataset") == []


def test_an_attribute_may_not_go_by_a_name_of_the_release(visits: Connection) -> None:
    visits.execute('ALTER TABLE visit ADD group_id int, ADD "count" int')
    register(visits, ["group_id", "count"])
    for method in ("bucketize", "anatomy"):
        with unchanged(visits):
            call = "SELECT bkpriv.publish('visits', 'plain', 'public.shown', %s)"
            refused(visits, call, [method], sqlstate="42701", names=["group_id"])
    publish(visits, "visits", view="public.shown")
    assert len(rows_of(visits, "public.shown")) == 400


def test_an_attribute_has_neither_hierarchy_nor_bins(visits: Connection) -> None:
    register(visits, ["week", "school"])
    call = "SELECT bkpriv.set_interval_hierarchy('visits', 'week', '{2}')"
    refused(visits, call, sqlstate="42703", names=["week"])
    binned = (
        "SELECT bkpriv.register_dataset('other', 'visit', '{age}', ARRAY['disease'], "
        """attributes => ARRAY['week'], bins => '{"week": 2}')"""
    )
    refused(visits, binned, sqlstate="22023", names=["week"])


def test_hundreds_of_attributes_pass_through(db: Connection) -> None:
    columns = [f"a{place}" for place in range(200)]
    made = ", ".join(
        f"(i * {place + 7} % {place % 9 + 2}) AS {c}" for place, c in enumerate(columns)
    )
    db.execute(
        f"CREATE TABLE wide AS SELECT i % 5 AS age, i % 3 AS s, {made} "
        "FROM generate_series(1, 200) AS i"
    )
    state_policy(db, "plain", {"k_anonymity": {"k": 4}})
    register(db, columns, keys=["age"], sensitive=["s"], source="wide")
    for method in ("mondrian", "bucketize"):
        publish(db, "visits", view="public.shown", method=method, options={"seed": 1})
        listed = ", ".join(["s", *columns])
        query = f"SELECT {listed}, count(*) FROM {{}} GROUP BY {listed}"
        shown = Counter(db.execute(query.format("public.shown")).fetchall())
        assert shown == Counter(db.execute(query.format("wide")).fetchall())
    too_many = [f"b{place}" for place in range(400)]
    asked = ["wide", ["age"], ["s"], too_many, None, None]
    refused(db, REGISTER, asked, sqlstate="54000", names=["400 attributes"])


def test_a_view_with_volatile_columns_is_read_once(visits: Connection) -> None:
    visits.execute(
        "CREATE VIEW volatile AS SELECT age, city, disease, random() AS drawn, "
        "gen_random_uuid() AS token, clock_timestamp() AS at FROM visit"
    )
    register(visits, ["drawn", "token", "at"], source="volatile")
    for method in ("mondrian", "anatomy"):
        release = publish(visits, "visits", view="public.shown", method=method)
        view = "public.shown" if method == "mondrian" else "public.shown_sensitive"
        query = f"SELECT count(DISTINCT token), count(DISTINCT drawn) FROM {view}"
        assert visits.execute(query).fetchone() == (400, 400)
        stale = "SELECT stale FROM bkpriv.releases WHERE release = %s"
        assert one(visits, stale, [release]) is None


def test_several_sensitive_columns_have_attributes_beside_them(visits: Connection) -> None:
    register(visits, ["code", "school"], sensitive=["disease", "insurer"], respondent="patient")
    listed = "disease, insurer, code, school"
    query = f"SELECT {listed}, count(*) FROM {{}} GROUP BY {listed}"
    held = Counter(visits.execute(query.format("visit")).fetchall())
    for method in ("mondrian", "bucketize"):
        publish(visits, "visits", view="public.shown", method=method)
        assert Counter(visits.execute(query.format("public.shown")).fetchall()) == held


def test_who_may_not_read_an_attribute_cannot_pass_it_through(
    visits: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = publisher.info.user
    visits.execute(f'GRANT SELECT (age, city, disease, ward) ON visit TO "{role}"')
    asked = ["public.visit", ["age", "city"], ["disease"]]
    refused(publisher, REGISTER, [*asked, ["ward", "code"], None, None], sqlstate="42501",
            names=["code"])  # fmt: skip
    publisher.execute(REGISTER, [*asked, ["ward"], None, None])
    assert publish(publisher, "visits", view="shown") == 1
    visits.execute(f'REVOKE SELECT (ward) ON visit FROM "{role}"')
    refused(publisher, "SELECT bkpriv.publish('visits', 'plain', 'shown')", sqlstate="42501",
            names=["ward"])  # fmt: skip


LOWER = """
CREATE FUNCTION lower_limits(text_bytes int8, budget int8) RETURNS void LANGUAGE plpython3u AS $$
import sys
import bkpriv_core.method.agglomerate  # which else takes of the budget when it is first used
for module in ("bkpriv_core.table.payload", "bkpriv_pl.tables.counts"):
    sys.modules[module].MOST_BYTES = text_bytes
sys.modules["bkpriv_pl.server.memory"].BUDGET = budget
$$
"""


@pytest.mark.usefixtures("database")  # and a session, whose limits stay low
def test_what_would_not_fit_in_memory_is_refused_before_it_is_held(visits: Connection) -> None:
    # 60 MB of text, which the table holds compressed.
    visits.execute("ALTER TABLE visit ADD letter text")
    visits.execute(
        "UPDATE visit SET letter = 'Secretnote' || patient || repeat('x', 1000000) "
        "WHERE patient < 60"
    )
    register(visits, ["ward", "letter"])
    visits.execute(LOWER)
    visits.execute("SELECT lower_limits(%s, %s)", [50 * 2**20, 40 * 2**20])
    with unchanged(visits):
        said = refused(
            visits,
            "SELECT bkpriv.publish('visits', 'plain', 'public.shown')",
            sqlstate="54000",
            names=["letter", "bytes"],
        )
    texts = (said.message_primary, said.message_detail, said.message_hint, said.context)
    assert not any("Secretnote" in (text or "") for text in texts)


def test_a_text_that_many_records_share_is_held_once(visits: Connection) -> None:
    visits.execute("ALTER TABLE visit ADD letter text")
    visits.execute("UPDATE visit SET letter = repeat('x', 100000) || patient % 2")
    register(visits, ["letter"])
    publish(visits, "visits", view="public.shown")
    query = "SELECT length(letter), count(*) FROM public.shown GROUP BY 1"
    assert visits.execute(query).fetchall() == [(100001, 400)]
