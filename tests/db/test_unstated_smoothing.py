"""Smoothing that versions before 0.4.0 left unsaid, by which beliefs were compared.

Their releases, policies and audits mean 0.75, or an option; upgraded, and in a dump that is
restored without any upgrade. What is stated since means what it says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, fresh_database
from tests.core import oracles
from tests.core.oracles import Attribute
from tests.db.clinic import one, overhear
from tests.db.released import ROLES, figures
from tests.db.test_upgrade import UPDATE, agrees, dumped, kept, restore

AUDIT = """SELECT parameters -> 'smoothing' AS smoothing, worst FROM bkpriv.audit({}, {})
WHERE requirement = 'bt_privacy'"""

BY = "SELECT smoothing FROM bkpriv.release WHERE release = %s"

NEW = {"bt_privacy": {"bandwidth": 0.3, "t": 0.4}}
OLD = {"bt_privacy": {"bandwidth": 0.3, "t": 0.4, "smoothing": 0.75}}

DISEASES = Attribute(
    "disease",
    ("asthma", "flu", "fracture", "ulcer"),
    paths={
        "asthma": ("asthma", "chest", "*"),
        "flu": ("flu", "chest", "*"),
        "fracture": ("fracture", "body", "*"),
        "ulcer": ("ulcer", "body", "*"),
    },
)
"""Attribute with a hierarchy by which it blends: without one a smoothing changes nothing."""


@pytest.fixture(scope="module")
def roles(make_role: Callable[..., str]) -> dict[str, str]:
    """Roles of this run, by those that the dump names."""
    return {role: make_role(role.removeprefix("upgrade_")) for role in ROLES}


@pytest.fixture(scope="module", params=["upgraded", "restored"])
def made(
    request: pytest.FixtureRequest,
    server: Connection,
    server_programs: Path,
    roles: dict[str, str],
) -> Iterator[Connection]:
    """A database of 0.3.0 in the present version: upgraded, or its dump restored here."""
    upgrading = request.param == "upgraded"
    script = dumped("0.3.0", roles) if upgrading else kept("0.3.0.dump.sql", roles)
    with fresh_database(server, "template0") as database:
        restore(server_programs, database, script)
        if upgrading:
            database.connect().execute(UPDATE)
        yield database.connect()


@pytest.fixture
def ward(made: Connection) -> Iterator[Connection]:
    """The same for one test."""
    with made.transaction(force_rollback=True):
        yield made


def copy(ward: Connection, options: dict[str, Any], **columns: Any) -> int:
    """Append release 2 with diseases in a hierarchy, as 0.3.0 would have recorded it."""
    names = "".join(f", {name}" for name in columns)
    release = one(
        ward,
        "INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, "
        f"view_schema, view_name, method, policy, requirements, options, records, suppressed, "
        f"groups{names}) SELECT dataset, owner, (SELECT max(version) + 1 FROM bkpriv.release), "
        "source_schema, source_name, view_schema, view_name, method, policy, requirements, %s, "
        f"records, suppressed, groups{', %s' * len(columns)} "
        "FROM bkpriv.release WHERE release = 2 RETURNING release",
        [Jsonb(options), *columns.values()],
    )
    assert DISEASES.paths is not None
    ward.execute(
        "INSERT INTO bkpriv.release_attribute (release, place, attribute, labels, positions, "
        "levels, type, widths, origin) SELECT %s, place, attribute, labels, positions, "
        "CASE attribute WHEN 'disease' THEN %s ELSE levels END, type, widths, origin "
        "FROM bkpriv.release_attribute WHERE release = 2",
        [release, [list(path) for path in DISEASES.paths.values()]],
    )
    ward.execute(
        "INSERT INTO bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, "
        "counts) SELECT %s, codes, group_ids, cells, sensitive_codes, counts "
        "FROM bkpriv.release_content WHERE release = 2",
        [release],
    )
    return int(release)


def farthest(ward: Connection, release: int, smoothing: float | None) -> float:
    """Largest change of a belief about a record of a release, by the oracle's formula."""
    rows = ward.execute(
        "SELECT array_agg(prior ORDER BY sensitive), array_agg(posterior ORDER BY sensitive) "
        "FROM bkpriv.posterior(%s, '0.3') GROUP BY group_id, qi",
        [release],
    )
    return max(
        oracles.belief_distance(DISEASES, before, after, smoothing) for before, after in rows
    )


def test_old_releases_are_measured_as_they_were(ward: Connection, roles: dict[str, str]) -> None:
    expected: dict[str, list[Any]] = json.loads(kept("0.3.0.figures.json", roles))
    found = figures(ward)
    for rows in (found["releases"], expected["releases"]):
        for row in rows:
            row[10] = None  # Whether a source was watched is no matter here.
    agrees(found, expected)


