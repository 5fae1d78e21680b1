"""The views of randomized releases: who reads them, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import declare_people, one, overhear, publish, rows_of, state_policy
from tests.db.refusal import refused, unchanged
from tests.db.test_randomize import coarse, draw

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

__all__ = ["coarse"]


def test_a_reader_reads_both_views_and_nothing_else(
    coarse: Connection, make_role: Callable[..., str], database: Database
) -> None:
    draw(coarse)
    role = make_role("reader")
    reader = database.connect(role)
    for view in ("drawn", "drawn_randomization"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(f"SELECT * FROM public.{view}".encode())
    grant = "GRANT SELECT ON public.drawn, public.drawn_randomization TO {}"
    coarse.execute(sql.SQL(grant).format(sql.Identifier(role)))
    assert len(rows_of(reader, "public.drawn")) == 300
    assert rows_of(reader, "public.drawn_randomization")
    for relation in (
        *("bkpriv_release.release_1", "bkpriv_release.release_1_randomization"),
        *("bkpriv.release_draw", "bkpriv.release_content", "bkpriv.release_attribute"),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            rows_of(reader, relation)
    # What the planner knows of columns, such as their commonest values, is out of reach, too.
    assert one(coarse, "SELECT count(*) FROM pg_stats WHERE tablename ~ '^release_1'") > 0
    assert one(reader, "SELECT count(*) FROM pg_stats WHERE tablename ~ '^release_1'") == 0
    assert one(reader, "SELECT count(*) FROM pg_stats WHERE schemaname = 'bkpriv'") == 0
    # Published anew, grants stay.
    draw(coarse)
    assert len(rows_of(reader, "public.drawn_randomization")) == len(
        rows_of(coarse, "public.drawn_randomization")
    )


def test_the_companion_goes_where_another_method_takes_the_place(coarse: Connection) -> None:
    draw(coarse)
    publish(coarse, view="public.drawn")
    assert one(coarse, "SELECT to_regclass('public.drawn_randomization')") is None
    draw(coarse)
    publish(coarse, view="public.drawn", method="bucketize")
    assert one(coarse, "SELECT to_regclass('public.drawn_randomization')") is None
    assert one(coarse, "SELECT to_regclass('public.drawn_sensitive')") is not None
    draw(coarse)
    assert one(coarse, "SELECT to_regclass('public.drawn_sensitive')") is None
    checks = coarse.execute("SELECT detail FROM bkpriv.doctor() WHERE NOT ok").fetchall()
    assert checks == []


def test_a_companion_of_somebody_else_is_not_taken(coarse: Connection) -> None:
    coarse.execute("CREATE VIEW public.drawn_randomization AS SELECT 1 AS one")
    state_policy(coarse, "drawn", {"max_disclosure": {"tau": 0.3}})
    with unchanged(coarse):
        refused(
            coarse,
            "SELECT bkpriv.publish('patients', 'drawn', 'drawn', 'randomize', options => %s)",
            ['{"scheme": "rr-both"}'],
            sqlstate="42P07",
            names=["drawn_randomization"],
        )
    name = "x" * 55
    refused(
        coarse,
        "SELECT bkpriv.publish('patients', 'drawn', %s, 'randomize', options => %s)",
        [name, '{"scheme": "rr-both"}'],
        sqlstate="22023",
        names=["too long"],
    )


def test_withdrawal_takes_both_views_and_their_data(coarse: Connection) -> None:
    release = draw(coarse)
    coarse.execute("CREATE VIEW public.stranger AS SELECT * FROM public.drawn_randomization")
    coarse.execute("SELECT bkpriv.withdraw(%s, 'why')", [release])
    assert one(coarse, "SELECT to_regclass('public.drawn')") is None
    assert rows_of(coarse, "public.stranger") == []
    assert one(coarse, "SELECT count(*) FROM bkpriv.release_draw") == 1
    coarse.execute("SELECT bkpriv.purge(%s, 'why')", [release])
    assert one(coarse, "SELECT count(*) FROM bkpriv.release_draw") == 0


def test_a_materialized_release_has_both_views_materialized(coarse: Connection) -> None:
    draw(coarse, materialized=True)
    kinds = coarse.execute(
        "SELECT relname, relkind FROM pg_class WHERE relname ~ '^drawn' ORDER BY 1"
    ).fetchall()
    assert kinds == [("drawn", "m"), ("drawn_randomization", "m")]
    assert len(rows_of(coarse, "public.drawn")) == 300


def test_it_is_stale_after_a_write_and_dropped_with_its_view(coarse: Connection) -> None:
    release = draw(coarse)
    state = "SELECT status, stale FROM bkpriv.releases WHERE release = %s"
    assert coarse.execute(state, [release]).fetchall() == [("published", False)]
    coarse.execute("DELETE FROM clinic.patient WHERE age = 20")
    coarse.execute("DROP VIEW public.drawn, public.drawn_randomization")
    assert coarse.execute(state, [release]).fetchall() == [("dropped", True)]


def test_respondents_are_in_no_group_and_releases_are_left_out_of_what_is_remembered(
    coarse: Connection,
) -> None:
    declare_people(coarse)
    release = draw(coarse, 0.9, dataset="people")
    groups = "SELECT DISTINCT unnest(group_ids) FROM bkpriv.release_respondent"
    assert coarse.execute(groups).fetchall() == [(-1,)]
    assert one(coarse, "SELECT cardinality(parts) FROM bkpriv.release_respondent") == 300
    publish(coarse, "people", view="public.groups")
    coarse.execute("SELECT bkpriv.set_sequential_knowledge('people', 'same', 'constant')")
    said = overhear(coarse)
    knowledge = '{"sequence": "same"}'
    coarse.execute("SELECT * FROM bkpriv.disclosure(2, %s) LIMIT 1", [knowledge])
    assert any(f"release {release} is randomized" in line for line in said)
    refused(
        coarse,
        "SELECT * FROM bkpriv.disclosure(%s, %s)",
        [release, knowledge],
        sqlstate="42809",
        names=[f"release {release}", "groups"],
    )
