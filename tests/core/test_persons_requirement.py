"""Requirements on persons of several records, by enumeration of worlds and by counting them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import in_groups_of_one_value
from bkpriv_core.errors import InvalidParameter, Unsupported
from bkpriv_core.requirement import (
    BetaLikeness,
    BtPrivacy,
    CkSafety,
    JsDivergence,
    LDiversity,
    MaxDisclosure,
    MInvariance,
    PairDivergence,
    Requirement,
    TCloseness,
)
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.table import Table
from tests.core import oracles
from tests.core.oracles import Attribute, Belief, Records
from tests.core.several import weighed
from tests.core.strategies import (
    MANY,
    SOME,
    as_groups,
    as_table,
    bandwidths,
    partitions,
    records_of,
)

VALUES = ("flu", "cold", "acne")
YES_NO = Attribute("having", ("no", "yes"))
OR_SEVERAL = Attribute("disease", (*VALUES, "several"))


class Patients:
    """Persons of one to three records, as one table has them and as another that spells them."""

    def __init__(self, persons: list[tuple[str, tuple[int, ...]]]) -> None:
        places = sorted({place for place, _ in persons})
        told = sorted({tuple(sorted(codes)) for _, codes in persons}, key=lambda s: (len(s), s))
        labels = tuple(" ".join(map(str, codes)) for codes in told)
        self.sets = told
        self.spelled = Records(
            (Attribute("place", tuple(places)),),
            Attribute("told", labels),
            tuple((place, labels[told.index(tuple(sorted(codes)))]) for place, codes in persons),
        )
        plain = as_table(self.spelled)
        rows = np.array([[code] for codes in told for code in codes])
        offsets = np.cumsum([0, *map(len, told)])
        sensitive, values = Combination.of((Domain("disease", VALUES),), rows, offsets)
        assert values.tolist() == list(range(len(told)))
        self.several = sensitive.several
        self.table = Table(plain.quasi_identifiers, sensitive, plain.codes, plain.counts)

    def singly(self, belief: Belief) -> Belief:
        """Probability to have one record, with each value, and to have several."""
        alone = [
            sum(
                (p for p, codes in zip(belief, self.sets, strict=True) if codes == (value,)),
                Fraction(0),
            )
            for value in range(len(VALUES))
        ]
        several = (p for p, codes in zip(belief, self.sets, strict=True) if len(codes) > 1)
        return [*alone, sum(several, Fraction(0))]

    def having(self, belief: Belief, value: int) -> Belief:
        """Probability to have no record with a value, and to have one; not as 1 less the other.

        That would be negative by rounding, of a value that everybody has.
        """
        return [
            sum(
                (p for p, codes in zip(belief, self.sets, strict=True) if (value in codes) == has),
                Fraction(0),
            )
            for has in (False, True)
        ]


persons = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)
    ),
    min_size=1,
    max_size=6,
).map(Patients)


@SOME
@given(persons.filter(lambda each: each.several), bandwidths, st.data())
def test_beliefs_about_persons_by_enumeration_of_all_worlds(
    patients: Patients, bandwidth: float, data: st.DataObject
) -> None:
    cells = data.draw(partitions(patients.table.cells))
    if cells:
        assert_weighed(patients, bandwidth, cells)


def test_everybody_has_a_value() -> None:
    patients = Patients([("b", (0,)), ("b", (0,)), ("a", (0, 0)), ("a", (0, 0)), ("a", (0, 0, 0))])
    assert_weighed(patients, 1.5, [[0, 1]])


@MANY
@example(Patients([("a", (0,)), ("a", (1, 1)), ("b", (2,))]))  # nobody of a has the last
@example(Patients([("a", (0, 1)), ("b", (0, 2, 1))]))
@example(Patients([("a", (0, 1)), ("a", (0, 2)), ("b", (1, 2))]))
@given(persons)
def test_people_in_groups_of_one_value_share_a_value_that_not_everybody_has(
    patients: Patients,
) -> None:
    cells = [[cell] for cell in range(patients.table.cells)]
    parts = ThreatModel(patients.table).parts
    found = 0
    everybody = [set(map(int, str(row[-1]).split())) for row in patients.spelled.rows]
    all_have = everybody[0].intersection(*everybody)
    for group in cells:
        members = [everybody[record] for record in records_of(patients.spelled, group)]
        found += len(members) * bool(members[0].intersection(*members) - all_have)
    assert in_groups_of_one_value(parts, as_groups(cells)) == found


def assert_weighed(patients: Patients, bandwidth: float, cells: list[list[int]]) -> None:
    """Every way in which a group's sets of records may belong to its persons is weighed."""
    prior = oracles.rounded(oracles.priors(patients.spelled, [bandwidth]))
    (requirement,) = BtPrivacy(((bandwidth, 0.1),)).about(("disease",), True)
    measured = requirement.measure(ThreatModel(patients.table), as_groups(cells), "exact").figures
    expected = []
    for _, before, after in weighed(patients.spelled, prior, cells):
        moved = []
        for value in range(len(VALUES)):
            one, other = patients.having(before, value), patients.having(after, value)
            moved.append(oracles.belief_distance(YES_NO, one, other))
        one, other = patients.singly(before), patients.singly(after)
        moved.append(oracles.belief_distance(OR_SEVERAL, one, other))
        expected.append(max(moved))
    np.testing.assert_allclose(measured, [expected], rtol=0, atol=1e-7)


