"""Files of other programs are named, with the way out; and what is packed takes little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from bkpriv_client.csv_file import CsvFile, Form
from bkpriv_client.failure import ClientError

NOISE = bytes(range(256)) * 4

R = b"X\n\0\0\0\x03\0\x04\x02\x02" + NOISE

OTHERS = [
    (b'[{"age":20,"dx":"flu"},{"age":30,"dx":"gout"}]\n', "JSON", "read_json"),
    (b'\n[ {\n  "age": 20,\n  "dx": "flu"\n }\n]\n', "JSON", "read_json"),
    (b'\xef\xbb\xbf{"age":20,"dx":"flu"}\n{"age":21,"dx":"flu"}\n', "JSON", "read_json"),
    ('{"age":20}\n'.encode("utf-16"), "JSON", "read_json"),
    (b'[["age","dx"],[20,"flu"]]', "JSON", "read_json"),
    (gzip.compress(b'{"age":20}\n{"age":21}\n'), "JSON", "read_json"),
    (b"$FL2@(#) SPSS DATA FILE" + NOISE, "SPSS", "read_sav"),
    (b"$FL3@(#) SPSS DATA FILE" + NOISE, "SPSS", "read_sav"),
    (b"ASCII SPSS PORT FILE".ljust(40) * 5 + b"0" * 264 + b"SPSSPORTA", "SPSS", "read_por"),
    (b"<stata_dta><header><release>118</release>" + NOISE, "Stata", "export delimited"),
    (b"\x72\x02\x01\x00" + NOISE, "Stata", "read_dta"),
    (gzip.compress(R), "an R file", "write.csv"),
    (bz2.compress(R), "an R file", "write.csv"),
    (lzma.compress(b"RDX3\n" + R), "an R file", "write.csv"),
    (
        bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + NOISE,
        "SAS",
        "read_sas",
    ),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + b"0" * 30, "SAS", "read_xpt"),
    (b"PAR1" + NOISE, "a Parquet file", "duckdb"),
    (b"SQLite format 3\0" + NOISE, "an SQLite database", "sqlite3"),
    (b"%PDF-1.7\n" + NOISE, "a PDF", "as CSV"),
    (b"\n<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>", "an HTML page", "CSV UTF-8"),
    (b'<?xml version="1.0"?>\n<Workbook/>', "an XML file", "CSV UTF-8"),
    (b"\xd0\xcf\x11\xe0" + NOISE, "an Excel workbook", "CSV UTF-8"),
]


def _zip(files: dict[str, str], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def _refused(path: Path, content: bytes, form: Form | None = None) -> str:
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        CsvFile.open(path, form).study()
    error = caught.value
    return f"{error.message} {error.detail} {error.hint}"


@pytest.mark.parametrize(("content", "kind", "way_out"), OTHERS, ids=range(len(OTHERS)))
def test_a_file_of_another_program_is_named(
    content: bytes, kind: str, way_out: str, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    for form in (None, Form(encoding="latin-1")):
        said = _refused(path, content, form)
        assert f"{path} is" in said
        assert kind in said
        assert "not CSV" in said
        assert way_out in said


def test_spreadsheets_are_named(tmp_path: Path) -> None:
    files = {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": ""}
    assert "is an OpenDocument spreadsheet" in _refused(tmp_path / "a.csv", _zip(files))


@pytest.mark.parametrize(
    "text",
    [
        "[found],{x}\n1,2\n2,3\n",
        '"[a]";"{""b"": 1}"\n1;2\n2;3\n',
        "X\n1\n2\n",
        "<5,>5\n1,2\n3,4\n",
        "PAR,1\n1,2\n3,4\n",
        "RDX,b\n1,2\n3,4\n",
    ],
)
def test_what_only_looks_like_them_is_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    assert CsvFile.open(path, Form(header=True)).study().records == 2


def _wide_xz(content: bytes) -> bytes:
    """A file whose header asks for a dictionary of 4 GiB."""
    packed = bytearray(lzma.compress(content))
    assert packed[14:16] == b"\x21\x01"  # LZMA2, with one byte for its dictionary
    size = (packed[12] + 1) * 4
    packed[16] = 40
    packed[8 + size : 12 + size] = struct.pack("<I", zlib.crc32(packed[12 : 8 + size]))
    return bytes(packed)


def _wide_zstd(content: bytes) -> bytes:
    """A frame whose header asks for a window of 2 GiB, and one block."""
    block = (len(content) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\x00\xa8" + block + content


@pytest.mark.parametrize("packed", [_wide_xz(b"a,b\n1,2\n"), _wide_zstd(b"a,b\n1,2\n")])
def test_a_small_file_takes_no_large_memory(packed: bytes, tmp_path: Path) -> None:
    said = _refused(tmp_path / "people.csv", packed)
    assert "more than 256 MB of memory" in said
    assert "unpack it by" in said


def test_a_method_that_takes_any_memory_is_not_read(tmp_path: Path) -> None:
    said = _refused(tmp_path / "a.csv", _zip({"people": "a,b\n1,2\n"}, zipfile.ZIP_LZMA))
    assert "packed by method 14" in said


def test_streams_of_xz_are_read_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.xz"
    rows = [f"{i},{i % 7}\n".encode() for i in range(40_000)]
    content = [lzma.compress(b"a,b\n" + b"".join(rows[:9])), bytes(8), lzma.compress(b"")]
    path.write_bytes(b"".join([*content, lzma.compress(b"".join(rows[9:]), preset=9)]))
    study = CsvFile.open(path).study()
    assert (study.records, study.types) == (40_000, {"a": "integer", "b": "integer"})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ClientError, match="cannot be unpacked as xz"):
        CsvFile.open(path).study()
