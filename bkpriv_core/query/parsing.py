"""Queries from SQL text. The text is parsed and understood, or refused by name; it never runs.

Understood is::

    SELECT [column, ...] count(*) FROM relation
    [WHERE condition] [GROUP BY item, ...]

with conditions of =, <>, !=, <, <=, >, >=, BETWEEN, IN, IS [NOT] NULL, TRUE, FALSE, AND, OR, NOT
between columns and literals, and items of columns, lists of them, CUBE, ROLLUP and GROUPING SETS.
An unquoted name is folded to lower case as PostgreSQL does it, letters of ASCII only.

Every node of the parsed tree must be of a kind that is known here and hold nothing that is not, so
that what the parser comes to understand later is refused, not overlooked. Between tokens there is
only white space of ASCII: no comment, and nothing that looks like white space but belongs to a
name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.grouping import GroupingSet, Query, cross, cube, rollup, together
from bkpriv_core.query.literal import Literal, Resolver
from bkpriv_core.query.predicate import (
    EVERYTHING,
    And,
    Comparison,
    IsNull,
    Membership,
    Not,
    Operator,
    Or,
    Predicate,
)
from bkpriv_core.schema import near

__all__ = ["parse_query"]

_LONGEST = 100_000
"""Largest number of characters of a query."""

_SPACE = " \t\n\r\f\v"

_HINT = (
    "A query is SELECT count(*) FROM dataset WHERE ... with =, <>, <, <=, >, >=, BETWEEN, IN, "
    "IS NULL, AND, OR, NOT, and GROUP BY with CUBE, ROLLUP, GROUPING SETS."
)

_FOLDED = {ord(letter): ord(letter.lower()) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

_OPERATORS: dict[type[exp.Expr], Operator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}

_SWAPPED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}

_FOREIGN = {(TokenType.EQ, "=="), (TokenType.NOT, "!")}
"""Operators of other dialects."""

_CLOSING = {
    *(TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY),
    *(TokenType.SEMICOLON, TokenType.COMMA),
}
"""Tokens that may not stand after a comma."""

_NAMED: dict[type[exp.Expr], str] = {
    exp.Subquery: "a subquery",
    exp.Select: "a subquery",
    exp.Exists: "a subquery",
    exp.With: "a common table expression (WITH)",
    exp.SetOperation: "a set operation (UNION, INTERSECT or EXCEPT)",
    exp.Join: "a join",
    exp.Cast: "a cast",
    exp.Parameter: "a parameter",
    exp.Placeholder: "a parameter",
    exp.Window: "a window function",
    exp.Command: "a command",
    exp.Null: "the literal NULL, which equals nothing; write IS NULL",
    exp.Tuple: "a list of columns or values",
    exp.Star: "all columns (*)",
    exp.Alias: "an alias",
    exp.TableAlias: "an alias of the table",
    exp.Column: "a column where a literal is expected, or alone",
    exp.Literal: "a literal where a column is expected, or alone",
    exp.ByteString: "a string with escapes",
    exp.UnicodeString: "a string with escapes",
    exp.RawString: "a string in dollar quotes",
    exp.HexString: "a hexadecimal literal",
    exp.BitString: "a bit string",
    exp.Concat: "a string in several parts, or a concatenation",
    exp.Distinct: "DISTINCT",
    exp.Where: "a second WHERE",
    exp.Having: "HAVING",
    exp.Order: "ORDER BY",
    exp.Limit: "LIMIT",
    exp.Fetch: "FETCH",
    exp.Offset: "OFFSET",
    exp.Into: "INTO",
    exp.Lock: "a locking clause",
    exp.Lateral: "LATERAL",
    exp.TableSample: "TABLESAMPLE",
    exp.Filter: "FILTER",
    exp.Collate: "COLLATE",
}


def parse_query(
    text: str,
    relations: Collection[tuple[str, ...]],
    attributes: Sequence[str],
    resolve: Resolver,
    progress: Progress = SILENT,
    passing: Collection[str] = (),
) -> Query:
    """Understand a query.

    Args:
        relations: Relations that may be counted in: names, or schemas and names.
        attributes: Names of the attributes, in the order of their numbers.
        resolve: Finds literals in domains.
        passing: Names of columns that pass through, which are counted without an estimate.

    Raises:
        InvalidParameter: If it is not such a query; the message names what is refused.
        TooLarge: If it is too long, too deep, or has too many grouping sets.
    """
    if len(text) > _LONGEST:
        raise TooLarge(
            f"the query has {len(text)} characters",
            detail=f"At most {_LONGEST} are read.",
            hint="Ask about fewer values at a time.",
        )
    try:
        return _Reader(relations, attributes, resolve, passing).read(_statement(text, progress))
    except RecursionError:
        raise TooLarge(
            "the query is nested too deeply",
            detail="Its parentheses and negations cannot be followed to the end.",
            hint="Leave out parentheses that change nothing.",
        ) from None


def _statement(text: str, progress: Progress) -> exp.Expr:
    """Parse one statement, which begins with SELECT."""
    try:
        tokens = sqlglot.tokenize(text, dialect="postgres")
        if not tokens or tokens[0].text.upper() != "SELECT":
            raise _refused(f"{tokens[0].text.upper()} at its start" if tokens else "nothing in it")
        _check_gaps(text, tokens)
        _check_spelling(tokens)
        progress.poll()
        statements = sqlglot.parse(text, dialect="postgres")
    except SqlglotError as error:
        raise InvalidParameter(
            "the query cannot be parsed",
            detail=str(error).split("\n", 1)[0],
            hint=_HINT,
        ) from None
    if len(statements) != 1 or statements[0] is None:
        raise _refused("more than one statement")
    return statements[0]


def _check_gaps(text: str, tokens: Sequence[Any]) -> None:
    """Refuse whatever stands between tokens and is not white space."""
    end = 0
    for start, after in [*((token.start, token.end + 1) for token in tokens), (len(text), 0)]:
        gap = text[end:start].strip(_SPACE)
        if gap.startswith(("--", "/*")):
            raise _refused("a comment")
        if gap and gap != ";":
            raise _refused(f"the character U+{ord(gap[0]):04X} outside quotes")
        end = after


def _check_spelling(tokens: Sequence[Any]) -> None:
    """Refuse what the parser forgives and PostgreSQL does not."""
    kinds = [token.token_type for token in tokens] + [TokenType.SEMICOLON]
    for token, kind, after in zip(tokens, kinds, kinds[1:], strict=False):
        if (kind, token.text) in _FOREIGN:
            raise _refused(f"the operator {token.text}")
        if kind == TokenType.COMMA and after in _CLOSING:
            raise _refused("a comma that nothing follows")


def _refused(what: str) -> InvalidParameter:
    return InvalidParameter(
        f"the query has {what}",
        detail="It is not among what is understood, and nothing else runs.",
        hint=_HINT,
    )


def _name_of(node: exp.Expr) -> str:
    """Name of a node, for a person."""
    for kind, name in _NAMED.items():
        if isinstance(node, kind):
            return name
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name()}"
    return type(node).__name__.upper()


def _parts(node: exp.Expr, *names: str) -> list[Any]:
    """The parts of a node by their names; any other part is refused."""
    for name, part in node.args.items():
        if name not in names and part is not None and part is not False and part != []:
            inner = part[0] if isinstance(part, list) else part
            named = _name_of(inner) if isinstance(inner, exp.Expr) else None
            raise _refused(named or name.strip("_").replace("_", " ").upper())
    return [node.args.get(name) for name in names]


def _is(node: object, kind: type[exp.Expr]) -> bool:
    """Whether a node is exactly of a kind: a kind derived from it may mean something else."""
    return type(node) is kind


class _Reader:
    """Reads the tree of one statement.

    Args:
        relations, attributes, resolve, passing: See `parse_query`.
    """

    def __init__(
        self,
        relations: Collection[tuple[str, ...]],
        attributes: Sequence[str],
        resolve: Resolver,
        passing: Collection[str],
    ) -> None:
        self._relations = relations
        self._attributes = attributes
        self._resolve = resolve
        self._passing = passing

    def read(self, statement: exp.Expr) -> Query:
        """Read the whole."""
        if not _is(statement, exp.Select):
            raise _refused(_name_of(statement))
        selected, source, where, group = _parts(
            statement, "expressions", "from_" if "from_" in statement.args else "from", "where",
            "group",
        )  # fmt: skip
        if source is None:
            raise _refused("no FROM")
        self._check_relation(*_parts(source, "this"))
        sets: list[GroupingSet] = [()] if group is None else self._grouping_sets(group)
        self._check_selected(selected, sets)
        predicate = EVERYTHING if where is None else self._condition(*_parts(where, "this"))
        return Query(predicate, tuple(sets))

    def _check_relation(self, node: exp.Expr) -> None:
        if not _is(node, exp.Table):
            raise _refused(_name_of(node))
        path = tuple(_folded(part) for part in _parts(node, "db", "this") if part is not None)
        if path not in self._relations:
            relations = " or ".join(".".join(names) for names in self._relations)
            raise InvalidParameter(
                f"the query counts in {'.'.join(path)}",
                detail="A release is asked about the dataset that it was made from, or its source.",
                hint=f"Count in {relations}.",
            )

    def _check_selected(self, selected: list[exp.Expr], sets: list[GroupingSet]) -> None:
        """Check the selected columns: one count, and columns that are grouped by."""
        counts = 0
        grouped = {attribute for keys in sets for attribute in keys}
        for node in selected:
            inner = node
            if _is(node, exp.Alias):
                inner, _ = _parts(node, "this", "alias")
            if _is(inner, exp.Count):
                (counted, _) = _parts(inner, "this", "big_int")
                if not _is(counted, exp.Star):
                    raise _refused("a count of something other than *")
                _parts(counted)
                counts += 1
            elif self._column(node) not in grouped:
                raise _refused(f'the column "{self._attributes[self._column(node)]}" in its '
                               "SELECT list but not in GROUP BY")  # fmt: skip
        if counts != 1:
            raise _refused("no count(*)" if not counts else "more than one count(*)")

    # --- Grouping ---------------------------------------------------------------------------------

    def _grouping_sets(self, group: exp.Expr) -> list[GroupingSet]:
        if group.args.get("all") is not None:
            raise _refused("ALL or DISTINCT in GROUP BY")
        lists = _parts(group, "expressions", "grouping_sets", "cube", "rollup")
        return cross([self._item(node) for nodes in lists for node in nodes or ()])

    def _item(self, node: exp.Expr) -> list[GroupingSet]:
        """Grouping sets of one item of a GROUP BY list, or of GROUPING SETS."""
        if _is(node, exp.Cube):
            return cube([self._keys(part) for part in self._listed(node)])
        if _is(node, exp.Rollup):
            return rollup([self._keys(part) for part in self._listed(node)])
        if _is(node, exp.GroupingSets):
            return together(self._item(part) for part in self._listed(node))
        return [self._keys(node)]

    def _listed(self, node: exp.Expr) -> list[exp.Expr]:
        (parts,) = _parts(node, "expressions")
        if not parts:
            raise _refused(f"an empty {type(node).__name__.upper()}")
        return list(parts)

    def _keys(self, node: exp.Expr) -> GroupingSet:
        """A column, or columns in parentheses."""
        if _is(node, exp.Tuple):
            (parts,) = _parts(node, "expressions")
            return tuple(dict.fromkeys(self._column(part) for part in parts or ()))
        if _is(node, exp.Literal):
            raise _refused("a number or string in GROUP BY; name the column")
        return (self._column(_unwrapped(node)),)

    # --- Conditions -------------------------------------------------------------------------------

    def _condition(self, node: exp.Expr) -> Predicate:
        node = _unwrapped(node)
        if _is(node, exp.And) or _is(node, exp.Or):
            parts = tuple(self._condition(part) for part in _chain(node))
            return And(parts) if _is(node, exp.And) else Or(parts)
        if _is(node, exp.Not):
            return Not(self._condition(*_parts(node, "this")))
        if _is(node, exp.Boolean):
            (value,) = _parts(node, "this")
            return EVERYTHING if value else Not(EVERYTHING)
        if _is(node, exp.Is):
            return self._null(node)
        if _is(node, exp.In):
            return self._membership(node)
        if _is(node, exp.Between):
            column, low, high = _parts(node, "this", "low", "high")
            attribute = self._column(column)
            return And(
                (self._comparison(attribute, ">=", low), self._comparison(attribute, "<=", high))
            )
        operator = _OPERATORS.get(type(node))
        if operator is None:
            raise _refused(_name_of(node))
        left, right = (_unwrapped(part) for part in _parts(node, "this", "expression"))
        if _is(right, exp.Column) and not _is(left, exp.Column):
            left, right, operator = right, left, _SWAPPED.get(operator, operator)
        return self._comparison(self._column(left), operator, right)

    def _null(self, node: exp.Expr) -> Predicate:
        column, what, negate = _parts(node, "this", "expression", "negate")
        if not _is(what, exp.Null):
            raise _refused("IS with something other than NULL")
        null = IsNull(self._column(column))
        return Not(null) if negate else null

    def _membership(self, node: exp.Expr) -> Membership:
        column, listed = _parts(node, "this", "expressions")
        attribute = self._column(column)
        if not listed:
            raise _refused("an empty IN list")
        several = len(listed) > 1
        points = (
            self._resolve(attribute, _literal(part), ordered=False, listed=several)
            for part in listed
        )
        return Membership(attribute, tuple(points))

    def _comparison(self, attribute: int, operator: Operator, node: exp.Expr) -> Comparison:
        ordered = operator not in ("=", "<>")
        point = self._resolve(attribute, _literal(node), ordered=ordered)
        return Comparison(attribute, operator, point)

    def _column(self, node: exp.Expr) -> int:
        """Number of the attribute that a node names."""
        node = _unwrapped(node)
        if not _is(node, exp.Column):
            raise _refused(_name_of(node))
        if node.args.get("table") is not None:
            raise _refused(f"the qualified name {node.sql(dialect='postgres')}")
        (identifier,) = _parts(node, "this")
        name = _folded(identifier)
        if name in self._passing:
            raise InvalidParameter(
                f'column "{name}" passes through the release, and is not estimated',
                detail="It is shown as it is, beside sensitive values, and belongs to no attribute "
                "that queries are estimated by.",
                hint="Count it in the published view itself, alone or together with sensitive "
                "values: such counts are exact, but for what is suppressed.",
            )
        if name not in self._attributes:
            raise InvalidParameter(
                f'column "{name}" is not among the attributes of the release',
                detail="A query is about quasi-identifiers and the sensitive attribute.",
                hint=f"{near(name, self._attributes)}They are {', '.join(self._attributes)}.",
            )
        return self._attributes.index(name)


def _folded(node: exp.Expr) -> str:
    """Name of an identifier."""
    if not _is(node, exp.Identifier):
        raise _refused(_name_of(node))
    name, quoted = _parts(node, "this", "quoted")
    return str(name) if quoted else str(name).translate(_FOLDED)


def _unwrapped(node: exp.Expr) -> exp.Expr:
    """Return the expression inside parentheses."""
    while _is(node, exp.Paren):
        (node,) = _parts(node, "this")
    return node


def _chain(node: exp.Expr) -> Iterator[exp.Expr]:
    """Parts of a chain of the same connective, which hangs down to the left, from the left."""
    parts: list[exp.Expr] = []
    kind, left = type(node), node
    while type(left) is kind:
        left, right = _parts(left, "this", "expression")
        parts.append(right)
    return reversed([*parts, left])


def _literal(node: exp.Expr) -> Literal:
    node = _unwrapped(node)
    if _is(node, exp.Boolean):
        (value,) = _parts(node, "this")
        return Literal("true" if value else "false", quoted=False)
    sign = ""
    if _is(node, exp.Neg):
        (inner,) = _parts(node, "this")
        node, sign = _unwrapped(inner), "-"
    if not _is(node, exp.Literal):
        raise _refused(_name_of(node))
    text, quoted = _parts(node, "this", "is_string")
    if sign and quoted:
        raise _refused("a minus before a string")
    return Literal(f"{sign}{text}", quoted=bool(quoted))
