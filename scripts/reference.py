"""Write the pages of docs/reference/ about functions, views and tables, from the catalogue.

Rules: signatures, comments and privileges are the catalogue's; the topics, their order, and the
order of objects within them are those of the files in sql/functions/, each of which opens with a
comment ``-- Topic: ...``, and of the files of the same names in sql/tables/. What arguments mean is
in scripts/arguments.py; what several functions of a page take is said once, at its top. The
functions in ``bkpriv_internal`` are left out.
Nothing is changed in the database: what the two jobs may do is tried out and rolled back.

Usage: ``reference.py URI``, with a superuser's URI of a database that holds the extension, writes
the pages in place.
"""

from __future__ import annotations

import re
import sys
import textwrap
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from scripts.arguments import ARGUMENTS

__all__ = ["reference"]

Connection = psycopg.Connection[tuple[Any, ...]]

ROOT = Path(__file__).resolve().parent.parent

SQL_DIRECTORY = ROOT / "sql"

PAGES = ROOT / "docs" / "reference"

WIDTH = 92

EVERYDAY = (
    "doctor",
    "grant_publisher",
    "grant_auditor",
    "inspect_columns",
    "register_dataset",
    "set_hierarchy",
    "set_policy",
    "explore",
    "publish",
    "audit",
    "explain_disclosure",
    "verdict",
    "report_html",
    "withdraw",
    "purge",
)
"""Functions that whoever publishes needs before all others, in the order in which they do."""

_OWN_PAGE = {
    "Lattice": "special",
    "Sequence": "special",
    "Randomization": "special",
    "Implication": "special",
    "Calculators": "calculators",
}
"""Page of the topics that few readers ask for; further functions are on one page."""

_MADE = "<!-- Made by scripts/reference.py from the catalogue; do not edit. -->\n\n"

_HEADS = {
    "everyday": """\
# Everyday functions

From an installation to a release and its end: what is needed first, in this order. All functions
by topic: [functions](functions.md). Each is in schema `bkpriv`. Arguments are given by position
or by name, such as `estimator => 'exact'`. Publishers and auditors, for whom
`grant_publisher(role)` and `grant_auditor(role)` were called, may call a function unless it says
otherwise; superusers may call all.
""",
    "functions": """\
# Functions

All functions of schema `bkpriv` by topic. Publishers and auditors may call a function unless it
says otherwise. What releases there are, and what audits found, is in [views](tables.md).
""",
    "special": """\
# Sequences, lattices, randomization, worst case

Functions for releases of which readers [remember](../explanation/sequences.md) earlier ones, for
method [`incognito`](../explanation/lattice.md), for [randomized
releases](../howto/randomizing.md) and for [worst-case
knowledge](../explanation/worst-case.md). Publishers and auditors may call a function unless it
says otherwise.
""",
    "calculators": """\
# Calculators

Functions of plain arrays, which read no table. Publishers and auditors may call them.
""",
    "tables": """\
# Views and tables

In views and tables a publisher sees the rows of its own datasets, an auditor all rows; policies are
seen by both. Views are for people. Tables are what they are made from: `\\d+ bkpriv.release` says
what the columns of one hold. `audit_record`, `attack_record` and tables named `release...` are
append-only.
""",
}

_FUNCTIONS = sql.SQL("""
    SELECT p.proname AS name, obj_description(p.oid, 'pg_proc') AS comment,
        array_remove(array_agg(
            concat_ws(' ', quote_ident(a.name), format_type(a.type, NULL),
                      'DEFAULT ' || pg_get_function_arg_default(p.oid, a.place::int))
            ORDER BY a.place) FILTER (WHERE a.mode IN ('i', 'b', 'v')), NULL) AS arguments,
        coalesce(array_agg(a.name ORDER BY a.place)
            FILTER (WHERE a.mode IN ('i', 'b', 'v')), '{}') AS names,
        array_agg(concat_ws(' ', a.name, format_type(a.type, NULL)) ORDER BY a.place)
            FILTER (WHERE a.mode IN ('o', 't')) AS columns,
        format_type(p.prorettype, NULL) AS result,
        has_function_privilege(%(publisher)s, p.oid, 'EXECUTE') AS publisher,
        has_function_privilege(%(auditor)s, p.oid, 'EXECUTE') AS auditor
    FROM pg_proc AS p
    LEFT JOIN LATERAL unnest(
        coalesce(p.proallargtypes, p.proargtypes::oid[]),
        coalesce(p.proargmodes,
                 array_fill('i'::"char", ARRAY[p.pronargs::int])), p.proargnames
    ) WITH ORDINALITY AS a(type, mode, name, place) ON true
    WHERE p.pronamespace = 'bkpriv'::regnamespace
    GROUP BY p.oid
    ORDER BY p.pronargs, pg_get_function_identity_arguments(p.oid)
""")

