"""Files of other programs, recognised by their first bytes, whatever their names.

A name says little, and what a reader of CSV finds in such a file misleads: a wrong encoding, an
odd delimiter, no records. So the program is named, with a way to make CSV of its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO

from bkpriv_client.failure import ClientError

__all__ = ["check_is_text"]

_BEGINNING = 4096
"""First bytes by which a file is recognised."""

_SAVE = 'Save it as "CSV UTF-8" from the program that made it.'
_DUCKDB = "With DuckDB: duckdb -c \"COPY (FROM 'FILE') TO 'FILE.csv'\""
_UNPACK = "Unpack it, and load the file that is wanted."


_BY_R = 'in R: write.csv({}("FILE"), "FILE.csv", row.names = FALSE)'
_SPSS = "Save it as CSV in SPSS; or " + _BY_R.format("haven::read_sav")
_PORTABLE = "Save it as CSV in SPSS; or " + _BY_R.format("haven::read_por")
_STATA = "In Stata: export delimited using FILE.csv; or " + _BY_R.format("haven::read_dta")
_SAS = "Write it by PROC EXPORT with DBMS=CSV in SAS; or " + _BY_R.format("haven::read_sas")
_TRANSPORT = "Write it by PROC EXPORT with DBMS=CSV in SAS; or " + _BY_R.format("haven::read_xpt")
_R = "In R, where it is called x: write.csv(x, 'FILE.csv', row.names = FALSE)"

_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (rb"\xd0\xcf\x11\xe0", "an Excel workbook", _SAVE),
    (rb"PAR1", "a Parquet file", _DUCKDB),
    (rb"ARROW1|FEA1", "a Feather file", _SAVE),
    (rb"ORC", "an ORC file", _SAVE),
    (rb"Obj\x01", "an Avro file", _SAVE),
    (rb"\x89HDF\r\n|MATLAB 5\.0 MAT-file", "an HDF5 or MATLAB file", _SAVE),
    (
        rb"SQLite format 3\0",
        "an SQLite database",
        'Write one of its tables: sqlite3 -csv -header FILE "SELECT * FROM people" > people.csv',
    ),
    (rb"\0\x01\0\0Standard (?:Jet|ACE) DB", "an Access database", _SAVE),
    (rb"PGDMP", "a dump of PostgreSQL", "Restore it by pg_restore: its tables need no loading."),
    (rb"%PDF", "a PDF", "Ask whoever made it for the data as CSV."),
    (rb"\{\\rtf", "an RTF document", _SAVE),
    (rb"\$FL[23]@\(#\)", "an SPSS file", _SPSS),
    (rb"(?s:.{0,700})SPSSPORT", "an SPSS file", _PORTABLE),
    (rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01[\0\x01]", "a Stata file", _STATA),
    (rb"(?:RD[XAB][1-9]\n)?[XB]\n\0?\0?\0?[\x01-\x03]", "an R file", _R),
    (
        rb"\0{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c\x18\x1f\x10\x11",
        "a SAS file",
        _SAS,
    ),
    (
        rb"HEADER RECORD\*{7}LIB(?:RARY|V8 )",
        "a SAS file",
        _TRANSPORT,
    ),
    (rb"7z\xbc\xaf\x27\x1c|Rar!|(?s:.{257})ustar", "an archive", _UNPACK),
    (
        # An object with a key; or a list of such, or of lists.
        rb'\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}\s*\Z)|\s*\[\s*\[\s*(?:["\]]|-?\d|null)',
        "JSON",
        _DUCKDB.replace("'FILE'", "read_json('FILE')"),
    ),
    (
        rb"(?i)\s*<(?:!doctype html|html|head|body|table)\b",
        "an HTML page",
        'Open it in a spreadsheet, and save it there as "CSV UTF-8".',
    ),
    (rb"\s*<\?xml\b", "an XML file", _SAVE),
)
"""First bytes of files that are not CSV, what they are, and the way out."""

_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def check_is_text(opened: Callable[[], AbstractContextManager[IO[bytes]]], title: str) -> None:
    """Refuse a file that begins as other programs' files do.

    Parameters
    ----------
    opened : callable
        Opens the file, unpacked.
    title : str
        Title of the file in messages.

    Raises
    ------
    ClientError
        If it is such a file.
    """
    with opened() as stream:
        beginning = stream.read(_BEGINNING)
    for mark, encoding in _MARKS.items():
        if beginning.startswith(mark):
            beginning = beginning[len(mark) :] if encoding == "utf-8" else beginning
            beginning = beginning.decode(encoding, errors="ignore").encode()
    for pattern, kind, way_out in _KINDS:
        if re.match(pattern, beginning):
            raise ClientError(f"{title} is {kind}, not CSV", hint=way_out)
