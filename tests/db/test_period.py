"""Periods: a dataset that holds several is published one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import PLAIN, one, overhear, state_policy
from tests.db.monthly import (
    MONTHS,
    alone,
    create_visits,
    declare_visits,
    draw_visits,
    publish_period,
)
from tests.db.refusal import refused, unchanged
from tests.db.statements import countings, hear_statements
from tests.db.test_counts import connect_itself

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

PUBLISH = "SELECT bkpriv.publish('visits', 'plain', 'public.visits', period => %s)"


@pytest.fixture
def visits(ward: Connection) -> Connection:
    """The same, with visits in three months that are texts, and their dataset."""
    create_visits(ward)
    declare_visits(ward)
    return ward


@pytest.fixture(scope="module")
def shared_visits(shared_db: Connection) -> Connection:
    """The same for all tests that leave it as it is."""
    shared_db.execute("CREATE SCHEMA clinic")
    state_policy(shared_db, "plain", PLAIN)
    create_visits(shared_db)
    declare_visits(shared_db)
    return shared_db


def test_only_records_of_the_period_are_published(visits: Connection) -> None:
    release = publish_period(visits, "2024-02", seed=1)
    row = visits.execute(
        "SELECT period, period_type, period_column, period_bin, records FROM bkpriv.release"
    ).fetchone()
    records = len([row for row in draw_visits(MONTHS) if row[1] == "2024-02"])
    assert row == ("2024-02", "text", "month", None, records)
    assert one(visits, "SELECT period FROM bkpriv.releases") == "2024-02"
    alone(visits, "month = '2024-02'", release)


@pytest.mark.parametrize("method", ["agglomerate", "bucketize", "anatomy", "incognito"])
def test_every_method_publishes_a_period(visits: Connection, method: str) -> None:
    visits.execute("SELECT bkpriv.publish('visits', 'plain', 'public.v', %s, '2024-03')", [method])
    records = len([row for row in draw_visits(MONTHS) if row[1] == "2024-03"])
    assert one(visits, "SELECT records FROM bkpriv.releases") == records
    assert (
        one(visits, "SELECT count(*) FROM public.v")
        + one(visits, "SELECT suppressed FROM bkpriv.releases")
        == records
    )
    assert visits.execute("SELECT bool_and(satisfied) FROM bkpriv.audit(1)").fetchone() == (True,)


# --- what is refused ------------------------------------------------------------------------------


def test_a_period_must_be_stated_where_there_are_periods(shared_visits: Connection) -> None:
    with unchanged(shared_visits):
        said = refused(shared_visits, PUBLISH, [None], sqlstate="22023", names=["visits", "month"])
    assert "period =>" in (said.message_hint or "")


def test_a_period_must_not_be_stated_where_there_are_none(visits: Connection) -> None:
    visits.execute("SELECT bkpriv.register_dataset('all', 'clinic.visit', '{age}', 'disease')")
    with unchanged(visits):
        said = refused(
            visits,
            "SELECT bkpriv.publish('all', 'plain', 'public.v', period => '2024-01')",
            sqlstate="22023",
            names=["all", "2024-01"],
        )
    assert "register" in (said.message_hint or "")


def test_a_period_without_records_is_refused_and_those_near_to_it_are_listed(
    ward: Connection,
) -> None:
    months = [f"2023-{month:02}-01" for month in range(1, 13)]
    create_visits(ward, "date", months)
    declare_visits(ward)
    for asked, listed in (
        ("2023-06-15", ["2023-03-01", "2023-06-01", "2023-07-01", "2023-10-01"]),
        ("2024-01-01", ["2023-09-01", "2023-12-01"]),
        ("1999-01-01", ["2023-01-01", "2023-04-01"]),
    ):
        with unchanged(ward):
            said = refused(
                ward, PUBLISH, [asked], sqlstate="22000",
                names=["clinic", "visit", "month", asked, "12 periods", *listed],
            )  # fmt: skip
        shown = (said.message_detail or "").count("2023-")
        assert shown == (8 if asked == "2023-06-15" else 4)


def test_a_text_that_means_something_else_is_another_period(shared_visits: Connection) -> None:
    refused(shared_visits, PUBLISH, ["2024-1"], sqlstate="22000", names=["'2024-01'", "3 periods"])
    refused(shared_visits, PUBLISH, [""], sqlstate="22000", names=["'2024-01'"])
    refused(shared_visits, PUBLISH, ["' OR true"], sqlstate="22000", names=["' OR true"])


def test_records_of_no_period_are_refused(visits: Connection) -> None:
    visits.execute("UPDATE clinic.visit SET month = NULL WHERE person < 3 AND month = '2024-02'")
    records = one(visits, "SELECT count(*) FROM clinic.visit WHERE month IS NULL")
    for period in ("2024-02", "2024-01", "2023-01"):
        with unchanged(visits):
            names = ["month", "visit", f"NULL in {records} records"]
            refused(visits, PUBLISH, [period], sqlstate="22000", names=names)


def test_an_empty_source_is_refused(visits: Connection) -> None:
    visits.execute("TRUNCATE clinic.visit")
    refused(visits, PUBLISH, ["2024-01"], sqlstate="22000", names=["visit", "empty"])


def test_a_respondent_has_one_record_in_each_period(visits: Connection) -> None:
    publish_period(visits, "2024-02")
    visits.execute(
        "UPDATE clinic.visit SET person = 4 WHERE person IN (5, 6) AND month = '2024-02'"
    )
    with unchanged(visits):
        names = ["'4' (3)", "person", "in period 2024-02"]
        refused(visits, PUBLISH, ["2024-02"], sqlstate="22000", names=names)
    publish_period(visits, "2024-03")
    visits.execute("UPDATE clinic.visit SET person = NULL WHERE person = 4 AND month = '2024-02'")
    with unchanged(visits):
        names = ["NULL in 3", "person", "of period 2024-02"]
        refused(visits, PUBLISH, ["2024-02"], sqlstate="22000", names=names)
    publish_period(visits, "2024-03")


def test_who_may_not_read_the_periods_publishes_none(
    visits: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    role = sql.Identifier(publisher.info.user)
    for statement in (
        "GRANT USAGE ON SCHEMA clinic TO {}",
        "GRANT SELECT ON clinic.visit TO {}",
    ):
        visits.execute(sql.SQL(statement).format(role))
    declare_visits(publisher, "mine")
    for statement in (
        "REVOKE SELECT ON clinic.visit FROM {}",
        "GRANT SELECT (person, age, sex, disease) ON clinic.visit TO {}",
    ):
        visits.execute(sql.SQL(statement).format(role))
    refused(
        publisher,
        "SELECT bkpriv.publish('mine', 'plain', 'v', period => '2024-01')",
        sqlstate="42501",
        names=["month"],
    )


# --- what is said ---------------------------------------------------------------------------------


def said_of(db: Connection, period: str | None, **told: Any) -> list[str]:
    """Notices of publishing a period."""
    said = overhear(db)
    publish_period(db, period, **told)
    return said


def test_nearly_unique_is_judged_within_periods(ward: Connection) -> None:
    create_visits(ward)
    said = overhear(ward)
    ward.execute(
        "SELECT bkpriv.register_dataset('a', 'clinic.visit', '{person,age}', 'disease', "
        "period => 'month')"
    )
    (warning,) = [line for line in said if "nearly unique" in line]
    records = len(draw_visits(MONTHS))
    assert f'"person" ({records} in {records})' in warning
    assert '"age"' not in warning
    ward.execute("UPDATE clinic.visit SET month = NULL WHERE person = 1")
    said.clear()
    declare_visits(ward, "b")
    (warning,) = [line for line in said if "NULL" in line]
    assert '"month" (3)' in warning


def test_periods_are_a_sequence_and_one_published_twice_is_a_second_look(
    visits: Connection,
) -> None:
    state_policy(visits, "plain", PLAIN | {"overlap": "warn"})
    assert said_of(visits, "2024-01") == []
    assert said_of(visits, "2024-02", view="public.february") == []
    warning, late = said_of(visits, "2024-01", view="public.again")
    assert "2024-02 (release 2)" in late
    assert "in period 2024-01 have been released before: 1 (published)" in warning
    assert "second look at the same values" in warning
    (warning,) = said_of(visits, "2024-02")
    assert "2 (published)" in warning
    state_policy(visits, "once", PLAIN | {"overlap": "refuse"})
    assert said_of(visits, "2024-03", policy="once") == []
    with unchanged(visits):
        refused(
            visits,
            "SELECT bkpriv.publish('visits', 'once', 'public.v', period => '2024-03')",
            sqlstate="22023",
            names=["period 2024-03", "5 (published)"],
        )
    # A release of all records has those of every period, and the other way round.
    visits.execute("SELECT bkpriv.register_dataset('all', 'clinic.visit', '{age}', 'disease')")
    (warning,) = said_of(visits, None, dataset="all", view="public.all")
    assert all(f"{release} (" in warning for release in range(1, 6))
    declare_visits(visits, "others")
    (warning,) = said_of(visits, "2024-03", dataset="others", view="public.others")
    assert "5 (" in warning
    assert "6 (" in warning
    assert "1 (" not in warning


def test_a_second_look_is_certified_together_with_the_first(visits: Connection) -> None:
    together = "SELECT parameters -> 'together' FROM bkpriv.audits WHERE release = %s ORDER BY 1"
    for month in MONTHS[:2]:
        assert said_of(visits, month) == []
    said = said_of(visits, MONTHS[0], view="public.again")
    assert sum("is published after later ones" in each for each in said) == 1
    assert sum("is certified together with release 1" in each for each in said) == 1
    releases = [
        {tuple(row[0]) for row in visits.execute(together, [release]) if row[0] is not None}
        for release in (1, 2, 3)
    ]
    assert releases == [set(), set(), {(1, 3)}]


def test_a_period_that_is_published_late_is_pointed_out(ward: Connection) -> None:
    create_visits(ward, "int", ["9", "10", "11"])
    declare_visits(ward)
    state_policy(ward, "plain", PLAIN | {"overlap": "warn"})
    assert said_of(ward, "10") == []
    (warning,) = said_of(ward, "9", view="public.nine")
    assert "period 9" in warning
    assert "10 (release 1)" in warning
    assert "assumed" in warning
    assert said_of(ward, "11", view="public.eleven") == []
    # A second look at the latest is not late.
    (warning,) = said_of(ward, "11", view="public.again")
    assert "second look" in warning


def test_a_view_for_each_period_or_one_that_moves_on(visits: Connection) -> None:
    for month in MONTHS:
        publish_period(visits, month)
        publish_period(visits, month, view=f'public."of {month}"')
    status: dict[int, str] = dict(
        visits.execute("SELECT release, status FROM bkpriv.releases").fetchall()
    )
    assert [status[release] for release in sorted(status)] == [
        *("superseded", "published") * 2,
        *("published", "published"),
    ]


# --- functions that read the source ---------------------------------------------------------------


def test_priors_are_of_all_records_or_of_one_period(visits: Connection) -> None:
    ask = "SELECT qi::text, sensitive, probability FROM bkpriv.prior(%s, '0.3') ORDER BY 1, 2"
    ask_period = ask.replace("'0.3'", "'0.3', period => %s")
    for name, condition in (("all", "true"), ("second", "month = '2024-02'")):
        visits.execute(
            sql.SQL("CREATE TABLE clinic.{0} AS SELECT * FROM clinic.visit WHERE {1}").format(
                sql.Identifier(name), sql.SQL(condition)
            )
        )
        visits.execute(
            "SELECT bkpriv.register_dataset(%s, %s, '{age,sex}', 'disease')",
            [name, f"clinic.{name}"],
        )
    assert visits.execute(ask, ["visits"]).fetchall() == visits.execute(ask, ["all"]).fetchall()
    found = visits.execute(ask_period, ["visits", "2024-02"]).fetchall()
    assert found == visits.execute(ask, ["second"]).fetchall()
    assert found != visits.execute(ask, ["all"]).fetchall()
    refused(visits, ask_period, ["all", "2024-02"], sqlstate="22023", names=["no periods"])
    refused(visits, ask_period, ["visits", "x"], sqlstate="22000", names=["period x"])


def test_the_lattice_is_that_of_the_period(visits: Connection) -> None:
    ask = "SELECT levels, safe, suppressed FROM bkpriv.lattice(%s, 'plain', period => %s)"
    visits.execute("CREATE TABLE clinic.one AS SELECT * FROM clinic.visit WHERE month = '2024-02'")
    visits.execute("SELECT bkpriv.register_dataset('one', 'clinic.one', '{age,sex}', 'disease')")
    found = visits.execute(ask, ["visits", "2024-02"]).fetchall()
    assert found == visits.execute(ask, ["one", None]).fetchall()
    refused(visits, ask, ["visits", None], sqlstate="22023", names=["periods"])


@pytest.mark.usefixtures("database")
def test_foreign_partitions_are_counted_where_they_lie(ward: Connection) -> None:
    connect_itself(ward)
    ward.execute(
        """
        CREATE SCHEMA near;
        CREATE TABLE near.fields (month date, age int, sex text, disease text);
        CREATE TABLE clinic.visit (LIKE near.fields, person int) PARTITION BY RANGE (age);
        CREATE TABLE near.young (LIKE clinic.visit);
        CREATE FOREIGN TABLE clinic.young PARTITION OF clinic.visit FOR VALUES FROM (0) TO (40)
            SERVER itself OPTIONS (schema_name 'near');
        CREATE TABLE clinic.old PARTITION OF clinic.visit FOR VALUES FROM (40) TO (200);
        """
    )
    for row in draw_visits(["2024-01-01", "2024-02-01"]):
        ward.execute(
            "INSERT INTO clinic.visit (person, month, age, sex, disease) "
            "VALUES (%s, %s, %s, %s, %s)",
            row,
        )
    ward.execute(
        "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age,sex}', 'disease', "
        "period => 'month')"
    )
    # So many that it is cheaper to have them counted than to fetch them.
    ward.execute(
        "INSERT INTO near.young SELECT '2024-02-01', 20 + i % 9, 'f', 'gout', i "
        "FROM generate_series(1, 5000) AS i"
    )
    ward.execute("ANALYZE clinic.visit, clinic.young")
    heard = hear_statements(ward)
    publish_period(ward, "2024-02-01", seed=1)
    (counting,) = countings(heard)
    (remote,) = [line for line in counting.splitlines() if "Remote SQL" in line and "age" in line]
    assert "count(*)" in remote
    assert "month = $1" in remote
    records = one(ward, "SELECT count(*) FROM clinic.visit WHERE month = '2024-02-01'")
    assert one(ward, "SELECT records FROM bkpriv.releases") == records
    ward.execute("RESET client_min_messages")
    ward.execute("INSERT INTO near.young VALUES (NULL, 30, 'f', 'gout', 1)")
    refused(ward, PUBLISH, ["2024-02-01"], sqlstate="22000", names=["NULL in 1"])


# --- the history ----------------------------------------------------------------------------------

STEPS = """
CREATE FUNCTION steps() RETURNS TABLE (release bigint, period text, "when" int)
LANGUAGE plpython3u SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' AS $$
plpy.execute("SELECT bkpriv.js_divergence('{1}', '{1}')")
from bkpriv_pl.past.course import find_steps
return [(step.release, step.period, step.when) for step in find_steps("visits", "postgres")]
$$
"""


def steps(db: Connection) -> list[tuple[int, str | None, int]]:
    return db.execute("SELECT * FROM steps()").fetchall()


def record(db: Connection, *periods: tuple[str | None, str | None]) -> None:
    """Append releases to the history that nobody has published."""
    for place, (period, type_) in enumerate(periods, 1):
        db.execute(
            "INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, "
            "view_schema, view_name, method, policy, requirements, options, records, suppressed, "
            "groups, period, period_type, created_by) "
            "VALUES ('visits', 'postgres', %s, 's', 's', 'v', 'v', "
            "'mondrian', 'p', '{}', '{}', 1, 0, 1, %s, %s, 'postgres')",
            [place, period, type_],
        )


@pytest.mark.parametrize(
    ("periods", "when"),
    [
        # By the type, and equal for releases of one period.
        ([("9", "integer"), ("10", "integer"), ("-1", "integer"), ("9", "integer")], [1, 2, 0, 1]),
        ([("9", "text"), ("10", "text")], [1, 0]),
        ([("b", "text"), ("B", "text"), ("a", "text")], [2, 0, 1]),
        # Of different types: as numbers, or as times.
        ([("9", "integer"), ("10", "bigint"), ("9.5", "numeric")], [0, 2, 1]),
        (
            [("2024-01-02", "date"), ("2024-01-02 00:00:00", "timestamp without time zone"),
             ("2024-01-01", "date")],
            [1, 1, 0],
        ),
        # Of others, or of none: as text.
        ([("9", "integer"), ("10", "text")], [1, 0]),
        ([("9", "integer"), ("2024-01-02", "date")], [1, 0]),
        ([("9", "integer"), ("10", None)], [1, 0]),
        ([("9", "no such type"), ("10", "no such type")], [1, 0]),
        ([("9", "regclass"), ("10", "regclass")], [1, 0]),
        # Without periods: one after the other, and after what was published before.
        ([(None, None), (None, None)], [0, 1]),
        ([(None, None), ("1", "integer"), (None, None), ("0", "integer")], [0, 2, 3, 1]),
        ([("2", "integer"), (None, None), ("1", "integer"), ("3", "integer")], [1, 2, 0, 3]),
        ([("2", "integer"), ("1", "integer"), (None, None), ("3", "integer")], [1, 0, 2, 3]),
        (
            [("2024-03-01 00:00:00 BC", "timestamp without time zone"), ("infinity",) * 1
             + ("timestamp without time zone",)],
            [0, 1],
        ),
        ([], []),
    ],
)  # fmt: skip
def test_releases_have_places_in_time(
    db: Connection, periods: list[tuple[str | None, str | None]], when: list[int]
) -> None:
    db.execute(STEPS)
    record(db, *periods)
    assert steps(db) == [
        (place, period, time)
        for place, ((period, _), time) in enumerate(zip(periods, when, strict=True), 1)
    ]


def test_withdrawn_releases_keep_their_place(visits: Connection) -> None:
    visits.execute(STEPS)
    for month in ("2024-02", "2024-01", "2024-02"):
        publish_period(visits, month)
    visits.execute("SELECT bkpriv.withdraw(2, 'for the test')")
    visits.execute("SELECT bkpriv.purge(2, 'for the test', true)")
    assert steps(visits) == [(1, "2024-02", 1), (2, "2024-01", 0), (3, "2024-02", 1)]


def test_the_history_knows_part_and_value_of_each_respondent(
    visits: Connection, database: Database
) -> None:
    visits.execute("SELECT bkpriv.publish('visits', 'plain', 'public.v', 'anatomy', '2024-02')")
    found = database.connect().execute(
        """
        SELECT r.respondent, ARRAY(SELECT a.labels[c.codes[r.part * 2 + a.place + 1] + 1]
                                   FROM bkpriv.release_attribute a
                                   WHERE a.release = 1 AND a.place < 2 ORDER BY a.place),
            (SELECT labels[r.value + 1] FROM bkpriv.release_attribute
             WHERE release = 1 AND place = 2),
            c.group_ids[r.part + 1] = r.group_id
        FROM (SELECT release, unnest(respondents) AS respondent, unnest(parts) AS part,
                unnest(sensitive_codes) AS value, unnest(group_ids) AS group_id
              FROM bkpriv.release_respondent) AS r JOIN bkpriv.release_content c USING (release)
        """
    )
    expected = {
        (str(person), (str(age), sex), disease, True)
        for person, month, age, sex, disease in draw_visits(MONTHS)
        if month == "2024-02"
    }
    assert {(name, tuple(qi), value, same) for name, qi, value, same in found} == expected
