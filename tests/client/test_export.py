"""``bkpriv export`` and ``bkpriv report``: files, read back by other programs."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import fill, one, publish, state_policy


@pytest.fixture(scope="module")
def visits(shared_database: Database, shared_db: Connection) -> str:
    """A database with a release that has columns of many types; its URI."""
    shared_db.execute(
        """
        CREATE TABLE visit (age smallint, came date, paid numeric, weight real, hour timestamptz,
            ward text, kept boolean, code text)
        """
    )
    rows = [
        (
            *(20 + i * i % 50, date(2020, 1 + i % 12, 1 + i % 28), Decimal(i % 70) / 4),
            *(i % 9 + 0.1, datetime(2020, 1, 1 + i % 28, i % 24).isoformat() + "Z"),
            *('a"b,\n' if i % 2 else "", bool(i % 3), f"c{i % 4}"),
        )
        for i in range(200)
    ]
    fill(shared_db, "visit", rows)
    shared_db.execute(
        "SELECT bkpriv.register_dataset('visits', 'visit', "
        "'{age,came,paid,weight,hour,ward,kept}', 'code', bins => %s)",
        [Jsonb({"paid": 5, "hour": "month"})],
    )
    state_policy(shared_db, "plain", {"k_anonymity": {"k": 5}, "l_diversity": {"l": 2}})
    publish(shared_db, "visits", view="public.shown")
    publish(shared_db, "visits", view="public.grouped", method="anatomy")
    return shared_database.uri()


BOUNDS = """
    SELECT lower(age), upper(age) - 1, lower(came), upper(came) - 1, lower(paid), upper(paid),
        lower(weight), upper(weight), lower(hour), upper(hour), ward, kept, code
    FROM shown
