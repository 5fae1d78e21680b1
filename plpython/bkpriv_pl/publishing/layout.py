"""Layout: in which columns a release shows its attributes, and which names those take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import plpy

from bkpriv_core.release.release import Form
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.table import Table
from bkpriv_pl.publishing.values import ADDED, Columns, exact_of, extent_of, label_of
from bkpriv_pl.server.boundary import Refusal
from bkpriv_pl.tables.column import Column
from bkpriv_pl.tables.dataset import Dataset
from bkpriv_pl.tables.dataset import columns_of as columns_of_source

__all__ = [
    "check_bounds",
    "check_columns",
    "columns_published",
    "columns_shown",
    "names_ahead",
    "names_of_records",
]


def columns_published(dataset: Dataset, coarse: Collection[str]) -> dict[str, Column]:
    """Columns of the source as they are published."""
    return {
        name: replace(column, published_as="text", bin=None) if name in coarse else column
        for name, column in columns_of_source(dataset).items()
    }


def columns_shown(
    form: Form, table: Table, types: Mapping[str, Column]
) -> tuple[list[Columns], list[Columns]]:
    """Columns of each quasi-identifier, and of each sensitive column."""
    shown = []
    for domain in table.quasi_identifiers:
        if form.exact:
            shown.append(exact_of(types[domain.name], domain, form.ranges))
        elif domain.numeric:
            shown.append(extent_of(types[domain.name], domain, form.ranges))
        else:
            shown.append(label_of(domain))
    told = columns_of(table.sensitive)
    return shown, [exact_of(types[domain.name], domain, form.ranges) for domain in told]


def names_of_records(
    dataset: Dataset, table: Table, form: Form, coarse: Collection[str]
) -> list[str]:
    """Columns of the view of records."""
    quasi_identifiers, sensitive = columns_shown(form, table, columns_published(dataset, coarse))
    names: dict[str, list[str]] = {
        "quasi_identifiers": [item.name for items in quasi_identifiers for item in items],
        "sensitive": [item.name for items in sensitive for item in items],
        "passed": [*dataset.attributes],
        **{name: [name] for name in ADDED},
    }
    return [name for field in form.exhibits["records"] for name in names[field]]


def names_ahead(dataset: Dataset, form: Form) -> list[str]:
    """Columns that the view of records may have, by what is known before the source is read."""
    ends = ("", "_from", "_to", "_below") if form.ranges == "bounds" else ("",)
    names: dict[str, list[str]] = {
        "quasi_identifiers": [n + end for n in dataset.quasi_identifiers for end in ends],
        "sensitive": [n + end for n in dataset.sensitive_columns for end in ends],
        "passed": [*dataset.attributes],
        **{name: [name] for name in ADDED},
    }
    return [name for field in form.exhibits["records"] for name in names[field]]


def check_columns(dataset: Dataset, form: Form) -> None:
    """Refuse attributes that go by the name of a column that the form adds."""
    shown = {"quasi_identifiers", "sensitive", "passed"}
    beside = {field for fields in form.exhibits.values() if shown & {*fields} for field in fields}
    added = [name for name in ADDED if name in beside]
    listed = '" and "'.join(added)
    for name in added:
        if name in (*dataset.measured, *dataset.attributes):
            raise Refusal(
                "42701",
                f'column "{name}" of dataset "{dataset.name}" goes by a name of the release',
                detail=f'The views have columns "{listed}" of their own.',
                hint="Publish from a view that calls the column something else.",
            )


def check_bounds(dataset: Dataset, table: Table, form: Form, coarse: Collection[str]) -> None:
    """Refuse attributes that go by the name of a column with the bounds of another.

    Raises:
        Refusal: If there are any.
        InvalidParameter: If such a name is too long.
        InvalidData: If no range can hold a value.
    """
    quasi_identifiers, sensitive = columns_shown(form, table, columns_published(dataset, coarse))
    domains = (*table.quasi_identifiers, *columns_of(table.sensitive))
    taken = {*dataset.measured, *dataset.attributes}
    for domain, items in zip(domains, (*quasi_identifiers, *sensitive), strict=True):
        for item in items:
            if item.name != domain.name and item.name in taken:
                raise Refusal(
                    "42701",
                    f'column "{item.name}" of dataset "{dataset.name}" goes by a name of the '
                    "release",
                    detail=f'By {{"ranges": "bounds"}}, attribute "{domain.name}" is shown by '
                    f"{' and '.join(plpy.quote_ident(column.name) for column in items)}.",
                    hint="Publish from a view that calls the column something else, or with "
                    '{"ranges": "text"}.',
                )
