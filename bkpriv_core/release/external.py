"""Tables made elsewhere: a release found in the labels of a table, and the dataset it was made of.

Rows with equal labels are a group, or rows with equal numbers of groups where the table has such.
Their sensitive values are those of the dataset. What these tell of groups by themselves, how large
they are and which values they hold, is judged on that alone. Beliefs are about people, and so is
what a reader is sure of: for these it must be known whose rows a group has. That is

- told by a *key*, which the table and the dataset have in common;
- or told by the *labels*, if each combination of quasi-identifiers that occurs lies under those of
  one group alone and all its records are there: then nobody else can be in it. What has exact
  quasi-identifiers, and groups beside them, is told likewise, as many records as it has rows.
  That the labels are true is taken for granted, and that groups then have the values that the
  dataset gives them is checked;
- or else not known.

Records of the dataset that the table lacks are suppressed. Where a key tells whose rows they are,
they may show other values than the dataset has: these are counterfeits. But where a group has, all
in all, the values of its people, they are only dealt among its rows, as by bucketization.

A group's box is what its labels say (`bkpriv_core.table.reading`), or spans them where it has
several; where one of a quasi-identifier cannot be read, it spans the values of the group's people,
if these are known by a key. Then it is known, too, whose labels do not hold their values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bkpriv_core.belief.knowledge_source import KnowledgeSource
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, Unsupported
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.placement import Labels, Place, Rows, counted, placed, with_rest
from bkpriv_core.release.release import Form, Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import Groups, IntArray
from bkpriv_core.table.hierarchy import some_of
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.reading import UNREAD, read_extents
from bkpriv_core.table.table import Table, check_dense

__all__ = [
    "GROUP",
    "Labels",
    "MadeElsewhere",
    "Manner",
    "People",
    "Rows",
    "Unread",
    "check_judged",
    "find_release",
]

GROUP = "group_id"
"""Column by which a table tells groups by number."""

Known = Literal["key", "labels"]
"""Manner in which it is known whose rows groups have."""

Manner = Literal["labels", "people", "unread", "not shown"]
"""Manner in which the boxes of groups are known along a quasi-identifier."""


@dataclass(frozen=True, eq=False)
class People:
    """People of single rows, by a key."""

    key: str
    cells: IntArray
    values: IntArray
    """Shape (r,). Cell of each row's person, and the sensitive value that the dataset has of
    them.
    """


@dataclass(frozen=True)
class Unread:
    """Labels of a quasi-identifier that cannot be read."""

    labels: tuple[str, ...]
    groups: int


@dataclass(frozen=True, eq=False, kw_only=True)
class _Labelled(Generalized):
    """The form of boxes that labels say."""

    low: IntArray
    high: IntArray
    """Shape (g, d). First and last leaf place of each group; `UNREAD` where a label cannot be
    read.
    """
    unread: Mapping[str, Unread]
    """Labels that cannot be read and for which nothing stands in, by quasi-identifier."""

    def pool(self, parts: Parts, groups: Groups) -> Groups:
        """See `Form`: what looks alike is one group already."""
        return groups

    def sides(self, release: Release) -> tuple[IntArray, IntArray]:
        """See `Form`.

        Raises:
            InvalidData: If labels cannot be read.
        """
        for name, each in self.unread.items():
            raise InvalidData(
                f'labels of "{name}" cannot be read as values of the dataset',
                detail=f"They are {some_of(each.labels)}.",
                hint='Write ranges as "[20,30)" or "20-29", sets as "{a,b}", anything as "*", or '
                "labels of the attribute's hierarchy, see bkpriv.set_hierarchy. Or name a key that "
                'the table and the dataset have: columns => {"id": "id"}.',
            )
        return self.low, self.high


@dataclass(frozen=True, eq=False)
class MadeElsewhere(Release):
    """A table made elsewhere, as a release of its dataset.

    Args:
        parts, partition, form: See `Release`. Where it is not known whose rows groups have, each is
            one part, and the cell of parts says nothing.
    """

    known: Known | None
    """Manner in which it is known whose rows groups have."""
    true: bool
    """Whether it is known which values people have."""
    manners: Mapping[str, Manner]
    """Manner in which boxes are known along each quasi-identifier."""
    unread: Mapping[str, Unread]
    """Labels that cannot be read, by quasi-identifier."""
    strayed: int
    """Number of rows whose labels do not hold the values of their person, as a key tells."""
    seen: Rows
    examples: IntArray
    """Shape (g,). A row of each group."""

    @property
    def title(self) -> str:
        """See `Release`."""
        return "the table"

    @property
    def suppressed(self) -> int:
        """Number of records of the dataset that the table lacks."""
        return self.table.records - self.published

    def labels_of(self, group: int) -> dict[str, str | None]:
        """Labels of a group, by the attributes' names: its number, where groups have one."""
        rows, row = self.seen, int(self.examples[group])
        if rows.groups is not None:
            return {GROUP: rows.groups.at(row)}
        names = [domain.name for domain in self.table.quasi_identifiers]
        return {name: each.at(row) for name, each in zip(names, rows.labels, strict=True) if each}

    def threat(self, library: KnowledgeSource, progress: Progress) -> ThreatModel:
        """Setting in which requirements are measured that pass `check_judged`.

        Where it is not known whose rows groups have, it is that of a table without
        quasi-identifiers.
        """
        parts = self.parts
        if self.known is None:
            table = self.table
            bare = Table(
                (), table.sensitive, np.zeros((1, 0), np.int64), table.counts.sum(axis=0)[None]
            )
            parts = Parts(bare, np.zeros(len(parts), dtype=np.int64), parts.counts)
        return ThreatModel(parts, library=library, progress=progress)


