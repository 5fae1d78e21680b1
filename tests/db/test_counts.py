"""Counts of partitioned and foreign sources: right, and made where the records lie."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import fill, one, publish, rows_of, state_policy
from tests.db.statements import countings, hear_statements

pytestmark = pytest.mark.pooled

FUNCTIONS = """
CREATE FUNCTION counted(name text, columns text[], meanwhile text DEFAULT NULL)
RETURNS SETOF text LANGUAGE plpython3u SET search_path = pg_catalog, pg_temp AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
import json
from bkpriv_pl.tables import column, counts, foreign
from bkpriv_pl.tables.source import open_relation
found, members = column.column_types("far", name), foreign.find_members
def interrupted(*args):
    answer = members(*args)
    plpy.execute(meanwhile)
    return answer
try:
    if meanwhile is not None:
        foreign.find_members = interrupted
    *keys, last = (found[column] for column in columns)
    relation = open_relation("far." + plpy.quote_ident(name))
    table = counts.count_cells(relation, tuple(keys), (last,), {}, "category")[0]
finally:
    foreign.find_members = members
for cell, row in zip(table.codes.tolist(), table.counts.tolist()):
    labels = [item.labels[code] for item, code in zip(table.quasi_identifiers, cell)]
    for value, records in zip(table.sensitive.labels, row):
        if records:
            yield json.dumps([*labels, value, records])
$$;
"""

VISITS = """
CREATE SCHEMA far;
CREATE SCHEMA near;
CREATE TABLE near.fields (age int, weight numeric, sex text, seen date, disease text);
CREATE TABLE near.north (LIKE near.fields);
CREATE TABLE near.old (LIKE near.fields);
CREATE TABLE far.visit (LIKE near.fields, city text) PARTITION BY LIST (city);
CREATE TABLE far.south PARTITION OF far.visit FOR VALUES IN ('Corve');
CREATE TABLE far.west PARTITION OF far.visit FOR VALUES IN ('Dunn', NULL)
    PARTITION BY RANGE (age);
CREATE TABLE far.young PARTITION OF far.west FOR VALUES FROM (0) TO (40);
ALTER TABLE near.north ADD city text;
ALTER TABLE near.old ADD city text;
"""

ROWS: list[tuple[Any, ...]] = [
    (
        20 + i * 7 % 50,
        ["1.0", "1.00", "2", None][i % 4],
        ["f", "m", None][i % 3],
        f"2000-0{1 + i % 5}-01",
        ["ulcer", "asthma", "fracture"][i * i % 3],
        ["Aln", "Corve", "Dunn", None, "Aln"][i % 5],
    )
    for i in range(300)
]

COLUMNS = ["age", "weight", "sex", "seen", "disease"]


def connect_itself(db: Connection) -> None:
    """Make the database its own foreign server, which anybody may use as the superuser; or skip."""
    if not one(db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'"):
        pytest.skip("this server lacks postgres_fdw, a contributed module")
    db.execute("CREATE EXTENSION postgres_fdw")
    db.execute(
        sql.SQL(
            """
            CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw
                OPTIONS (host {}, port {}, dbname {});
            CREATE USER MAPPING FOR PUBLIC SERVER itself
                OPTIONS (user 'postgres', password_required 'false');
            GRANT USAGE ON FOREIGN SERVER itself TO PUBLIC;
            """
        ).format(*map(sql.Literal, (db.info.host, str(db.info.port), db.info.dbname)))
    )


@pytest.fixture
def visits(db: Connection) -> Connection:
    """Superuser's connection; ``far.visit`` has local and foreign partitions on several levels."""
    connect_itself(db)
    db.execute(VISITS + FUNCTIONS)
    db.execute(
        """
        CREATE FOREIGN TABLE far.north PARTITION OF far.visit FOR VALUES IN ('Aln')
            SERVER itself OPTIONS (schema_name 'near');
        CREATE FOREIGN TABLE far.old PARTITION OF far.west FOR VALUES FROM (40) TO (100)
            SERVER itself OPTIONS (schema_name 'near');
        """
    )
    fill(db, "far.visit", ROWS)
    state_policy(db, "loose", {"k_anonymity": {"k": 5}})
    return db


def expected(db: Connection, name: str = "visit") -> Counter[Any]:
    """Count the records as anybody would."""
    listed = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
    rows = db.execute(
        sql.SQL("SELECT {}, count(*) FROM {} GROUP BY {}").format(
            listed, sql.Identifier("far", name), listed
        )
    ).fetchall()
    return Counter({tuple(map(normal, row[:-1])): row[-1] for row in rows})


def normal(value: object) -> str | None:
    """Write 1.0 and 1.00, which are equal, alike."""
    return None if value is None else str(value).removesuffix(".00").removesuffix(".0")


def counted(db: Connection, meanwhile: str | None = None, name: str = "visit") -> Counter[Any]:
    rows = [
        json.loads(row)
        for (row,) in db.execute("SELECT counted(%s, %s, %s)", [name, COLUMNS, meanwhile])
    ]
    found = Counter({tuple(map(normal, row[:-1])): row[-1] for row in rows})
    assert len(found) == len(rows), "a combination is listed twice"
    return found


