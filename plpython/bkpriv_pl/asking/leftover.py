"""Leftover columns: those of a table made elsewhere that are not judged, but identify people.

They are judged as ``inspect_columns`` judges columns, by the same sample and figures: a column
identifies directly if it is a key, names people or links their rows; and it does so if its values
are nearly unique. The others are counted together, as the verdict of a release counts insensitive
attributes: rows that they single out within their group. No value of them leaves SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bkpriv_core.evidence import unique_rows_in_words
from bkpriv_core.table.appearance import judge
from bkpriv_core.table.inspection import nearly_unique
from bkpriv_core.table.singling import joined
from bkpriv_pl.asking.identification import MOST_COLUMNS, read_figures, readable_columns
from bkpriv_pl.server import notices
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.sample import Sample
from bkpriv_pl.tables.source import Relation

__all__ = ["tell_leftover"]


def tell_leftover(relation: Relation, grouping: Sequence[str], measured: Sequence[str]) -> None:
    """Say which columns of a table identify people and are not judged.

    Args:
        grouping: Columns whose equal values make groups.
        measured: Columns that are judged.
    """
    there = readable_columns(relation)
    groups = [column for column in there if column.name in grouping]
    others = [column for column in there if column.name not in measured]
    room = max(MOST_COLUMNS - len(groups), 0)
    if len(others) > room:
        notices.notice(
            f"{len(others) - room} columns of {relation} are not inspected",
            detail=f"At most {MOST_COLUMNS} columns can be inspected at once.",
            hint="Hand on a view without them.",
        )
    if others[:room]:
        _inspect(relation, groups, others[:room])


def _inspect(relation: Relation, groups: Sequence[Column], others: Sequence[Column]) -> None:
    """Look at the columns, in rows of groups."""
    columns = (*groups, *others)
    sample = Sample.of(relation, columns)
    labels, _, figures = read_figures(sample, columns)
    looks = [judge(each.seen) for each in figures[len(groups) :]]
    named = {}
    within, rest = labels[: len(groups)], []
    for each, look, label in zip(figures[len(groups) :], looks, labels[len(groups) :], strict=True):
        seen = each.seen
        if look.identifies or nearly_unique(seen.valued, seen.values):
            counts = f"{seen.values} values in {seen.valued} records"
            named[seen.name] = look.reason if look.identifies else counts
        elif look.looks_like != "constant":
            within.append(label)
            rest.append(seen.name)
    said = [f"{_listed(named)}."] if named else []
    if rest and (unique := int((joined(within)[1] == 1).sum())):
        said.append(f"{unique_rows_in_words(unique, len(labels[0]), rest)}.")
        named |= dict.fromkeys(rest, "")
    if not named:
        return
    if sample.drawn:
        said.append(f"Seen was a sample of {len(labels[0])} rows, in which more rows are unique.")
    tell = notices.warning if any(look.identifies for look in looks) else notices.notice
    tell(
        f"columns of {relation} that are not judged identify people",
        detail=" ".join(said),
        hint=f"Remove {', '.join(named)} from {relation} before it is handed on. A column that "
        "others may know can be a quasi-identifier of the dataset instead.",
    )


def _listed(reasons: Mapping[str, str]) -> str:
    return "Column (why): " + ", ".join(f'"{name}" ({why})' for name, why in reasons.items())
