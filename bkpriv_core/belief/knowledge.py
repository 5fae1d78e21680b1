"""Knowledge of an adversary before a release, in any of the forms that a prior may come from.

==========================  =====================================================================
in JSON                     prior belief about a record
==========================  =====================================================================
``0.3``                     of Adv(B), that bandwidth for every quasi-identifier (`prior`)
``{"age": 0.2, ...}``       of Adv(B), one bandwidth for each quasi-identifier
``{"kernel": "uniform"}``   the whole table's distribution of sensitive values: all records weigh
                            alike, which is the adversary that t-closeness assumes
``{"from": 0.2, ...}``      of Adv(B) for several B from ``"from"`` to ``"to"``: so many
                            adversaries, not one
``{"only": "age"}``         of Adv(B) who compares people by that quasi-identifier alone, by a
                            ``"bandwidth"``, which is .3 if nothing is said
``{"table": "s.prior"}``    from outside, given for each cell by a table
``{"learned": "bayes"}``    of a classifier (``"logistic"`` or ``"bayes"``) that was trained on the
                            other people of the table, in ``"folds"`` drawn from a ``"seed"``
                            (`learned`)
``{"sequence": "name"}``    of a reader of earlier releases, who knows how values follow each
                            other; beliefs differ between the respondents of a cell. With a
                            ``"bandwidth"``, any other form, for respondents without a past; else
                            they are met with the uniform kernel
==========================  =====================================================================

A range of bandwidths is a short way to list adversaries, whose bandwidths have equal ratios. A
requirement on several lists them when it is read (`listed`), and what asks for one prior refuses
it. A disclosure is not monotone in B: between two bandwidths it can be larger than at both.

Sources: Li, Li, Zhang 2009, section II. A prior from outside need not have to do with the data; it
is only checked to be one distribution for each cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from bkpriv_core.belief.classifier import Model
from bkpriv_core.belief.kernels import Width
from bkpriv_core.belief.prior import Bandwidth, resolve_bandwidth
from bkpriv_core.errors import InvalidData, InvalidParameter, as_json
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.schema import ErrorText, Range, read
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = [
    "FOLDS",
    "UNKNOWN",
    "Bandwidths",
    "Folds",
    "Knowledge",
    "Learned",
    "Only",
    "Outside",
    "Remembered",
    "Resolved",
    "ResolvedSnapshot",
    "Revised",
    "Seed",
    "Snapshot",
    "Stated",
    "Uniform",
    "listed",
    "outside_prior",
    "parse_knowledge",
    "reader_in_words",
    "resolve_knowledge",
    "state_knowledge",
    "uniform_prior",
]

UNKNOWN = -1
"""Code of a value that the data do not have."""

FOLDS = 5
"""Parts of a table of which one is left out at a time, if nothing is said."""

Folds = Annotated[
    int,
    Range(at_least=2, at_most=20),
    ErrorText("It is the number of parts of the table of which one is left out.", "5 is usual."),
]
"""Number of folds, as stated."""

POINTS = 5
"""Bandwidths of a range, if nothing is said."""

Points = Annotated[
    int,
    Range(at_least=2, at_most=100),
    ErrorText("It is the number of bandwidths of a range, which are so many adversaries."),
]
"""Number of bandwidths, as stated."""

Seed = Annotated[int, Range(at_least=0, below=2**53), ErrorText("It decides who is in one fold.")]
"""Seed of folds, as stated."""

_ROWS = 500_000
"""Rows of an outside table that are looked up at a time, unless the data have more cells."""

_TOLERANCE = 1e-6
"""Tolerance for the sum of a cell's probabilities, which are then scaled to 1."""


@dataclass(frozen=True)
class Uniform:
    """The uniform kernel: every record of the table weighs alike."""

    kernel: Annotated[
        Literal["uniform"],
        ErrorText(
            "A kernel is named by itself, and only the uniform one has no bandwidth.",
            "Or give a bandwidth such as 0.3.",
        ),
    ] = "uniform"


@dataclass(frozen=True)
class Only:
    """Adv(B) who compares people by one quasi-identifier."""

    only: Annotated[str, ErrorText("It names a quasi-identifier.", 'Write {"only": "age"}.')]
    bandwidth: Width = 0.3


@dataclass(frozen=True)
class Outside:
    """A prior that a table gives."""

    table: Annotated[str, ErrorText("It names a prior table.", 'Write {"table": "schema.name"}.')]


@dataclass(frozen=True)
class Learned:
    """A prior that is learned from the table without the person; see `learned`."""

    learned: Annotated[
        Model, ErrorText("It names a kind of classifier.", 'Write {"learned": "logistic"}.')
    ]
    folds: Folds = FOLDS
    """Number of parts of the table of which one is left out at a time."""
    seed: Seed = 0


