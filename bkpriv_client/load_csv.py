"""``bkpriv load-csv``: a CSV file, and its generalization hierarchies, as tables."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import psycopg
import typer
from rich.console import Console

from bkpriv_client.account import agree, give_account, settle_header
from bkpriv_client.choice import choose_roles
from bkpriv_client.column import Stated
from bkpriv_client.csv_file import CsvFile, open_csv, read_hierarchies
from bkpriv_client.declaration import declare
from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from bkpriv_client.loading import (
    TableName,
    create_schema,
    hierarchy_table,
    load_batches,
    load_hierarchy,
)
from bkpriv_client.notices import heard, repeat
from bkpriv_client.opening import named_encoding
from bkpriv_client.options import Uri
from bkpriv_client.placing import check_room, make_room, resolve
from bkpriv_client.proposal import Bin, Looked, look_if_possible, propose_bins, suggested
from bkpriv_client.server import Connection, connect
from bkpriv_client.stating import listed, one_sign, read_dates, read_decimal, read_nulls
from bkpriv_client.terminal import make_console, step
from bkpriv_core.table.bins import LABEL
from bkpriv_core.table.inspection import MOST_QUASI_IDENTIFIERS

__all__ = ["load_csv"]


def load_csv(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="File to load, packed or not, or - for the standard input.",
        ),
    ],
    table: Annotated[
        str,
        typer.Option(
            metavar="SCHEMA.NAME",
            help="Table to create, written as in SQL; its schema too, if there is none. Without a "
            "schema it is made in the first one of your search_path that exists.",
            show_default="the file's name",
        ),
    ] = "",
    uri: Uri = "",
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            exists=True,
            help="Directory of hierarchy_COLUMN.csv files, or ARX's NAME_hierarchy_COLUMN.csv: per "
            "value one row of the value, coarser labels, and the root; names above, or none.",
        ),
    ] = None,
    quasi_identifiers: Annotated[
        str,
        typer.Option(
            metavar="COLUMN,...",
            help="Columns by which people might be recognised; by default those that look so.",
        ),
    ] = "",
    sensitive: Annotated[
        str,
        typer.Option(
            metavar="COLUMN,...",
            help="Sensitive columns; by default those that look so, or else the last.",
        ),
    ] = "",
    attributes: Annotated[
        str, typer.Option(metavar="COLUMN,...", help="Columns that pass through unchanged.")
    ] = "",
    respondent: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column that says whose record it is.")
    ] = "",
    period: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column that says of which period it is.")
    ] = "",
    labels: Annotated[
        str,
        typer.Option(
            "--label",
            metavar="COLUMN,...",
            help="Columns of numbers that are codes: each is a label, and near to none.",
        ),
    ] = "",
    columns: Annotated[
        str,
        typer.Option(
            metavar="NAME,...", help="Names of all columns, in place of those in the file."
        ),
    ] = "",
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; without it, they are column_1, ...",
            show_default="found",
        ),
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[COLUMN=]VALUE,...",
            help="Values that mean missing, beside empty fields, in all columns or in one: NA,?. "
            "May be given several times.",
        ),
    ] = None,
    date_format: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[COLUMN=]FORMAT",
            help="Form of dates, such as DD.MM.YYYY, MM/DD/YY or DD MON YYYY, of one column or of "
            "all. May be given several times: any of them is then read.",
        ),
    ] = None,
    decimal: Annotated[
        str,
        typer.Option(
            help="Decimal sign, . or , where the numbers do not tell.", show_default="found"
        ),
    ] = "",
    delimiter: Annotated[
        str, typer.Option(help="Character between fields.", show_default="found")
    ] = "",
    quote: Annotated[
        str | None,
        typer.Option(
            help="Character around fields that hold a delimiter; '' if there is none.",
            show_default="found",
        ),
    ] = None,
    encoding: Annotated[
        str,
        typer.Option(
            help="Encoding, such as cp1252 or utf-16.",
            show_default="UTF-8, or as the byte order mark says",
        ),
    ] = "",
    skip_first: Annotated[
        int | None,
        typer.Option(
            metavar="LINES",
            min=0,
            help="Lines to leave out at the top.",
            show_default="comments and titles",
        ),
    ] = None,
    skip_last: Annotated[
        int | None,
        typer.Option(
            metavar="LINES",
            min=0,
            help="Lines to leave out at the end.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Load without asking.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Drop tables of these names first.")
    ] = False,
) -> None:
    """Load a CSV, Parquet or JSON file into a new table, and say how to register it.

    DuckDB reads the file, also if gzip, bzip2 or zstd packed it. Delimiter, quotes and names are
    found. Before anything is loaded it says what each column becomes, and why; on a terminal it
    asks. Either all tables are created or none.

    A column becomes integer, bigint, numeric, boolean, date, timestamp or timestamptz if all its
    values read as such, else text; an empty field becomes NULL.

    Columns are named, separated by commas, for the statements that it prints; it declares nothing.
    """
    console = make_console()
    form = Form(
        encoding=named_encoding(encoding) if encoding else None,
        delimiter=one_sign(delimiter, "delimiter") if delimiter else None,
        quote=one_sign(quote, "quote") if quote else quote,
        header=header,
        columns=listed(columns) if columns else None,
        above=skip_first,
        below=skip_last,
    )
    with open_csv(path, form) as file:
        file.settle(header=settle_header(console, file, form))
        stated = Stated(
            read_nulls(null or [], file.names),
            read_dates(date_format or [], file.names),
            read_decimal(decimal),
            frozenset(listed(labels)),
        )
        parts = _read_parts(
            file,
            {
                "quasi_identifiers": quasi_identifiers,
                "sensitive": sensitive,
                "attributes": attributes,
                "respondent": respondent,
                "period": period,
            },
        )
        _check_names("--label", sorted(stated.labels), file)
        table = table or _named_after(path)
        _load(console, file, stated, table, uri, hierarchies, parts, replace=replace, yes=yes)


def _named_after(path: Path) -> str:
    """Name of a table for a file.

    Raises:
        ClientError: If the file has none.
    """
    name = re.sub(r"\W+", "_", path.name.lstrip(".").partition(".")[0].lower()).strip("_")
    if not name:
        raise ClientError("the table has no name", hint="Say --table people.")
    return f"_{name}" if name[0].isdigit() else name


def _check_names(option: str, named: Sequence[str], file: CsvFile) -> None:
    """Refuse a column that is not in the file.

    Raises:
        ClientError: If it is not.
    """
    for name in named:
        if name not in file.names:
            raise ClientError(
                f"{file.title} has no column {name!r}, which {option} names",
                detail=f"Its columns are {', '.join(file.names)}.",
                hint='A name with a comma in it is written in quotes: "a,b".',
            )


def _read_parts(file: CsvFile, stated: Mapping[str, str]) -> dict[str, list[str]]:
    """Read which columns have which part; those that have none are not in it.

    Raises:
        ClientError: If there is no such column, or one stands twice, or several are one respondent
            or period.
    """
    parts = {part: list(listed(text)) for part, text in stated.items() if text}
    for part, names in parts.items():
        _check_names(f"--{part.replace('_', '-')}", names, file)
    named = [name for names in parts.values() for name in names]
    twice = [name for name in file.names if named.count(name) > 1]
    if twice:
        raise ClientError(
            f"the column {twice[0]!r} is named twice", hint="Each column has one part at most."
        )
    for part in ("respondent", "period"):
        if len(parts.get(part, [])) > 1:
            raise ClientError(
                f"--{part} names several columns", hint="Join them to one column, in a view."
            )
    return parts


def _load(
    console: Console,
    file: CsvFile,
    stated: Stated,
    table: str,
    uri: str,
    hierarchies: Path | None,
    parts: Mapping[str, list[str]],
    *,
    replace: bool,
    yes: bool,
) -> None:
    levels = {} if hierarchies is None else read_hierarchies(hierarchies, file.names)
    with connect(uri, job=False) as connection:
        target = resolve(connection, table)
        branches = {attribute: hierarchy_table(target, attribute) for attribute in levels}
        for wanted in (target, *branches.values()):
            check_room(connection, wanted, replace=replace)
        with step(console, f"Reading {file.title}") as advance:
            file.read()
            study = file.study(stated, seen=lambda count: advance(count / len(file.names)))
        give_account(console, file, study)
        agree(console, yes=yes)
        title = f"Loading {study.records:,} records into {target.written(connection)}"
        # All is done, or nothing; and nothing is said to be done before it is.
        with step(console, title) as advance, _placed(file), connection.transaction():
            made = create_schema(connection, target.schema)
            for wanted in (target, *branches.values()):
                make_room(connection, wanted, replace=replace)
            load_batches(
                connection,
                target,
                study.types,
                file.batches(study),
                loaded=lambda count: advance(count / study.records),
            )
            for attribute, wanted in branches.items():
                load_hierarchy(
                    connection, wanted, file.as_loaded(study, attribute, levels[attribute])
                )
            with heard(connection) as notices:
                looked = look_if_possible(connection, target.written(connection))
            chosen, apart, idle = choose_roles(list(study.types), file.title, parts, looked=looked)
            shown = len([*chosen["quasi_identifiers"], *chosen.get("attributes", [])])
            declarations: list[str] = []
            codes: dict[str, int] = {}
            if shown <= MOST_QUASI_IDENTIFIERS:
                declarations, codes = _declare(
                    connection, target, study.types, chosen, branches, stated.labels, looked=looked
                )
    if made:
        console.print(f"Schema {target.schema} did not exist; it is created.")
    repeat(console, notices)
    if idle:
        console.print(f"\nLeft out, because they have no part: {', '.join(idle)}.")
    if not declarations:
        console.print(
            f"\nNo statement registers it so: {shown:,} columns would be quasi-identifiers or pass "
            f"through, and at most {MOST_QUASI_IDENTIFIERS} may. Name those by which people might "
            "be recognised: --quasi-identifiers a,b,c --sensitive d --replace."
        )
        return
    _tell_choice(console, parts, apart, codes, looked=looked)
    for statement in declarations:
        console.print(f"{statement};", style="cyan", soft_wrap=True)


@contextmanager
def _placed(file: CsvFile) -> Iterator[None]:
    """Say of a value that the server does not take where it is."""
    try:
        yield
    except psycopg.DataError as error:
        raise ClientError(
            f"{file.title}: {error.diag.message_primary}",
            detail=f"{(error.diag.context or '')[:200]} (of the records).",
            hint="Correct it in the file, or say --null with that value.",
        ) from error


def _declare(
    connection: Connection,
    target: TableName,
    types: Mapping[str, str],
    chosen: Mapping[str, list[str]],
    branches: Mapping[str, TableName],
    labels: Collection[str],
    *,
    looked: Mapping[str, Looked],
) -> tuple[list[str], dict[str, int]]:
    """Statements that register a table, and the columns that they take for codes, with counts.

    Those that are stated to be labels are not among the latter.
    """
    quasi_identifiers, sensitive = chosen["quasi_identifiers"], chosen["sensitive"]
    roles: dict[str, str | list[str]] = {
        part: names if part == "attributes" else names[0]
        for part, names in chosen.items()
        if part in ("attributes", "respondent", "period")
    }
    used = (*quasi_identifiers, *sensitive)
    free = [name for name in used if name not in {*branches, *labels}]
    seen = [looked[name] for name in free if name in looked]
    bins, texts = propose_bins(connection, target, seen, sensitive)
    codes = {each.columns[0]: each.values for each in seen if bins.get(each.columns[0]) == LABEL}
    numbers = ("integer", "bigint", "numeric")
    bins |= dict.fromkeys([name for name in labels if types.get(name) in numbers], LABEL)
    roles |= _binned(bins, used)
    declarations = declare(
        connection,
        target.name,
        target,
        quasi_identifiers,
        _told(sensitive, roles),
        {name: levels for name, levels in branches.items() if name in used},
        {},
        **roles,
    )
    proposed = suggested(connection, target.name, target, declarations, texts)
    return [*(each.as_string() for each in declarations), *proposed], codes


def _binned(bins: Mapping[str, Bin], used: Sequence[str]) -> dict[str, str]:
    """Bins of the columns that are used, as an argument, if there are any."""
    stated = {name: bins[name] for name in used if name in bins}
    return {"bins": json.dumps(stated, ensure_ascii=False)} if stated else {}


def _told(sensitive: Sequence[str], roles: Collection[str]) -> str | Sequence[str]:
    """Sensitive columns as an argument: one by its name, where the function takes that."""
    return sensitive if "attributes" in roles or len(sensitive) > 1 else sensitive[0]


def _tell_choice(
    console: Console,
    parts: Mapping[str, list[str]],
    apart: Mapping[str, str],
    codes: Mapping[str, int],
    *,
    looked: Mapping[str, Looked],
) -> None:
    """Say which columns were chosen for want of being named, and which are left out or labels."""
    if "quasi_identifiers" in parts and "sensitive" in parts:
        console.print("\nTo register it:\n")
    else:
        standing = (
            "all other columns stand as the former"
            if "sensitive" in parts
            else "columns stand as what they look like, for reasons that bkpriv inspect says"
            if looked
            else "the last column stands as the sensitive one"
        )
        console.print(
            "\nTo register it, name the columns by which people might be recognised, and those "
            f"that are sensitive. Here {standing}; change that to suit:\n"
        )
    published = [*parts.get("quasi_identifiers", []), *parts.get("attributes", [])]
    seen = {name: looked[name] for name in published if name in looked}
    doubted = {name: each.reason for name, each in seen.items() if each.role is None}
    _tell_reasons(console, "Left out", apart)
    _tell_reasons(console, "You named these, which bkpriv would leave out", doubted)
    if codes:
        counted = ", ".join(f"{column} ({count:,} values)" for column, count in codes.items())
        console.print(
            f"Taken for codes, and so for labels, by bins: {counted}. Leave those out there that "
            "count or measure something.\n",
        )


def _tell_reasons(console: Console, said: str, reasons: Mapping[str, str]) -> None:
    """Say something of columns, with the reason for each, if there are any."""
    if reasons:
        told = "; ".join(f"{name} ({why})" for name, why in reasons.items())
        console.print(f"{said}: {told}.\n")