def test_old_policies_say_what_they_meant(ward: Connection) -> None:
    stated: dict[str, Any] = dict(
        ward.execute("SELECT name, requirements FROM bkpriv.policies").fetchall()
    )
    meant = {"bandwidth": 0.3, "t": 0.4, "smoothing": 0.75}
    assert stated["unsure"] == {"k_anonymity": {"k": 3}, "bt_privacy": [meant]}
    assert stated["plain"] == {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}
    publish = "SELECT bkpriv.publish('members', 'unsure', 'ward.more')"
    release = one(ward, publish)
    kept = "SELECT requirements FROM bkpriv.release WHERE release = %s"
    assert one(ward, kept, [release])["bt_privacy"] == [meant]
    assert one(ward, BY, [release]) is None
    # Stated anew, a policy means what it says.
    ward.execute("SELECT bkpriv.set_policy('unsure', %s)", [Jsonb(NEW)])
    assert one(ward, "SELECT requirements FROM bkpriv.policies WHERE name = 'unsure'") == NEW
    assert one(ward, "SELECT smoothing FROM bkpriv.policy WHERE name = 'unsure'") is None
    release = one(ward, publish)
    told = ward.execute(AUDIT.format(release, "NULL")).fetchall()
    assert [smoothing for smoothing, _ in told] == [None]


def test_old_audits_say_how_beliefs_were_compared(ward: Connection) -> None:
    said = (
        "SELECT parameters FROM bkpriv.audits WHERE requirement = %s AND release = 2 "
        "ORDER BY audit DESC LIMIT 1"
    )
    meant = {"bandwidth": 0.3, "t": 0.4, "smoothing": 0.75}
    assert one(ward, said, ["bt_privacy"]) == meant
    assert one(ward, said, ["k_anonymity"]) == {"k": 3}
    ward.execute("SELECT bkpriv.audit(2, %s)", [Jsonb(NEW)])
    assert one(ward, said, ["bt_privacy"]) == NEW["bt_privacy"]


@pytest.mark.parametrize(
    ("options", "smoothing"), [({}, 0.75), ({"smoothing": 0.6}, 0.6), ({"smoothing": 1}, 1)]
)
def test_an_old_release_is_measured_by_its_own_smoothing(
    ward: Connection, options: dict[str, Any], smoothing: float
) -> None:
    release = copy(ward, options)
    blended, plain = farthest(ward, release, smoothing), farthest(ward, release, None)
    assert blended < plain
    # By what it was made to keep; by what is asked.
    for asked, by, expected in (
        ("NULL", smoothing, blended),
        (f"'{json.dumps(NEW)}'", None, plain),
        (f"'{json.dumps(OLD)}'", 0.75, farthest(ward, release, 0.75)),
    ):
        ((stated, worst),) = ward.execute(AUDIT.format(release, asked)).fetchall()
        assert stated == by
        assert worst == pytest.approx(expected, abs=1e-9)
    said = overhear(ward)
    for function in ("disclosure", "explain_disclosure"):
        most = f"SELECT max(disclosure) FROM bkpriv.{function}(%s, '0.3')"
        assert one(ward, most, [release]) == pytest.approx(blended, abs=1e-9)
        assert f"a smoothing of {smoothing:g}" in said[-1]
    stated = "SELECT requirements -> 'bt_privacy' -> 0 -> 'smoothing' FROM bkpriv.releases"
    assert one(ward, f"{stated} WHERE release = %s", [release]) == smoothing


def test_a_release_is_told_by_its_own_row(ward: Connection) -> None:
    """One that says that it states all that it means is compared as it says, like new ones."""
    release = copy(ward, {}, smoothing=None)
    plain = farthest(ward, release, None)
    ((stated, worst),) = ward.execute(AUDIT.format(release, "NULL")).fetchall()
    assert (stated, worst) == (None, pytest.approx(plain, abs=1e-9))
    said = overhear(ward)
    most = one(ward, "SELECT max(disclosure) FROM bkpriv.disclosure(%s, '0.3')", [release])
    assert most == pytest.approx(plain, abs=1e-9)
    assert said == []


@pytest.mark.parametrize("smoothing", [0.5, 0, float("nan")])
def test_no_row_means_another_smoothing(ward: Connection, smoothing: float) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), ward.transaction():
        copy(ward, {}, smoothing=smoothing)


def test_options_of_old_releases_are_read_though_they_are_none_any_more(ward: Connection) -> None:
    release = copy(ward, {"smoothing": 0.6})
    assert one(ward, "SELECT count(*) FROM bkpriv.explain_suppressed(%s)", [release]) == 0
    assert one(ward, "SELECT length(bkpriv.report_html(%s)) > 1000", [release])
    assert one(ward, "SELECT count(*) FROM bkpriv.utility(%s)", [release]) > 0


def test_releases_of_both_kinds_are_judged_together(ward: Connection) -> None:
    told = ward.execute(
        "SELECT parameters -> 'smoothing' FROM bkpriv.audit_together(ARRAY[13, 15]) "
        "WHERE requirement = 'bt_privacy'"
    ).fetchall()
    assert told == [(0.75,)]
