"""Releases of the same records by way of views, copies, partitions and children."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import PLAIN, one, overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

COLUMNS = "age int, sex text, city text, disease text"


def register(connection: Connection, name: str, source: str) -> None:
    """Register a source under a name."""
    connection.execute("SELECT bkpriv.register_dataset(%s, %s, '{age}', 'disease')", [name, source])


@pytest.fixture
def views(clinic: Connection) -> Connection:
    """Sources that read the clinic's table, in one way or another, and some that do not."""
    clinic.execute(
        'CREATE SCHEMA "Odd.one";'
        "CREATE VIEW clinic.young AS SELECT * FROM clinic.patient WHERE age < 90;"
        "CREATE VIEW clinic.old AS SELECT * FROM clinic.patient WHERE age >= 20;"
        'CREATE VIEW "Odd.one"."on top" AS SELECT * FROM clinic.old;'
        'CREATE MATERIALIZED VIEW clinic.copied AS SELECT * FROM "Odd.one"."on top";'
        "CREATE VIEW clinic.counted AS SELECT p.* FROM clinic.patient p "
        "WHERE EXISTS (SELECT FROM clinic.patient q WHERE q.age > p.age) "
        "UNION ALL SELECT * FROM clinic.patient WHERE age = 69;"
        "CREATE TABLE clinic.other AS SELECT * FROM clinic.patient;"
        "CREATE VIEW clinic.another AS SELECT o.* FROM clinic.other o "
        "WHERE 'clinic' IN (SELECT nspname FROM pg_namespace)"
    )
    state_policy(clinic, "once", {**PLAIN, "overlap": "refuse"})
    register(clinic, "young", "clinic.young")
    assert publish(clinic, "young", "once", "public.young") == 1
    return clinic


@pytest.mark.parametrize(
    "source",
    ["clinic.patient", "clinic.old", '"Odd.one"."on top"', "clinic.copied", "clinic.counted"],
)
def test_two_sources_of_one_table_are_released_once(views: Connection, source: str) -> None:
    register(views, "again", source)
    with unchanged(views):
        said = refused(
            views,
            "SELECT bkpriv.publish('again', 'once', 'public.again')",
            sqlstate="22023",
            names=[f"records of {source}", "1 (published)", "clinic.young"],
        )
    assert f"clinic.young and {source} both read clinic.patient." in (said.message_detail or "")


def test_sources_that_share_no_relation_are_released_each(views: Connection) -> None:
    # Catalogs are read by both, and hold no records.
    for source in ("clinic.other", "clinic.another"):
        register(views, source, source)
    assert publish(views, "clinic.other", "once", "public.other") == 2
    with pytest.raises(Exception, match="released before: 2"):
        publish(views, "clinic.another", "once", "public.another")


def test_what_was_read_when_it_was_published_counts(views: Connection) -> None:
    views.execute("CREATE OR REPLACE VIEW clinic.young AS SELECT * FROM clinic.other")
    register(views, "old", "clinic.old")
    with pytest.raises(Exception, match="released before: 1"):
        publish(views, "old", "once", "public.old")
    recorded = views.execute("SELECT base FROM bkpriv.release_base ORDER BY base").fetchall()
    assert recorded == [("clinic.patient",), ("clinic.young",)]


def test_a_partition_is_of_the_whole_and_not_of_another(db: Connection) -> None:
    db.execute(
        f"CREATE TABLE whole (ward int, {COLUMNS}) PARTITION BY LIST (ward);"
        "CREATE TABLE one PARTITION OF whole FOR VALUES IN (1);"
        "CREATE TABLE two PARTITION OF whole FOR VALUES IN (2);"
        "CREATE TABLE old_style (LIKE one); CREATE TABLE child () INHERITS (old_style);"
        "INSERT INTO whole SELECT 1 + i % 2, i, 'f', 'Aln', (ARRAY['flu', 'gout'])[1 + i / 2 % 2] "
        "FROM generate_series(1, 40) AS i;"
        "INSERT INTO child SELECT * FROM whole"
    )
    state_policy(db, "once", {**PLAIN, "overlap": "refuse"})
    for name in ("whole", "one", "two", "old_style", "child"):
        register(db, name, name)
    for name in ("one", "two", "child"):
        publish(db, name, "once", f"public.of_{name}")
    with pytest.raises(Exception, match=r"released before: 1 \(published\), 2 \(published\)"):
        publish(db, "whole", "once", "public.of_whole")
    with pytest.raises(Exception, match="released before: 3"):
        publish(db, "old_style", "once", "public.of_old_style")


def test_the_source_is_named_among_as_many_as_are_recorded(db: Connection) -> None:
    db.execute(
        "CREATE TABLE whole (age int) PARTITION BY LIST (age);"
        "DO $$ BEGIN FOR i IN 1..2010 LOOP EXECUTE format("
        "'CREATE TABLE p%s PARTITION OF whole FOR VALUES IN (%s)', i, i); END LOOP; END $$;"
        "CREATE VIEW seen AS TABLE whole"
    )
    bases = one(db, "SELECT bkpriv_internal.bases('public', 'seen')")
    assert len(bases) == 2000
    assert {"public.seen", "public.whole"} <= set(bases)
    assert one(db, "SELECT bkpriv_internal.bases('public', 'nothing')") is None
    # A source that is a catalog itself is recorded, without those that it reads.
    itself = ["information_schema.tables"]
    assert one(db, "SELECT bkpriv_internal.bases('information_schema', 'tables')") == itself