"""
NAMES = [
    *("age_from", "age_to", "came_from", "came_to", "paid_from", "paid_below"),
    *("weight_from", "weight_to", "hour_from", "hour_below", "ward", "kept", "code"),
]


def test_parquet_has_the_rows_and_types_of_the_view(
    visits: str, shared_db: Connection, tmp_path: Path
) -> None:
    said = succeeded("export", "1", "--to", "parquet", "--out", str(tmp_path), "--uri", visits)
    assert "200 rows" in said
    table = pq.read_table(tmp_path / "shown.parquet")
    assert table.column_names == NAMES
    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds["age_from"] == "int32"
    assert kinds["came_to"] == "date32[day]"
    assert kinds["paid_below"].startswith("decimal128(")
    assert kinds["hour_below"] == "timestamp[us, tz=UTC]"
    assert kinds["ward"] == kinds["kept"] == "string"
    rows = [tuple(row.values()) for row in table.to_pylist()]
    assert Counter(rows) == Counter(shared_db.execute(BOUNDS).fetchall())
    comment = one(
        shared_db,
        "SELECT col_description(attrelid, attnum) FROM pg_attribute "
        "WHERE attrelid = 'shown'::regclass AND attname = 'code'",
    )
    assert table.schema.field("code").metadata == {b"comment": comment.encode()}
    assert table.schema.metadata[b"comment"].startswith(b"Published by bkpriv as release 1.")


def test_csv_has_the_rows_of_the_view(visits: str, shared_db: Connection, tmp_path: Path) -> None:
    succeeded("export", "shown", "--out", str(tmp_path), "--uri", visits)
    with (tmp_path / "shown.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == NAMES
    cast = ", ".join(f"{name}::text" for name in NAMES)
    listed = f"SELECT {cast} FROM ({BOUNDS}) AS x({', '.join(NAMES)})"
    assert Counter(map(tuple, rows)) == Counter(shared_db.execute(sql.SQL(listed)).fetchall())


def test_all_views_of_a_release_are_written_and_described(visits: str, tmp_path: Path) -> None:
    succeeded("export", "2", "--to", "csv", "--out", str(tmp_path / "new"), "--uri", visits)
    files = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert files == ["dictionary.json", "dictionary.md", "grouped.csv", "grouped_sensitive.csv"]
    described = json.loads((tmp_path / "new" / "dictionary.json").read_text())
    assert [item["file"] for item in described] == ["grouped.csv", "grouped_sensitive.csv"]
    for item in described:
        with (tmp_path / "new" / item["file"]).open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        assert [column["name"] for column in item["columns"]] == header
        assert all(column["holds"] for column in item["columns"])
        assert item["rows"] == len(rows)
        assert item["holds"].startswith("Published by bkpriv as release 2.")
    text = (tmp_path / "new" / "dictionary.md").read_text()
    for word in ("grouped\\_sensitive.csv", "| count | bigint |", "paid\\_below"):
        assert word in text


def test_a_reader_of_a_view_exports_it(
    visits: str,
    shared_db: Connection,
    shared_database: Database,
    tmp_path: Path,
    make_role: Callable[..., str],
) -> None:
    role = make_role("reader")
    shared_db.execute(sql.SQL("GRANT SELECT ON shown TO {}").format(sql.Identifier(role)))
    arguments = ("--to", "parquet", "--out", str(tmp_path), "--uri", shared_database.uri(role))
    succeeded("export", "public.shown", *arguments)
    assert pq.read_table(tmp_path / "shown.parquet").num_rows == 200
    assert "permission denied" in failed("export", "grouped", *arguments)


def test_code_that_others_put_into_a_view_is_not_run_unasked(
    visits: str,
    shared_db: Connection,
    shared_database: Database,
    tmp_path: Path,
    make_role: Callable[..., str],
) -> None:
    role = make_role("publisher")
    name = sql.Identifier(role)
    shared_db.execute("SELECT bkpriv.grant_publisher(%s)", [role])
    shared_db.execute(sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}").format(name))
    trap = (
        "CREATE FUNCTION trap() RETURNS boolean LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$"
    )
    with psycopg.connect(shared_database.uri(role), autocommit=True) as own:
        own.execute(sql.SQL("SET search_path TO {}").format(name))
        own.execute(
            "CREATE TABLE t AS SELECT i % 9 AS age, i % 2 AS code FROM generate_series(1, 60) i"
        )
        own.execute("SELECT bkpriv.register_dataset('others', 't', '{age}', 'code')")
        state_policy(own, "others", {"k_anonymity": {"k": 5}})
        release = publish(own, "others", policy="others", view="theirs")
        place = ("--out", str(tmp_path / "own"), "--uri", shared_database.uri(role))
        succeeded("export", str(release), *place)
        own.execute(trap)
        own.execute(
            sql.SQL(
                "CREATE OR REPLACE VIEW theirs AS SELECT * FROM bkpriv_release.{} WHERE trap()"
            ).format(sql.Identifier(f"release_{release}"))
        )
    out = ("--out", str(tmp_path / "new"), "--uri", visits)
    assert f"SET ROLE {role};" in failed("export", str(release), *out)
    # Who names a view trusts its owner.
    assert "run as" in failed("export", f"{role}.theirs", *out)
    assert not list((tmp_path / "new").glob("*"))


def test_what_stands_in_place_of_a_release_is_not_read_for_its_owner(
    shared_db: Connection,
    shared_database: Database,
    tmp_path: Path,
    make_role: Callable[..., str],
) -> None:
    role, host = make_role("publisher"), make_role("host")
    for name in (role, host):
        shared_db.execute("SELECT bkpriv.grant_publisher(%s)", [name])
    # The planner calls it, before anybody asks who may read what.
    trap = (
        "CREATE FUNCTION trap() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$"
    )
    shared_db.execute(
        sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}; GRANT ALL ON SCHEMA {0} TO {1}").format(
            sql.Identifier(host), sql.Identifier(role)
        )
    )
    with (
        psycopg.connect(shared_database.uri(role), autocommit=True) as own,
        psycopg.connect(shared_database.uri(host), autocommit=True) as other,
    ):
        for connection in (own, other):
            connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(host)))
        own.execute(
            "CREATE TABLE t AS SELECT i % 9 AS age, i % 2 AS code FROM generate_series(1, 60) i"
        )
        own.execute("SELECT bkpriv.register_dataset('hosted', 't', '{age}', 'code')")
        state_policy(own, "hosted", {"k_anonymity": {"k": 5}})
        release = publish(own, "hosted", policy="hosted", view="hosted")
        table = sql.Identifier("bkpriv_release", f"release_{release}")
        own.execute(sql.SQL("CREATE VIEW kept AS TABLE {}").format(table))
        other.execute("DROP VIEW hosted")
        other.execute(trap)
        other.execute(sql.SQL("CREATE VIEW hosted AS SELECT * FROM {} WHERE trap()").format(table))
        other.execute("GRANT SELECT ON hosted TO PUBLIC")
    place = ("--out", str(tmp_path), "--uri", shared_database.uri(role))
    assert f'is up to role "{host}"' in failed("export", str(release), *place)


def test_casts_of_others_are_not_called(
    shared_db: Connection,
    shared_database: Database,
    tmp_path: Path,
    make_role: Callable[..., str],
) -> None:
    role = make_role("stranger")
    shared_db.execute(sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}").format(sql.Identifier(role)))
    with psycopg.connect(shared_database.uri(role), autocommit=True) as stranger:
        stranger.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(role)))
        stranger.execute(
            "CREATE TYPE unit AS ENUM ('kg', 'lb'); CREATE TYPE pair AS (a int, b unit); "
            "CREATE FUNCTION trap(unit) RETURNS text LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$; "
            "CREATE CAST (unit AS text) WITH FUNCTION trap(unit) AS IMPLICIT"
        )
        stranger.execute(
            "CREATE TABLE t AS SELECT 'kg'::unit AS a, (NULL, 'lb')::pair AS b, "
            "(NULL, NULL)::pair AS c, NULL::unit AS d"
        )
    theirs = sql.Identifier(role, "t")
    shared_db.execute(
        sql.SQL("CREATE TABLE measured AS TABLE {}; CREATE VIEW units AS TABLE measured").format(
            theirs
        )
    )
    with pytest.raises(psycopg.errors.RaiseException, match="run as postgres"):
        shared_db.execute("SELECT a::text FROM units")
    for to in ("csv", "parquet"):
        place = ("--out", str(tmp_path / to), "--uri", shared_database.uri())
        succeeded("export", "units", "--to", to, *place)
    assert pq.read_table(tmp_path / "parquet" / "units.parquet").to_pylist() == [
        {"a": "kg", "b": "(,lb)", "c": "(,)", "d": None}
    ]


def test_functions_of_others_are_not_taken_for_those_of_the_server(
    visits: str, shared_db: Connection, tmp_path: Path
) -> None:
    shared_db.execute(
        "CREATE FUNCTION public.lower(int4range) RETURNS int LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a trap'; END $$"
    )
    succeeded("export", "shown", "--out", str(tmp_path), "--uri", visits)
    shared_db.execute("DROP FUNCTION public.lower(int4range)")


def test_nothing_is_replaced_unasked(visits: str, tmp_path: Path) -> None:
    arguments = ("export", "shown", "--out", str(tmp_path), "--uri", visits)
    (tmp_path / "shown.csv").write_text("mine")
    assert "exists already" in failed(*arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["shown.csv"]
    assert (tmp_path / "shown.csv").read_text() == "mine"
    succeeded(*arguments, "--replace")
    assert (tmp_path / "shown.csv").read_text() != "mine"
    assert not list(tmp_path.glob(".*"))


def test_what_is_not_there_is_refused(visits: str, shared_db: Connection, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path), "--uri", visits)
    assert "no view nowhere" in failed("export", "nowhere", *out)
    assert "release 99 does not exist" in failed("export", "99", *out)
    shared_db.execute("CREATE TABLE own AS SELECT 1 AS a")
    assert "no view own" in failed("export", "own", *out)
    (tmp_path / "file").write_text("")
    place = ("--out", str(tmp_path / "file" / "below"), "--uri", visits)
    assert "could not be" in failed("export", "shown", *place)


def test_hostile_names_stay_where_they_belong(
    visits: str, shared_db: Connection, tmp_path: Path
) -> None:
    name = "../../x'\"; |<b>"
    shared_db.execute(
        sql.SQL("CREATE VIEW {} AS SELECT 1 AS {}, int4range(1, 3) AS v").format(
            sql.Identifier(name), sql.Identifier("a|b `c`\n# d")
        )
    )
    view = sql.Identifier(name).as_string(shared_db)
    inner = tmp_path / "deep" / "deeper"
    for to in ("csv", "parquet"):
        arguments = ("--to", to, "--out", str(inner), "--replace", "--uri", visits)
        succeeded("export", view, *arguments)
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {inner}
    row: dict[str, Any]
    (row,) = pq.read_table(next(inner.glob("*.parquet"))).to_pylist()
    assert list(row.values()) == [1, 1, 2]
    lines = (inner / "dictionary.md").read_text().splitlines()
    assert sum(line.startswith("# ") for line in lines) == 1
    assert any(line.startswith("| a\\|b \\`c\\` \\# d | integer |") for line in lines)


def test_a_column_called_like_an_end_of_a_range(
    visits: str, shared_db: Connection, tmp_path: Path
) -> None:
    shared_db.execute("CREATE VIEW clash AS SELECT int4range(1, 3) AS a, 1 AS a_to")
    said = failed("export", "clash", "--out", str(tmp_path), "--uri", visits)
    assert '"a_to"' in said
    assert "text" in said


@pytest.mark.parametrize("audience", ["officer", "outsiders"])
def test_a_report_is_written_to_a_file(visits: str, tmp_path: Path, audience: str) -> None:
    path = tmp_path / "report.html"
    succeeded("report", "1", "--out", str(path), "--for", audience, "--uri", visits)
    page = path.read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert ("visits" in page) == (audience == "officer")
    assert path.stat().st_mode & 0o077 == 0 or audience == "outsiders"
    assert [*tmp_path.iterdir()] == [path]


def test_a_report_that_cannot_be_written(visits: str, tmp_path: Path) -> None:
    place = str(tmp_path / "missing" / "report.html")
    assert "could not be written" in failed("report", "1", "--out", place, "--uri", visits)
    assert "does not exist" in failed(
        "report", "99", "--out", str(tmp_path / "r.html"), "--uri", visits
    )
    assert not [*tmp_path.iterdir()]


def test_a_report_is_written_through_no_link(visits: str, tmp_path: Path) -> None:
    target = tmp_path / "theirs"
    target.write_text("")
    path = tmp_path / "report.html"
    (tmp_path / ".report.html.part").symlink_to(target)
    succeeded("report", "1", "--out", str(path), "--uri", visits)
    assert target.read_text() == ""
    assert path.stat().st_mode & 0o077 == 0
    assert not path.is_symlink()