_RELATIONS = sql.SQL("""
    SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
        CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END AS kind,
        array_agg(format('| `%%s` | %%s |', a.attname, col_description(c.oid, a.attnum))
                  ORDER BY a.attnum) AS meanings,
        has_table_privilege(%(publisher)s, c.oid, 'SELECT') AS publisher,
        has_table_privilege(%(auditor)s, c.oid, 'SELECT') AS auditor
    FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'bkpriv'::regnamespace AND c.relkind IN ('r', 'v')
    GROUP BY c.oid
""")


@dataclass(frozen=True)
class _Function:
    """A function as the catalogue has it; `columns` are those of a table that it returns."""

    name: str
    comment: str
    arguments: list[str] | None
    names: list[str]
    columns: list[str] | None
    result: str
    publisher: bool
    auditor: bool

    def section(self) -> Iterator[str]:
        """Describe it without its arguments, paragraph by paragraph."""
        arguments, columns = (
            [*map(_plain, items or [])] for items in (self.arguments, self.columns)
        )
        yield _fenced(_call(self.name, arguments, _plain(self.result), columns))
        yield _paragraph(self.comment)


@dataclass(frozen=True)
class _Relation:
    """A table or view as the catalogue has it; `meanings` are rows of a table in Markdown."""

    name: str
    comment: str
    kind: str
    meanings: list[str]
    publisher: bool
    auditor: bool

    def section(self) -> Iterator[str]:
        """Describe a view, paragraph by paragraph."""
        yield f"### {self.name}"
        yield _paragraph(self.comment)
        yield "\n".join(["| column | meaning |", "|---|---|", *self.meanings])

    def row(self) -> str:
        """Describe a table, as a row of a table in Markdown."""
        readers = "" if self.publisher and self.auditor else " Read by superusers only"
        comment = " ".join(self.comment.split()).removesuffix("; append-only")
        return f"| `{self.name}` | {comment}{readers and '.'}{readers} |"


def reference(connection: Connection) -> dict[str, str]:
    """Describe the extension that a database holds, in Markdown, by the name of the page.

    Args:
        connection: Superuser's connection, outside a transaction.

    Raises:
        LookupError: If the catalogue has an object that no file in sql/ makes, or that has no
            comment, or a function with an argument that nothing says the meaning of.
    """
    functions, relations = _read(connection)
    _check_arguments(functions)
    made = _made()
    order = {name: place for place, name in enumerate(n for names in made.values() for n in names)}
    found = [item.name for item in functions] + [item.name for item in relations]
    if lost := set(found) - set(order):
        raise LookupError(f"no file in sql/ makes {', '.join(sorted(lost))}")
    relations.sort(key=lambda relation: order[relation.name])
    pages = {**_function_pages(functions, made), "tables": _tables(relations)}
    return {page: _MADE + text for page, text in pages.items()}


def _read(connection: Connection) -> tuple[list[_Function], list[_Relation]]:
    """Read what the catalogue has; each has a comment."""
    with connection.transaction(force_rollback=True):
        roles = _try_roles(connection)
        with connection.cursor(row_factory=class_row(_Function)) as cursor:
            functions = cursor.execute(_FUNCTIONS, roles).fetchall()
        with connection.cursor(row_factory=class_row(_Relation)) as cursor:
            relations = cursor.execute(_RELATIONS, roles).fetchall()
    found: list[_Function | _Relation] = [*functions, *relations]
    if bare := [item.name for item in found if not item.comment]:
        raise LookupError(f"without a comment: {', '.join(bare)}")
    return functions, relations


