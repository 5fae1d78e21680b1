"""Staleness by period: a write makes the releases of its rows' periods stale, and no others."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from bkpriv_core.table.bins import CALENDAR
from tests.conftest import Connection, sample
from tests.db.clinic import fill, one, overhear, rows_of
from tests.db.monthly import (
    MONTHS,
    create_visits,
    declare_visits,
    draw_visits,
    publish_period,
)
from tests.db.test_period_types import create_types
from tests.db.writing import stale

pytestmark = pytest.mark.pooled

COLUMNS = "(person, month, age, sex, disease)"
NEW = "(99, '{}', 30, 'f', 'gout')"

TABLES = {
    "table": "CREATE TABLE clinic.visit (LIKE clinic.fields)",
    # A partition has columns in another order.
    "partitions by month": """
        CREATE TABLE clinic.visit (LIKE clinic.fields) PARTITION BY LIST (month);
        CREATE TABLE clinic.first PARTITION OF clinic.visit FOR VALUES IN ('2024-01');
        CREATE TABLE clinic.rest
            (gone int, disease text, sex text, month text, age int, person int);
        ALTER TABLE clinic.rest DROP gone;
        ALTER TABLE clinic.visit ATTACH PARTITION clinic.rest DEFAULT""",
    "partitions by age": """
        CREATE TABLE clinic.visit (LIKE clinic.fields) PARTITION BY RANGE (age);
        CREATE TABLE clinic.first PARTITION OF clinic.visit FOR VALUES FROM (0) TO (45)
            PARTITION BY LIST (sex);
        CREATE TABLE clinic.women PARTITION OF clinic.first FOR VALUES IN ('f');
        CREATE TABLE clinic.men PARTITION OF clinic.first DEFAULT;
        CREATE TABLE clinic.rest PARTITION OF clinic.visit DEFAULT""",
    "children": """
        CREATE TABLE clinic.visit (LIKE clinic.fields);
        CREATE TABLE clinic.first (note text) INHERITS (clinic.visit)""",
}
WRITES: dict[str, tuple[str, set[str]]] = {
    # The statement, and the months that rows are written to.
    "insert": (f"INSERT INTO clinic.visit {COLUMNS} VALUES {NEW.format('2024-02')}", {"2024-02"}),
    "insert for another month": (
        f"INSERT INTO clinic.visit {COLUMNS} VALUES {NEW.format('2024-04')}", set(),
    ),
    "insert for no month": (
        f"INSERT INTO clinic.visit {COLUMNS} VALUES (99, NULL, 30, 'f', 'gout')",
        set(),
    ),
    "update": ("UPDATE clinic.visit SET age = 40 WHERE month = '2024-03'", {"2024-03"}),
    "update of one": (
        "UPDATE clinic.visit SET age = 50 WHERE person = 7 AND month = '2024-01'", {"2024-01"},
    ),
    "update of nothing": ("UPDATE clinic.visit SET age = 40 WHERE month = '1999-01'", set()),
    "move": (
        "UPDATE clinic.visit SET month = '2024-01' WHERE month = '2024-03' AND person = 8",
        {"2024-01", "2024-03"},
    ),
    "move away": (
        "UPDATE clinic.visit SET month = '2024-09' WHERE month = '2024-02'", {"2024-02"},
    ),
    "move to no month": (
        "UPDATE clinic.visit SET month = NULL WHERE month = '2024-02'", {"2024-02"},
    ),
    "delete": ("DELETE FROM clinic.visit WHERE month = '2024-01' AND person = 7", {"2024-01"}),
    "delete of two": ("DELETE FROM clinic.visit WHERE month < '2024-03'", {"2024-01", "2024-02"}),
    "delete of all": ("DELETE FROM clinic.visit", set(MONTHS)),
    "truncate": ("TRUNCATE clinic.visit", set(MONTHS)),
    "copy": (
        f"COPY clinic.visit {COLUMNS} "
        "FROM PROGRAM 'printf ''99\\t2024-02\\t30\\tf\\tgout\\n98\\t2024-05\\t30\\tf\\tgout\\n'''",
        {"2024-02"},
    ),
    "merge": (
        "MERGE INTO clinic.visit v USING (VALUES (7, '2024-01', 50), (99, '2024-02', 20), "
        "(8, '2024-03', 0)) AS w (person, month, age) "
        "ON (v.person, v.month) = (w.person, w.month) "
        "WHEN MATCHED AND w.age = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET age = w.age "
        "WHEN NOT MATCHED THEN INSERT (person, month, age, sex, disease) "
        "VALUES (w.person, w.month, w.age, 'f', 'gout')",
        set(MONTHS),
    ),
    "merge for another month": (
        "MERGE INTO clinic.visit v USING (VALUES (99, '2024-06'), (98, '2024-02')) "
        "AS w (person, month) ON (v.person, v.month) = (w.person, w.month) "
        "WHEN NOT MATCHED THEN INSERT (person, month, age, sex, disease) "
        "VALUES (w.person, w.month, 40, 'f', 'gout')",
        {"2024-02"},
    ),
    "merge for one month": (
        "MERGE INTO clinic.visit v USING (VALUES (8, '2024-03')) AS w (person, month) "
        "ON (v.person, v.month) = (w.person, w.month) WHEN MATCHED THEN DELETE",
        {"2024-03"},
    ),
    "in a common table expression": (
        "WITH gone AS (DELETE FROM clinic.visit WHERE month = '2024-01' RETURNING *) "
        f"INSERT INTO clinic.visit {COLUMNS} "
        "SELECT person, '2024-07', age, sex, disease FROM gone",
        {"2024-01"},
    ),
}  # fmt: skip

MOVED = (
    "MERGE INTO clinic.visit v USING (VALUES (8, '2024-03')) AS w (person, month) "
    "ON (v.person, v.month) = (w.person, w.month) WHEN MATCHED THEN UPDATE SET age = 50"
)

BY_PART: dict[str, dict[str, tuple[str, set[str]]]] = {
    # The same by way of partitions and children.
    "partitions by month": {
        "partition": ("DELETE FROM clinic.rest WHERE month = '2024-02'", {"2024-02"}),
        "truncated partition": ("TRUNCATE clinic.first", set(MONTHS)),
        "partition of one month": ("UPDATE clinic.first SET age = 40", {"2024-01"}),
    },
    "partitions by age": {
        "partition below": ("DELETE FROM clinic.women WHERE month = '2024-02'", {"2024-02"}),
        "partition between": ("UPDATE clinic.first SET sex = 'f' WHERE month = '2024-03'",
                              {"2024-03"}),
        "from partition to partition": (
            "UPDATE clinic.visit SET age = 60 WHERE age < 30 AND month = '2024-01'", {"2024-01"},
        ),
        "moved by a function": (
            "DO $$ BEGIN UPDATE clinic.visit SET age = 60 WHERE month = '2024-01' AND age < 45; "
            "END $$", {"2024-01"},
        ),
        # Of these PostgreSQL does not tell which rows they are.
        "moved by merge": (MOVED, set(MONTHS)),
        "moved by merge in a function": (f"DO $$ BEGIN {MOVED}; END $$", set(MONTHS)),
        "moved by merge in a statement": (
            f"DO $$ BEGIN EXECUTE $m$ {MOVED} $m$; END $$", set(MONTHS),
        ),
        "moved by prepared merge": (
            f"PREPARE move AS {MOVED};; EXECUTE move;; DEALLOCATE move", set(MONTHS),
        ),
        "moved by merge in a function in SQL": (
            "CREATE FUNCTION move() RETURNS void LANGUAGE sql "
            f"AS $$ {MOVED} $$; SELECT move()", set(MONTHS),
        ),
        "moved to another month, too": (
            "UPDATE clinic.visit SET age = 60, month = '2024-02' WHERE age = 27 "
            "AND month = '2024-01'", {"2024-01", "2024-02"},
        ),
    },
    "children": {
        "child": (f"INSERT INTO clinic.first {COLUMNS} VALUES {NEW.format('2024-03')}",
                  {"2024-03"}),
        "only the parent": ("DELETE FROM ONLY clinic.visit WHERE month = '2024-02'", {"2024-02"}),
    },
}  # fmt: skip


@pytest.fixture(scope="module", params=TABLES)
def released(
    shared_db: Connection, request: pytest.FixtureRequest
) -> tuple[Connection, str, dict[str, int]]:
    """A table's kind, and a release of each of its months, by month."""
    if one(shared_db, "SELECT to_regnamespace('clinic') IS NULL"):
        shared_db.execute(
            "CREATE SCHEMA clinic; CREATE TABLE clinic.fields "
            "(person int, month text, age int, sex text, disease text)"
        )
        shared_db.execute("SELECT bkpriv.set_policy('plain', '{\"k_anonymity\": {\"k\": 3}}')")
    shared_db.execute("DROP TABLE IF EXISTS clinic.visit CASCADE")
    shared_db.execute(TABLES[request.param])
    rows = draw_visits(MONTHS)
    if request.param == "children":
        fill(shared_db, "clinic.visit", rows[::2])
        fill(shared_db, f"clinic.first {COLUMNS}", rows[1::2])
    else:
        fill(shared_db, "clinic.visit", rows)
    name = request.param.replace(" ", "_")
    declare_visits(shared_db, name)
    released = {month: publish_period(shared_db, month, name, f"public.{name}_{place}")
                for place, month in enumerate(MONTHS)}  # fmt: skip
    assert fresh(shared_db, released) == set(MONTHS)
    return shared_db, request.param, released