@dataclass(frozen=True)
class Bandwidths:
    """Range of bandwidths, each the same for every attribute.

    Raises:
        InvalidParameter: If the second end is not larger.
    """

    from_: Width
    to: Width
    points: Points = POINTS
    """Number of bandwidths, the ends among them."""
    closed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.from_ < self.to:
            raise InvalidParameter(
                f"from of a range of bandwidths is {self.from_:g}, which is not below its to",
                detail=f"to is {self.to:g}.",
                hint='Write the smaller one first, {"from": 0.2, "to": 0.5}, or one bandwidth by '
                "itself.",
            )

    @property
    def each(self) -> tuple[float, ...]:
        """The bandwidths, of equal ratios, rising."""
        inner = np.geomspace(self.from_, self.to, self.points)[1:-1]
        return (self.from_, *inner.tolist(), self.to)


Snapshot = Bandwidth | Uniform | Only | Outside | Learned | Bandwidths
"""Forms of knowledge of an adversary who sees one release only; it is about cells."""

# An attribute may be called "kernel", "table" or "learned"; its bandwidth is a number then.
_StatedSnapshot = (
    Uniform
    | Only
    | Outside
    | Learned
    | Bandwidths
    | Annotated[
        Mapping[str, Width],
        ErrorText(
            hint="Give a number, or one number for each quasi-identifier by name.", item="attribute"
        ),
    ]
    | Width
)
"""The same as read from JSON."""


@dataclass(frozen=True)
class Remembered:
    """Knowledge of earlier releases, and of how values follow each other."""

    sequence: Annotated[
        str,
        ErrorText("It names sequential knowledge of the dataset.", 'Write {"sequence": "name"}.'),
    ]
    """Name of the sequential knowledge."""
    bandwidth: _StatedSnapshot = Uniform()
    """Knowledge about respondents without a past."""


Knowledge = Snapshot | Remembered
"""The forms of knowledge; see the module."""

Stated = Remembered | _StatedSnapshot
"""The same as read from JSON."""

ResolvedSnapshot = tuple[float, ...] | Uniform | Only | Outside | Learned
"""Knowledge about cells, with one bandwidth for each attribute in order."""


@dataclass(frozen=True)
class Revised:
    """Knowledge of earlier releases, with resolved knowledge about respondents without a past."""

    sequence: str
    snapshot: ResolvedSnapshot


Resolved = ResolvedSnapshot | Revised
"""The same for all forms: equal for equal knowledge."""


def parse_knowledge(value: object) -> Knowledge:
    """Read knowledge from decoded JSON, without knowing the attributes.

    Raises:
        InvalidParameter: If it is of none of the forms.
    """
    knowledge: Knowledge = read(Stated, value, "the bandwidth")
    return knowledge


def state_knowledge(knowledge: Knowledge) -> Any:
    """Knowledge as the JSON value that `parse_knowledge` reads."""
    if isinstance(knowledge, Remembered):
        stated = {"sequence": knowledge.sequence}
        if knowledge.bandwidth == Uniform():
            return stated
        return {**stated, "bandwidth": state_knowledge(knowledge.bandwidth)}
    if isinstance(knowledge, Bandwidths):
        return {"from": knowledge.from_, "to": knowledge.to, "points": knowledge.points}
    if isinstance(knowledge, Learned):
        usual = {"folds": FOLDS, "seed": 0}
        return {k: v for k, v in asdict(knowledge).items() if k not in usual or v != usual[k]}
    return asdict(knowledge) if isinstance(knowledge, Uniform | Only | Outside) else knowledge


def reader_in_words(reader: Any) -> str:
    """Name a reader by what they know, in few words.

    Args:
        reader: Knowledge, as JSON states it.
    """
    if isinstance(reader, Mapping):
        if "kernel" in reader:
            return "a reader who knows only the table's shares"
        if "only" in reader:
            return f"a reader who knows only {reader['only']}"
        if "table" in reader:
            return f"a reader who knows {reader['table']}"
        if "learned" in reader:
            return f"a reader with a {reader['learned']} classifier"
        if "sequence" in reader:
            return f"a reader who remembers ({reader['sequence']})"
        return f"a reader with background knowledge (B = {as_json(dict(reader))})"
    return f"a reader with background knowledge (B = {reader:g})"


def listed(knowledge: Knowledge) -> tuple[Knowledge, ...]:
    """The adversaries of that knowledge: of a range one for each bandwidth."""
    return knowledge.each if isinstance(knowledge, Bandwidths) else (knowledge,)


def resolve_knowledge(knowledge: Knowledge, attributes: tuple[str, ...]) -> Resolved:
    """Knowledge with one bandwidth for each of the attributes.

    Raises:
        InvalidParameter: See `resolve_bandwidth`; or if it is a range.
    """
    if isinstance(knowledge, Remembered):
        snapshot = _resolve_snapshot(knowledge.bandwidth, attributes)
        return Revised(knowledge.sequence, snapshot)
    return _resolve_snapshot(knowledge, attributes)


