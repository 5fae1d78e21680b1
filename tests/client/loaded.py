"""Files as they are loaded: types, reasons and values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bkpriv_client.column import Decision, Stated
from bkpriv_client.csv_file import open_csv
from bkpriv_client.dialect import Form

__all__ = ["Loaded", "loaded"]


@dataclass(frozen=True)
class Loaded:
    """A file as it is loaded."""

    header: bool | None
    """Whether a line was found to name the columns."""
    types: dict[str, str]
    rows: list[tuple[str | None, ...]]
    """Records as they go into a table."""
    decisions: dict[str, Decision]
    notes: list[str]


def loaded(
    path: Path, form: Form | None = None, stated: Stated | None = None, *, header: bool = True
) -> Loaded:
    """Load a file; where nothing shows whether a line names the columns, it is as stated."""
    with open_csv(path, form) as file:
        found = file.header
        file.settle(header=header if found is None else found)
        file.read()
        study = file.study(stated)
        rows = [tuple(row.values()) for batch in file.batches(study) for row in batch.to_pylist()]
        return Loaded(found, dict(study.types), rows, dict(study.decisions), file.notes)