def test_who_has_one_record_is_judged_as_where_everybody_has() -> None:
    """Two records of somebody whom no adversary takes for anybody else change no figure."""
    places = "aaabbbc"

    def figures(values: tuple[int, ...], last: tuple[int, ...]) -> Any:
        patients = Patients(
            [(q, (value,)) for q, value in zip(places, values, strict=False)] + [("c", last)]
        )
        requirement = BtPrivacy(((0.5, 0.1),))
        if patients.several:
            (requirement,) = requirement.about(("disease",), True)
            return requirement.measure(
                ThreatModel(patients.table), as_groups([[0, 1]]), "exact"
            ).figures
        plain = as_table(patients.spelled)
        return requirement.measure(ThreatModel(plain), as_groups([[0, 1]]), "exact").figures

    for values in ((0, 1, 2, 0, 1, 1), (0, 0, 1, 1, 2, 0), (2, 0, 0, 2, 1, 0)):
        ordinary = figures(values, (2,))
        assert ordinary.max() > 1e-4
        np.testing.assert_allclose(figures(values, (2, 2)), ordinary, rtol=0, atol=1e-12)


def naive(requirement: Requirement, shares: list[float], overall: list[float]) -> float:
    """A figure from the shares of persons in a group, and in the table, that have each value."""
    if isinstance(requirement, LDiversity):
        if requirement.variant == "distinct":
            return 1 if 1.0 in shares else sum(share > 0 for share in shares)
        return 1 / max(shares)
    if isinstance(requirement, MaxDisclosure):
        return max(shares)
    if isinstance(requirement, TCloseness):
        return max(abs(share - usual) for share, usual in zip(shares, overall, strict=True))
    gains = [(s - o) / o for s, o in zip(shares, overall, strict=True) if s > o]
    return max(gains, default=0.0)


@MANY
@given(
    persons.filter(lambda each: each.several),
    st.sampled_from(
        [
            *(LDiversity(2), LDiversity(1.5, "probabilistic"), MaxDisclosure(0.5)),
            *(TCloseness(0.2), BetaLikeness(1.0)),
        ]
    ),
    st.data(),
)
def test_persons_are_counted_by_what_they_have(
    patients: Patients, requirement: Requirement, data: st.DataObject
) -> None:
    cells = data.draw(partitions(patients.table.cells))
    if not cells:
        return
    (of_column,) = requirement.about(("disease",), True)
    measured = of_column.measure(ThreatModel(patients.table), as_groups(cells)).figures[0]
    of_all = range(len(patients.spelled.rows))
    spelled = dict(zip(patients.spelled.sensitive.values, patients.sets, strict=True))

    def shares(records: Any) -> list[float]:
        told = [spelled[patients.spelled.rows[record][-1]] for record in records]
        return [sum(value in codes for codes in told) / len(told) for value in range(len(VALUES))]

    expected = []
    for group in cells:
        figure = naive(requirement, shares(records_of(patients.spelled, group)), shares(of_all))
        expected += [figure] * len(group)
    np.testing.assert_allclose(measured, expected, atol=1e-9)
    groups = as_groups(cells)
    shift = of_column.explain(ThreatModel(patients.table), groups.select(np.array([0])))
    assert shift is not None
    label = shift.label(patients.table.sensitive)
    assert label is not None
    value = next(place for place, name in enumerate(VALUES) if name in label)
    assert shift.after == pytest.approx(shares(records_of(patients.spelled, cells[0]))[value])


@pytest.mark.parametrize(
    "requirement",
    [
        *(LDiversity(2, "entropy"), LDiversity(2, "recursive", 2.0), CkSafety(0.8, 1)),
        *(TCloseness(0.2, "ordered"), JsDivergence(0.3, 0.5), PairDivergence(0.3, (0.5,))),
    ],
)
def test_what_is_not_defined_of_several_records_is_refused(requirement: Requirement) -> None:
    patients = Patients([("a", (0, 1)), ("a", (2,)), ("b", (0, 0))])
    (of_column,) = requirement.about(("disease",), True)
    with pytest.raises(Unsupported, match="of which persons have several values") as error:
        of_column.measure(ThreatModel(patients.table), as_groups([[0], [1]]))
    ordered = isinstance(requirement, TCloseness)  # Nor is it of them jointly.
    assert ('"joint": true' in error.value.hint) is not ordered
    assert error.value.hint.startswith('Take the ground "equal";') is ordered
    assert "max_records_per_person" in error.value.hint


def test_signatures_are_of_one_record_of_each() -> None:
    with pytest.raises(Unsupported, match="not defined of persons with several records") as error:
        MInvariance(2).about(("disease",), True)
    assert "max_records_per_person" in error.value.hint


@pytest.mark.parametrize("ground", ["ordered", "hierarchical"])
def test_sets_of_records_have_no_order_and_no_hierarchy(ground: Any) -> None:
    patients = Patients([("a", (0, 1)), ("a", (2,)), ("b", (0, 0))])
    requirement = TCloseness(0.2, ground, joint=True)
    with pytest.raises(InvalidParameter, match=f"the {ground} ground of t_closeness") as error:
        requirement.measure(ThreatModel(patients.table), as_groups([[0], [1]]))
    assert error.value.hint.startswith('Take the ground "equal"')
    assert TCloseness(0.2).having