def _resolve_snapshot(knowledge: Snapshot, attributes: tuple[str, ...]) -> ResolvedSnapshot:
    if isinstance(knowledge, Only) and knowledge.only not in attributes:
        raise InvalidParameter(
            f'the bandwidth names "{knowledge.only}", which is not a quasi-identifier',
            detail=f"It is {as_json(asdict(knowledge))}.",
            hint=f"The quasi-identifiers are {', '.join(attributes)}.",
        )
    if isinstance(knowledge, Uniform | Only | Outside | Learned):
        return knowledge
    if isinstance(knowledge, Bandwidths):
        raise InvalidParameter(
            f"bandwidths from {knowledge.from_:g} to {knowledge.to:g} are many adversaries, and "
            "one is asked about",
            detail="Each has beliefs of its own.",
            hint="Give one bandwidth. A range may stand in bt_privacy, belief_breach and "
            "pair_divergence: bkpriv.audit(release, "
            '\'{"bt_privacy": {"bandwidth": {"from": 0.2, "to": 0.5}, "t": 0.2}}\').',
        )
    return resolve_bandwidth(knowledge, attributes)


def uniform_prior(table: Table) -> FloatArray:
    """Prior of the uniform kernel: the table's distribution for every cell, shape (c, m). Exact."""
    return np.tile(table.overall, (table.cells, 1))


def outside_prior(
    table: Table,
    name: str,
    cells: IntArray,
    values: IntArray,
    probabilities: FloatArray,
    progress: Progress = SILENT,
) -> FloatArray:
    """Prior beliefs that a table from outside gives, one row for each cell and value.

    Args:
        table: The data that the beliefs are about.
        name: Name of the outside table, for errors.
        cells: Shape (r, d). Codes of the rows' quasi-identifiers in the domains of `table`,
            `UNKNOWN` for others. Rows about cells that the data do not have play no part.
        values: Shape (r,). Codes of their sensitive values, `UNKNOWN` for others.
        probabilities: Shape (r,). Probabilities of the rows, NaN for NULL. A value without a row
            has probability 0.

    Returns:
        Shape (c, m). Rows sum to 1.

    Raises:
        InvalidData: If a cell has no row, a probability is negative or not finite, a cell and value
            have two rows, a value that the data do not have has a positive probability, or the
            probabilities of a cell do not sum to 1. Names the cell.
    """
    place = _places(table, cells, progress)
    ours = place >= 0
    place, values, probabilities = place[ours], values[ours], probabilities[ours]

    def fault(row: int, what: str, hint: str) -> InvalidData:
        return InvalidData(
            f"the prior table {name} {what}",
            detail=f"It is so where {table.describe(int(place[row]))}.",
            hint=hint,
        )

    bad = ~(np.isfinite(probabilities) & (probabilities >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        what = (
            "has a probability that is NULL or not finite"
            if not np.isfinite(probabilities[row])
            else f"has the negative probability {probabilities[row]:g}"
        )
        raise fault(row, what, "Probabilities lie between 0 and 1.")
    foreign = (values == UNKNOWN) & (probabilities > 0)
    if foreign.any():
        raise fault(
            int(np.argmax(foreign)),
            f'believes in a value that "{table.sensitive.name}" does not have',
            "Spread its probability over the values that occur; nobody can hold it.",
        )
    place, values, probabilities = (
        column[values != UNKNOWN] for column in (place, values, probabilities)
    )
    keys = place * table.sensitive.size + values
    order = np.argsort(keys, kind="stable")
    twice = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if twice.size:
        row = int(order[twice[0]])
        value = table.sensitive.quote(int(values[row]))
        raise fault(row, f"gives two probabilities of {value}", "Keep one row for each.")
    prior = np.zeros(table.counts.shape)
    prior[place, values] = probabilities
    covered = np.zeros(table.cells, dtype=bool)
    covered[place] = True
    if not covered.all():
        hint = "Give every combination of quasi-identifiers in the data a row for each value."
        if not covered.any():
            hint += " What is no number is matched as text; use the types of the source."
        raise InvalidData(
            f"the prior table {name} misses {int((~covered).sum())} of {table.cells} cells",
            detail=f"One has {table.describe(int(np.argmin(covered)))}.",
            hint=hint,
        )
    sums = prior.sum(axis=1)
    off = np.abs(sums - 1.0)
    if off.max() > _TOLERANCE:
        cell = int(np.argmax(off))
        raise InvalidData(
            f"the prior table {name} has probabilities that do not sum to 1",
            detail=f"They sum to {sums[cell]:.9g} where {table.describe(cell)}.",
            hint="The probabilities of each combination of quasi-identifiers must sum to 1.",
        )
    normalised: FloatArray = prior / sums[:, None]
    return normalised


def _places(table: Table, cells: IntArray, progress: Progress) -> IntArray:
    """Place of each row of codes among the table's cells, `UNKNOWN` if it has no such."""
    places = np.empty(len(cells), dtype=np.int64)
    step = max(_ROWS, table.cells)
    for start in range(0, len(cells), step):
        progress.poll()
        rows = slice(start, start + step)
        # Codes begin at UNKNOWN, and `distinct_rows` takes none below 0.
        first, kind, _ = distinct_rows(np.concatenate((table.codes, cells[rows])) - UNKNOWN)
        places[rows] = first[kind[table.cells :]]
    return np.where(places < table.cells, places, UNKNOWN)