def check_judged(release: MadeElsewhere, requirements: Sequence[Requirement]) -> None:
    """Refuse requirements that cannot be judged of a table made elsewhere.

    Raises:
        Unsupported: If one is about earlier releases, or about people where it is not known whose
            rows are whose.
    """
    for item in requirements:
        if item.tells_apart:
            raise Unsupported(
                f"{item.key} cannot be judged of a table made elsewhere",
                detail="It is about what earlier releases showed of the same people, and the table "
                "is in no history.",
                hint="State what a reader knows by a bandwidth, such as 0.3, or leave it out.",
            )
    if release.known is None and (about := [each for each in requirements if each.knowledge]):
        unread = "".join(
            f' Labels of "{name}" cannot be read: {some_of(each.labels)}.'
            for name, each in release.unread.items()
        )
        raise Unsupported(
            f"{about[0].key} cannot be judged: it is not known whose rows are whose",
            detail="It is about what is believed of people. The table has no key that the dataset "
            f"has, and its labels leave open who is in which group.{unread} Groups by themselves "
            "show what k_anonymity, l_diversity, max_disclosure, t_closeness, beta_likeness and "
            "ck_safety are about.",
            hint='Name a column that both have and that tells people apart: columns => {"id": '
            '"id"}, by its names in the dataset and in the table.',
        )


def find_release(
    table: Table, rows: Rows, people: People | None = None, progress: Progress = SILENT
) -> MadeElsewhere:
    """Find the groups of a table made elsewhere, and whose rows they have.

    Args:
        rows: Rows of the table; where people are known, each of one record.

    Raises:
        InvalidData: If it cannot have been made of the dataset: it has more rows, or without a key
            more with a sensitive value.
        TooLarge: If counts would not fit in memory.
    """
    _check_made_of(table, rows, people)
    keys = rows.keys if rows.groups is None else rows.groups.codes[:, None]
    examples, group, _ = distinct_rows(keys, progress)
    check_dense(len(examples), "groups", table.sensitive)
    shown = counted(group, rows.values, rows.counts, (len(examples), table.sensitive.size))
    extents = [
        None if each is None else read_extents(domain, each.labels, progress)
        for domain, each in zip(table.quasi_identifiers, rows.labels, strict=True)
    ]
    known: Known | None
    if people is not None:
        known, (parts, labels), true = "key", _of_people(table, people, group, shown, rows), True
    elif (told := placed(table, rows, group, shown, extents, progress)) is not None:
        known, (parts, labels, true) = "labels", told
    else:
        parts = Parts(table, np.zeros(len(examples), dtype=np.int64), shown)
        known, labels, true = None, np.arange(len(examples)), False
    partition = Groups.from_labels(labels)
    boxes = parts.boxes(partition) if people is not None else None
    unread = _unread(table, rows, group, extents)
    form, manners = _form(table, rows, group, extents, unread, boxes, placed=known is not None)
    return MadeElsewhere(
        parts,
        partition,
        form,
        known=known,
        true=true,
        manners=manners,
        unread=unread,
        strayed=0 if people is None else _strayed(table, people, rows, extents),
        seen=rows,
        examples=examples,
    )


