"""Write docs/reference/functions.md: every function, view and table, from the catalogue.

Rules: signatures, comments and privileges are the catalogue's; the topics, their order, and the
order of objects within them are those of the files in sql/functions/, each of which opens with a
comment ``-- Topic: ...``, and of the files of the same names in sql/tables/. What arguments mean is
in scripts/arguments.py. The functions in
``bkpriv_internal`` are left out.
Nothing is changed in the database: what the two jobs may do is tried out and rolled back.

Usage: ``reference.py URI > docs/reference/functions.md``, with a superuser's URI of a database
that holds the extension.
"""

from __future__ import annotations

import re
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import class_row

from scripts.arguments import ARGUMENTS

__all__ = ["reference"]

Connection = psycopg.Connection[tuple[Any, ...]]

SQL_DIRECTORY = Path(__file__).resolve().parent.parent / "sql"

WIDTH = 92

_PREAMBLE = """\
<!-- Made by scripts/reference.py from the catalogue; do not edit. -->

# Reference

Everything is in schema `bkpriv`. Arguments are given by position or by name, such as
`estimator => 'exact'`. Under each object stands who may use it: publishers and auditors are roles
that `bkpriv.grant_publisher(role)` and `bkpriv.grant_auditor(role)` were called for; a superuser
may use everything. In views and tables a publisher sees the rows of its own datasets, an auditor
all rows; policies are seen by both. What the JSON of
[policies](requirements.md) and [options](options.md) may hold has pages of its own.
"""

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
        array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod))
                  ORDER BY a.attnum) AS columns,
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

    @property
    def heading(self) -> str:
        """Name of the function; functions of one name share it."""
        return self.name

    @property
    def rank(self) -> int:
        """Place among the kinds of objects of one topic."""
        return 0

    def section(self) -> Iterator[str]:
        """Describe it, paragraph by paragraph."""
        yield _fenced(
            _call(self.name, list(map(_plain, self.arguments or [])), self.result, self.columns)
        )
        yield _paragraph(self.comment)
        if self.names:
            rows = (f"| `{name}` | {_meaning(self.name, name)} |" for name in self.names)
            yield "\n".join(["| argument | meaning |", "|---|---|", *rows])
        yield f"*May be called by {_holders(self.publisher, self.auditor)}.*"


@dataclass(frozen=True)
class _Relation:
    """A table or view as the catalogue has it; `meanings` are rows of a table in Markdown."""

    name: str
    comment: str
    kind: str
    columns: list[str]
    meanings: list[str]
    publisher: bool
    auditor: bool

    @property
    def heading(self) -> str:
        """Name of the relation."""
        return f"{self.name} ({self.kind})"

    @property
    def rank(self) -> int:
        """Place among the kinds of objects of one topic."""
        return {"view": 1, "table": 2}[self.kind]

    def section(self) -> Iterator[str]:
        """Describe it, paragraph by paragraph."""
        yield _fenced(",\n".join(self.columns))
        yield _paragraph(self.comment)
        # People read views; \d+ of psql says what columns of tables mean.
        if self.kind == "view":
            yield "\n".join(["| column | meaning |", "|---|---|", *self.meanings])
        yield f"*May be read by {_holders(self.publisher, self.auditor)}.*"


def reference(connection: Connection) -> str:
    """Describe the extension that a database holds, in Markdown.

    Parameters
    ----------
    connection : Connection
        Superuser's connection, outside a transaction.

    Raises
    ------
    LookupError
        If the catalogue has an object that no file in sql/ makes, or that has no comment, or a
        function with an argument that nothing says the meaning of.
    """
    found: list[_Function | _Relation] = []
    with connection.transaction(force_rollback=True):
        roles = _try_roles(connection)
        with connection.cursor(row_factory=class_row(_Function)) as functions:
            found += functions.execute(_FUNCTIONS, roles)
        with connection.cursor(row_factory=class_row(_Relation)) as relations:
            found += relations.execute(_RELATIONS, roles)
    described: dict[str, list[_Function | _Relation]] = {}
    for item in found:
        if not item.comment:
            raise LookupError(f"{item.name} has no comment")
        described.setdefault(item.name, []).append(item)
    _check_arguments([item for item in found if isinstance(item, _Function)])
    sections: list[str] = []
    index = ["| topic | functions | views and tables |", "|---|---|---|"]
    for path in sorted(SQL_DIRECTORY.glob("functions/*.sql")):
        text = path.read_text()
        tables = SQL_DIRECTORY / "tables" / path.name
        made = re.findall(
            r"^CREATE (?:OR REPLACE )?(?:FUNCTION|TABLE|VIEW) bkpriv\.(\w+)",
            text + (tables.read_text() if tables.exists() else ""),
            re.MULTILINE,
        )
        items = [item for name in made for item in described.pop(name, [])]
        items.sort(key=lambda item: item.rank)
        if items:
            topic = _topic(text)
            sections.append(f"## {topic}")
            index.append(_index(topic, items))
        for heading, alike in groupby(items, key=lambda item: item.heading):
            sections.append(f"### {heading}")
            for item in alike:
                sections += item.section()
    if described:
        raise LookupError(f"no file in sql/ makes {', '.join(sorted(described))}")
    return "\n\n".join([_PREAMBLE.rstrip(), "\n".join(index), *sections]) + "\n"


def _index(topic: str, items: list[_Function | _Relation]) -> str:
    """Name the objects of a topic, in a row of the table at the top."""
    columns = (
        ", ".join(dict.fromkeys(f"`{item.name}`" for item in items if isinstance(item, kind)))
        for kind in (_Function, _Relation)
    )
    return f"| [{topic}](#{topic.lower().replace(' ', '-')}) | {' | '.join(columns)} |"


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


def _call(name: str, arguments: list[str], result: str, columns: list[str] | None) -> str:
    """Write a signature, one item to a line where it does not fit into one."""
    head, tail = f"bkpriv.{name}(", ") → "
    returned = f"TABLE ({', '.join(columns)})" if columns else result
    line = head + ", ".join(arguments) + tail + returned
    if len(line) <= WIDTH:
        return line
    if columns and len(tail + returned) > WIDTH:
        returned = f"TABLE ({_lines(columns)})"
    return head + _lines(arguments) + tail + returned


def _plain(argument: str) -> str:
    """Write an argument as one would by hand: no cast of the default, no needless quotes."""
    without_cast = re.sub(r"(?<='|L)::[\w ]+(\[\])?$", "", argument)
    return re.sub(r'"(\w+)"(?=\()', r"\1", without_cast)


def _lines(items: list[str]) -> str:
    return "\n" + ",\n".join(f"    {item}" for item in items) + "\n"


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
        sys.stdout.write(reference(connection))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
