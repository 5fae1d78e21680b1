"""Files that DuckDB does not read, recognised by their first bytes, whatever their names.

What a reader of CSV finds in such a file misleads: a wrong encoding, an odd delimiter, no records.
So the error names the program, and a way to make CSV of its file.
"""

from __future__ import annotations

import re

from bkpriv_client.failure import ClientError

__all__ = ["check_is_read"]

_SAVE = 'Save it as "CSV UTF-8" from the program that made it.'
_UNPACK = "Unpack it, and load the file that is wanted."
_PIPED = "Write {} FILE | bkpriv load-csv - --table NAME"


_BY_R = 'in R: write.csv({}("FILE"), "FILE.csv", row.names = FALSE)'
_SPSS = "Save it as CSV in SPSS; or " + _BY_R.format("haven::read_sav")
_PORTABLE = "Save it as CSV in SPSS; or " + _BY_R.format("haven::read_por")
_STATA = "In Stata: export delimited using FILE.csv; or " + _BY_R.format("haven::read_dta")
_SAS = "Write it by PROC EXPORT with DBMS=CSV in SAS; or " + _BY_R.format("haven::read_sas")
_TRANSPORT = "Write it by PROC EXPORT with DBMS=CSV in SAS; or " + _BY_R.format("haven::read_xpt")
_R = "In R, where it is called x: write.csv(x, 'FILE.csv', row.names = FALSE)"

_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"\xd0\xcf\x11\xe0", "an Excel workbook", _SAVE),
    (r"ARROW1|FEA1", "a Feather file", _SAVE),
    (r"ORC", "an ORC file", _SAVE),
    (r"Obj\x01", "an Avro file", _SAVE),
    (r"\x89HDF\r\n|MATLAB 5\.0 MAT-file", "an HDF5 or MATLAB file", _SAVE),
    (
        r"SQLite format 3\0",
        "an SQLite database",
        'Write one of its tables: sqlite3 -csv -header FILE "SELECT * FROM people" > people.csv',
    ),
    (r"\0\x01\0\0Standard (?:Jet|ACE) DB", "an Access database", _SAVE),
    (r"PGDMP", "a dump of PostgreSQL", "Restore it by pg_restore: its tables need no loading."),
    (r"%PDF", "a PDF", "Ask whoever made it for the data as CSV."),
    (r"\{\\rtf", "an RTF document", _SAVE),
    (r"\$FL[23]@\(#\)", "an SPSS file", _SPSS),
    (r"(?s:.{0,700})SPSSPORT", "an SPSS file", _PORTABLE),
    (r"<stata_dta>|[\x66-\x73][\x01\x02]\x01[\0\x01]", "a Stata file", _STATA),
    (r"(?:RD[XAB][1-9]\n)?[XB]\n\0?\0?\0?[\x01-\x03]", "an R file", _R),
    (
        r"\0{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c\x18\x1f\x10\x11",
        "a SAS file",
        _SAS,
    ),
    (
        r"HEADER RECORD\*{7}LIB(?:RARY|V8 )",
        "a SAS file",
        _TRANSPORT,
    ),
    (
        r"PK\x03\x04(?s:.*)(?:xl/workbook|content\.xml|Index/Document\.iwa|\[Content_Types\])",
        "a workbook",
        _SAVE,
    ),
    (r"PK\x03\x04", "a zip archive", _PIPED.format("unzip -p")),
    (r"\xfd7zXZ\0", "packed by xz", _PIPED.format("xzcat")),
    (r"7z\xbc\xaf\x27\x1c|Rar!|(?s:.{257})ustar", "an archive", _UNPACK),
    (
        r'\s*\[\s*\[\s*(?:["\]]|-?\d|null)',
        "JSON without names",
        "Write one object for each record, or CSV.",
    ),
    (
        r"(?i)\s*<(?:!doctype html|html|head|body|table)\b",
        "an HTML page",
        'Open it in a spreadsheet, and save it there as "CSV UTF-8".',
    ),
    (r"\s*<\?xml\b", "an XML file", _SAVE),
)
"""First bytes of files that are not read, what they are, and the way out."""


def check_is_read(beginning: str, title: str) -> None:
    """Refuse a file that begins as other programs' files do.

    Args:
        beginning: First characters of the file; of one that is no text, its bytes as Latin-1.

    Raises:
        ClientError: If it is such a file.
    """
    for pattern, kind, way_out in _KINDS:
        if re.match(pattern, beginning):
            raise ClientError(f"{title} is {kind}, which is not read", hint=way_out)
