"""Audits by coalition: what each reader of a dataset's releases learns, by grants or as stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import create_clinic, one, overhear, publish, state_policy
from tests.db.monthly import create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged
from tests.db.test_together import FOUR, SURE, admit, open_ward

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

AUDIT = "SELECT * FROM bkpriv.audit_readers(%s, %s, %s)"

RECORDED = "SELECT readers FROM bkpriv.release_event WHERE release = %s AND kind = 'withdrawn'"

Told = dict[str, tuple[list[int], float, int]]


def audited(db: Connection, readers: Any = None, dataset: str = "ward") -> Told:
    """Releases, worst figure and exposed persons of each reader, in order."""
    stated = None if readers is None else Jsonb(readers)
    rows = db.execute(
        "SELECT reader, releases, worst, vulnerable FROM bkpriv.audit_readers(%s, %s, %s)",
        [dataset, stated, Jsonb(SURE)],
    ).fetchall()
    assert len({row[0] for row in rows}) == len(rows)
    return {reader: (releases, worst, exposed) for reader, releases, worst, exposed in rows}


@pytest.fixture
def ward(db: Connection) -> Connection:
    """Two views of the ward, between which E came."""
    open_ward(db)
    admit(db, *FOUR)
    publish(db, "ward", "ward", "public.before")
    admit(db, ("E", 34, "HIV"))
    publish(db, "ward", "ward", "public.after")
    return db


def grant(db: Connection, relation: str, *roles: str, columns: str = "") -> None:
    """Grant SELECT."""
    for role in roles:
        db.execute(
            sql.SQL("GRANT SELECT {} ON {} TO {}").format(
                sql.SQL(columns),
                sql.SQL(relation),
                sql.SQL("PUBLIC") if role == "PUBLIC" else sql.Identifier(role),
            )
        )


SINGLE = ([1], 0.75, 0), ([2], pytest.approx(0.8), 0)
BOTH = ([1, 2], 1.0, 1)


def test_readers_by_grants(ward: Connection, make_role: Callable[..., str]) -> None:
    one, other, both, also, team, member = (
        make_role(name) for name in ("one", "other", "both", "also", "team", "member")
    )
    ward.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(team), sql.Identifier(member)))
    grant(ward, "public.before", one, both, also, team)
    grant(ward, "public.after", other, both, also)
    told = audited(ward)
    assert told == {
        ", ".join(sorted((both, also))): BOTH,
        ", ".join(sorted((one, team, member))): SINGLE[0],
        other: SINGLE[1],
        "all": BOTH,
    }
    assert list(told)[-1] == "all"
    # A member of the team may read what it may, and more.
    grant(ward, "public.after", member, columns="(age)")
    told = audited(ward)
    assert told[", ".join(sorted((both, also, member)))] == BOTH
    assert told[", ".join(sorted((one, team)))] == SINGLE[0]


def test_public_and_who_reads_more(ward: Connection, make_role: Callable[..., str]) -> None:
    press, nobody = make_role("press"), make_role("nobody")
    grant(ward, "public.after", "PUBLIC")
    grant(ward, "public.before", press)
    grant(ward, "public.after", nobody)
    assert audited(ward) == {"PUBLIC": SINGLE[1], press: BOTH, "all": BOTH}


def test_no_role_is_taken_for_others(ward: Connection, make_role: Callable[..., str]) -> None:
    one, other = sorted(make_role(name) for name in ("one", "other"))
    odd = f"{one}, {other}"
    ward.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(odd)))
    try:
        grant(ward, "public.before", one, other)
        grant(ward, "public.after", odd)
        told = audited(ward)
        assert told == {odd: SINGLE[0], f'"{odd}"': SINGLE[1], "all": BOTH}
    finally:
        ward.execute(sql.SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(sql.Identifier(odd)))


def test_who_has_the_source_is_no_reader(ward: Connection, make_role: Callable[..., str]) -> None:
    doctor, boss = make_role("doctor"), make_role("boss")
    ward.execute(sql.SQL("ALTER ROLE {} SUPERUSER").format(sql.Identifier(boss)))
    grant(ward, "public.before", doctor, boss)
    grant(ward, "ward", doctor)
    with unchanged(ward):
        refused(ward, AUDIT, ["ward", None, None], sqlstate="42704", names=["ward"])
    grant(ward, "public.before", "PUBLIC")
    assert audited(ward) == {"PUBLIC": SINGLE[0], "all": SINGLE[0]}


def test_earlier_releases_of_a_view_were_seen(
    ward: Connection, make_role: Callable[..., str]
) -> None:
    press = make_role("press")
    grant(ward, "public.before", press)
    publish(ward, "ward", "ward", "public.before")
    ward.execute("SELECT bkpriv.withdraw(1, 'for the test')")
    ward.execute("ALTER VIEW public.before RENAME TO since")
    assert audited(ward) == {press: ([1, 3], 1.0, 1), "all": ([1, 3], 1.0, 1)}


def test_other_views_and_companions_of_a_release(
    ward: Connection, make_role: Callable[..., str]
) -> None:
    press, archive = make_role("press"), make_role("archive")
    publish(ward, "ward", "ward", "public.split", method="bucketize")
    grant(ward, "public.split_sensitive", press)
    ward.execute("CREATE VIEW public.mirror AS SELECT * FROM bkpriv_release.release_1")
    grant(ward, "public.mirror", archive)
    assert audited(ward) == {
        archive: SINGLE[0],
        press: ([3], pytest.approx(0.8), 0),
        "all": ([1, 3], 1.0, 1),
    }


def test_who_could_read_what_was_withdrawn_has_seen_it(
    ward: Connection, make_role: Callable[..., str]
) -> None:
    press, late, other = make_role("press"), make_role("late"), make_role("other")
    grant(ward, "public.before", press)
    grant(ward, "public.after", "PUBLIC")
    assert publish(ward, "ward", "ward", "public.before") == 3
    ward.execute("SELECT bkpriv.withdraw(3, 'for the test'), bkpriv.withdraw(2, 'for the test')")
    assert one(ward, "SELECT count(*) FROM pg_views WHERE viewname IN ('before', 'after')") == 0
    assert audited(ward) == {
        "PUBLIC": SINGLE[1],
        press: ([1, 2, 3], 1.0, 1),
        "all": ([1, 2, 3], 1.0, 1),
    }
    # A view of the same name is another's to see.
    assert publish(ward, "ward", "ward", "public.before") == 4
    grant(ward, "public.before", late)
    told = audited(ward)
    assert told[press] == ([1, 2, 3], 1.0, 1)
    assert told[late] == ([1, 2, 3, 4], 1.0, 1)
    assert other not in told
    # As often as it is withdrawn.
    ward.execute("SELECT bkpriv.withdraw(4, 'for the test')")
    assert audited(ward) == told
    assert one(ward, RECORDED, [2]) == [
        "PUBLIC",
        "postgres",
    ]


def test_no_more_readers_are_recorded_than_may_be(
    ward: Connection, make_role: Callable[..., str]
) -> None:
    readers = [sql.Identifier(f"reader {number} " + "x" * 40) for number in range(1010)]
    with ward.transaction(force_rollback=True):
        for reader in readers:
            ward.execute(sql.SQL("CREATE ROLE {0}; GRANT SELECT ON before TO {0}").format(reader))
        grant(ward, "public.before", "PUBLIC")
        ward.execute("SELECT bkpriv.withdraw(1, 'for the test')")
        recorded = one(ward, RECORDED, [1])
        assert (len(recorded), recorded[0]) == (1000, "PUBLIC")


def test_views_on_views_are_read_too(ward: Connection, make_role: Callable[..., str]) -> None:
    team, press, archive, poor, guest, own = (
        make_role(name) for name in ("team", "press", "archive", "poor", "guest", "own")
    )
    grant(ward, "public.before", team)
    ward.execute(
        sql.SQL(
            "GRANT ALL ON SCHEMA public TO {team}, {poor};"
            "SET ROLE {team}; CREATE VIEW public.ages AS SELECT age FROM public.before;"
            "GRANT SELECT ON public.ages TO {archive}; RESET ROLE;"
            "CREATE VIEW public.copies AS SELECT * FROM public.ages;"
            "CREATE MATERIALIZED VIEW public.copy AS SELECT * FROM public.copies;"
            "GRANT SELECT ON public.copy TO {press};"
            # Its owner may not read what it reads, and so nobody may through it.
            "CREATE VIEW public.poor AS SELECT age FROM public.before;"
            "GRANT SELECT ON public.poor TO {guest}; ALTER VIEW public.poor OWNER TO {poor}"
        ).format(
            **{
                name: sql.Identifier(role)
                for name, role in zip(
                    ("team", "press", "archive", "poor", "guest"),
                    (team, press, archive, poor, guest),
                    strict=True,
                )
            }
        )
    )
    grant(ward, "public.after", own)
    everybody = ", ".join(sorted((team, press, archive)))
    assert audited(ward) == {everybody: SINGLE[0], own: SINGLE[1], "all": BOTH}
    if ward.info.server_version >= 150000:
        # Who asks needs a grant on what such a view reads.
        ward.execute("ALTER VIEW public.ages SET (security_invoker = true)")
        assert audited(ward)[", ".join(sorted((team, press)))] == SINGLE[0]


def test_views_that_nobody_can_read_through_have_no_readers(
    ward: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    attacker, lent = make_role("attacker"), make_role("lent")
    ward.execute(
        sql.SQL(
            "SELECT bkpriv.grant_publisher({name}); CREATE SCHEMA AUTHORIZATION {role};"
            "GRANT SELECT (age) ON public.before TO {role}"
        ).format(role=sql.Identifier(attacker), name=sql.Literal(attacker))
    )
    grant(ward, "public.after", lent)
    connection = database.connect(attacker)
    invoker = "WITH (security_invoker) " if ward.info.server_version >= 150000 else ""
    for name, body in {
        "pin": "SELECT * FROM bkpriv_release.release_1",
        "pinned": "SELECT * FROM pin",
        "asked": "SELECT * FROM bkpriv_release.release_1",
        "through": "SELECT * FROM asked",
        "shown": "SELECT * FROM public.after",
        "others": "SELECT disease FROM public.before",
        "own": "SELECT age FROM public.before",
    }.items():
        option = invoker if name == "asked" else ""
        connection.execute(f"CREATE VIEW {name} {option}AS {body}".encode())
        connection.execute(f"GRANT SELECT ON {name} TO PUBLIC".encode())
    connection.execute(
        "CREATE MATERIALIZED VIEW stored AS SELECT * FROM public.after WITH NO DATA;"
        "GRANT SELECT ON stored TO PUBLIC"
    )
    for name in ("pin", "pinned", "through", "shown", "others", "stored"):
        with pytest.raises(psycopg.Error):
            connection.execute(f"SELECT * FROM {name}".encode())
    read = "SELECT array_agg(reader ORDER BY 1) FROM bkpriv_internal.readers_of(%s)"
    assert set(one(ward, read, [2])) == {"postgres", lent}
    # Ages of the first release, which everybody may read through the last of the views.
    assert set(one(ward, read, [1])) == {"postgres", attacker, "PUBLIC"}
    connection.execute("DROP VIEW own")
    ward.execute("SELECT bkpriv.withdraw(1, 'for the test'), bkpriv.withdraw(2, 'for the test')")
    assert set(one(ward, RECORDED, [1])) == {"postgres", attacker}
    assert set(one(ward, RECORDED, [2])) == {"postgres", lent}


def test_auditors_need_not_see_the_source(
    ward: Connection, database: Database, make_role: Callable[..., str]
) -> None:
    auditor, press = make_role("auditor"), make_role("press")
    ward.execute("SELECT bkpriv.grant_auditor(%s)", [auditor])
    ward.execute("CREATE SCHEMA hidden; ALTER TABLE ward SET SCHEMA hidden")
    ward.execute(
        "SELECT bkpriv.register_dataset('hidden', 'hidden.ward', '{age}', 'disease', 'name')"
    )
    release = publish(ward, "hidden", "ward", "public.shown")
    grant(ward, "public.shown", press)
    connection = database.connect(auditor)
    assert not one(connection, "SELECT has_schema_privilege('hidden', 'USAGE')")
    told = audited(connection, dataset="hidden")
    assert told == {press: ([release], pytest.approx(0.8), 0), "all": told[press]}
    assert audited(connection, {"press": [release]}, dataset="hidden") == {
        "press": told[press],
        "all": told[press],
    }


@pytest.mark.parametrize("method", ["anatomy", "bucketize"])
def test_companions_may_be_stated(ward: Connection, method: str) -> None:
    state_policy(ward, "both", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    ward.execute("INSERT INTO ward SELECT 'w' || i, 30, 'ulcer' FROM generate_series(1, 4) AS i")
    publish(ward, "ward", "both", "public.split", method=method)
    told = audited(
        ward,
        {
            "values": ["public.split_sensitive"],
            "people": ["split"],
            "more": ['"public"."split_sensitive"', 1],
        },
    )
    alone = ([3], pytest.approx(0.8), 0)
    assert told == {
        "values": alone,
        "people": alone,
        "more": ([1, 3], 1.0, 1),
        "all": ([1, 3], 1.0, 1),
    }
    # A release has those views that its method makes.
    for name in ("public.before_sensitive", "public.split_randomization"):
        stated = Jsonb({"press": [name]})
        refused(ward, AUDIT, ["ward", stated, None], sqlstate="42704", names=[name])


def test_readers_as_stated(ward: Connection) -> None:
    readers = {
        "press": ["public.before"],
        "research": ["after"],
        "both": ["public.before", '"public"."after"', 2],
    }
    assert audited(ward, readers) == {
        "press": SINGLE[0],
        "research": SINGLE[1],
        "both": BOTH,
        "all": BOTH,
    }
    # By the releases' own policies, in all columns of an audit.
    rows = ward.execute(AUDIT, ["ward", Jsonb({"press": [1, 2]}), None]).fetchall()
    assert [row[:4] for row in rows] == [
        (reader, [1, 2], "k_anonymity", {"k": 4, "together": [1, 2]}) for reader in ("press", "all")
    ]
    columns = ward.execute("SELECT * FROM bkpriv.audit_together('{1,2}')").fetchall()
    assert rows[0][2:] == columns[0]


@pytest.mark.parametrize(
    ("readers", "sqlstate", "name"),
    [
        ([], "22023", "[]"),
        ({}, "22023", "{}"),
        (7, "22023", "7"),
        (None, "22023", "null"),
        ({"press": []}, "22023", "press"),
        ({"press": 1}, "22023", "press"),
        ({"press": [True]}, "22023", "true"),
        ({"press": [1.5]}, "22023", "1.5"),
        ({"press": [None]}, "22023", "null"),
        ({"press": [[1]]}, "22023", "[1]"),
        ({"press": [9]}, "42704", "release 9"),
        ({"press": [2**70]}, "22023", "1.18"),
        ({"press": ["public.gone"]}, "42704", "public.gone"),
        ({"press": ["a.b.c"]}, "22023", "a.b.c"),
        ({"press": ["a b"]}, "22023", "a b"),
        ({"all": [1]}, "22023", "all"),
        ({str(number): [1] for number in range(101)}, "22023", "101"),
    ],
)
def test_odd_readers_are_refused(
    ward: Connection, readers: object, sqlstate: str, name: str
) -> None:
    with unchanged(ward):
        refused(ward, AUDIT, ["ward", Jsonb(readers), None], sqlstate=sqlstate, names=[name])


def test_releases_of_other_datasets_are_none_of_it(ward: Connection) -> None:
    open_ward(ward, "again")
    other = publish(ward, "again", "ward", "public.again")
    names = [f"release {other}", '"ward"']
    stated = Jsonb({"press": [other]})
    refused(ward, AUDIT, ["ward", stated, None], sqlstate="42704", names=names)


def test_what_cannot_be_judged_is_left_out_and_said(ward: Connection) -> None:
    state_policy(ward, "drawn", {"max_disclosure": {"tau": 0.9}, "overlap": "warn"})
    drawn = publish(
        ward, "ward", "drawn", "public.drawn", {"scheme": "rr-both"}, method="randomize"
    )
    said = overhear(ward)
    assert audited(ward, {"press": [1, drawn], "nobody": [drawn]}) == {
        "press": SINGLE[0],
        "all": SINGLE[0],
    }
    (warning,) = [message for message in said if "left out" in message]
    assert f"release {drawn} is randomized" in warning
    stated = Jsonb({"nobody": [drawn]})
    refused(ward, AUDIT, ["ward", stated, None], sqlstate="55000", names=["ward"])


def test_without_respondents_nothing_can_be_said(ward: Connection) -> None:
    ward.execute("SELECT bkpriv.register_dataset('nobody', 'ward', '{age}', 'disease')")
    publish(ward, "nobody", "ward", "public.nobody")
    said = refused(ward, AUDIT, ["nobody", None, None], sqlstate="42703", names=["nobody"])
    assert "respondents" in (said.message_hint or "")


def test_each_period_is_judged_by_itself(db: Connection) -> None:
    create_clinic(db)
    create_visits(db)
    declare_visits(db)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}})
    months = [publish_period(db, f"2024-0{month}") for month in (1, 2)]
    rows = db.execute(
        "SELECT reader, releases FROM bkpriv.audit_readers('visits', %s)",
        [Jsonb({"press": ["public.visits"]})],
    ).fetchall()
    assert rows == [(reader, [month]) for reader in ("press", "all") for month in months]


def test_publishers_may_ask_about_their_own(
    ward: Connection, make_publisher: Callable[..., Connection]
) -> None:
    stranger = make_publisher("stranger")
    refused(stranger, AUDIT, ["ward", None, None], sqlstate="42704", names=["ward"])
    stranger.execute("CREATE TABLE mine (name text, age int, disease text)")
    stranger.execute("SELECT bkpriv.register_dataset('mine', 'mine', '{age}', 'disease', 'name')")
    stranger.execute("INSERT INTO mine SELECT 'p' || i, i, 'flu' FROM generate_series(1, 4) AS i")
    publish(stranger, "mine", "ward", "shown_to_press")
    stranger.execute("GRANT SELECT ON shown_to_press TO PUBLIC")
    rows = stranger.execute("SELECT reader, worst FROM bkpriv.audit_readers('mine')").fetchall()
    assert rows == [("PUBLIC", 4.0), ("all", 4.0)]
