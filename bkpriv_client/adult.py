"""The UCI Adult data ("Census Income") with its generalization hierarchies, from CSV files.

The quasi-identifiers are those of Li, Li and Zhang 2009; the sensitive attribute is the occupation.
"""

from __future__ import annotations

from pathlib import Path

from bkpriv_client.csv_file import open_csv, read_hierarchies
from bkpriv_client.failure import ClientError
from bkpriv_client.source import Column, Source

__all__ = ["read_adult"]

_QUASI_IDENTIFIERS = ("age", "workclass", "education", "marital_status", "race", "sex")
_SENSITIVE = "occupation"


def read_adult(path: Path) -> Source:
    """Read the table and, from the same directory, ``hierarchy_<attribute>.csv``.

    Age needs no hierarchy; it is generalized to intervals.

    Raises:
        ClientError: If a file or a column is missing.
    """
    with open_csv(path) as file:
        file.settle(header=True)
        file.read()
        study = file.study()
        values: dict[str, list[str | None]] = {name: [] for name in study.types}
        for batch in file.batches(study):
            for column, some in zip(values.values(), batch.columns, strict=True):
                column += some.to_pylist()
    absent = [name for name in (*_QUASI_IDENTIFIERS, _SENSITIVE) if name not in file.names]
    if absent:
        raise ClientError(
            f"{path} lacks columns of the Adult data",
            detail=f"Missing: {', '.join(absent)}. Found: {', '.join(file.names)}.",
            hint="Name the columns in the first line; education is the label, not the number.",
        )
    categorical = (*_QUASI_IDENTIFIERS[1:], _SENSITIVE)
    hierarchies = read_hierarchies(path.parent, categorical)
    absent = [f"hierarchy_{name}.csv" for name in categorical if name not in hierarchies]
    if absent:
        raise ClientError(
            f"hierarchies of the Adult data are missing beside {path}",
            detail=f"Missing: {', '.join(absent)}.",
            hint="Each has one row per value: the value, coarser labels, and the root.",
        )
    return Source(
        name="adult",
        title="records of the UCI Adult census data",
        columns={name: Column(kind, values[name]) for name, kind in study.types.items()},
        quasi_identifiers=_QUASI_IDENTIFIERS,
        sensitive=_SENSITIVE,
        hierarchies=hierarchies,
        intervals={"age": (5, 10, 20, 40)},
    )