def shipped(heard: list[str]) -> list[str]:
    """Statements that the last counting sent to foreign servers."""
    lines = countings(heard)[-1].splitlines()
    return [line.strip() for line in lines if "Remote SQL" in line]


def test_foreign_partitions_are_counted_where_they_lie(visits: Connection) -> None:
    heard = hear_statements(visits)
    assert counted(visits) == expected(visits)
    asked = shipped(heard)
    assert len(asked) == 2
    for query, table in zip(
        sorted(asked, key=lambda text: "north" in text), ("old", "north"), strict=True
    ):
        assert "count(*)" in query
        assert f"FROM near.{table} GROUP BY" in query
        assert "city" not in query


def test_a_publication_counts_foreign_partitions_where_they_lie(visits: Connection) -> None:
    visits.execute("CREATE TABLE far.plain AS TABLE far.visit")
    for name in ("visit", "plain"):
        visits.execute(
            "SELECT bkpriv.register_dataset(%s, %s, '{age,seen}', 'disease')", [name, f"far.{name}"]
        )
    heard = hear_statements(visits)
    release = publish(visits, "visit", "loose", "public.visit")
    assert all("GROUP BY" in query for query in shipped(heard))
    publish(visits, "plain", "loose", "public.plain")
    assert Counter(rows_of(visits, "public.visit")) == Counter(rows_of(visits, "public.plain"))
    assert one(visits, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release]) is None


@pytest.mark.parametrize("period", [None, "2000-01-01"])
@pytest.mark.parametrize("source", ["visit", "north", "viewed"])
def test_bins_of_the_calendar_are_made_of_counts_that_are_fetched(
    visits: Connection, source: str, period: str | None
) -> None:
    # A view may have a column that is called like a count.
    view = "CREATE VIEW far.viewed AS SELECT age, weight AS n0, seen, disease FROM far.north"
    visits.execute(view.encode())
    visits.execute(f"CREATE TABLE far.plain AS TABLE far.{source}".encode())
    weight = "n0" if source == "viewed" else "weight"
    known = ["age", weight] if period else ["age", weight, "seen"]
    heard = hear_statements(visits)
    for name in (source, "plain"):
        visits.execute(
            "SELECT bkpriv.register_dataset(%s, %s, %s, 'disease', period => %s, bins => %s)",
            [name, f"far.{name}", known, period and "seen", Jsonb({"seen": "month", weight: 2})],
        )
        heard.clear()
        visits.execute(
            "SELECT bkpriv.publish(%s, 'loose', %s, period => %s, options => %s)",
            [name, f"public.of_{name}", period, Jsonb({"nulls": "category"})],
        )
        asked = shipped(heard)
        assert all("GROUP BY" in query or "IS NULL" in query for query in asked), asked
        assert bool(shipped(heard)) == (name != "plain")
    shown = [Counter(rows_of(visits, f"public.of_{name}")) for name in (source, "plain")]
    assert shown[0] == shown[1]


def test_attributes_of_foreign_partitions_pass_through(visits: Connection) -> None:
    visits.execute(
        "SELECT bkpriv.register_dataset('visit', 'far.visit', '{age}', ARRAY['disease'], "
        "attributes => ARRAY['weight', 'seen', 'city'])"
    )
    publish(visits, "visit", "loose", "public.visit")
    query = "SELECT disease, weight::text, seen, city FROM {}"
    shown, held = (
        Counter(visits.execute(query.format(name)).fetchall())
        for name in ("public.visit", "far.visit")
    )
    assert shown == held
    # 1.0 and 1.00 are equal, and shown as they are all the same.
    assert {"1.0", "1.00", None} < {row[1] for row in shown}


def test_children_that_are_foreign_are_counted_where_they_lie(visits: Connection) -> None:
    # A child of two parents is counted once; a parent has rows of its own.
    visits.execute(
        """
        CREATE TABLE far.top (LIKE far.visit);
        CREATE TABLE far.left () INHERITS (far.top);
        CREATE TABLE far.right () INHERITS (far.top);
        CREATE FOREIGN TABLE far.below () INHERITS (far.left, far.right)
            SERVER itself OPTIONS (schema_name 'near', table_name 'north');
        INSERT INTO far.top SELECT * FROM far.visit WHERE age < 30;
        INSERT INTO far.right SELECT * FROM far.visit WHERE age > 60;
        """
    )
    heard = hear_statements(visits)
    assert counted(visits, name="top") == expected(visits, "top")
    (query,) = shipped(heard)
    assert "GROUP BY" in query


@pytest.mark.parametrize("name", ["west", "young", "north"])
def test_partitions_are_sources_themselves(visits: Connection, name: str) -> None:
    assert counted(visits, name=name) == expected(visits, name)


