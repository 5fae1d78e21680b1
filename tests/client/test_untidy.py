"""Untidy files: what `load-csv` finds out about them, and what it says where nothing tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.csv_file import open_csv
from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from tests.client.loaded import loaded
from tests.client.untidy import FILES, Untidy

_FORMS: dict[str, Callable[[str], Form]] = {
    "--no-header": lambda _: Form(header=False),
    "--skip-last": lambda value: Form(below=int(value)),
    "--encoding": lambda value: Form(encoding=value),
}
"""Statements of options."""


@pytest.mark.parametrize("untidy", FILES, ids=[untidy.name for untidy in FILES])
def test_what_is_untidy_is_found(untidy: Untidy, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(untidy.content)
    option, _, value = untidy.stated.partition(" ")
    if option == "--no-header":
        with open_csv(path) as file:
            assert not file.header
    elif option:
        with pytest.raises(ClientError, match=r"people\.csv.* is not|line 62: looks") as caught:
            loaded(path)
        assert option in (caught.value.hint or "")
    found = loaded(path, _FORMS[option](value) if option else None)
    assert found.header is untidy.header
    assert tuple(found.types) == untidy.names
    assert tuple(found.types.values()) == untidy.types
    assert len(found.rows) == untidy.records
    words = {value for row in found.rows for value in row if value and not value.isascii()}
    assert all(word in untidy.text for word in words)


def test_what_duckdb_would_leave_out_is_refused(tmp_path: Path) -> None:
    """Names that are fewer than values, and decimal commas between commas."""
    path = tmp_path / "people.csv"
    for text in ("age,illness\n1,20,flu\n2,30,flu\n", "age,weight\n31,70,5\n45,81,0\n"):
        path.write_text(text)
        with pytest.raises(ClientError, match="line 2: 3 fields where 2 are expected"):
            loaded(path)


def test_comments_are_left_out_and_records_are_not(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("# one, two\n" * 40 + "a,b\n1,2\n3,4\n")
    found = loaded(path)
    assert (found.rows, [*found.types]) == ([("1", "2"), ("3", "4")], ["a", "b"])
    assert "Left out: line 1 to 40" in found.notes[0]
    path.write_text("name;x;y;z\n" * 250 + "a,b\n" + "1,2\n" * 900)
    with pytest.raises(ClientError, match="fields where"):
        loaded(path)


def test_values_beyond_the_sample_are_read_as_those_within(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("n,note\n" + "1,plain\n" * 30_000 + '2,"with, comma"\n#3,x\n')
    found = loaded(path)
    assert found.rows[-2:] == [("2", "with, comma"), ("#3", "x")]
    assert "30,001 of 30,002 values are numbers, but not '#3' (line 30003)" in (
        found.decisions["n"].why
    )


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
    with open_csv(path, Form(delimiter=",")) as file:
        assert file.header is not True


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
            found, refused = loaded(path), ""
        except ClientError as error:
            refused = error.message
    if refused:
        assert "people.csv" in refused
    else:
        assert {len(row) for row in found.rows} == {len(found.types)}
