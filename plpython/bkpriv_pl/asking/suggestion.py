"""Suggestion: hierarchies for labels of a dataset, as statements to run."""

from __future__ import annotations

import json

import plpy

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.suggestion import MOST_LABELS, Suggestion, check_labels, suggest
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.dataset import Dataset, columns_of, find_dataset, open_source, read_known
from bkpriv_pl.tables.source import Relation, check_readable

__all__ = ["suggest_hierarchy"]

_RECORDS = 2_000_000
"""Largest number of records that are read."""

Row = tuple[int, float | None, float | None, str | None, str]


@entry(Access.SOURCE)
def suggest_hierarchy(name: str | None, attribute: str | None) -> list[Row]:
    """See ``bkpriv.suggest_hierarchy``."""
    dataset = find_dataset(name)
    column = _categorical(dataset, require(attribute, "attribute"))
    source = open_source(dataset)
    check_readable(source, dataset.quasi_identifiers)
    _check_size(source, column)
    task = Task("bkpriv suggest")
    task.step("counting")
    table = read_known(dataset)
    axis = [domain.name for domain in table.quasi_identifiers].index(column.name)
    found = suggest(table, axis, task.step("measuring"))
    task.done()
    return [
        (each.levels, each.gcp, each.gcp_now, _statement(dataset, column, each), each.reason)
        for each in found
    ]


def _categorical(dataset: Dataset, attribute: str) -> Column:
    """Return the column of a quasi-identifier of labels."""
    if attribute in dataset.sensitive_columns:
        raise InvalidParameter(
            f'attribute "{attribute}" of dataset "{dataset.name}" is sensitive',
            detail="Who has its values is not looked at to bring them together, for the hierarchy "
            "would tell it.",
            hint="List its hierarchy by what the values mean: bkpriv.set_list_hierarchy.",
        )
    if attribute not in dataset.quasi_identifiers:
        raise Refusal(
            "42703",
            f'dataset "{dataset.name}" has no attribute "{attribute}"',
            detail="It is no quasi-identifier.",
            hint=f"Its quasi-identifiers are {', '.join(dataset.quasi_identifiers)}.",
        )
    column = columns_of(dataset)[attribute]
    if column.numeric:
        raise InvalidParameter(
            f'attribute "{attribute}" holds no labels',
            detail=f"Its type is {column.declared_as}: values that share a group are published as "
            "a range, without a hierarchy.",
            hint="For intervals there is bkpriv.set_interval_hierarchy, for units of the calendar "
            "bkpriv.set_date_hierarchy.",
        )
    return column


def _check_size(source: Relation, column: Column) -> None:
    """Refuse more records than are read, and labels that are too many or too few."""
    (row,) = run(
        "SELECT (SELECT count(*) FROM (SELECT FROM "
        f"{source} LIMIT {_RECORDS + 1}) AS x) AS records, "
        f"(SELECT count(v) FROM (SELECT DISTINCT {column.expression('s')} AS v FROM {source} AS s "
        f"LIMIT {MOST_LABELS + 2}) AS x) AS labels"
    )
    if row["records"] > _RECORDS:
        raise TooLarge(
            f"{source} has more than {_RECORDS:,} records",
            detail="So many are not read for a suggestion.",
            hint="Register a view of some of them as another dataset, and ask for that.",
        )
    check_labels(column.name, row["labels"])


def _statement(dataset: Dataset, column: Column, found: Suggestion) -> str | None:
    """Statement that sets a hierarchy which is proposed."""
    if found.kind == "dates":
        return None
    named = f"{plpy.quote_literal(dataset.name)}, {plpy.quote_literal(column.name)}"
    if found.kind == "prefixes":
        lengths = ", ".join(map(str, found.argument))
        return f"SELECT bkpriv.set_prefix_hierarchy({named}, ARRAY[{lengths}]);"
    branches = plpy.quote_literal(json.dumps(found.argument, ensure_ascii=False))
    return f"SELECT bkpriv.set_list_hierarchy({named}, {branches});"