def test_partitions_without_foreign_ones_are_counted_together(visits: Connection) -> None:
    visits.execute("ALTER TABLE far.visit DETACH PARTITION far.north; DROP FOREIGN TABLE far.old")
    heard = hear_statements(visits)
    assert counted(visits) == expected(visits)
    assert "UNION ALL" not in countings(heard)[-1]


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE far.east PARTITION OF far.visit DEFAULT; "
        "INSERT INTO far.visit VALUES (30, 1, 'f', '2000-01-01', 'ulcer', 'Elm')",
        "ALTER TABLE far.visit DETACH PARTITION far.south",
        "ALTER TABLE far.west DETACH PARTITION far.young",
    ],
    ids=["attach", "detach", "detach below"],
)
def test_partitions_that_come_or_go_between_listing_and_counting(
    visits: Connection, change: str
) -> None:
    heard = hear_statements(visits)
    assert counted(visits, meanwhile=change) == expected(visits)
    first, second = countings(heard)
    assert "UNION ALL" in first
    assert "UNION ALL" not in second


def grant_columns(db: Connection, role: str, *tables: str) -> None:
    """Let a role read the columns that are counted."""
    db.execute(sql.SQL("GRANT USAGE ON SCHEMA far TO {}").format(sql.Identifier(role)))
    for table in tables:
        db.execute(
            sql.SQL("GRANT SELECT ({}) ON {} TO {}").format(
                sql.SQL(", ").join(map(sql.Identifier, COLUMNS)),
                sql.Identifier("far", table),
                sql.Identifier(role),
            )
        )


LEAVES = ["south", "young", "north", "old"]


@pytest.mark.parametrize("missing", [None, *LEAVES])
def test_who_may_not_read_every_partition_reads_the_whole(
    visits: Connection, make_publisher: Callable[..., Connection], missing: str | None
) -> None:
    publisher = make_publisher()
    grant_columns(visits, publisher.info.user, "visit", "west", *LEAVES)
    if missing:
        visits.execute(
            sql.SQL("REVOKE SELECT ({}) ON {} FROM {}").format(
                sql.Identifier("age"),
                sql.Identifier("far", missing),
                sql.Identifier(publisher.info.user),
            )
        )
    assert counted(publisher) == expected(publisher)
    heard = hear_as(visits, publisher.info.user)
    assert counted(visits) == expected(visits)
    assert ("UNION ALL" in countings(heard)[-1]) is (missing is None)


def test_partitions_in_schemas_of_others_are_read_with_the_whole(
    visits: Connection, make_role: Callable[..., str]
) -> None:
    heard = hear_statements(visits)
    assert counted(visits) == expected(visits)
    # Who renames the schema has the partition's name lead elsewhere.
    visits.execute(
        sql.SQL(
            "CREATE SCHEMA theirs AUTHORIZATION {}; ALTER TABLE far.young SET SCHEMA theirs"
        ).format(sql.Identifier(make_role("other")))
    )
    assert counted(visits) == expected(visits)
    assert ["UNION ALL" in text for text in countings(heard)] == [True, False]


def hear_as(superuser: Connection, role: str) -> list[str]:
    """Hear what a superuser's session runs, which takes another role from now on."""
    heard = hear_statements(superuser)
    superuser.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    return heard


@pytest.mark.parametrize("table", ["visit", "west", "young"])
def test_policies_hold_as_in_a_query_of_the_whole(
    visits: Connection, make_publisher: Callable[..., Connection], table: str
) -> None:
    publisher = make_publisher()
    grant_columns(visits, publisher.info.user, "visit", "west", *LEAVES)
    visits.execute(
        sql.SQL(
            "ALTER TABLE {0} ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON {0} USING (age < 30)"
        ).format(sql.Identifier("far", table))
    )
    everything = expected(visits)
    assert counted(publisher) == expected(publisher)
    # Only the policies of the table that is named in a query apply to it.
    assert (expected(publisher) == everything) is (table != "visit")


def test_respondents_are_read_from_foreign_partitions(
    visits: Connection, database: Database
) -> None:
    visits.execute(
        """
        CREATE TABLE far.person (id int, age int, disease text) PARTITION BY RANGE (id);
        CREATE TABLE near.person (LIKE far.person);
        CREATE FOREIGN TABLE far.first PARTITION OF far.person FOR VALUES FROM (0) TO (60)
            SERVER itself OPTIONS (schema_name 'near', table_name 'person');
        CREATE TABLE far.last PARTITION OF far.person FOR VALUES FROM (60) TO (1000);
        """
    )
    visits.execute(
        """
        INSERT INTO far.person SELECT i, 20 + i % 9, 'd' || i % 4 FROM generate_series(1, 120) AS i;
        SELECT bkpriv.register_dataset('persons', 'far.person', '{age}', 'disease', 'id');
        """
    )
    release = publish(visits, "persons", "loose", "public.persons")
    query = "SELECT cardinality(respondents) FROM bkpriv.release_respondent WHERE release = %s"
    assert one(database.connect(), query, [release]) == 120