def _function_pages(functions: list[_Function], made: dict[str, list[str]]) -> dict[str, str]:
    """Write the pages of functions, by name."""
    by_name: dict[str, list[_Function]] = {}
    for function in functions:
        by_name.setdefault(function.name, []).append(function)
    topics = {
        topic: list(dict.fromkeys(name for name in names if name in by_name))
        for topic, names in made.items()
    }
    pages = {"everyday": _page("everyday", [by_name[name] for name in EVERYDAY])}
    for page in ("functions", "special", "calculators"):
        below: list[list[_Function]] = []
        headings = {}
        for topic, names in topics.items():
            chosen = [name for name in names if _page_of(name, topic) == page]
            below += (by_name[name] for name in chosen)
            headings.update(dict.fromkeys(chosen[:1], topic))
        index = [_index(topics)] if page == "functions" else []
        pages[page] = _page(page, below, headings, index)
    return pages


def _page_of(name: str, topic: str) -> str:
    """Name of the page that a function is described on."""
    return "everyday" if name in EVERYDAY else _OWN_PAGE.get(topic, "functions")


def _made() -> dict[str, list[str]]:
    """Names of the objects that the files in sql/ make, in order, by topic."""
    made: dict[str, list[str]] = {}
    for path in sorted(SQL_DIRECTORY.glob("functions/*.sql")):
        text = path.read_text()
        tables = SQL_DIRECTORY / "tables" / path.name
        made[_topic(text)] = re.findall(
            r"^CREATE (?:OR REPLACE )?(?:FUNCTION|TABLE|VIEW) bkpriv\.(\w+)",
            text + (tables.read_text() if tables.exists() else ""),
            re.MULTILINE,
        )
    return made


def _page(
    page: str,
    functions: list[list[_Function]],
    headings: Mapping[str, str] = MappingProxyType({}),
    index: Sequence[str] = (),
) -> str:
    """Write a page of functions, the first of each topic below its heading.

    What several of them take is said once, at the top.
    """
    common = _common(functions)
    parts = [_HEADS[page].rstrip(), *index]
    if common:
        parts += ["Arguments that several of them take:", _arguments(sorted(common))]
    for alike in functions:
        if alike[0].name in headings:
            parts.append(f"## {headings[alike[0].name]}")
        parts += _entry(alike, common)
    return "\n\n".join(parts) + "\n"


def _common(functions: list[list[_Function]]) -> set[tuple[str, str]]:
    """Find arguments, with their meanings, that several functions take."""
    takers: dict[tuple[str, str], set[str]] = {}
    for alike in functions:
        for argument in _taken(alike):
            takers.setdefault(argument, set()).add(alike[0].name)
    return {argument for argument, names in takers.items() if len(names) > 1}


def _taken(alike: list[_Function]) -> list[tuple[str, str]]:
    """List what functions of one name take, with meanings, each once."""
    names = (name for function in alike for name in function.names)
    return [(name, _meaning(alike[0].name, name)) for name in dict.fromkeys(names)]


def _entry(alike: list[_Function], common: set[tuple[str, str]]) -> Iterator[str]:
    """Describe functions of one name, but for arguments that others take as well."""
    yield f"### {alike[0].name}"
    for function in alike:
        yield from function.section()
    if own := [argument for argument in _taken(alike) if argument not in common]:
        yield _arguments(own)
    if not (alike[0].publisher and alike[0].auditor):
        yield f"*May be called by {_holders(alike[0].publisher, alike[0].auditor)}.*"


def _arguments(arguments: list[tuple[str, str]]) -> str:
    """List what arguments mean."""
    return "\n".join(f"- `{name}`: {meaning}" for name, meaning in arguments)


def _tables(relations: list[_Relation]) -> str:
    """Write the page of views and tables."""
    parts = [_HEADS["tables"].rstrip(), "## Views"]
    for relation in relations:
        if relation.kind == "view":
            parts += relation.section()
    rows = (relation.row() for relation in relations if relation.kind == "table")
    head = ["| table | holds |", "|---|---|"]
    return "\n\n".join([*parts, "## Tables", "\n".join([*head, *rows])]) + "\n"


