"""Words of an audit about the worst group, worked out from beliefs, the view and the source."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import pytest
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import (
    BELIEFS,
    HALF,
    declare_hopeless,
    one,
    overhear,
    publish,
    rows_of,
    state_policy,
)
from tests.db.test_suppression import leave_out

pytestmark = pytest.mark.rolled_back

Cell = tuple[Any, ...]

BOTH = {
    "l_diversity": {"l": 2},
    "bt_privacy": [{"bandwidth": 0.3, "t": 0.3}, {"bandwidth": {"kernel": "uniform"}, "t": 0.3}],
}

METHODS = ("mondrian", "agglomerate", "bucketize", "anatomy")


class Fault(NamedTuple):
    """Fault: the worst group by an audit, or by an explanation."""

    figure: float
    group: int
    records: int
    qi: Any
    value: str | None
    before: float | None
    after: float | None


def audits(db: Connection, release: int, requirements: Any) -> list[Fault]:
    """Faults that an audit finds, by exact inference, one for each bound."""
    rows = db.cursor(row_factory=namedtuple_row).execute(
        "SELECT worst, worst_group, worst_records, worst_qi, value, value_before, value_after "
        "FROM bkpriv.audit(%s, %s, 'exact')",
        [release, Jsonb(requirements)],
    )
    return [Fault(*row) for row in rows.fetchall()]


def values_of(db: Connection, release: int) -> dict[int, Counter[str]]:
    """Records of each group with each value: posteriors add up to that."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    # Parts of a cell that came into one group by different ways have rows of their own.
    for group, value, records in db.execute(
        "SELECT group_id, sensitive, round(sum(posterior * records))::int "
        "FROM (SELECT group_id, qi, sensitive, min(posterior) AS posterior "
        "FROM bkpriv.posterior(%s, '0.4', 'exact') GROUP BY group_id, qi, sensitive) AS p "
        "JOIN (SELECT group_id, qi, sum(records) AS records "
        "FROM bkpriv.disclosure(%s, '0.4', 'exact') GROUP BY group_id, qi) AS d "
        "USING (group_id, qi) GROUP BY group_id, sensitive HAVING sum(posterior) > 1e-9",
        [release, release],
    ).fetchall():
        found[group][value] = records
    return found


@pytest.fixture(scope="module", params=METHODS)
def release(request: pytest.FixtureRequest, shared_clinic: Connection) -> int:
    """A release of the clinic's table by each method."""
    return publish(shared_clinic, view=f"public.{request.param}", method=request.param)


# --- beliefs --------------------------------------------------------------------------------------


def expected_explanations(db: Connection, release: int) -> dict[int, list[Fault]]:
    """Explanations that are allowed for each group: ties are a matter of rounding."""
    records: Counter[int] = Counter()
    figures: dict[int, dict[str, tuple[Any, float]]] = defaultdict(dict)
    for group, qi, held, figure, _ in db.execute(
        "SELECT * FROM bkpriv.disclosure(%s, '0.3', 'exact')", [release]
    ).fetchall():
        records[group] += held
        figures[group][str(qi)] = (qi, figure)
    moves: dict[tuple[int, str], list[tuple[str, float, float]]] = defaultdict(list)
    for group, qi, value, before, after, _ in db.execute(
        "SELECT * FROM bkpriv.posterior(%s, '0.3', 'exact')", [release]
    ).fetchall():
        moves[group, str(qi)].append((value, before, after))
    found: dict[int, list[Fault]] = defaultdict(list)
    for group, cells in figures.items():
        top = max(figure for _, figure in cells.values())
        for key, (qi, figure) in cells.items():
            if figure < top - 1e-9:
                continue
            most = max(abs(after - before) for _, before, after in moves[group, key])
            found[group] += [
                Fault(figure, group, records[group], qi, *move)
                for move in moves[group, key]
                if abs(move[2] - move[1]) > most - 1e-9
            ]
    return found


def is_one_of(fault: Fault, allowed: list[Fault]) -> bool:
    """Whether a fault is one of those, up to rounding."""
    return any(
        (fault.group, fault.records, fault.qi, fault.value)
        == (other.group, other.records, other.qi, other.value)
        and (fault.figure, fault.before, fault.after)
        == pytest.approx((other.figure, other.before, other.after), abs=1e-9)
        for other in allowed
    )


def test_explanations_name_whom_each_group_exposes_most_and_to_what(
    shared_clinic: Connection, release: int
) -> None:
    expected = expected_explanations(shared_clinic, release)
    rows = shared_clinic.execute(
        "SELECT disclosure, group_id, records, qi, sensitive, prior, posterior, estimator_used "
        "FROM bkpriv.explain_disclosure(%s, '0.3', 'exact')",
        [release],
    ).fetchall()
    told = [Fault(*row[:-1]) for row in rows]
    assert {row[-1] for row in rows} == {"exact"}
    assert sorted(fault.group for fault in told) == sorted(expected)
    assert all(is_one_of(fault, expected[fault.group]) for fault in told)
    figures = [fault.figure for fault in told]
    assert figures == sorted(figures, reverse=True)


