"""Account of a file, given before it is loaded, and agreed to.

On a terminal a person is asked. Elsewhere what is said is done; but where only they can know
whether a line holds names or somebody's values, it is refused.
"""

from __future__ import annotations

import sys
from collections import Counter

import typer
from rich.console import Console

from bkpriv_client.csv_file import CsvFile, Study
from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from bkpriv_client.terminal import make_table, shown

__all__ = ["agree", "give_account", "settle_header"]

_MOST_ROWS = 60
"""Columns that are listed one by one."""

_DELIMITERS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "bars",
    ":": "colons",
    " ": "blanks",
}

_ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-32": "UTF-32"}
_KINDS = {"parquet": "Parquet file", "json": "JSON"}


def settle_header(console: Console, file: CsvFile, form: Form) -> bool:
    """Return whether a line names the columns of a file.

    Raises:
        ClientError: If nothing tells, and nobody can be asked.
    """
    if file.layout is None or form.header is not None or file.header:
        return bool(file.header)
    line = file.layout.above + 1
    if file.header is False and (form.columns is not None or file.layout.plain):
        return False
    first = " | ".join(file.layout.first)
    first = first if len(first) <= 80 else f"{first[:80]}…"
    fault = (
        f"line {line} of {file.title} looks like a record, not like names of columns"
        if file.header is False
        else f"nothing tells whether line {line} of {file.title} names the columns"
    )
    if not _asked(console):
        raise ClientError(
            fault,
            detail=f"It holds {first}",
            hint="Say --header if it names them; --no-header if it is a record: the columns are "
            "then called column_1, column_2, and so on, or as --columns a,b,c says.",
        )
    console.print(f"{fault[0].upper()}{fault[1:]}:\n  {first}")
    return typer.confirm("Does it name the columns?", default=False)


def give_account(console: Console, file: CsvFile, study: Study) -> None:
    """Say how a file is read, and what each of its columns becomes, and why."""
    for line in _form(file, study):
        console.print(line)
    _list_columns(console, study)
    lost = [name for name in study.types if study.decisions[name].loss]
    if lost:
        console.print(
            f"Left as text, though most values are numbers, days or truths: {', '.join(lost)}",
            style="yellow",
        )


def _list_columns(console: Console, study: Study) -> None:
    """List the columns; of very many, only those of which there is something to say."""
    decisions = {name: study.decisions[name] for name in study.types}
    listed = {
        name: decision
        for name, decision in decisions.items()
        if len(decisions) <= _MOST_ROWS or decision.why
    }
    if listed:
        table = make_table("column", "type", "missing", "read as", numbers=("missing",))
        for name, decision in listed.items():
            missing = f"{decision.missing:,}" if decision.missing else ""
            table.add_row(
                shown(name), decision.type, missing, shown(decision.why),
                style="yellow" if decision.loss else None,
            )  # fmt: skip
        console.print(table)
    if len(listed) < len(decisions):
        counts = Counter(
            decision.type for name, decision in decisions.items() if name not in listed
        )
        types = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
        console.print(f"The other columns: {types}.")


def agree(console: Console, *, yes: bool) -> None:
    """Ask whether to go on, if somebody can be asked.

    Raises:
        ClientError: If not.
    """
    if yes or not _asked(console):
        return
    if not typer.confirm("Load it so?", default=True):
        raise ClientError(
            "nothing was loaded", hint="State what is to be read otherwise; bkpriv load-csv --help"
        )


def _form(file: CsvFile, study: Study) -> list[str]:
    """Lines that say how a file is read."""
    opened, layout = file.opened, file.layout
    if layout is None:
        return [f"{_KINDS[opened.kind]}, {study.records:,} records.", *file.notes]
    line = layout.above + 1
    encoding = _ENCODINGS.get(opened.encoding, opened.encoding)
    parts = [f"{opened.packing} of {encoding} text" if opened.packing else f"{encoding} text"]
    between = _DELIMITERS.get(layout.delimiter, layout.delimiter)
    parts.append("one column" if len(file.names) == 1 else f"fields between {between}")
    if layout.quote != '"':
        parts.append(f"quotes {layout.quote}" if layout.quote else "no quotes")
    if layout.escape == "\\":
        parts.append("quotes within fields behind a backslash")
    parts.append(f"names in line {line}" if file.header else "no names")
    said = [f"{', '.join(parts)}, {study.records:,} records.", *file.notes, *_nameless(file, line)]
    if study.idle:
        said.append(f"Columns without name and values, left out: {', '.join(sorted(study.idle))}.")
    return said


def _nameless(file: CsvFile, line: int) -> list[str]:
    """Say how columns are called that have no names."""
    if file.header or file.names[0] != "column_1":
        return []
    return [
        f"Line {line} is a record, so columns are called column_1, column_2, and so on. To name "
        "them, say --columns a,b,c; if that line names them, --header."
    ]


def _asked(console: Console) -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return console.is_terminal and sys.stdin.isatty()