def fresh(db: Connection, released: dict[str, int]) -> set[str]:
    """Months whose releases are fresh; others must be stale, and none unknown."""
    known = {month: stale(db, release) for month, release in released.items()}
    assert None not in known.values()
    return {month for month, is_stale in known.items() if not is_stale}


@pytest.mark.parametrize("write", WRITES)
def test_a_write_makes_releases_of_its_periods_stale(
    released: tuple[Connection, str, dict[str, int]], write: str
) -> None:
    db, kind, releases = released
    statement, months = WRITES[write]
    if "MERGE" in statement and (
        db.info.server_version < 150000 or (kind == "children" and db.info.server_version < 170000)
    ):
        pytest.skip("this server does not merge so")
    with db.transaction(force_rollback=True):
        for part in statement.split(";;"):
            db.execute(part.encode())
        assert fresh(db, releases) == set(MONTHS) - months


def test_a_write_by_way_of_a_part_makes_releases_of_its_periods_stale(
    released: tuple[Connection, str, dict[str, int]],
) -> None:
    db, kind, releases = released
    for name, (statement, months) in BY_PART.get(kind, {}).items():
        if "MERGE" in statement and db.info.server_version < 150000:
            continue
        with db.transaction(force_rollback=True):
            db.execute(statement.encode())
            assert fresh(db, releases) == set(MONTHS) - months, name


