"""Attributes of a condition as SQL: the share of a row in some of an attribute's values.

What a row may be is told by what the view shows of it: a value, a label or a range. Shares are
formulas of that, and the same as those of `extent`. Double precision does not tell apart all values
of some attributes, such as integers beyond 2^53; where a cut is between two of these, ranges that
end before it or begin after it are told by PostgreSQL's own order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.combination import Classes
from bkpriv_core.query.predicate import Codes, Criterion
from bkpriv_core.release.generalized.extent import Labels, Ranges
from bkpriv_core.release.rewriting.fragment import (
    ONE,
    ZERO,
    ShownColumn,
    literal,
    number,
    one_of,
    over,
    within,
)
from bkpriv_core.release.rewriting.side import Side
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import BoolArray

__all__ = ["LabelSide", "RangeSide", "SensitiveSide", "range_ends"]


class SensitiveSide(Side):
    """The sensitive attribute: a row has a value or has it not.

    Args:
        criteria: The condition's comparisons with it.
    """

    def __init__(
        self,
        attribute: int,
        criteria: Sequence[Criterion],
        domain: Domain,
        column: ShownColumn,
        progress: Progress = SILENT,
    ) -> None:
        super().__init__(Classes.of(attribute, criteria, Codes.of(domain), progress))
        self._domain, self._column = domain, column

    def share(self, some: BoolArray) -> str:
        """See `Side`."""
        held = one_of(self._domain, np.flatnonzero(some), self._column)
        return f"(CASE WHEN {held} THEN {ONE} ELSE {ZERO} END)"


class LabelSide(Side):
    """Labels: the share of the values under each of them.

    Args:
        attribute, criteria, column, progress: See `SensitiveSide`.
    """

    def __init__(
        self,
        attribute: int,
        criteria: Sequence[Criterion],
        labels: Labels,
        column: ShownColumn,
        progress: Progress = SILENT,
    ) -> None:
        super().__init__(Classes.of(attribute, criteria, Codes.of(labels.domain), progress))
        self._labels, self._column = labels, column

    def share(self, some: BoolArray) -> str:
        """See `Side`."""
        shares = self._labels.covered(some[None, :])[0]
        labelled: dict[float, list[str | None]] = {}
        for label, share in zip(self._labels.labels, shares.tolist(), strict=True):
            labelled.setdefault(share, []).append(label)
        usual = max(labelled, key=lambda share: len(labelled[share]))
        cases = [
            f"WHEN {within(self._column, labels)} THEN {number(share)}"
            for share, labels in labelled.items()
            if share != usual
        ]
        if not cases:
            return number(usual)
        return f"(CASE {' '.join(cases)} ELSE {number(usual)} END)"


class RangeSide(Side):
    """Ranges: the share of their points or of their length.

    Args:
        attribute, criteria, column, progress: See `SensitiveSide`.
    """

    def __init__(
        self,
        attribute: int,
        criteria: Sequence[Criterion],
        ranges: Ranges,
        column: ShownColumn,
        progress: Progress = SILENT,
    ) -> None:
        pieces, _ = ranges.pieces(criteria)
        super().__init__(
            Classes.of(attribute, criteria, pieces, progress),
            range_ends(attribute, ranges.domain.step, column),
        )
        self._ranges, self._column = ranges, column
        self._criteria = criteria
        self._cuts = list(pieces.cuts)
        ranks, positions, after = zip(*self._cuts, strict=True) if self._cuts else ((), (), ())
        _, located, behind = ranges.located(
            np.array(ranks, dtype=np.int64),
            np.array(positions, dtype=np.float64),
            np.array(after, dtype=bool),
        )
        self._located = list(zip(located.tolist(), behind.tolist(), strict=True))
        self._ranks = ranks
        self._placed = ranges.placed(np.array(ranks, dtype=np.int64), located, behind).tolist()
        self._null = pieces.has_null
        name = f"range_{attribute}"
        self._low, self._high, self._whole = f"{name}.low", f"{name}.high", f"{name}.whole"

    def share(self, some: BoolArray) -> str:
        """See `Side`."""
        numbers = some[: len(self._cuts) + 1]
        edges = np.flatnonzero(np.diff(numbers.astype(np.int8), prepend=0, append=0)).tolist()
        parts = []
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            # Piece 0 begins before all cuts; piece i begins at cut i - 1.
            upper = self._whole if end > len(self._cuts) else self._below(end - 1)
            parts.append(upper if start == 0 else f"{upper} - {self._below(start - 1)}")
        ratio = f"({' + '.join(parts) or ZERO}) / {self._whole}"
        if not self._null:
            return f"({ratio})"
        null = "1" if some[-1] else "0"
        mixed = number(self._mixed(some))
        return (
            f"(CASE WHEN {self._column.name} IS NULL THEN {null} WHEN {self._low} IS NULL "
            f"THEN {mixed} ELSE {ratio} END)"
        )

    def _mixed(self, some: BoolArray) -> float:
        """Share of a range without bounds, which may be anything: the same in every row."""
        if self._ranges.domain.size == 1:
            return 0.0  # There is nothing that NULL could be mixed with.
        _, shares = self._ranges.unbounded().pieces(self._criteria)
        return float(shares[some].sum())

    def _below(self, cut: int) -> str:
        """Mass of the range below a cut."""
        position, after = self._located[cut]
        along = f"{number(position)} - {self._low}"
        if self._ranges.domain.step is not None:
            steps = over(along, self._ranges.domain.step)
            points = f"pg_catalog.floor({steps}) + {ONE}" if after else f"pg_catalog.ceil({steps})"
            return self._unless_outside(cut, f"least(greatest({points}, 0), {self._whole})")
        sign = "<=" if after else "<"
        point = f"CASE WHEN {self._low} {sign} {number(position)} THEN {ONE} ELSE {ZERO} END"
        length = f"least(greatest({along}, 0), {self._high} - {self._low})"
        mass = f"CASE WHEN {self._low} = {self._high} THEN {point} ELSE {length} END"
        return self._unless_outside(cut, mass)

    def _unless_outside(self, cut: int, mass: str) -> str:
        """The mass, but for ranges outside of which the cut is, where that takes exact values."""
        labels, rank = self._ranges.domain.labels, self._ranks[cut]
        if self._placed[cut]:
            return mass
        if rank in (0, len(labels) - self._null):
            return ZERO if rank == 0 else self._whole
        range_, column = f"pg_catalog.{self._column.type}", self._column.name
        before = f"{column} OPERATOR(pg_catalog.<<) {range_}({literal(labels[rank])}, NULL)"
        after = (
            f"{column} OPERATOR(pg_catalog.>>) {range_}(NULL, {literal(labels[rank - 1])}, '(]')"
        )
        return f"CASE WHEN {before} THEN {self._whole} WHEN {after} THEN {ZERO} ELSE {mass} END"


def range_ends(attribute: int, step: float | None, column: ShownColumn) -> str:
    """Table that a view is joined with: ends and mass of its ranges of an attribute, as SQL.

    Its columns are ``low``, ``high`` and ``whole``; the one for attribute 0 is called ``range_0``.

    Args:
        step: Distance of neighbouring points, or None for a continuum.
    """
    assert column.bounds is not None
    # A continuum of one value has no length, and mass 1.
    whole = f"coalesce(nullif(high - low, {ZERO}), {ONE})"
    if step is not None:
        whole = f"{over('high - low', step)} + {ONE}"
    return (
        f"\nCROSS JOIN LATERAL (SELECT low, high, {whole} AS whole FROM "
        f"(SELECT {column.bounds.low} AS low, {column.bounds.high} AS high) AS ends) "
        f"AS range_{attribute}"
    )