def test_an_audit_of_beliefs_explains_the_worst_group(
    shared_clinic: Connection, release: int
) -> None:
    expected = expected_explanations(shared_clinic, release)
    worst = max(fault.figure for faults in expected.values() for fault in faults)
    candidates = [
        fault for faults in expected.values() for fault in faults if fault.figure > worst - 1e-9
    ]
    skyline = [{"bandwidth": bandwidth, "t": 0.2} for bandwidth in (2, 0.3)]
    _, fault = audits(shared_clinic, release, {"bt_privacy": skyline})
    assert is_one_of(fault, candidates)


# --- shares ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requirement", "upper"),
    [
        ({"l_diversity": {"l": 2}}, False),
        ({"l_diversity": {"l": 2, "variant": "probabilistic"}}, False),
        ({"l_diversity": {"l": 2, "variant": "recursive", "c": 2}}, True),
        ({"t_closeness": {"t": 0.1}}, True),
        ({"beta_likeness": {"beta": 1}}, True),
    ],
    ids=str,
)
def test_an_audit_of_shares_names_the_value(
    shared_clinic: Connection, release: int, requirement: Any, upper: bool
) -> None:
    held = values_of(shared_clinic, release)
    source = Counter(row[3] for row in rows_of(shared_clinic, "clinic.patient"))
    (fault,) = audits(shared_clinic, release, requirement)
    assert fault.value is not None
    assert fault.records == held[fault.group].total()
    assert fault.qi is None
    p = {value: count / source.total() for value, count in source.items()}
    q = {value: held[fault.group][value] / fault.records for value in p}
    assert fault.before == pytest.approx(p[fault.value])
    assert fault.after == pytest.approx(q[fault.value])
    ((key, stated),) = requirement.items()
    blame = {
        "l_diversity": q,
        "t_closeness": {value: abs(q[value] - p[value]) for value in p},
        "beta_likeness": {value: (q[value] - p[value]) / p[value] for value in p},
    }[key]
    assert blame[fault.value] == pytest.approx(max(blame.values()))

    def figure(group: int) -> float:
        counts = sorted(held[group].values(), reverse=True)
        shares = {value: held[group][value] / sum(counts) for value in p}
        if key == "t_closeness":
            return sum(abs(shares[value] - p[value]) for value in p) / 2
        if key == "beta_likeness":
            return max((shares[value] - p[value]) / p[value] for value in p)
        if stated.get("variant") == "recursive":
            return counts[0] / sum(counts[1:]) if counts[1:] else math.inf
        return sum(counts) / counts[0] if "variant" in stated else len(counts)

    figures = [figure(group) for group in held]
    assert fault.figure == pytest.approx(max(figures) if upper else min(figures))
    assert figure(fault.group) == pytest.approx(fault.figure)


def test_no_value_is_at_fault_for_a_groups_size(shared_clinic: Connection, release: int) -> None:
    (fault,) = audits(shared_clinic, release, {"k_anonymity": {"k": 5}})
    sizes = {group: held.total() for group, held in values_of(shared_clinic, release).items()}
    assert fault.figure == fault.records == sizes[fault.group] == min(sizes.values())
    assert fault[3:] == (None, None, None, None)


def test_groups_are_called_as_in_the_views(clinic: Connection) -> None:
    release = publish(clinic, view="public.v", method="anatomy")
    shown: dict[int, Counter[str]] = defaultdict(Counter)
    for group, value, count in rows_of(clinic, "public.v_sensitive"):
        shown[group][value] = count
    assert values_of(clinic, release) == shown
    (fault,) = audits(clinic, release, {"t_closeness": {"t": 0.1}})
    assert fault.value is not None
    assert fault.after is not None
    assert shown[fault.group].total() == fault.records
    assert shown[fault.group][fault.value] == round(fault.after * fault.records)


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_an_audit_repeats_the_certificate(clinic: Connection, method: str) -> None:
    state_policy(clinic, "both", BOTH)
    release = publish(clinic, policy="both", view="public.v", method=method)
    figures = "requirement, parameters, worst, mean, vulnerable, satisfied"
    order = "ORDER BY requirement, parameters::text"
    certificate = clinic.execute(
        f"SELECT {figures}, estimator FROM bkpriv.audits {order}"
    ).fetchall()
    again = clinic.execute(
        f"SELECT {figures}, estimator_used FROM bkpriv.audit({release}) "
        f"WHERE threshold IS NOT NULL {order}"
    ).fetchall()
    assert len(again) == 3
    for kept, told in zip(certificate, again, strict=True):
        assert kept[:2] + kept[4:] == told[:2] + told[4:]
        assert kept[2:4] == pytest.approx(told[2:4], abs=1e-12)


# --- the extremes ---------------------------------------------------------------------------------