def _check_made_of(table: Table, rows: Rows, people: People | None) -> None:
    """Refuse a table that cannot have been made of the dataset."""
    hint = (
        "It was made of other records, or the dataset has changed since, or values were. Register "
        "the table that it was made of; where values were changed, name a key."
    )
    if (count := int(rows.counts.sum())) > table.records:
        raise InvalidData(
            f"the table has {count} rows, and the dataset {table.records} records",
            detail="Each row is to be one record of the dataset.",
            hint=hint,
        )
    held = table.counts.sum(axis=0)
    found = np.bincount(rows.values, rows.counts, table.sensitive.size).astype(np.int64)
    more = np.flatnonzero(found > held)
    if people is None and more.size:
        value = int(more[0])
        raise InvalidData(
            f'the table has {found[value]} rows with "{table.sensitive.name}" '
            f"{table.sensitive.quote(value)}, and the dataset {held[value]} records",
            detail=f"So it is of {more.size} values.",
            hint=hint,
        )


def _of_people(
    table: Table, people: People, group: IntArray, shown: IntArray, rows: Rows
) -> tuple[Parts, IntArray]:
    """Parts by people that a key tells of, and the group of each."""
    first, part, _ = distinct_rows(np.column_stack((group, people.cells)))
    check_dense(len(first), "parts of cells", table.sensitive)
    shape = (len(first), table.sensitive.size)
    ones = np.ones_like(part)
    actual = counted(part, people.values, ones, shape)
    labels, cell = group[first], people.cells[first]
    differing = (counted(group, people.values, ones, shown.shape) != shown).any(axis=1)[labels]
    false = np.where(differing[:, None], counted(part, rows.values, ones, shape) - actual, 0)
    return with_rest(table, cell, actual, labels, false)


def _strayed(table: Table, people: People, rows: Rows, extents: Sequence[Place | None]) -> int:
    """Number of rows of which a label that can be read does not hold the value of their person."""
    strayed = np.zeros(len(people.cells), dtype=bool)
    for places, each, read in zip(table.places.T, rows.labels, extents, strict=True):
        if each is not None and read is not None:
            low, high = (end[each.codes] for end in read)
            place = places[people.cells]
            strayed |= (low != UNREAD) & ((place < low) | (high < place))
    return int(strayed.sum())


def _unread(
    table: Table, rows: Rows, group: IntArray, extents: Sequence[Place | None]
) -> dict[str, Unread]:
    """Labels that cannot be read, by quasi-identifier."""
    found = {}
    for domain, each, read in zip(table.quasi_identifiers, rows.labels, extents, strict=True):
        if each is None or read is None or not (missed := np.flatnonzero(read[0] == UNREAD)).size:
            continue
        labels = tuple(str(each.labels[place]) for place in missed)
        groups = np.unique(group[read[0][each.codes] == UNREAD])
        found[domain.name] = Unread(labels, len(groups))
    return found


def _form(
    table: Table,
    rows: Rows,
    group: IntArray,
    extents: Sequence[Place | None],
    unread: Mapping[str, Unread],
    boxes: Place | None,
    *,
    placed: bool,
) -> tuple[Form, dict[str, Manner]]:
    """The form that the table has, and the manner in which boxes are known.

    Args:
        unread: Labels that cannot be read, by quasi-identifier.
        boxes: Extents of the values of groups' people, where they are known by a key.
        placed: Whether it is known whose rows groups have.
    """
    groups = int(group.max(initial=-1)) + 1
    low, high = np.empty((2, groups, len(extents)), dtype=np.int64)
    manners: dict[str, Manner] = {}
    for axis, (domain, each, read) in enumerate(
        zip(table.quasi_identifiers, rows.labels, extents, strict=True)
    ):
        if each is None or read is None:
            manners[domain.name] = "not shown"
            low[:, axis], high[:, axis] = 0, domain.size - 1
            continue
        # A label that cannot be read spans nothing.
        missed = read[0] == UNREAD
        low[:, axis], high[:, axis] = domain.size, UNREAD
        np.minimum.at(low[:, axis], group, np.where(missed, domain.size, read[0])[each.codes])
        np.maximum.at(high[:, axis], group, read[1][each.codes])
        if domain.name not in unread:
            manners[domain.name] = "labels"
        elif boxes is not None:
            manners[domain.name] = "people"
            some = np.unique(group[missed[each.codes]])
            for ufunc, ends, people in zip(
                (np.minimum, np.maximum), (low, high), boxes, strict=True
            ):
                ends[some, axis] = ufunc(ends[some, axis], people[some, axis])
        else:
            manners[domain.name] = "unread"
    exact = all(read is not None and (read[0] == read[1]).all() for read in extents)
    if rows.groups is not None and exact and placed:
        return Bucketized(), manners
    return _Labelled(low=low, high=high, unread={} if boxes is not None else unread), manners
