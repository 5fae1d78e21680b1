"""Attacks by way of names and values that look like code."""

from __future__ import annotations

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import fill, one, publish, rows_of, state_policy

HOSTILE = [
    "'; DROP TABLE clinic.patient; --",
    '"; DROP TABLE clinic.patient; --',
    "\\'; DROP TABLE clinic.patient; --",
    "$$; DROP TABLE clinic.patient; --",
    "$python$ import os $python$",
    "%s %(x)s {0} {low} {{}}",
    "line\nbreak\ttab\r",
    "**",
    "NULL",
    "",
    " ",
    "{a,b}",
    '{"a": 1}',
    "[1,2)",
    "日本語 é ﷽ 🏥",
    "\u202e\u0001",
    "x" * 5000,
]


def test_values_are_only_values(clinic: Connection) -> None:
    clinic.execute("CREATE TABLE clinic.words (word text, secret text)")
    rows = [
        (word, HOSTILE[(3 * i + j) % len(HOSTILE)])
        for j in range(9)
        for i, word in enumerate(HOSTILE)
    ]
    fill(clinic, "clinic.words", rows)
    clinic.execute("CREATE TABLE clinic.word_levels (word text, half text, root text)")
    paths = [(word, f"half {i % 2}';--", "root $$") for i, word in enumerate(HOSTILE)]
    fill(clinic, "clinic.word_levels", paths)
    clinic.execute("SELECT bkpriv.register_dataset('words', 'clinic.words', '{word}', 'secret')")
    state_policy(clinic, "few", {"k_anonymity": {"k": 9}})
    publish(clinic, "words", "few", "public.words")
    assert sorted(rows_of(clinic, "public.words")) == sorted(rows)
    for attribute in ("word", "secret"):
        clinic.execute(
            "SELECT bkpriv.set_hierarchy('words', %s, 'clinic.word_levels')", [attribute]
        )
    state_policy(clinic, "few", {"k_anonymity": {"k": 30}})
    release = publish(clinic, "words", "few", "public.words")
    assert {word for word, _ in rows_of(clinic, "public.words")} <= {
        label for path in paths for label in path
    }
    for call in ("posterior(%s, '0.6')", "disclosure(%s, '0.6')", "audit(%s)"):
        told = clinic.execute(f"SELECT * FROM bkpriv.{call}", [release])
        assert told.fetchall()
    told = clinic.execute("SELECT DISTINCT qi ->> 'word' FROM bkpriv.prior('words', '0.6')")
    assert {word for (word,) in told.fetchall()} == set(HOSTILE)
    assert one(clinic, "SELECT count(*) FROM clinic.patient") == 300


NAMES = [
    "'; DROP TABLE clinic.patient; --",
    '"; DROP TABLE clinic.patient; --',
    "back\\slash \\' $$ $1 %s {low}",
    "line\nbreak",
    "日本語 🏥",
    "x" * 63,
    "é" * 31,
    "select",
    " ",
    "pg_class",
    "v, t0, g, d0, n",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_only_names(shared_clinic: Connection, name: str) -> None:
    db = shared_clinic
    other = f"o{name}"[:60]
    schema = sql.Identifier(f"s{name}"[:60])
    names = {"schema": schema, "name": sql.Identifier(name), "other": sql.Identifier(other)}
    db.execute(
        sql.SQL(
            "CREATE SCHEMA {schema};"
            "CREATE TABLE {schema}.{name} AS SELECT i % 12 AS {name}, i * i % 7 AS {other} "
            "FROM generate_series(1, 120) AS i;"
            "CREATE TABLE {schema}.{other} AS SELECT i::text AS v, 20 + i / 4 AS w, 30 AS r "
            "FROM generate_series(0, 11) AS i"
        ).format(**names)
    )
    written = sql.SQL(".").join([schema, names["name"]]).as_string(db)
    levels = sql.SQL(".").join([schema, names["other"]]).as_string(db)
    view = sql.SQL(".").join([schema, sql.Identifier(f"v{name}"[:60])]).as_string(db)
    dataset, policy = f"dataset {name}", f"policy {name}"
    db.execute("SELECT bkpriv.register_dataset(%s, %s, %s, %s)", [dataset, written, [name], other])
    state_policy(
        db, policy, {"k_anonymity": {"k": 3}, "bt_privacy": {"bandwidth": {name: 0.5}, "t": 0.99}}
    )
    release = publish(db, dataset, policy, view)
    assert one(db, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release]) is False
    db.execute("SELECT bkpriv.set_hierarchy(%s, %s, %s)", [dataset, name, levels])
    db.execute(sql.SQL("UPDATE {schema}.{name} SET {name} = 3").format(**names))
    assert one(db, "SELECT stale FROM bkpriv.releases WHERE release = %s", [release]) is True
    again = publish(db, dataset, policy, view)
    cursor = db.execute("SELECT * FROM " + view)
    assert [column.name for column in cursor.description or ()] == [name, other]
    for call in ("posterior(%s, '0.6')", "disclosure(%s, '0.6')", "audit(%s)", "utility(%s)"):
        assert db.execute(f"SELECT * FROM bkpriv.{call}", [again]).fetchall()
    assert db.execute("SELECT * FROM bkpriv.prior(%s, %s)", [dataset, Jsonb({name: 1})]).fetchall()
    for made in (release, again):
        db.execute("SELECT bkpriv.withdraw(%s, %s)", [made, name + "reason"])
    db.execute("SELECT bkpriv.drop_dataset(%s)", [dataset])
    assert one(db, "SELECT count(*) FROM clinic.patient") == 300