def test_an_infinite_figure_is_told_and_kept(clinic: Connection) -> None:
    release = publish(clinic, view="public.v")
    recursive = {"l": 5, "variant": "recursive", "c": 1}
    row = clinic.execute(
        "SELECT parameters, threshold, worst, mean, satisfied, value IS NOT NULL "
        "FROM bkpriv.audit(%s, %s)",
        [release, Jsonb({"l_diversity": recursive})],
    ).fetchone()
    assert row == (recursive, 1, math.inf, math.inf, False, True)
    assert one(clinic, "SELECT worst FROM bkpriv.audits ORDER BY audit DESC LIMIT 1") == math.inf


def test_records_that_are_not_published_are_not_audited(db: Connection) -> None:
    people = declare_hopeless(db)
    release = publish(db, "people", "sharp", "public.shown", HALF, "incognito")
    shown = len(rows_of(db, "public.shown"))
    assert 0 < shown < len(people)
    assert check_published(db, release, shown) <= 0.02


@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
def test_groups_that_are_not_published_are_not_audited(clinic: Connection, method: str) -> None:
    state_policy(clinic, "beliefs", BELIEFS)
    assert publish(clinic, policy="beliefs", method=method) == 1
    groups: dict[int, int] = dict(
        clinic.execute(
            "SELECT group_id, sum(records)::int FROM bkpriv.disclosure(1, '0.3') GROUP BY 1"
        ).fetchall()
    )
    release = leave_out(clinic, 2, BELIEFS)
    check_published(clinic, release, sum(groups.values()) - groups[2])


def check_published(connection: Connection, release: int, shown: int) -> float:
    """Check figures against the number of records; return the largest disclosure."""
    published = "SELECT records - suppressed FROM bkpriv.releases WHERE release = %s"
    assert one(connection, published, [release]) == shown
    belief = {"bt_privacy": {"bandwidth": 0.3, "t": 0.02}}
    size, beliefs = audits(connection, release, {"k_anonymity": {"k": 2}} | belief)
    assert size.records <= shown
    assert beliefs.figure == pytest.approx(
        one(connection, "SELECT max(disclosure) FROM bkpriv.disclosure(%s, '0.3')", [release])
    )
    explained = "SELECT sum(records) FROM bkpriv.explain_disclosure(%s, '0.3')"
    assert one(connection, explained, [release]) == shown
    return float(beliefs.figure)


EXCHANGE = (
    "parameters, threshold, worst, mean, vulnerable, satisfied, estimator{} FROM bkpriv.{} "
    "WHERE requirement = 'exchange'"
)


def test_people_of_groups_that_exchange_members_are_counted_and_kept(clinic: Connection) -> None:
    state_policy(clinic, "both", BOTH)
    release = publish(clinic, policy="both", options={}, method="agglomerate")
    attack = "SELECT value::int FROM bkpriv.attack(%s, 'without_groups') WHERE metric = %s"
    concerned, movable = (one(clinic, attack, [release, what]) for what in ("concerned", "movable"))
    assert 0 < movable < concerned < 300
    asked = f"SELECT {EXCHANGE.format('_used', 'audit(%s)')}"
    found = clinic.execute(asked, [release]).fetchall()
    played = {"movable": movable, "sure": 0, "not_inferred": 0}
    row = played, None, None, concerned / 300, concerned, None, "exact"
    assert found == [row]
    kept = f"SELECT {EXCHANGE.format('', 'audits')}"
    assert clinic.execute(kept).fetchall() == [row]
    # Whoever asks about a bound is told of that alone.
    asked = "SELECT requirement FROM bkpriv.audit(%s, %s)"
    bound = Jsonb({"k_anonymity": {"k": 2}})
    assert clinic.execute(asked, [release, bound]).fetchall() == [("k_anonymity",)]
    page = one(clinic, "SELECT bkpriv.report_html(%s)", [release])
    assert f"{concerned} of 300 records" in page
    assert f"{movable} of them can be in another group" in page


@pytest.mark.parametrize("method", ["bucketize", "incognito"])
def test_nobody_exchanges_where_groups_are_told_or_apart(clinic: Connection, method: str) -> None:
    release = publish(clinic, options={}, method=method)
    asked = f"SELECT {EXCHANGE.format('_used', 'audit(%s)')}"
    assert clinic.execute(asked, [release]).fetchall() == []


def test_an_audit_too_large_to_count_exchanges_says_so(clinic: Connection) -> None:
    release = publish(clinic, options={}, method="agglomerate")
    limit = (
        "DO LANGUAGE plpython3u $$\n"
        "from bkpriv_core.release.generalized import components\n"
        "components._TRIED, GD['tried'] = GD.get('tried', 5), components._TRIED\n$$"
    )
    heard = overhear(clinic)
    clinic.execute(limit)
    try:
        asked = f"SELECT {EXCHANGE.format('_used', 'audit(%s)')}"
        found = clinic.execute(asked, [release]).fetchall()
        page = one(clinic, "SELECT bkpriv.report_html(%s)", [release])
    finally:
        clinic.execute(limit)
    assert found == [({}, None, None, None, None, None, "not counted")]
    assert any(f"groups of release {release} that can exchange" in text for text in heard)
    assert "not counted: it would take too much" in page
    assert one(clinic, "SELECT count(*) FROM bkpriv.audits WHERE vulnerable IS NULL") == 1