def _index(topics: Mapping[str, list[str]]) -> str:
    """Name the functions of each topic, in a table."""
    rows = (
        f"| {topic} | {', '.join(_link(name, topic) for name in names)} |"
        for topic, names in topics.items()
        if names
    )
    return "\n".join(["| topic | functions |", "|---|---|", *rows])


def _link(name: str, topic: str) -> str:
    """Link to the place of a function, in the index."""
    page = _page_of(name, topic)
    return f"[`{name}`]({'' if page == 'functions' else f'{page}.md'}#{name})"


def _check_arguments(functions: list[_Function]) -> None:
    """See that each argument has a meaning, and each meaning an argument."""
    taken = {(function.name, name) for function in functions for name in function.names}
    keys = {key if (key := f"{of}.{name}") in ARGUMENTS else name for of, name in taken}
    if missing := sorted(f"{of}.{name}" for of, name in taken if not _meaning(of, name)):
        raise LookupError(f"scripts/arguments.py does not say what {', '.join(missing)} means")
    if unused := sorted(set(ARGUMENTS) - keys):
        raise LookupError(f"scripts/arguments.py speaks of no argument: {', '.join(unused)}")


def _meaning(function: str, argument: str) -> str:
    """Meaning of an argument; empty if that is not said."""
    return ARGUMENTS.get(f"{function}.{argument}", ARGUMENTS.get(argument, ""))


def _try_roles(connection: Connection) -> dict[str, str]:
    """Make a publisher and an auditor, for the present transaction; return their names."""
    roles = {}
    for job in ("publisher", "auditor"):
        roles[job] = f"bkpriv_reference_{job}_{uuid.uuid4().hex[:8]}"
        connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(roles[job])))
        grant = sql.SQL("SELECT {}(%s)").format(sql.Identifier("bkpriv", f"grant_{job}"))
        connection.execute(grant, [roles[job]])
    return roles


def _topic(text: str) -> str:
    """Name of the topic that a file's first comment gives."""
    found = re.match(r"-- ([^:.]+)[:.]", text)
    if found is None:
        raise LookupError("a file in sql/ does not open with `-- Topic: ...`")
    return found[1]


def _call(name: str, arguments: list[str], result: str, columns: list[str]) -> str:
    """Write a signature, one argument to a line where it does not fit into one."""
    head, tail = f"bkpriv.{name}(", ") → "
    returned = f"TABLE ({', '.join(columns)})" if columns else result
    line = head + ", ".join(arguments) + tail + returned
    if len(line) <= WIDTH:
        return line
    if columns and len(tail + returned) > WIDTH:
        returned = f"TABLE (\n{_filled(columns)}\n)"
    return head + _lines(arguments) + tail + returned


def _plain(argument: str) -> str:
    """Write an argument as one would by hand: no cast of the default, no needless quotes."""
    short = argument.replace("double precision", "float8")
    without_cast = re.sub(r"(?<='|L)::[\w ]+(\[\])?$", "", short)
    return re.sub(r'"(\w+)"(?=\()', r"\1", without_cast)


def _lines(items: list[str]) -> str:
    return "\n" + ",\n".join(f"    {item}" for item in items) + "\n"


def _filled(items: list[str]) -> str:
    """Write items side by side, none of them broken."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    return textwrap.indent(textwrap.fill(text, WIDTH - 4), "    ").replace("\0", " ")


def _holders(publisher: bool, auditor: bool) -> str:
    """Say which jobs have a privilege."""
    jobs = [job for job, has in (("publishers", publisher), ("auditors", auditor)) if has]
    return " and ".join(jobs) or "superusers only"


def _paragraph(comment: str) -> str:
    return " ".join(comment.split("\n")) + "."


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def main(arguments: list[str]) -> int:
    """Run the command."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with psycopg.connect(arguments[0], autocommit=True) as connection:
        for page, text in reference(connection).items():
            (PAGES / f"{page}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
