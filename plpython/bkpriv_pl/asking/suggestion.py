"""Suggestion: hierarchies for labels of a dataset, as statements to run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import plpy

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.suggestion import MOST_CODES, Suggestion, by_structure, check_labels, suggest
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, require, run
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.dataset import Dataset, columns_of, find_dataset, open_source, read_known
from bkpriv_pl.tables.inspection import distinct_values
from bkpriv_pl.tables.source import Relation, check_readable

__all__ = ["suggest_hierarchy"]

_RECORDS = 2_000_000
"""Largest number of records that are read."""

Row = tuple[int, float | None, float | None, str | None, str]


@entry(Access.SOURCE)
def suggest_hierarchy(name: str | None, attribute: str | None) -> list[Row]:
    """See ``bkpriv.suggest_hierarchy``."""
    dataset = find_dataset(name)
    attribute = require(attribute, "attribute")
    if attribute in dataset.sensitive_columns:
        found = _by_labels(dataset, columns_of(dataset)[attribute])
        return _rows(dataset, attribute, found)
    column = _categorical(dataset, attribute)
    source = open_source(dataset)
    check_readable(source, dataset.quasi_identifiers)
    _check_size(source, column)
    task = Task("bkpriv suggest")
    task.step("counting")
    table = read_known(dataset)
    axis = [domain.name for domain in table.quasi_identifiers].index(column.name)
    found = suggest(table, axis, task.step("measuring"))
    task.done()
    return _rows(dataset, attribute, found)


def _rows(dataset: Dataset, attribute: str, found: Sequence[Suggestion]) -> list[Row]:
    return [
        (each.levels, each.gcp, each.gcp_now, _statement(dataset, attribute, each), each.reason)
        for each in found
    ]


def _by_labels(dataset: Dataset, column: Column) -> list[Suggestion]:
    """Propose for a sensitive column by its labels alone, and refuse those without structure."""
    found: list[Suggestion] = []
    if not column.numeric:
        source = open_source(dataset)
        check_readable(source, (column.name,))
        labels = [value for value in distinct_values(source, column) if value is not None]
        check_labels(column.name, len(labels))
        found = by_structure(labels, np.ones(len(labels), dtype=np.int64))
    if not found:
        raise InvalidParameter(
            f'attribute "{column.name}" of dataset "{dataset.name}" is sensitive',
            detail="Its labels are neither bands nor codes. Who has them is not looked at, for the "
            "hierarchy would disclose it.",
            hint="List its hierarchy by what the values mean: bkpriv.set_list_hierarchy.",
        )
    return found


def _categorical(dataset: Dataset, attribute: str) -> Column:
    """Return the column of a quasi-identifier of labels."""
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
        f"LIMIT {MOST_CODES + 2}) AS x) AS labels"
    )
    if row["records"] > _RECORDS:
        raise TooLarge(
            f"{source} has more than {_RECORDS:,} records",
            detail="So many are not read for a suggestion.",
            hint="Register a view of some of them as another dataset, and ask for that.",
        )
    check_labels(column.name, row["labels"])


def _statement(dataset: Dataset, attribute: str, found: Suggestion) -> str | None:
    """Statement that sets a hierarchy which is proposed."""
    if found.kind == "dates":
        return None
    named = f"{plpy.quote_literal(dataset.name)}, {plpy.quote_literal(attribute)}"
    if found.kind == "prefixes":
        lengths = ", ".join(map(str, found.argument))
        return f"SELECT bkpriv.set_prefix_hierarchy({named}, ARRAY[{lengths}]);"
    branches = plpy.quote_literal(json.dumps(found.argument, ensure_ascii=False))
    return f"SELECT bkpriv.set_list_hierarchy({named}, {branches});"
