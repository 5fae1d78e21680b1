"""Method randomize: what it makes, what it refuses, and what audits find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import Finding, draw_finding
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, InvalidParameter, NoGroups, UnattainableRequirement
from bkpriv_core.method import Job, find_method, parse_options
from bkpriv_core.method.randomize import Randomize, RandomizeOptions, bound_of
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Channel, Scheme
from bkpriv_core.randomization.risk import risks
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import MaxDisclosure
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table
from tests.core.oracles import Attribute, Records
from tests.core.strategies import SOME, as_table, tables


def make(
    table: Table, tau: float, scheme: Scheme = "rr-both", seed: int = 1, **more: Any
) -> tuple[Release, Finding]:
    """Publish a table."""
    options = RandomizeOptions(scheme=scheme, **more)
    requirements = [MaxDisclosure(tau)]
    method, threat = Randomize(), ThreatModel(table)
    method.check(threat, requirements, options)
    release, (finding,), _ = method.make(
        Job(threat, requirements, options, SeededChance(seed), SILENT)
    )
    return release, finding


@SOME
@given(
    tables(min_records=2, max_records=16),
    st.sampled_from(["rr-s", "rr-qi", "rr-both"]),
    st.sampled_from([0.2, 0.5, 0.9]),
    st.integers(0, 99),
)
def test_the_bound_holds_by_what_is_made(
    records: Records, scheme: Scheme, tau: float, seed: int
) -> None:
    table = as_table(records)
    try:
        release, finding = make(table, tau, scheme, seed)
    except (UnattainableRequirement, InvalidData):
        return
    channels, drawn = release.form.channels, release.form.drawn
    assert channels is not None
    assert drawn is not None
    assert drawn.records == table.records
    assert finding.satisfied
    agrees(finding, table, risks(table, channels), tau)
    assert finding.worst <= tau
    assert finding.parameters["scheme"] == scheme
    assert finding.parameters["epsilon"] == {
        domain.name: 0 if c.size == 1 else None if c.flip == 0 else np.log(c.retention / c.flip)
        for domain, c in zip(table.domains, channels, strict=True)
    }
    # No groups, and nothing suppressed.
    assert release.published == table.records
    with pytest.raises(NoGroups, match="has no groups"):
        _ = release.groups


def agrees(finding: Finding, table: Table, risk: FloatArray, tau: float) -> None:
    """Hold a finding against a loop over records."""
    figures = [
        float(risk[cell, value])
        for cell, counts in enumerate(table.counts.tolist())
        for value, count in enumerate(counts)
        for _ in range(count)
    ]
    assert finding.requirement == "max_disclosure"
    assert finding.threshold == finding.parameters["tau"] == tau
    assert finding.worst == max(figures)
    assert finding.mean == pytest.approx(sum(figures) / len(figures))
    assert finding.vulnerable == sum(figure > tau + 1e-9 for figure in figures)
    assert finding.satisfied == (finding.vulnerable == 0)
    fault = finding.fault
    assert fault is not None
    assert fault.group is None
    assert fault.shift is not None
    assert fault.shift.cell is not None
    assert risk[fault.shift.cell, fault.shift.value] == fault.shift.after == max(figures)
    assert fault.records == table.counts[fault.shift.cell, fault.shift.value] > 0
    assert fault.shift.before == table.overall[fault.shift.value]


@given(tables(min_records=2, max_records=16), st.floats(0.01, 1), st.data())
def test_any_bound_can_be_asked_for(records: Records, tau: float, data: st.DataObject) -> None:
    table = as_table(records)
    channels = drawn_channels(table, data)
    one = Release(ThreatModel(table).parts, None, Randomized(channels))
    found = draw_finding(one, MaxDisclosure(tau), "rr-both")
    agrees(found, table, risks(table, channels), tau)
    assert found.estimator == "exact"


def drawn_channels(table: Table, data: st.DataObject) -> tuple[Channel, ...]:
    """Draw a channel for each attribute."""
    shares: Sequence[float] = data.draw(
        st.lists(
            st.sampled_from([0.1, 0.5, 1.0]),
            min_size=len(table.domains),
            max_size=len(table.domains),
        )
    )
    return tuple(
        Channel(d.size, 1.0 if share == 1 else 1 / d.size + share * (1 - 1 / d.size))
        if d.size > 1
        else Channel(1, 1.0)
        for d, share in zip(table.domains, shares, strict=True)
    )


PATIENTS = as_table(
    Records(
        (Attribute("age", tuple("abcd")), Attribute("sex", ("f", "m"))),
        Attribute("ill", ("x", "y", "z")),
        tuple(("abcd"[i % 4], "fm"[i % 3 % 2], "xyz"[i * i % 7 % 3]) for i in range(60)),
    )
)


def test_utility_weighs_attributes() -> None:
    plain, _ = make(PATIENTS, 0.15)
    weighed, _ = make(PATIENTS, 0.15, utility={"age": 20.0})
    (mine, *_), (theirs, *_) = (release.form.channels or () for release in (weighed, plain))
    assert mine.retention > theirs.retention
    with pytest.raises(InvalidParameter, match="nose"):
        make(PATIENTS, 0.15, utility={"nose": 1.0})


def test_steps_are_named() -> None:
    steps: list[str] = []

    class Told(Progress):
        def step(self, name: str) -> Progress:
            steps.append(name)
            return self

    options = RandomizeOptions(scheme="rr-qi")
    Randomize().make(
        Job(ThreatModel(PATIENTS), [MaxDisclosure(0.3)], options, SeededChance(1), Told())
    )
    assert steps == ["optimizing", "drawing"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"k_anonymity": {"k": 2}}, "k_anonymity is about groups, and method randomize forms none"),
        (
            {"max_disclosure": {"tau": 0.5}, "l_diversity": {"l": 2}, "k_anonymity": {"k": 2}},
            "k_anonymity and l_diversity are about groups",
        ),
    ],
)
def test_what_is_about_groups_is_refused(policy: dict[str, Any], message: str) -> None:
    requirements = parse_policy(policy).requirements
    options = RandomizeOptions(scheme="rr-s")
    with pytest.raises(InvalidParameter, match=message):
        Randomize().check(ThreatModel(PATIENTS), requirements, options)


def test_of_several_bounds_the_least_is_kept() -> None:
    policy = parse_policy({"max_disclosure": [{"tau": 0.5}, {"tau": 0.2}, {"tau": 0.4}]})
    assert bound_of(policy.requirements) == MaxDisclosure(0.2)


def test_the_bound_must_be_stated() -> None:
    with pytest.raises(InvalidParameter, match="needs the requirement max_disclosure"):
        Randomize().check(ThreatModel(PATIENTS), [], RandomizeOptions(scheme="rr-s"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, 'lacks the option "scheme"'),
        ({"scheme": "rr"}, 'option scheme is "rr"'),
        ({"scheme": None}, "option scheme is null"),
        ({"scheme": "rr-s", "utility": {}}, "option utility names no attribute"),
        ({"scheme": "rr-s", "utility": {"age": 0}}, 'option utility of "age" is 0'),
        ({"scheme": "rr-s", "utility": {"age": "x"}}, 'option utility of "age" is "x"'),
        ({"scheme": "rr-s", "utility": "kl"}, "option utility names no attribute"),
        ({"scheme": "rr-s", "estimator": "auto"}, "option estimator means nothing to method rand"),
        ({"scheme": "rr-s", "smoothing": 1}, 'there is no option "smoothing"'),
        ({"scheme": "rr-s", "levels": {}}, "option levels names no attribute"),
        ({"scheme": "rr-s", "levels": {"city": -1}}, 'option levels of "city" is -1'),
        ({"scheme": "rr-s", "levels": {"city": "a"}}, 'option levels of "city" is "a"'),
        ({"scheme": "rr-s", "unfit": "relax"}, "option unfit means nothing to method randomize"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: object, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        parse_options(find_method("randomize"), options)


def test_options_are_read() -> None:
    stated = {
        "scheme": "rr-qi",
        "utility": {"age": 2},
        "materialized": True,
        "nulls": "category",
        "seed": 3,
    }
    read = parse_options(find_method("randomize"), stated)
    assert read == RandomizeOptions(**(stated | {"utility": {"age": 2.0}}))  # type: ignore[arg-type]
    assert RandomizeOptions(scheme="rr-s").utility is None
    with pytest.raises(InvalidParameter, match="scheme means nothing to method mondrian"):
        parse_options(find_method("mondrian"), {"scheme": "rr-s"})
