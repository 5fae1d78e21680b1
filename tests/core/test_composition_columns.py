"""Beliefs from several releases about each sensitive column, by enumeration of people's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.composition.companion import adversaries, companion
from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.measurement import Joint, Look, Population
from bkpriv_core.requirement import BeliefScope, BtPrivacy, MaxDisclosure, Requirement
from bkpriv_core.sequence.history import History
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from tests.core import oracles
from tests.core.composition_releases import Shown, histories
from tests.core.oracles import Attribute
from tests.core.sequences import as_step
from tests.core.several import COLUMNS
from tests.core.strategies import SOME, as_parts, bandwidths, smoothings
from tests.core.test_composition_measurement import believed_of

VALUES = (("a", "b"), ("x", "y", "z"))
"""Values of the two columns."""


class Split:
    """Releases whose values are spelt out in two columns."""

    def __init__(self, releases: Sequence[Shown]) -> None:
        self.releases = releases
        known = {value for shown in releases for value in shown.records.sensitive.values}
        every = sorted(known, key=lambda value: (value is None, value or ""))
        # Values share one column or the other with their neighbours.
        self.codes = {value: (place % 2, place // 2 % 3) for place, value in enumerate(every)}

    def combination(self, values: Sequence[Any]) -> Combination:
        """The combinations that values of a release stand for, in their order."""
        columns = tuple(Domain(name, some) for name, some in zip(COLUMNS, VALUES, strict=True))
        rows = np.array([self.codes[value] for value in values])
        return Combination.assembled(columns, rows, np.arange(len(rows) + 1))

    def history(self) -> History:
        """The releases as steps."""
        return History(
            tuple(
                as_step(
                    0,
                    self.combination(shown.records.sensitive.values).labels,
                    shown.persons,
                    shown.records.secrets(shown.records.everything()),
                    shown.labels,
                    release=place + 1,
                )
                for place, shown in enumerate(self.releases)
            )
        )

    def look(self) -> Look:
        """Setting in which beliefs about a release's records are measured."""

        def look(place: int) -> tuple[ThreatModel, IntArray]:
            records = self.releases[place].records
            order = np.arange(len(records.rows))
            parts = as_parts(records, order.tolist())
            sensitive = self.combination(records.sensitive.values)
            return ThreatModel(
                replace(parts, table=replace(parts.table, sensitive=sensitive))
            ), order

        return look

    def joint(self, requirements: Sequence[Requirement]) -> Joint:
        """Beliefs from the releases together, exactly."""
        history = self.history()
        population = Population.of(history, self.look(), adversaries(requirements))
        return Joint.of(population, Constraints.of(history), "exact")

    def marginal(self, belief: Sequence[Any], values: Sequence[Any], column: int) -> list[float]:
        """Belief about one column's values, from that about values of a release."""
        return [
            float(
                sum(b for b, v in zip(belief, values, strict=True) if self.codes[v][column] == code)
            )
            for code in range(len(VALUES[column]))
        ]


@SOME
@given(histories(most_records=5, most_values=4), bandwidths, smoothings)
def test_beliefs_about_columns_are_marginals(
    releases: list[Shown], bandwidth: float, smoothing: float | None
) -> None:
    split = Split(releases)
    requirements = [
        *BtPrivacy(((bandwidth, 0.2),), (BeliefScope(smoothing=smoothing),)).about(COLUMNS, True),
        *MaxDisclosure(0.5).about(COLUMNS, True),
    ]
    assert [len(item.bounds) for item in requirements] == [2, 1, 1]
    joint = split.joint(requirements)
    figures = np.concatenate([companion(item).figures(joint) for item in requirements])
    moved, shares = believed_of(releases, bandwidth), believed_of(releases, None)
    assert joint.persons.tolist() == sorted(moved)
    for column, name in enumerate(COLUMNS):
        attribute = Attribute(name, VALUES[column])
        for row, person in enumerate(sorted(moved)):
            told = moved[person]
            before, after = (
                split.marginal(belief, told.home.sensitive.values, column)
                for belief in (told.before, told.after)
            )
            expected = oracles.belief_distance(attribute, before, after, smoothing)
            assert figures[column][row] == pytest.approx(expected, abs=1e-7)
            told = shares[person]
            surest = split.marginal(told.after, told.home.sensitive.values, column)
            assert figures[2 + column][row] == pytest.approx(max(surest), abs=1e-9)
    for item, bounds in zip(requirements, ([0, 1], [0], [0]), strict=True):
        for place in bounds:
            blame = companion(item).blamed(joint, place, joint.persons)
            assert blame is not None
            about = {shift.aspect.column for shift in blame if shift.aspect is not None}
            (column_of,) = about
            assert column_of in COLUMNS
            for shift in blame:
                assert shift.aspect is not None
                assert shift.aspect.label(shift.value).startswith(f'{{"{column_of}":')
