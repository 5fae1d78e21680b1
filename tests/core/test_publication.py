"""Publications in memory: their groups are those of the methods, and the names are few."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

import bkpriv_core
from bkpriv_core import BkprivError, Publication, Table, explore, publish, read_frame
from bkpriv_core.attack import Target, find_attacker, metrics, parse_options
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import METHODS, Job
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.table.groups import Groups

ROWS = [(20 + 7 * i % 41, "fm"[i // 3 % 2], "uvwx"[(7 * i + i // 9) % 4]) for i in range(200)]
POLICY = {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}}


@pytest.fixture(scope="module")
def table() -> Table:
    """Numbers, labels, and what is sensitive."""
    ages, sexes, ills = zip(*ROWS, strict=True)
    return read_frame({"age": ages, "sex": sexes, "ill": ills}, ["age", "sex"], "ill")


def rows(release: Publication, exhibit: Any = "records") -> Counter[tuple[Any, ...]]:
    """Rows of a table of a release, in no order."""
    return Counter(zip(*release.tables[exhibit].values(), strict=True))


def test_groups_are_those_of_the_method(table: Table) -> None:
    release = publish(table, POLICY, "mondrian", {"seed": 1})
    way = METHODS["mondrian"]
    options = way.options(seed=1)
    job = Job(
        ThreatModel(table), parse_policy(POLICY).requirements, options, options.chance(), SILENT
    )
    made = way.make(job)
    assert made.release.groups.members.tolist() == release.release.groups.members.tolist()
    assert made.release.groups.offsets.tolist() == release.release.groups.offsets.tolist()
    assert [found.worst for found in made.findings] == [found.worst for found in release.audit()]


@pytest.mark.parametrize("method", ["agglomerate", "mondrian", "incognito"])
def test_ranges_hold_the_records_of_their_groups(table: Table, method: str) -> None:
    shown = rows(publish(table, POLICY, method))
    assert sum(shown.values()) == len(ROWS)
    assert Counter(ill for *_, ill in shown.elements()) == Counter(ill for *_, ill in ROWS)
    for (low, high), sex, _ in shown:
        in_range = [row for row in ROWS if low <= row[0] <= high and sex in (row[1], "*")]
        assert len(in_range) >= 4
        assert low in {row[0] for row in in_range}


def test_bounds_and_text_say_what_ranges_do(table: Table) -> None:
    ranges, bounds, text = (
        publish(table, POLICY, options={"ranges": style}) for style in ("range", "bounds", "text")
    )
    written = Counter(
        {
            (f"{low}" if low == high else f"{low}–{high}", *rest): count
            for ((low, high), *rest), count in rows(ranges).items()
        }
    )
    assert rows(text) == written
    assert rows(bounds) == Counter(
        {(*pair, *rest): count for (pair, *rest), count in rows(ranges).items()}
    )
    assert list(bounds.tables["records"]) == ["age_from", "age_to", "sex", "ill"]


def test_null_is_shown_as_nothing_or_anything() -> None:
    frame = {"x": [None] * 4 + [1, None, None, 2] + [3] * 4, "y": [1] * 4 + [5] * 4 + [9] * 4}
    table = read_frame(frame, ["x", "y"], nulls="category")
    shown = {
        style: {
            row[:-1]
            for row in rows(publish(table, {"k_anonymity": {"k": 4}}, options={"ranges": style}))
        }
        for style in ("range", "text")
    }
    assert {x for (x,) in shown["range"]} >= {None}
    assert shown["range"] == {(None,), ((None, None),), ((3, 3),)}
    assert shown["text"] == {(None,), ("*",), ("3",)}


def test_buckets_hide_whose_a_value_is(table: Table) -> None:
    release = publish(table, POLICY, "bucketize")
    records = release.tables["records"]
    assert Counter(zip(records["age"], records["sex"], strict=True)) == Counter(
        row[:2] for row in ROWS
    )
    dealt = Counter(zip(records["group_id"], records["ill"], strict=True))
    sensitive = release.tables["sensitive"]
    counted = zip(sensitive["group_id"], sensitive["ill"], strict=True)
    assert dealt == Counter(dict(zip(counted, sensitive["count"], strict=True)))
    assert "ill" not in publish(table, POLICY, "anatomy").tables["records"]
    groups: Groups = release.release.groups
    assert len({*records["group_id"]}) == len(groups)


@pytest.mark.parametrize("method", ["agglomerate", "bucketize"])
def test_the_order_of_rows_is_drawn(table: Table, method: str) -> None:
    one, again, other = (publish(table, POLICY, method, {"seed": seed}) for seed in (1, 1, 2))
    assert one.tables == again.tables
    # Groups are the same, whatever is drawn; in agglomerate's all of a row but its place.
    ages = [release.tables["records"]["age"] for release in (one, other)]
    assert Counter(ages[0]) == Counter(ages[1])
    assert ages[0] != ages[1]
    assert len([1 for i in range(1, 200) if ages[0][i] == ages[0][i - 1]]) < 50


def test_values_are_dealt_at_random_within_a_group() -> None:
    table = read_frame({"x": [*range(60)], "y": [i // 30 for i in range(60)]}, "x", "y")
    dealt = [
        publish(table, {"k_anonymity": {"k": 60}}, "bucketize", {"seed": seed}).tables["records"]
        for seed in range(40)
    ]
    firsts = Counter(records["y"][records["x"].index(0)] for records in dealt)
    assert min(firsts[0], firsts[1]) >= 8


def test_drawn_records_and_how_they_were_drawn(table: Table) -> None:
    release = publish(table, {"max_disclosure": {"tau": 0.5}}, "randomize", {"scheme": "rr-both"})
    (found,) = release.audit()
    assert found.satisfied
    assert release.verdict().state != "violated"
    assert sum(rows(release).values()) == len(ROWS)
    assert all(age in {row[0] for row in ROWS} for age in release.tables["records"]["age"])
    chances = rows(release, "randomization")
    assert Counter(name for name, *_ in chances) == {"age": 41, "sex": 2, "ill": 4}
    for name, _, retention, flip in chances:
        others = {"age": 40, "sex": 1, "ill": 3}[name]
        assert retention + others * flip == pytest.approx(1)


def test_an_audit_may_ask_for_more(table: Table) -> None:
    release = publish(table, POLICY)
    (found,) = release.audit({"t_closeness": {"t": 0.01}})
    assert not found.satisfied
    assert found.vulnerable
    assert [each.requirement for each in release.audit()] == [*POLICY]


def test_an_attack_is_that_of_the_core(table: Table) -> None:
    release = publish(table, POLICY)
    attacker = find_attacker("majority")
    options = parse_options(attacker, {"sure": 0.6})
    outcome = attacker.attack(Target(release.release, release.threat), options, SILENT)
    expected = metrics(outcome, release.policy.requirements, options)
    assert release.attack("majority", {"sure": 0.6}) == expected


def test_trials_have_the_figures_of_releases(table: Table) -> None:
    tried = explore(table, [{"k_anonymity": {"k": 4}}, {"k_anonymity": {"k": 201}}, {"k": 4}])
    release = publish(table, {"k_anonymity": {"k": 4}}).release
    assert tried[0]["groups"] == len(release.groups)
    assert tried[0]["rows"] == release.rows
    assert [list(each) for each in tried[1:]] == [["policy", "refused"]] * 2


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"options": {"materialized": True}}, "option materialized means nothing without"),
        ({"options": {"grow": True}}, "option grow means nothing without a database"),
        ({"method": "mondrain"}, 'there is no method "mondrain"'),
        ({"policy": {"m_invariance": {"m": 2}}}, "m_invariance about what is remembered"),
        ({"policy": {"k_anonymity": {"k": 201}}}, "k_anonymity"),
        (
            {"policy": {"k_anonymity": {"k": 4}, "query_error": {"median": 0.0}}},
            "query_error (median = 0) is not met",
        ),
    ],
)
def test_refused(table: Table, stated: dict[str, Any], message: str) -> None:
    with pytest.raises(BkprivError) as refused:
        publish(table, **({"policy": POLICY} | stated))
    assert refused.value.message.startswith(message)


def test_names_are_few_and_come_when_they_are_asked_for() -> None:
    assert len(bkpriv_core.__all__) == 10
    assert all(getattr(bkpriv_core, name) for name in bkpriv_core.__all__)
    with pytest.raises(AttributeError):
        bkpriv_core.nothing  # noqa: B018
    script = "import sys, bkpriv_core; print([m for m in sys.modules if 'bkpriv_core.' in m])"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert printed.stdout == "[]\n"