def test_a_conflict_that_is_resolved_writes_two_periods(ward: Connection) -> None:
    create_visits(ward)
    declare_visits(ward)
    releases = {month: publish_period(ward, month) for month in MONTHS}
    ward.execute("CREATE UNIQUE INDEX ON clinic.visit (person, month)")
    ward.execute(
        f"INSERT INTO clinic.visit {COLUMNS} VALUES (7, '2024-01', 1, 'f', 'gout'), "
        "(99, '2024-08', 1, 'f', 'gout') ON CONFLICT (person, month) DO UPDATE SET age = 44"
    )
    assert fresh(ward, releases) == {"2024-02", "2024-03"}


STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "update", "move", "delete"]),
        st.sampled_from([*MONTHS, "2024-04"]),
        st.sampled_from([*MONTHS, "2024-04", None]),
        st.integers(0, 12),
    ),
    min_size=1,
    max_size=3,
)


@settings(
    max_examples=sample(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(STATEMENTS)
def test_whatever_is_written_only_periods_that_changed_are_stale(
    released: tuple[Connection, str, dict[str, int]],
    statements: list[tuple[str, str, str | None, int]],
) -> None:
    db, _, releases = released

    def contents() -> Counter[tuple[Any, ...]]:
        return Counter(rows_of(db, f"(SELECT {COLUMNS.strip('()')} FROM clinic.visit) AS v"))

    with db.transaction(force_rollback=True):
        before, touched = contents(), set[str | None]()
        for kind, month, other, person in statements:
            # Whom it writes, found before it does.
            query = "SELECT count(*) FROM clinic.visit WHERE month = %s AND person %% 13 = %s"
            found = one(db, query, [month, person])
            touched |= {month} if found or kind == "insert" else set()
            touched |= {other} if found and kind == "move" else set()
            where = "WHERE month = %(month)s AND person %% 13 = %(person)s"
            db.execute(
                {
                    "insert": f"INSERT INTO clinic.visit {COLUMNS} "
                    "VALUES (%(person)s, %(month)s, 30, 'f', 'gout')",
                    "update": f"UPDATE clinic.visit SET age = 100 - age {where}",
                    "move": f"UPDATE clinic.visit SET month = %(other)s {where}",
                    "delete": f"DELETE FROM clinic.visit {where}",
                }[kind].encode(),
                {"month": month, "other": other, "person": person},
            )
        after = contents()
        changed = {row[1] for row in ((before - after) + (after - before))}
        assert changed <= touched
        assert fresh(db, releases) == set(MONTHS) - touched


# --- types and bins -------------------------------------------------------------------------------

TYPES: dict[str, tuple[str, str, str, bool]] = {
    # SQL type, two periods, and whether writes to the one leave the other fresh
    "text": ("text", "a'\"\\", "b", True),
    "varchar": ("varchar(9)", "a", "b", True),
    "char": ("char(9)", "a", "b", True),
    "domain": ("clinic.month", "2024-01", "2024-02", True),
    "date": ("date", "2024-01-01", "2024-02-01", True),
    "infinite date": ("date", "infinity", "0044-03-15 BC", True),
    "time": ("timestamp", "2024-01-01 00:00:00.000001", "2024-01-01", True),
    "zone": ("timestamptz", "2024-01-01 00:00+01", "2024-01-01 00:00+00", True),
    "integer": ("int", "1", "-1", True),
    "smallint": ("int2", "1", "-1", True),
    "bigint": ("int8", "9007199254740993", "9007199254740992", True),
    "numeric": ("numeric(8,2)", "1.5", "2", True),
    "real": ("real", "0.1", "-0", True),
    "double": ("float8", "NaN", "0.1", True),
    "boolean": ("boolean", "t", "f", True),
    "uuid": ("uuid", f"{1:032}", f"{2:032}", True),
    "interval": ("interval", "1 day", "2 days", False),
    "enumeration": ("clinic.season", "winter", "spring", False),
    "type of others": ("clinic.word", "May", "June", False),
    "no two texts alike": ("text COLLATE clinic.free", "May", "June", False),
}


@pytest.mark.parametrize(("type_", "first", "second", "apart"), TYPES.values(), ids=TYPES)
def test_periods_of_every_type_are_told_apart_or_all_stale(
    ward: Connection, type_: str, first: str, second: str, apart: bool
) -> None:
    create_types(ward)
    create_visits(ward, type_, [first, second])
    said = overhear(ward)
    declare_visits(ward)
    assert any("writes to any period" in line for line in said) is not apart
    releases = [
        publish_period(ward, period, view=f"public.v{place}")
        for place, period in enumerate((first, second))
    ]
    # Whatever the writer's session writes values like.
    ward.execute(
        "SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Tokyo'; SET extra_float_digits = -9"
    )
    ward.execute("DELETE FROM clinic.visit WHERE ctid = (SELECT max(ctid) FROM clinic.visit)")
    written = [stale(ward, release) for release in releases]
    assert None not in written
    assert sum(map(bool, written)) == (1 if apart else 2)


@pytest.mark.parametrize(
    ("type_", "rows", "unit"),
    [
        ("date", ["2024-01-31", "2024-02-01", "2024-02-29"], "month"),
        ("timestamp", ["2024-01-31 23:59", "2024-02-01 00:00", "2024-02-29 12:00"], "month"),
        ("timestamptz", ["2024-02-01 00:59+01", "2024-02-01 01:00+01", "2024-02-29+00"], "month"),
        *[("date", ["2023-12-31", "2024-01-01", "2024-01-01"], unit) for unit in
          ("year", "quarter", "week", "day")],
        ("timestamp", ["2024-01-01 00:59:59", "2024-01-01 01:00", "2024-01-01 01:59"], "hour"),
    ],
)  # fmt: skip
def test_binned_periods_are_told_apart(
    ward: Connection, type_: str, rows: list[str], unit: str
) -> None:
    create_visits(ward, type_, rows)
    ward.execute("UPDATE clinic.visit SET person = person + 1000 * extract(day FROM month)::int")
    ward.execute("SET timezone = 'UTC'")
    ward.execute(
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age,sex}', 'disease', "
        "period => 'month', bins => %s)",
        [Jsonb({"month": unit})],
    )
    earlier = publish_period(ward, rows[0], view="public.earlier")
    later = publish_period(ward, rows[1], view="public.later")
    ward.execute("SET timezone = 'Asia/Tokyo'")
    # Nothing that lies far away is in the way.
    for far in ("infinity", "-infinity", "0044-03-15 BC", "25000-01-01", "4713-01-01 BC"):
        insert = "INSERT INTO clinic.visit VALUES (1, %s, 30, 'f', 'gout')"
        ward.execute(insert, [far])
    if type_ == "date":
        ward.execute("INSERT INTO clinic.visit VALUES (1, '5874897-12-31', 30, 'f', 'gout')")
    assert (stale(ward, earlier), stale(ward, later)) == (False, False)
    ward.execute("INSERT INTO clinic.visit VALUES (1, %s, 30, 'f', 'gout')", [rows[2]])
    assert (stale(ward, earlier), stale(ward, later)) == (False, True)
    ward.execute(
        "UPDATE clinic.visit SET age = 77 WHERE ctid = (SELECT min(ctid) FROM clinic.visit)"
    )
    assert (stale(ward, earlier), stale(ward, later)) == (True, True)


def test_the_units_of_bins_are_known_to_the_trigger(db: Connection) -> None:
    body = one(db, "SELECT prosrc FROM pg_proc WHERE proname = 'mark_stale'")
    listed = ", ".join(f"'{unit}'" for unit in CALENDAR)
    assert f"period_bin IN ({listed})" in body


@pytest.mark.parametrize("type_", ["int", "numeric", "float8"])
def test_periods_that_are_bins_of_numbers_are_all_stale(ward: Connection, type_: str) -> None:
    create_visits(ward, type_, ["1", "11"])
    declare_visits(ward, bins={"month": 10})
    releases = [publish_period(ward, period, view=f"public.v{period}") for period in ("1", "11")]
    ward.execute("DELETE FROM clinic.visit WHERE month = 1 AND person = 7")
    assert [stale(ward, release) for release in releases] == [True, True]


def test_datasets_with_other_bins_are_marked_by_their_own(ward: Connection) -> None:
    create_visits(ward, "date", ["2024-01-01", "2024-01-02", "2024-02-01"])
    ward.execute("SELECT bkpriv.register_dataset('days', 'clinic.visit', '{age}', 'disease', "
                 "period => 'month')")  # fmt: skip
    ward.execute("SELECT bkpriv.register_dataset('months', 'clinic.visit', '{age}', 'disease', "
                 "period => 'month', bins => '{\"month\": \"month\"}')")  # fmt: skip
    ward.execute("SELECT bkpriv.register_dataset('all', 'clinic.visit', '{age}', 'disease')")
    releases = [
        publish_period(ward, period, dataset, f"public.v{place}")
        for place, (dataset, period) in enumerate(
            [("days", "2024-01-01"), ("days", "2024-01-02"), ("months", "2024-01-09"),
             ("months", "2024-02-01"), ("all", None)]
        )
    ]  # fmt: skip
    ward.execute("DELETE FROM clinic.visit WHERE month = '2024-01-02' AND person = 7")
    assert [stale(ward, release) for release in releases] == [False, True, True, False, True]


def test_any_number_of_releases_is_no_load_to_writers(ward: Connection) -> None:
    # A role that may read the table may record anything of it, with its token.
    db = ward
    create_visits(db)
    declare_visits(db)
    publish_period(db, "2024-01")
    columns = (
        "source_schema, source_name, view_schema, view_name, method, policy, requirements, "
        "options, records, suppressed, groups, watch, period_type, period_column"
    )
    db.execute(
        f"INSERT INTO bkpriv.release (release, dataset, owner, version, period, {columns}) "
        f"SELECT i, 'forged', owner, i, '1999-' || i, {columns} "
        "FROM bkpriv.release, generate_series(2, 10002) AS i WHERE release = 1"
    )
    db.execute(f"INSERT INTO clinic.visit {COLUMNS} VALUES {NEW.format('2024-02')}")
    marked = one(db, "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'stale'")
    assert marked == 10_002