def test_who_asks_what_readers_learn_is_told_of_others(db: Connection) -> None:
    db.execute(
        "CREATE TABLE stay (id text, age int, disease text);"
        "INSERT INTO stay SELECT i, 20 + i, (ARRAY['flu', 'HIV', 'ulcer'])[1 + i % 3] "
        "FROM generate_series(1, 12) AS i;"
        "CREATE VIEW young AS TABLE stay; CREATE VIEW old AS TABLE stay"
    )
    state_policy(db, "plain", {"max_disclosure": {"tau": 0.7}, "k_anonymity": {"k": 3}})
    said = overhear(db)
    for name in ("young", "old"):
        db.execute("SELECT bkpriv.register_dataset(%s, %s, '{age}', 'disease', 'id')", [name, name])
        publish(db, name, "plain", f"public.of_{name}")
    (warning,) = [message for message in said if "not judged together" in message]
    assert "public.young and public.old both read public.stay." in warning
    assert "Release 1 is of another dataset" in warning
    said.clear()
    db.execute("SELECT bkpriv.audit_readers('old', '{\"press\": [2]}')")
    assert any("other datasets may show the same records: 1" in message for message in said)
    page = one(db, "SELECT bkpriv.report_html(1)")
    assert "since their sources read the same tables: 2." in page
    assert "1 release of other datasets" in one(db, "SELECT bkpriv.report_html(1, 'outsiders')")


def test_publishers_are_not_told_of_releases_of_others(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    db.execute(
        f'GRANT USAGE ON SCHEMA "{victim.info.user}" TO PUBLIC;'
        f'GRANT SELECT ON "{victim.info.user}".own TO PUBLIC;'
        f'CREATE VIEW public.upon AS TABLE "{victim.info.user}".own;'
        f"GRANT SELECT ON public.upon TO PUBLIC"
    )
    register_as = "SELECT bkpriv.register_dataset('theirs', 'public.upon', '{a}', 'b')"
    attacker.execute(register_as)
    said = overhear(attacker)
    publish(attacker, "theirs", "p", "mine")
    assert not [message for message in said if "released before" in message]


def test_what_a_view_reads_is_what_its_owner_may(
    rivals: tuple[Connection, Connection], db: Connection
) -> None:
    victim, attacker = rivals
    schema = victim.info.user

    def bases(name: str) -> list[str]:
        found = one(attacker, f"SELECT bkpriv_internal.bases('{attacker.info.user}', '{name}')")
        return [base.split(".")[1] for base in found]

    attacker.execute("CREATE TABLE kept (a int, b int)")
    db.execute(
        f'GRANT USAGE ON SCHEMA "{schema}" TO PUBLIC; GRANT SELECT (a) ON "{schema}".own TO PUBLIC'
    )
    attacker.execute(
        f'CREATE VIEW part AS SELECT a FROM "{schema}".own;'
        "CREATE VIEW upon AS SELECT p.a FROM part p JOIN kept USING (a);"
        "CREATE MATERIALIZED VIEW copied AS TABLE upon"
    )
    assert sorted(bases("copied")) == ["copied", "kept", "own", "part", "upon"]
    db.execute(f'REVOKE SELECT (a) ON "{schema}".own FROM PUBLIC')
    # The copy holds what was read; the views show nothing of it any more.
    assert sorted(bases("copied")) == ["copied", "kept", "part", "upon"]
    attacker.execute(
        f"CREATE TABLE other (a int); CREATE VIEW named AS SELECT '\"{schema}\".own'::regclass"
    )
    assert bases("named") == ["named"]


@pytest.mark.parametrize("relation", ["dataset", "release", "release_base", "releases", "audits"])
def test_what_somebody_may_see_is_asked_once(
    rivals: tuple[Connection, Connection], relation: str
) -> None:
    plan = rivals[1].execute(f"EXPLAIN (VERBOSE) SELECT count(*) FROM bkpriv.{relation}".encode())
    filters = [line for (line,) in plan.fetchall() if "Filter:" in line]
    assert filters
    assert not [line for line in filters if "bkpriv_internal." in line]


def test_releases_of_a_relation_are_found_by_an_index(
    rivals: tuple[Connection, Connection],
    db: Connection,
    make_role: Callable[..., str],
    database: Database,
) -> None:
    auditor = make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [auditor])
    session = database.connect(auditor)
    session.execute("SET enable_seqscan = off")
    plan = session.execute(
        "EXPLAIN SELECT release FROM bkpriv.release_base WHERE base = ANY ('{a,b}'::text[])"
    ).fetchall()
    assert any("Index Cond: (base = ANY" in line for (line,) in plan)
