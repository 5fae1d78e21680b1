"""Untidy files: what `load-csv` finds out about them, and what it says where nothing tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from bkpriv_client.csv_file import CsvFile, Form
from tests.client.untidy import FILES, Untidy

_GUESSED_WRONGLY = {"cp1250_polish"}
"""Files whose encoding no package told from a few words."""


@pytest.mark.parametrize("untidy", FILES, ids=[untidy.name for untidy in FILES])
def test_what_is_untidy_is_found(untidy: Untidy, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(untidy.content)
    found = CsvFile.open(path)
    dialect = found.layout.dialect
    assert found.header is untidy.header
    assert found.layout.above == untidy.above
    assert dialect.delimiter == untidy.delimiter
    assert dialect.quote == (untidy.quote or '"')
    file = CsvFile.open(path, Form(header=False)) if untidy.stated else found
    study = file.study()
    assert tuple(study.types) == untidy.names
    assert tuple(study.types.values()) == untidy.types
    assert study.records == untidy.records
    wide = untidy.text if untidy.name not in _GUESSED_WRONGLY else ""
    words = {field for _, fields in file.records() for field in fields if not field.isascii()}
    assert all(word in wide for word in words) or untidy.name in _GUESSED_WRONGLY
    assert bool(file.encoding.example) == (file.encoding.name[:3] not in ("utf",))
