"""Account of a file, given before it is loaded, and agreed to.

On a terminal a person is asked. Elsewhere what is said is done; but where only they can know
whether a line holds names or somebody's values, it is refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import typer
from rich.console import Console

from bkpriv_client.csv_file import CsvFile, Form, Study
from bkpriv_client.failure import ClientError
from bkpriv_client.terminal import make_table, shown
from bkpriv_client.unpacking import packing

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


def settle_header(console: Console, file: CsvFile, form: Form) -> Form:
    """Return what is stated of a file's form, with whether a line names its columns.

    Raises
    ------
    ClientError
        If nothing tells, and nobody can be asked.
    """
    if form.header is not None or file.header is True:
        return form
    line = file.layout.above + 1
    if file.header is False and (form.columns is not None or file.layout.plain):
        return replace(form, header=False)
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
    return replace(form, header=typer.confirm("Does it name the columns?", default=False))


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

    Raises
    ------
    ClientError
        If not.
    """
    if yes or not _asked(console):
        return
    if not typer.confirm("Load it so?", default=True):
        raise ClientError(
            "nothing was loaded", hint="State what is to be read otherwise; bkpriv load-csv --help"
        )


def _form(file: CsvFile, study: Study) -> list[str]:
    """Lines that say how a file is read."""
    dialect, line = file.layout.dialect, file.layout.above + 1
    packed = packing(file.path)
    encoding = _ENCODINGS.get(file.encoding.name, file.encoding.name)
    names = "no names" if file.header is False else f"names in line {line}"
    fields = f"fields between {_DELIMITERS.get(dialect.delimiter, dialect.delimiter)}"
    if len(file.names) == 1:
        fields = "one column"
    parts = [*([f"{packed} of"] if packed else []), f"{encoding} text", fields, names]
    if dialect.quote != '"':
        parts.insert(-1, f"quotes {dialect.quote}" if dialect.quote else "no quotes")
    if dialect.escaped:
        parts.insert(-1, "quotes within fields behind a backslash")
    said = [f"{', '.join(parts)}, {study.records:,} records.".replace(" of, ", " of ")]
    if file.encoding.example:
        said.append(
            f"It is not UTF-8. Read as {file.encoding.name} it says: {file.encoding.example}. If "
            "that is wrong, state its --encoding."
        )
    said += [*file.layout.notes, *file.notes, *_nameless(file)]
    if study.idle:
        said.append(f"Columns without name and values, left out: {', '.join(sorted(study.idle))}.")
    found = study.found
    if found.blank:
        said.append(f"Lines of nothing but delimiters, left out: {found.blank:,}.")
    if found.longer:
        said.append(f"Records with empty fields beyond the last column: {found.longer:,}.")
    for place, fields_ in found.footers:
        text = " ".join(field.strip() for field in fields_ if field.strip())
        said.append(
            f"Line {place} is no record, left out: {text[:60]}. (To keep it: --skip-last 0.)"
        )
    return said


def _nameless(file: CsvFile) -> list[str]:
    """Say how columns are called that have no names."""
    if file.header is not False or file.names[0] != "column_1":
        return []
    return [
        f"Line {file.layout.above + 1} is a record, so columns are called column_1, column_2, and "
        "so on. To name them, say --columns a,b,c; if that line names them, --header."
    ]


def _asked(console: Console) -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return console.is_terminal and sys.stdin.isatty()
