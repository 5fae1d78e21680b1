"""Untidy files: what `load-csv` finds out about them, and what it says where nothing tells."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.csv_file import CsvFile, Form
from bkpriv_client.failure import ClientError
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


@pytest.mark.parametrize(
    "content",
    [
        "?\n7\n7\n",
        "f,Gustav Ott\nm,Bert Smith\nf,Anna Miller\n",
        "f\n" + "m\nf\n" * 20,
        "J10,m\nI20.9,f\n",
        "n/a,x5\n" + "7,x5\n" * 12,
    ],
)
def test_values_are_never_taken_for_names(content: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(content)
    assert CsvFile.open(path, Form(delimiter=",")).header is not True


_PIECES = [
    *rb"""" ' ; , \" 1 Total n/a""".split(),
    *(b"\n", b"\r", b"\n\n", b"\0", b"\xff\xfe", b"\xe9"),
]


@given(
    st.sampled_from(FILES),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from([b"", *_PIECES])),
        min_size=1,
        max_size=5,
    ),
)
def test_a_damaged_file_is_read_or_refused(
    untidy: Untidy, damages: list[tuple[float, int, bytes]]
) -> None:
    content = untidy.content
    for share, lost, put in damages:
        place = int(share * len(content))
        content = content[:place] + put + content[place + lost :]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "people.csv"
        path.write_bytes(content)
        try:
            file = CsvFile.open(path)
            study = file.study()
            rows = list(file.rows(study))
            refused = None
        except ClientError as error:
            refused = error
    if refused is not None:
        assert "people.csv" in refused.message
    else:
        assert len(rows) == study.records
        assert {len(row) for row in rows} <= {len(study.types)}
