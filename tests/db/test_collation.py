"""Texts that are ordered by a collation of their own: conditions count as plain SQL does."""

from __future__ import annotations

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

VALUES = ("a", "B", "c", "C2", "i", "I", "\u0131", "\u0130", "zeta", "Öl")
LITERALS = ("A", "b", "J", "ö", "")
CONDITIONS = ("x < {0}", "x <= {0}", "x > {0}", "x >= {0}", "x = {0}", "x BETWEEN {0} AND {1}")
COLLATIONS = ('"C"', '"en-x-icu"', '"tr-x-icu"', "public.caseless")
TYPES = ("text", "varchar", "char(6)", "public.word")


def declare(db: Connection, type_: str, collation: str, method: str = "agglomerate") -> int:
    """Publish a column so that every value stays as it is."""
    db.execute(
        f"""
        CREATE COLLATION public.caseless
            (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE DOMAIN public.word AS text COLLATE {collation};
        CREATE TABLE public.w (x {type_} {"" if type_ == "public.word" else "COLLATE " + collation},
            s int);
        """
    )
    db.execute(
        "INSERT INTO w SELECT v, i %% 2 FROM unnest(%s::text[]) WITH ORDINALITY AS u(v, n), "
        "generate_series(1, 2 * n) AS i",
        [list(VALUES)],
    )
    db.execute(
        "SELECT bkpriv.register_dataset('w', 'public.w', '{x}', 's', bins => '{\"s\": \"label\"}')"
    )
    state_policy(db, "pairs", {"k_anonymity": {"k": 2}})
    return publish(db, "w", "pairs", "public.shown", method=method)


def conditions(literals: tuple[str, ...] = LITERALS) -> list[str]:
    pairs = zip(literals, (*literals[1:], literals[0]), strict=True)
    quoted = [[sql.Literal(each).as_string(None) for each in pair] for pair in pairs]
    return [each.format(*pair) for pair in quoted for each in CONDITIONS]


@pytest.mark.parametrize(
    ("type_", "collation", "method"),
    [
        *((type_, "public.caseless", "agglomerate") for type_ in TYPES),
        *(("text", collation, "agglomerate") for collation in COLLATIONS[:-1]),
        ("public.word", '"tr-x-icu"', "bucketize"),
        ("char(6)", '"en-x-icu"', "bucketize"),
    ],
)
def test_conditions_count_as_postgresql_does(
    db: Connection, type_: str, collation: str, method: str
) -> None:
    release = declare(db, type_, collation, method)
    for condition in conditions():
        query = f"SELECT count(*) FROM w WHERE {condition}"
        right = one(db, query)
        answers = db.execute(
            "SELECT actual, estimate FROM bkpriv.query_accuracy(%s, %s)", [release, query]
        ).fetchone()
        rewritten = one(db, "SELECT bkpriv.rewrite_query(%s, %s)", [release, query])
        assert answers == pytest.approx((right, right)), condition
        assert one(db, rewritten) == pytest.approx(right), condition


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE w",
        "ALTER TABLE w RENAME x TO y",
        "ALTER TABLE w ALTER x TYPE name",
        'ALTER TABLE w ALTER x TYPE text COLLATE "C"',
    ],
)
def test_where_the_collation_is_gone_only_values_have_a_place(db: Connection, change: str) -> None:
    release = declare(db, "text", '"en-x-icu"')
    before = [one(db, f"SELECT count(*) FROM w WHERE x {sign} 'c'") for sign in (">", "=")]
    db.execute(change)
    asked = "SELECT actual FROM bkpriv.query_accuracy(%s, %s)"
    unplaced = [release, "SELECT count(*) FROM w WHERE x > 'C'"]
    with unchanged(db):
        refused(db, asked, unplaced, sqlstate="22023", names=["by order with 'C'"])
    after = [
        one(db, asked, [release, f"SELECT count(*) FROM w WHERE x {sign} 'c'"])
        for sign in (">", "=")
    ]
    assert after == before


def test_texts_of_a_type_that_is_not_built_in_are_compared_as_the_release_has_them(
    db: Connection,
) -> None:
    if not one(db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'"):
        pytest.skip("the server has no citext")
    db.execute("CREATE EXTENSION citext SCHEMA public")
    release = declare(db, "public.citext", '"default"')
    asked = "SELECT actual FROM bkpriv.query_accuracy(%s, %s)"
    for value, *_ in db.execute("SELECT DISTINCT x::text FROM shown WHERE x <> '*'").fetchall():
        query = f"SELECT count(*) FROM w WHERE x = {sql.Literal(value).as_string(None)}"
        assert one(db, asked, [release, query]) == one(db, query)
    # Case does not matter to citext, which nothing here knows.
    unknown = [release, "SELECT count(*) FROM w WHERE x = 'ZETA'"]
    with unchanged(db):
        refused(db, asked, unknown, sqlstate="22023", names=["'ZETA'", "citext"])
