"""Files of other programs are named, with the way out; and what is packed takes little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from tests.client.loaded import loaded

NOISE = bytes(range(256)) * 4

R = b"X\n\0\0\0\x03\0\x04\x02\x02" + NOISE


def _zip(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


OTHERS = [
    (b'[["age","dx"],[20,"flu"]]', "JSON without names", "one object"),
    (b"$FL2@(#) SPSS DATA FILE" + NOISE, "SPSS", "read_sav"),
    (b"$FL3@(#) SPSS DATA FILE" + NOISE, "SPSS", "read_sav"),
    (b"ASCII SPSS PORT FILE".ljust(40) * 5 + b"0" * 264 + b"SPSSPORTA", "SPSS", "read_por"),
    (b"<stata_dta><header><release>118</release>" + NOISE, "Stata", "export delimited"),
    (b"\x72\x02\x01\x00" + NOISE, "Stata", "read_dta"),
    (gzip.compress(R), "an R file", "write.csv"),
    (bz2.compress(R), "an R file", "write.csv"),
    (lzma.compress(b"a,b\n1,2\n"), "packed by xz", "xzcat FILE | bkpriv load-csv -"),
    (_zip({"people": "a,b\n1,2\n"}), "a zip archive", "unzip -p FILE | bkpriv load-csv -"),
    (_zip({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "a workbook", "CSV UTF-8"),
    (_zip({"mimetype": "x", "content.xml": ""}), "a workbook", "CSV UTF-8"),
    (
        bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + NOISE,
        "SAS",
        "read_sas",
    ),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + b"0" * 30, "SAS", "read_xpt"),
    (b"SQLite format 3\0" + NOISE, "an SQLite database", "sqlite3"),
    (b"%PDF-1.7\n" + NOISE, "a PDF", "as CSV"),
    (b"\n<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>", "an HTML page", "CSV UTF-8"),
    (b'<?xml version="1.0"?>\n<Workbook/>', "an XML file", "CSV UTF-8"),
    (b"\xd0\xcf\x11\xe0" + NOISE, "an Excel workbook", "CSV UTF-8"),
]


def _refused(path: Path, content: bytes, form: Form | None = None) -> str:
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        loaded(path, form)
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
        assert way_out in said


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
    assert len(loaded(path, Form(header=True)).rows) == 2


def _wide_zstd(content: bytes) -> bytes:
    """A frame whose header asks for a window of 2 GiB, and one block."""
    block = (len(content) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\x00\xa8" + block + content


def _zstd(content: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return bytes(sink.getvalue().to_pybytes())


def test_a_small_file_takes_no_large_memory(tmp_path: Path) -> None:
    said = _refused(tmp_path / "people.csv", _wide_zstd(b"a,b\n1,2\n"))
    assert "cannot be unpacked: " in said


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, _zstd])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "people.csv"
    packed = pack(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 977) for i in range(9_000)))
    path.write_bytes(packed)
    assert len(loaded(path).rows) == 9_000
    for lost in (1, 9, len(packed) // 2):
        assert "cannot be unpacked: " in _refused(path, packed[:-lost])
