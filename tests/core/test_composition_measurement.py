"""Measurements of requirements on several releases, against figures of enumerated beliefs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.audit import findings, joint_findings
from bkpriv_core.belief.knowledge import Outside, Remembered
from bkpriv_core.belief.posterior import ESTIMATORS
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries, companion, jointly
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.measurement import Joint, Population
from bkpriv_core.errors import TooLarge
from bkpriv_core.requirement import (
    BeliefScope,
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    KAnonymity,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    PairDivergence,
    Requirement,
    TCloseness,
)
from bkpriv_core.requirement.closeness import Ground
from bkpriv_core.requirement.likeness import Variant
from bkpriv_core.sequence.history import History
from bkpriv_core.table.groups import IntArray
from tests.core import composition_oracles, oracles
from tests.core.composition_releases import (
    Shown,
    as_history,
    histories,
    inserted,
    joint_of,
)
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, SOME, as_parts, bandwidths, by_age, smoothings

VARIANTS: tuple[Variant, ...] = get_args(Variant)
GROUNDS: tuple[Ground, ...] = get_args(Ground)


# --- Oracle ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Believed:
    """Person: the home, the values of it, and the beliefs before and after."""

    home: Records
    before: list[float]
    after: list[float]


def believed_of(releases: Sequence[Shown], bandwidth: float | None) -> dict[int, Believed]:
    """Beliefs about everybody who is shown."""
    values = sorted(
        {value for shown in releases for value in shown.records.sensitive.values}, key=str
    )
    groups = []
    for shown in releases:
        for members in shown.groups:
            secrets = [shown.records.rows[member][-1] for member in members]
            held = {
                code: secrets.count(value) for code, value in enumerate(values) if value in secrets
            }
            groups.append(([shown.persons[member] for member in members], held))
    count = 1 + max(person for shown in releases for person in shown.persons)
    prior = [[1.0] + [0.0] * (len(values) - 1) for _ in range(count)]
    homes: dict[int, Shown] = {}
    for shown in releases:
        here = shown.records.sensitive.values
        if bandwidth is not None:
            given = oracles.rounded(
                oracles.priors(shown.records, [bandwidth] * len(shown.records.attributes))
            )
        for place, person in enumerate(shown.persons):
            homes[person] = shown
            row = [1 / len(here)] * len(here) if bandwidth is None else given[place]
            prior[person] = [row[here.index(value)] if value in here else 0.0 for value in values]
    after = composition_oracles.posteriors(prior, groups)
    assert after is not None
    believed = {}
    for person in {person for some, _ in groups for person in some}:
        codes = [values.index(value) for value in homes[person].records.sensitive.values]
        believed[person] = Believed(
            homes[person].records,
            [prior[person][code] for code in codes],
            [after[person][code] for code in codes],
        )
    return believed


def figure_of(requirement: Requirement, told: Believed) -> float:
    """The figure of a requirement on shares, of what is believed."""
    after = told.after
    overall = [float(share) for share in oracles.shares(told.home, told.home.everything())]
    if isinstance(requirement, MaxDisclosure):
        return max(after)
    if isinstance(requirement, TCloseness):
        ground = oracles.ground_distances(told.home.sensitive, requirement.ground)
        exact = [Fraction(share).limit_denominator(10**6) for share in after]
        whole = oracles.shares(told.home, told.home.everything())
        return float(oracles.earth_movers_distance(exact, whole, ground))
    if isinstance(requirement, BetaLikeness):
        gains = [0.0]
        for q, p in zip(after, overall, strict=True):
            if q > p + 1e-12:
                limit = requirement.beta
                if requirement.variant == "enhanced":
                    limit = min(limit, -math.log(p))
                gains.append((q - p) / p * requirement.beta / limit)
        return max(gains)
    assert isinstance(requirement, LDiversity)
    there = sorted((share for share in after if share > 0), reverse=True)
    if requirement.variant == "distinct":
        return len(there)
    if requirement.variant == "probabilistic":
        return 1 / there[0]
    if requirement.variant == "entropy":
        return math.prod(math.pow(share, -share) for share in there)
    rest = there[int(requirement.l) - 1 :]
    return there[0] / sum(rest) if rest else math.inf


ON_SHARES: list[Requirement] = [
    *(LDiversity(1.5, variant) for variant in ("probabilistic", "entropy")),
    LDiversity(2, "distinct"),
    *(LDiversity(l, "recursive", 2.0) for l in (1, 2, 3)),  # noqa: E741
    MaxDisclosure(0.5),
    *(TCloseness(0.2, ground) for ground in GROUNDS),
    *(BetaLikeness(1.0, variant) for variant in VARIANTS),
]


@SOME
@given(histories(most_records=6, most_values=3))
def test_figures_on_shares(releases: list[Shown]) -> None:
    believed = believed_of(releases, None)
    joint = joint_of(releases, ON_SHARES)
    assert joint.persons.tolist() == sorted(believed)
    for requirement in ON_SHARES:
        (figures,) = companion(requirement).figures(joint)
        expected = [figure_of(requirement, believed[person]) for person in sorted(believed)]
        assert figures == pytest.approx(expected, rel=1e-9, abs=1e-9), requirement


@SOME
@given(
    histories(most_records=5, most_values=3),
    st.lists(bandwidths, min_size=1, max_size=2),
    smoothings,
)
def test_how_far_beliefs_move(
    releases: list[Shown], widths: list[float], smoothing: float | None
) -> None:
    regards = (BeliefScope(smoothing=smoothing),) * len(widths)
    requirement = BtPrivacy(tuple((width, 0.2) for width in widths), regards)
    joint = joint_of(releases, [requirement])
    figures = companion(requirement).figures(joint)
    for place, width in enumerate(widths):
        believed = believed_of(releases, width)
        moves = [
            oracles.belief_distance(told.home.sensitive, told.before, told.after, smoothing)
            for _, told in sorted(believed.items())
        ]
        assert figures[place] == pytest.approx(moves, abs=1e-7)
        blame = companion(requirement).blamed(joint, place, joint.persons)
        assert blame is not None
        for row, (_, told) in enumerate(sorted(believed.items())):
            moved = [abs(q - p) for p, q in zip(told.before, told.after, strict=True)]
            at = blame[row].value
            assert moved[at] == pytest.approx(max(moved), abs=1e-9)
            assert blame[row].before == pytest.approx(told.before[at])
            assert blame[row].after == pytest.approx(told.after[at], abs=1e-12)


@SOME
@given(histories(most_records=6, most_values=3))
def test_the_values_at_fault(releases: list[Shown]) -> None:
    believed = believed_of(releases, None)
    joint = joint_of(releases, ON_SHARES)
    for requirement in (MaxDisclosure(0.5), LDiversity(2), TCloseness(0.2)):
        blame = companion(requirement).blamed(joint, 0, joint.persons)
        assert blame is not None
        for row, (_, told) in enumerate(sorted(believed.items())):
            at = blame[row].value
            overall = oracles.shares(told.home, told.home.everything())
            faults = told.after
            if isinstance(requirement, TCloseness):
                faults = [abs(q - p) for p, q in zip(overall, told.after, strict=True)]
            assert faults[at] == pytest.approx(max(faults), abs=1e-9)
            assert blame[row].before == pytest.approx(float(overall[at]))
            assert blame[row].after == pytest.approx(told.after[at], abs=1e-12)


# --- One release ----------------------------------------------------------------------------------


@MANY
@given(histories(most_records=12, most_values=4, most=1), bandwidths)
def test_of_one_release_figures_and_findings_are_its_own(
    releases: list[Shown], width: float
) -> None:
    (shown,) = releases
    demanded = [KAnonymity(2), *ON_SHARES, BtPrivacy(((width, 0.2), (0.3, 0.1)))]
    threat = ThreatModel(as_parts(shown.records, range(len(shown.persons))))
    step = as_history(releases).steps[0]
    joint = joint_of(releases, demanded)
    alone = [item.measure(threat, step.groups, "exact") for item in demanded]
    for requirement, measured in zip(demanded, alone, strict=True):
        order = np.argsort(step.persons[step.groups.members])
        figures = companion(requirement).figures(joint)
        assert figures == pytest.approx(measured.figures[:, order], rel=1e-7, abs=1e-7)
    whole = findings(threat, step.groups, demanded, alone, "exact")
    told = joint_findings(joint, demanded, [7])
    for one, other in zip(told, whole, strict=True):
        assert one.requirement == other.requirement
        assert one.parameters == {**other.parameters, "together": [7]}
        assert (one.worst, one.mean) == pytest.approx((other.worst, other.mean), abs=1e-7)
        assert (one.threshold, one.estimator) == (other.threshold, other.estimator)
        assert one.fault is not None
        assert one.fault.group is None


# --- What can be measured -------------------------------------------------------------------------


def test_requirements_that_several_releases_cannot_be_held_against() -> None:
    skyline = BtPrivacy(((0.3, 0.2), (Remembered("s"), 0.2)))
    none: list[Requirement] = [
        JsDivergence(0.2, 0.3),
        PairDivergence(0.2, (0.3,)),
        MInvariance(2),
        CkSafety(0.5, 2),
        BtPrivacy(((Remembered("s"), 0.2),)),
    ]
    measured, left_out = jointly([*none, skyline, KAnonymity(2), *ON_SHARES])
    assert measured == [BtPrivacy(((0.3, 0.2),)), KAnonymity(2), *ON_SHARES]
    assert left_out == [*(item.key for item in none), "bt_privacy"]
    joint = joint_of([Shown(by_age("a", "b"), [0, 1], [0, 0])], [MaxDisclosure(0.5)])
    for item in none[:-1]:
        with pytest.raises(ValueError, match=f"{item.key} cannot be measured of several"):
            companion(item).figures(joint)


def test_adversaries_are_inferred_for_once_each() -> None:
    skyline = BtPrivacy(((0.3, 0.2), (Outside("s.p"), 0.2), (0.3, 0.1)))
    known = [None, 0.3, Outside("s.p")]
    assert adversaries([KAnonymity(2), skyline, *ON_SHARES, skyline]) == known


# --- Golden ---------------------------------------------------------------------------------------


def test_of_one_inserted_person_all_is_told() -> None:
    demanded: list[Requirement] = [
        KAnonymity(2),
        LDiversity(2, "distinct"),
        MaxDisclosure(0.8),
        LDiversity(2, "recursive", 5.0),
    ]
    joint = joint_of(inserted(), demanded)
    k, distinct, largest, recursive = joint_findings(joint, demanded, [2, 1])
    assert (k.worst, k.mean, k.vulnerable) == (1, (4 * 4 + 1) / 5, 1)
    assert (distinct.worst, distinct.vulnerable) == (1, 1)
    assert (largest.worst, largest.vulnerable) == (1, 1)
    assert largest.mean == pytest.approx(float(Fraction(4 * 3, 4) + 1) / 5)
    assert (recursive.worst, recursive.vulnerable) == (math.inf, 1)
    assert largest.parameters == {"tau": 0.8, "together": [1, 2]}
    assert {row.estimator for row in (k, distinct, largest, recursive)} == {"exact"}
    assert k.fault is not None
    assert (k.fault.group, k.fault.records, k.fault.shift) == (None, 1, None)
    assert largest.fault is not None
    shift = largest.fault.shift
    assert shift is not None
    table = largest.fault.table
    assert shift.cell is not None
    assert table.describe(shift.cell) == "\"age\" is '24'"
    assert table.sensitive.labels[shift.value] == "HIV"
    assert (shift.before, shift.after) == pytest.approx((0.8, 1.0))


def test_the_finding_says_of_how_many_persons_figures_are_estimates() -> None:
    demanded = [MaxDisclosure(0.8)]
    joint = joint_of(inserted(), demanded)
    exact, bethe = ESTIMATORS.index("exact"), ESTIMATORS.index("bethe")
    for places, said in (
        ([exact] * 5, "exact"),
        ([exact] * 4 + [bethe], "exact, but bethe for 1 person"),
        ([bethe, exact, bethe, exact, exact], "exact, but bethe for 2 persons"),
    ):
        told = replace(joint.told, used=np.array(places, dtype=joint.told.used.dtype))
        (finding,) = joint_findings(replace(joint, told=told), demanded, [1, 2])
        assert finding.estimator == said


def test_contradicted_beliefs_move_infinitely_far() -> None:
    releases = inserted()
    requirement = BtPrivacy(((Outside("s.p"), 0.2),))
    history = as_history(releases)
    flu = releases[1].records.sensitive.values.index("flu")
    sure = np.eye(2)[[flu] * 5]

    def look(place: int) -> tuple[ThreatModel, IntArray]:
        parts = as_parts(releases[place].records, range(5))
        return ThreatModel(parts, library=Known(cells=sure)), np.arange(5)

    population = Population.of(history, look, adversaries([requirement]))
    joint = Joint.of(population, Constraints.of(history), "exact", refuse=False)
    assert np.isinf(companion(requirement).figures(joint)).all()
    (finding,) = joint_findings(joint, [requirement], [1, 2])
    assert (finding.worst, finding.vulnerable, finding.satisfied) == (math.inf, 5, False)


def test_beliefs_that_do_not_fit_are_refused_before_they_are_made() -> None:
    step = as_history(inserted()).steps[1]
    far = History((replace(step, persons=step.persons + 10**8),))

    def look(place: int) -> tuple[ThreatModel, IntArray]:
        raise AssertionError("nothing is looked at")

    with pytest.raises(TooLarge, match="100000005 people"):
        Population.of(far, look, [None])


def test_a_home_is_the_latest_table_that_someone_is_in() -> None:
    # The second table has no b, so that nobody who is in it can have that.
    records = by_age("a", "b", "c")
    sensitive = Attribute("disease", ("a", "c"))
    later = Records(records.attributes, sensitive, (records.rows[0], records.rows[2]))
    releases = [Shown(records, [0, 1, 2], [0, 0, 0]), Shown(later, [0, 2], [-1, -1])]
    joint = joint_of(releases, [MaxDisclosure(0.5)])
    (figures,) = companion(MaxDisclosure(0.5)).figures(joint)
    assert figures == pytest.approx([0.5, 1.0, 0.5])
    assert [home.persons.tolist() for home in joint.population.homes] == [[1], [0, 2]]
    with pytest.raises(ValueError, match="nobody has the number 7"):
        joint.population.home_of(7)
