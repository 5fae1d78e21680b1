"""Tasks for tools, and their answers: what goes into a process of its own, and what comes out.

What lives here is plain and needs no package, because each tool runs in an environment that has
nothing of ours. A module of a tool has three functions. Only the second is measured:

- ``prepare(task)`` puts the table into the tool's own form;
- ``make(prepared)`` publishes, as the tool's manual says it is done;
- ``read(task, made)`` says what is published of each record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, TypedDict

__all__ = ["Answer", "Peer", "Reader", "Side", "Task", "labelled"]


class Side(TypedDict, total=False):
    """Publication in place of a value: a range, or a set of values, or a label."""

    low: float
    high: float
    """Smallest and largest number that it stands for."""
    values: list[Any]
    label: Any
    """Label of the column's hierarchy, or a value."""


Reader = Callable[[Any], Side]
"""Function that reads what is published."""


@dataclass(frozen=True)
class Task:
    """A table, and what it must keep when it is published."""

    columns: dict[str, list[Any]]
    """Values of all records, numbers or text, column by column."""
    quasi_identifiers: list[str]
    """Columns by which people might be recognised."""
    sensitive: str
    hierarchies: dict[str, list[list[Any]]]
    """Rows of value and coarser labels, by column; of numbers, too."""
    intervals: dict[str, list[float]]
    """Widths of the nested intervals that hierarchies of numbers have."""
    policy: dict[str, Any]
    """Bounds by name: ``k``, ``l``, ``t``, ``beta``, or ``epsilon`` of answers."""
    options: dict[str, Any] = field(default_factory=dict)
    questions: list[dict[str, list[Any]]] = field(default_factory=list)
    """Counts that are asked for: the values that each column may have."""

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.columns[self.sensitive])

    def numeric(self, column: str) -> bool:
        """Whether a column holds numbers."""
        return not isinstance(self.columns[column][0], str)


@dataclass(frozen=True)
class Answer:
    """Publication of a tool."""

    groups: list[int] = field(default_factory=list)
    """Group of each record, numbered from 0; -1 of one that is left out."""
    shown: list[list[Side]] = field(default_factory=list)
    """Sides of each group: what is published in place of each quasi-identifier."""
    counts: list[float] = field(default_factory=list)
    """Answers to the questions, of a tool that answers them."""

    @classmethod
    def of_rows(
        cls, task: Task, rows: dict[int, tuple[Any, ...]], sides: Sequence[Reader | None]
    ) -> Answer:
        """Answer in which records with equal published rows are a group.

        Args:
            rows: Published quasi-identifiers of each record that is not left out.
            sides: Functions that read what is published of each quasi-identifier; None where that
                is not to be read, and stands for the range of the group's values.
        """
        members: dict[tuple[Any, ...], list[int]] = {}
        for record, row in rows.items():
            members.setdefault(row, []).append(record)
        spanned = cls.of_groups(task, list(members.values()))
        shown = [
            [
                side if read is None else read(item)
                for read, item, side in zip(sides, row, spans, strict=True)
            ]
            for row, spans in zip(members, spanned.shown, strict=True)
        ]
        return cls(spanned.groups, shown)

    @classmethod
    def of_groups(cls, task: Task, members: list[list[int]]) -> Answer:
        """Answer in which ranges and sets of values stand for the values of each group."""
        groups = [-1] * task.records
        shown = []
        for number, records in enumerate(members):
            for record in records:
                groups[record] = number
            shown.append([_spanned(task, column, records) for column in task.quasi_identifiers])
        return cls(groups, shown)

    def as_json(self) -> dict[str, Any]:
        """Plain objects."""
        return asdict(self)


def _spanned(task: Task, column: str, records: list[int]) -> Side:
    """Range or set of a column's values in some records."""
    values = {task.columns[column][record] for record in records}
    if task.numeric(column):
        return Side(low=min(values), high=max(values))
    return Side(values=sorted(values))


def labelled(task: Task, column: str) -> Reader:
    """Return what reads labels of a column's hierarchy: of numbers those that lie under it."""
    if not task.numeric(column):
        return lambda label: Side(label=label)
    under: dict[Any, list[Any]] = {}
    for row in task.hierarchies[column]:
        for label in set(row):
            under.setdefault(label, []).append(row[0])
    return lambda label: Side(values=under[label])


class Peer(Protocol):
    """Module of a tool."""

    def prepare(self, task: Task) -> Any:
        """Put the table into the tool's own form."""

    def make(self, prepared: Any) -> Any:
        """Publish it."""

    def read(self, task: Task, made: Any) -> Answer:
        """Say what is published."""
