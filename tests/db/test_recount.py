"""Recounts: whether a source has the cells of a release, by a GROUP BY of then and now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.monthly import create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged
from tests.db.statements import countings, hear_statements
from tests.db.test_counts import connect_itself
from tests.db.visits import publish_as

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

RECOUNT = "SELECT bkpriv.recount(%s)"

CHANGED = "the source of release 1 is not as it was published: "

DIFFERS = "what is read of it differs from what was published."

OWN = "SELECT i % 12 AS a, i * i % 7 AS b FROM generate_series(1, 120) AS i"


def recount(db: Connection, release: int = 1) -> bool:
    """Count the source of a release anew."""
    answer: bool = one(db, RECOUNT, [release])
    return answer


# --- Against a GROUP BY ---------------------------------------------------------------------------


@pytest.fixture
def view(clinic: Connection) -> Connection:
    """Dataset ``people`` of a view, which nobody can watch, published as release 1."""
    clinic.execute("CREATE VIEW clinic.shown AS SELECT * FROM clinic.patient WHERE age < 60")
    clinic.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.shown', '{age,sex,city}', 'disease')"
    )
    assert publish(clinic, "people", view="public.p") == 1
    return clinic


CELLS = "SELECT age, sex, city, disease, count(*) AS n FROM clinic.shown GROUP BY 1, 2, 3, 4"

WRITES = [
    ("SELECT", True),
    ("CREATE INDEX by ON clinic.patient (disease, age); CLUSTER clinic.patient USING by", True),
    ("DELETE FROM clinic.patient WHERE age >= 60", True),
    ("INSERT INTO clinic.patient VALUES (61, 'f', 'Aln', 'ulcer')", True),
    # One person for another of the same cell and value.
    (
        "INSERT INTO clinic.patient SELECT * FROM clinic.patient WHERE age < 60 LIMIT 1;"
        "DELETE FROM clinic.patient WHERE ctid = (SELECT min(ctid) FROM clinic.patient AS p "
        "WHERE p = (SELECT q FROM clinic.patient AS q ORDER BY ctid DESC LIMIT 1))",
        True,
    ),
    ("UPDATE clinic.patient SET city = city", True),
    ("UPDATE clinic.patient SET sex = CASE sex WHEN 'f' THEN 'm' ELSE 'f' END", False),
    ("INSERT INTO clinic.patient SELECT * FROM clinic.patient WHERE age < 60 LIMIT 1", False),
    ("DELETE FROM clinic.patient WHERE ctid = (SELECT min(ctid) FROM clinic.shown_too)", False),
    ("UPDATE clinic.patient SET disease = 'flu' WHERE disease = 'ulcer'", False),
    ("UPDATE clinic.patient SET age = NULL WHERE age = 30", False),
    ("UPDATE clinic.patient SET age = age + 1 WHERE age = 59", False),
    ("CREATE OR REPLACE VIEW clinic.shown AS SELECT * FROM clinic.patient", False),
]


@pytest.mark.parametrize(("write", "same"), WRITES)
def test_a_recount_agrees_with_a_grouping(view: Connection, write: str, *, same: bool) -> None:
    view.execute("CREATE VIEW clinic.shown_too AS SELECT ctid FROM clinic.patient WHERE age < 60")
    view.execute(f"CREATE TABLE clinic.then AS {CELLS}".encode())
    view.execute(write.encode())
    differing = one(
        view,
        f"SELECT count(*) FROM ((({CELLS}) EXCEPT TABLE clinic.then) "
        f"UNION ALL (TABLE clinic.then EXCEPT ({CELLS}))) AS x",
    )
    assert (differing == 0) is same
    heard = overhear(view)
    with unchanged(view):
        assert recount(view) is same
    assert heard == ([] if same else [f"{CHANGED}clinic.shown: {DIFFERS}"])


def test_a_source_that_has_no_records_any_more_has_changed(view: Connection) -> None:
    view.execute("DELETE FROM clinic.patient")
    heard = overhear(view)
    assert not recount(view)
    (said,) = heard
    assert said.startswith(f"{CHANGED}clinic.shown: it cannot be read as it was: ")
    view.execute("DROP VIEW clinic.shown")
    refused(view, RECOUNT, [1], sqlstate="42P01", names=["clinic.shown"])


def test_a_change_that_is_taken_back_is_none(view: Connection) -> None:
    view.execute("CREATE TABLE clinic.aside AS SELECT * FROM clinic.patient WHERE age = 30")
    view.execute("DELETE FROM clinic.patient WHERE age = 30")
    assert not recount(view)
    view.execute("INSERT INTO clinic.patient TABLE clinic.aside")
    assert recount(view)
    assert one(view, "SELECT stale FROM bkpriv.releases") is None


def test_a_watched_table_is_counted_all_the_same(clinic: Connection) -> None:
    publish(clinic)
    clinic.execute("UPDATE clinic.patient SET sex = sex")
    assert one(clinic, "SELECT stale FROM bkpriv.releases") is True
    assert recount(clinic)


def test_a_recount_counts_the_source_once(view: Connection) -> None:
    heard = hear_statements(view)
    assert recount(view)
    assert len(countings(heard)) == 1


# --- As the release was made ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "same"),
    [
        ("UPDATE clinic.person SET city = 'Aln'", True),  # a column that is not read
        ("UPDATE clinic.person SET id = 1001 WHERE id = 1", False),
        ("UPDATE clinic.person SET note = 'new' WHERE id = 1", False),
        ("UPDATE clinic.person SET id = NULL WHERE id = 1", False),
    ],
)
def test_respondents_and_attributes_count(clinic: Connection, write: str, *, same: bool) -> None:
    clinic.execute(
        "CREATE TABLE clinic.person AS SELECT row_number() OVER () AS id, *, city || sex AS note "
        "FROM clinic.patient"
    )
    clinic.execute(
        "SELECT bkpriv.register_dataset('people', 'clinic.person', '{age,sex}', '{disease}', 'id', "
        "attributes => '{note}')"
    )
    assert publish(clinic, "people", view="public.p") == 1
    assert recount(clinic)
    clinic.execute(write.encode())
    assert recount(clinic) is same


def test_a_period_is_counted_by_itself(ward: Connection) -> None:
    create_visits(ward)
    declare_visits(ward)
    releases = {month: publish_period(ward, month) for month in ("2024-01", "2024-02")}
    ward.execute("UPDATE clinic.visit SET age = age + 1 WHERE month = '2024-02'")
    assert recount(ward, releases["2024-01"])
    assert not recount(ward, releases["2024-02"])
    ward.execute("DELETE FROM clinic.visit WHERE month = '2024-01'")
    assert not recount(ward, releases["2024-01"])


def test_bins_and_nulls_are_as_they_were_published(clinic: Connection) -> None:
    clinic.execute("UPDATE clinic.patient SET sex = NULL WHERE age = 30")
    clinic.execute(
        "SELECT bkpriv.register_dataset('binned', 'clinic.patient', '{age,sex}', 'disease', "
        "bins => '{\"age\": 10}')"
    )
    options = {"nulls": "category"}
    assert publish(clinic, "binned", view="public.p", options=options) == 1
    clinic.execute("UPDATE clinic.patient SET age = 31 WHERE age = 32")
    assert recount(clinic)
    clinic.execute("UPDATE clinic.patient SET sex = 'f' WHERE sex IS NULL")
    assert not recount(clinic)


def test_a_release_of_all_records_of_each_person_is_counted(visits: Connection) -> None:
    assert publish_as(visits, {"max_records_per_person": "all"}) == 1
    assert recount(visits)
    visits.execute("DELETE FROM clinic.visit WHERE visit = 12")
    assert not recount(visits)


@pytest.mark.parametrize("latest", [{}, {"latest_by": "visited"}])
def test_records_that_a_lot_picked_are_not_compared(
    visits: Connection, latest: dict[str, Any]
) -> None:
    publish_as(visits, {"max_records_per_person": 1} | latest)
    refused(visits, RECOUNT, [1], sqlstate="55000", names=["release 1", "at random"])


@pytest.mark.parametrize("method", ["anatomy", "bucketize", "incognito", "agglomerate"])
def test_the_method_makes_no_difference(view: Connection, method: str) -> None:
    release = publish(view, "people", view="public.q", method=method)
    assert recount(view, release)
    view.execute("DELETE FROM clinic.patient WHERE age = 31")
    assert not recount(view, release)


def test_hierarchies_make_no_difference(clinic: Connection) -> None:
    publish(clinic)
    clinic.execute("SELECT bkpriv.unset_hierarchy('patients', 'city')")
    assert recount(clinic)
    # One by which the source cannot be read says nothing of the source.
    clinic.execute(
        "DELETE FROM clinic.city_levels WHERE city = 'Aln';"
        "SELECT bkpriv.set_hierarchy('patients', 'city', 'clinic.city_levels')"
    )
    refused(clinic, RECOUNT, [1], sqlstate="22000", names=["Aln"])


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE bkpriv.dataset SET bins = '{\"age\": 5}'",
        "ALTER TABLE clinic.patient ALTER age TYPE bigint",
        "SELECT bkpriv.withdraw(1, 'a test'), bkpriv.drop_dataset('patients');"
        "SELECT bkpriv.register_dataset('patients', 'clinic.patient', '{age,sex}', 'disease')",
    ],
)
def test_what_is_declared_otherwise_is_not_compared(clinic: Connection, change: str) -> None:
    publish(clinic)
    clinic.execute(change.encode())
    refused(clinic, RECOUNT, [1], sqlstate="55000", names=["release 1", '"patients"'])


def test_a_withdrawn_release_is_counted_and_a_purged_one_refused(clinic: Connection) -> None:
    publish(clinic)
    clinic.execute("SELECT bkpriv.withdraw(1, 'a test')")
    assert recount(clinic)
    clinic.execute("SELECT bkpriv.purge(1, 'a test')")
    refused(clinic, RECOUNT, [1], sqlstate="55000", names=["release 1 was purged"])


@pytest.mark.parametrize(("release", "sqlstate"), [(None, "22023"), (7, "42704")])
def test_no_release_is_refused(clinic: Connection, release: int | None, sqlstate: str) -> None:
    refused(clinic, RECOUNT, [release], sqlstate=sqlstate)


# --- Tables of several kinds ----------------------------------------------------------------------


def test_partitions_that_come_and_go_change_it_by_their_rows(ward: Connection) -> None:
    ward.execute(
        """
        CREATE TABLE clinic.part (a int, b int) PARTITION BY LIST (a);
        CREATE TABLE clinic.low PARTITION OF clinic.part FOR VALUES IN (0, 1);
        CREATE TABLE clinic.high (a int, b int);
        INSERT INTO clinic.part SELECT i % 2, i % 5 FROM generate_series(1, 100) AS i;
        SELECT bkpriv.register_dataset('parts', 'clinic.part', '{a}', 'b');
        """
    )
    assert publish(ward, "parts", view="public.p") == 1
    ward.execute("ALTER TABLE clinic.part ATTACH PARTITION clinic.high FOR VALUES IN (2)")
    assert one(ward, "SELECT stale FROM bkpriv.releases") is None
    assert recount(ward)
    ward.execute("INSERT INTO clinic.high VALUES (2, 2)")
    assert not recount(ward)
    ward.execute("ALTER TABLE clinic.part DETACH PARTITION clinic.high")
    assert recount(ward)


@pytest.fixture
def foreign(database: Database, db: Connection) -> Connection:
    """Dataset ``far`` of a foreign table of this very server, published as release 1."""
    assert database.uri()  # One of its own: what is not committed is not seen from outside.
    connect_itself(db)
    db.execute(f"CREATE TABLE public.own AS {OWN}".encode())
    db.execute(
        "CREATE FOREIGN TABLE public.far (a int, b int) SERVER itself "
        "OPTIONS (schema_name 'public', table_name 'own');"
        "SELECT bkpriv.register_dataset('far', 'public.far', '{a}', 'b')"
    )
    state_policy(db, "p", {"k_anonymity": {"k": 3}})
    assert publish(db, "far", "p", "public.shown") == 1
    return db


def test_a_foreign_table_is_counted_where_it_lies(foreign: Connection) -> None:
    assert one(foreign, "SELECT stale FROM bkpriv.releases") is None
    assert recount(foreign)
    foreign.execute("UPDATE public.own SET b = b WHERE a = 3")
    assert recount(foreign)
    foreign.execute("DELETE FROM public.own WHERE a = 3")
    assert not recount(foreign)


# --- Whom the source shows what -------------------------------------------------------------------


@pytest.fixture
def common(db: Connection, make_publisher: Callable[..., Connection]) -> Connection:
    """A publisher who has published release 1 from the table ``own`` of a superuser."""
    publisher = make_publisher()
    db.execute(f"CREATE TABLE public.own AS {OWN}".encode())
    let_read(db, publisher)
    publisher.execute("SELECT bkpriv.register_dataset('common', 'public.own', '{a}', 'b')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    assert publish(publisher, "common", "p", "shown") == 1
    return publisher


def let_read(db: Connection, reader: Connection, columns: str = "a, b") -> None:
    """Grant SELECT on columns of the source."""
    db.execute(
        sql.SQL("GRANT SELECT ({}) ON public.own TO {}").format(
            sql.SQL(columns), sql.Identifier(reader.info.user)
        )
    )


@pytest.fixture
def make_member(
    database: Database, db: Connection, make_role: Callable[..., str]
) -> Callable[[Connection], Connection]:
    """Make members of the role that a connection is of."""

    def make(owner: Connection) -> Connection:
        role = make_role("member")
        db.execute(
            sql.SQL("GRANT {} TO {}").format(sql.Identifier(owner.info.user), sql.Identifier(role))
        )
        return database.connect(role)

    return make


def test_the_source_must_be_readable(db: Connection, common: Connection) -> None:
    role = sql.Identifier(common.info.user)
    db.execute(sql.SQL("REVOKE SELECT (b) ON public.own FROM {}").format(role))
    refused(common, RECOUNT, [1], sqlstate="42501", names=["may not read b"])


def test_other_publishers_see_no_release(
    common: Connection, make_publisher: Callable[..., Connection]
) -> None:
    refused(make_publisher("rival"), RECOUNT, [1], sqlstate="42704")


def test_row_level_security_is_that_of_the_publisher(
    db: Connection, common: Connection, make_member: Callable[[Connection], Connection]
) -> None:
    db.execute(
        "CREATE POLICY few ON own USING (a < 6 OR current_setting('app.more', true) = 'yes');"
        "ALTER TABLE own ENABLE ROW LEVEL SECURITY"
    )
    member = make_member(common)
    refused(member, RECOUNT, [1], sqlstate="42501", names=["row-level security"])
    assert not recount(common)
    common.execute("SET app.more = 'yes'")
    assert recount(common)
    common.execute("RESET app.more")
    release = publish(common, "common", "p", "shown")
    assert recount(common, release)


def test_a_view_may_show_others_something_else(
    db: Connection,
    make_publisher: Callable[..., Connection],
    make_member: Callable[[Connection], Connection],
) -> None:
    publisher = make_publisher()
    member = make_member(publisher)
    for reader in (publisher, member):
        db.execute(
            sql.SQL(
                f"CREATE OR REPLACE VIEW public.own AS {OWN} WHERE current_user = {{}} OR i < 90"
            ).format(sql.Literal(publisher.info.user))
        )
        let_read(db, reader)
    publisher.execute("SELECT bkpriv.register_dataset('whose', 'public.own', '{a}', 'b')")
    state_policy(publisher, "p", {"k_anonymity": {"k": 3}})
    assert publish(publisher, "whose", "p", "shown") == 1
    assert recount(publisher)
    heard = overhear(member)
    assert not recount(member)
    (said,) = heard
    assert said.startswith(f"{CHANGED}public.own: {DIFFERS} It was published by role ")
    assert publisher.info.user in said
