"""Queries as SQL text: what is understood, as PostgreSQL would, and that all else is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import BkprivError, InvalidParameter, TooLarge
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.grouping import Query
from bkpriv_core.query.literal import Literal, domain_resolver, number_point
from bkpriv_core.query.parsing import parse_query
from bkpriv_core.query.predicate import (
    EVERYTHING,
    And,
    Comparison,
    IsNull,
    Membership,
    Not,
    Or,
    Point,
)
from bkpriv_core.query.workload import draw_workload
from bkpriv_core.table.domain import Domain
from tests.core.oracles import Attribute
from tests.core.query_oracles import Condition
from tests.core.query_strategies import Case, as_predicate, cases, conditions
from tests.core.strategies import MANY, SOME

DOMAINS = (
    Domain("age", ("20", "30", "60"), positions=np.array([20.0, 30.0, 60.0])),
    Domain("Größe", ("s", "m", "l")),
    Domain("se x", ("f", "it's")),
    Domain("illness", ("cold", "flu", None)),
)
RELATIONS = (("people",), ("clinic", "patients"))
HEAD = "SELECT count(*) FROM people"


def parse(text: str) -> Query:
    names = [domain.name for domain in DOMAINS]
    return parse_query(text, RELATIONS, names, domain_resolver(DOMAINS))


def condition(text: str) -> Any:
    query = parse(f"{HEAD} WHERE {text}")
    assert query.grouping_sets == ((),)
    return query.predicate


# --- Any condition --------------------------------------------------------------------------------


def written(condition: Condition, attributes: Sequence[Attribute], data: st.DataObject) -> str:
    """SQL of a condition, in one of several ways to write it."""
    kind, *rest = condition
    if kind in ("and", "or"):
        if not rest[0]:
            return "TRUE" if kind == "and" else "(false)"
        return "(" + f" {kind} ".join(written(part, attributes, data) for part in rest[0]) + ")"
    if kind == "not":
        inner = rest[0]
        if inner[0] == "in" and inner[2]:
            listed = ", ".join(map(literal, inner[2]))
            return f"{attributes[inner[1]].name} NOT IN ({listed})"
        if inner[0] == "null":
            return f"{attributes[inner[1]].name} IS NOT NULL"
        return f"NOT ({written(inner, attributes, data)})"
    name = data.draw(st.sampled_from(["{}", '"{}"', "({})"])).format(attributes[rest[0]].name)
    if kind == "null":
        return f"{name} IS NULL"
    if kind == "in":
        # An empty list is no SQL.
        return f"{name} IN ({', '.join(map(literal, rest[1]))})" if rest[1] else f"{name} <> {name}"
    sign, value = rest[1], literal(rest[2])
    swapped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
    if data.draw(st.booleans()):
        return f"{value} {swapped} {name}"
    return f"{name}{sign}{value}"


def literal(value: Any) -> str:
    """A literal as SQL."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(float(value)) if isinstance(value, Fraction) else str(value)


def has_list(condition: Condition) -> bool:
    kind, *rest = condition
    if kind in ("and", "or"):
        return all(map(has_list, rest[0]))
    return has_list(rest[0]) if kind == "not" else kind != "in" or bool(rest[1])


@MANY
@given(cases(max_attributes=3), st.data())
def test_any_condition_as_text(case: Case, data: st.DataObject) -> None:
    drawn = data.draw(conditions(case.attributes).filter(has_list))
    text = f"SELECT count(*) FROM t WHERE {written(drawn, case.attributes, data)}"
    domains = case.release.domains
    # Numbers of the tables stand for what their labels say, times a step.
    resolve = domain_resolver(
        [
            domain
            if domain.positions is None
            else Domain(
                domain.name,
                tuple(
                    None if label is None else str(int(position))
                    for label, position in zip(domain.labels, domain.positions, strict=True)
                ),
                domain.positions,
            )
            for domain in domains
        ]
    )
    parsed = parse_query(text, [("t",)], [domain.name for domain in domains], resolve)
    counts = CellCounts.of(case.release.table)
    keys = range(len(domains))
    np.testing.assert_array_equal(
        counts.tabulate(parsed.predicate, keys),
        counts.tabulate(as_predicate(drawn, case.attributes), keys),
    )


@SOME
@given(st.integers(0, 2**32))
def test_queries_of_a_workload_as_text(seed: int) -> None:
    queries = draw_workload(DOMAINS, 3, 2, 0.3, np.random.default_rng(seed))
    for query in range(len(queries)):
        parsed = parse(queries.text(query, "clinic.patients")).predicate
        expected = queries.predicate(query)
        assert isinstance(parsed, And)
        assert isinstance(expected, And)
        flat = [inner for part in parsed.parts for inner in getattr(part, "parts", (part,))]
        assert tuple(flat) == expected.parts


# --- What is understood ---------------------------------------------------------------------------

COLD, FLU = Point(0, 1), Point(1, 2)
AT_30, AT_35 = Point(1, 2, 30.0), Point(2, 2, 35.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age = 30", Comparison(0, "=", AT_30)),
        ("AGE != 30.0", Comparison(0, "<>", AT_30)),
        ("age < 3e1", Comparison(0, "<", AT_30)),
        ("35 < age", Comparison(0, ">", AT_35)),
        ("age >= '35'", Comparison(0, ">=", AT_35)),
        ("age >= -.5", Comparison(0, ">=", Point(0, 0, -0.5))),
        ("age IN (35, (30), +30)", Membership(0, (AT_35, AT_30, AT_30))),
        ('"age" = 30', Comparison(0, "=", AT_30)),
        ("größe = 'x'", None),
        ("\"Größe\" = 'm'", Comparison(1, "=", Point(1, 2))),
        ("\"Größe\" > 's'", Comparison(1, ">", Point(0, 1))),
        ("\"se x\" = 'it''s'", Comparison(2, "=", Point(1, 2))),
        ("illness = 'plague'", Comparison(3, "=", Point(0, 0))),
        ("illness IS NULL", IsNull(3)),
        ("illness ISNULL", IsNull(3)),
        ("NOT illness IS NOT NULL", Not(Not(IsNull(3)))),
        ("((TRUE))", EVERYTHING),
        ("FALSE", Not(EVERYTHING)),
        (
            "age BETWEEN 30 AND 35 AND illness='flu'",
            And(
                (
                    And((Comparison(0, ">=", AT_30), Comparison(0, "<=", AT_35))),
                    Comparison(3, "=", FLU),
                )
            ),
        ),
        (
            "age = 30 OR illness = 'flu' AND NOT illness = 'cold' OR TRUE",
            Or(
                (
                    Comparison(0, "=", AT_30),
                    And((Comparison(3, "=", FLU), Not(Comparison(3, "=", COLD)))),
                    EVERYTHING,
                )
            ),
        ),
    ],
)
def test_conditions(text: str, expected: Any) -> None:
    if expected is None:
        with pytest.raises(InvalidParameter, match='column "größe" is not among'):
            condition(text)
    else:
        assert condition(text) == expected


@pytest.mark.parametrize(
    ("select", "group", "expected"),
    [
        ("count(*)", "", ((),)),
        ("COUNT ( * ) AS n", "GROUP BY ()", ((),)),
        ("age, count(*)", "GROUP BY age", ((0,),)),
        ("count(*), (age)", "GROUP BY age, illness", ((0, 3),)),
        ("count(*)", "GROUP BY (age, illness), age", ((0, 3),)),
        ("count(*)", "GROUP BY ROLLUP (age, (illness, age))", ((0, 3), (0,), ())),
        ("count(*)", "GROUP BY CUBE (age, illness)", ((0, 3), (0,), (3,), ())),
        ("count(*)", "GROUP BY illness, CUBE (age)", ((3, 0), (3,))),
        (
            "count(*)",
            "GROUP BY GROUPING SETS ((age, illness), age, (), ROLLUP (illness))",
            ((0, 3), (0,), (), (3,), ()),
        ),
    ],
)
def test_grouping(select: str, group: str, expected: Any) -> None:
    query = parse(f"SELECT {select} FROM people {group}")
    assert query == Query(EVERYTHING, expected)


@pytest.mark.parametrize("relation", ["people", "PEOPLE", '"people"', "clinic.patients"])
def test_what_is_counted_in(relation: str) -> None:
    assert parse(f"select\n\tcount(*)\r\nfrom {relation};") == Query(EVERYTHING, ((),))


def test_a_long_chain_is_no_deep_nesting() -> None:
    chain = " OR ".join(f"age = {age}" for age in range(5000))
    assert len(condition(chain).parts) == 5000


# --- What is refused ------------------------------------------------------------------------------

REFUSED = [
    ("", "the query has nothing in it"),
    (";", "the query has ; at its start"),
    ("DROP TABLE people", "the query has DROP at its start"),
    ("WITH x AS (SELECT 1) SELECT count(*) FROM people", "the query has WITH at its start"),
    ("(SELECT count(*) FROM people)", r"the query has \( at its start"),
    ("EXPLAIN SELECT count(*) FROM people", "the query has EXPLAIN at its start"),
    (f"{HEAD}; DROP TABLE people", "more than one statement"),
    (f"{HEAD}; {HEAD}", "more than one statement"),
    (f"{HEAD} UNION {HEAD}", "a set operation"),
    ("SELECT count(*)", "no FROM"),
    ("SELECT count(*), FROM people", "a comma that nothing follows"),
    (f"{HEAD} GROUP BY age,", "a comma that nothing follows"),
    ("SELECT count(*) INTO x FROM people", "INTO"),
    ("SELECT DISTINCT count(*) FROM people", "DISTINCT"),
    ("SELECT 1 FROM people", "a literal where a column is expected"),
    ("SELECT * FROM people", r"all columns \(\*\)"),
    ("SELECT age FROM people GROUP BY age", r"no count\(\*\)"),
    ("SELECT count(*), count(*) FROM people", r"more than one count\(\*\)"),
    ("SELECT count(age) FROM people", r"a count of something other than \*"),
    ("SELECT count(DISTINCT age) FROM people", r"a count of something other than \*"),
    ("SELECT count(*) FILTER (WHERE true) FROM people", "FILTER"),
    ("SELECT count(*) OVER () FROM people", "a window function"),
    ("SELECT count(*) + 1 FROM people", "ADD"),
    ("SELECT sum(age) FROM people", "the function SUM"),
    ("SELECT pg_read_file('x') FROM people", "the function pg_read_file"),
    ("SELECT count(*), age FROM people", 'the column "age" in its SELECT list'),
    ("SELECT count(*), age AS a FROM people GROUP BY age", "an alias"),
    ("SELECT count(*) FROM pg_shadow", "the query counts in pg_shadow"),
    ("SELECT count(*) FROM patients", "the query counts in patients"),
    ('SELECT count(*) FROM "People"', "the query counts in People"),
    ("SELECT count(*) FROM x.clinic.patients", "TABLE|CATALOG|IDENTIFIER|catalog"),
    ("SELECT count(*) FROM people, pg_shadow", "a join"),
    ("SELECT count(*) FROM people JOIN pg_shadow ON true", "a join"),
    ("SELECT count(*) FROM people CROSS JOIN LATERAL f(age)", "a join"),
    ("SELECT count(*) FROM people p", "an alias of the table"),
    ("SELECT count(*) FROM ONLY people", "ONLY"),
    ("SELECT count(*) FROM people TABLESAMPLE system (1)", "TABLESAMPLE"),
    ("SELECT count(*) FROM (SELECT 1) AS people", "a subquery"),
    ("SELECT count(*) FROM generate_series(1, 2)", "the function"),
    ("SELECT count(*) FROM pg_sleep(9)", "the function pg_sleep"),
    (f"{HEAD} HAVING true", "HAVING"),
    (f"{HEAD} ORDER BY 1", "ORDER BY"),
    (f"{HEAD} LIMIT 1", "LIMIT"),
    (f"{HEAD} OFFSET 1", "OFFSET"),
    (f"{HEAD} FETCH FIRST ROW ONLY", "FETCH"),
    (f"{HEAD} FOR UPDATE", "a locking clause"),
    (f"{HEAD} GROUP BY 1", "a number or string in GROUP BY"),
    (f"{HEAD} GROUP BY DISTINCT age", "ALL or DISTINCT in GROUP BY"),
    (f"{HEAD} GROUP BY age + 1", "ADD"),
    (f"{HEAD} GROUP BY CUBE ()", "an empty CUBE"),
    (f"{HEAD} GROUP BY nothing", 'column "nothing" is not among'),
    (f"{HEAD} WHERE", "cannot be parsed"),
    (f"{HEAD} WHERE age = 'x", "cannot be parsed"),
    (f"{HEAD} -- WHERE", "a comment"),
    (f"{HEAD} /* a /* b */ c */ WHERE age = 1", "a comment"),
    ("SELECT /*+ hint */ count(*) FROM people", "a comment"),
    (f"{HEAD} WHERE age\u00a0= 1", r"the character U\+00A0 outside quotes"),
    (f"{HEAD} WHERE age = 1\u2003", r"the character U\+2003 outside quotes"),
    (f"{HEAD} WHERE \u200bage = 1", "is not among|cannot be parsed|U\\+200B"),
    (f"{HEAD} WHERE age \uff1d 1", "cannot be parsed|is not among|outside quotes|ALIAS|alias"),
    (f"{HEAD} WHERE \u0430ge = 1", 'column "\u0430ge" is not among'),
    (f"{HEAD} WHERE AG\u0130 = 1", "is not among"),
]
REFUSED_CONDITIONS = [
    ("age", "a column where a literal is expected, or alone"),
    ("\u00d6L = 1", 'column "\u00d6l" is not among'),  # as PostgreSQL folds it
    ("1", "a literal where a column is expected, or alone"),
    ("1 = 1", "a literal where a column is expected, or alone"),
    ("age == 30", "the operator =="),
    ("!(age = 30)", "the operator !"),
    ("age IN (30,)", "a comma that nothing follows"),
    ("age = age", "a column where a literal is expected"),
    ("age = NULL", "the literal NULL"),
    ("NULL", "the literal NULL"),
    ("age IN (NULL)", "the literal NULL"),
    ("age IS TRUE", "IS with something other than NULL"),
    ("(age = 30) IS NOT TRUE", "IS with something other than NULL"),
    ("(age = 30) IS NULL", "EQ"),
    ("age IS DISTINCT FROM 30", "NULLSAFENEQ"),
    ("age IN (SELECT 1)", "a subquery"),
    ("age = (SELECT 1)", "a subquery"),
    ("age = ANY (SELECT 1)", "a subquery|ANY"),
    ("age = ANY ('{30}')", "ANY"),
    ("age = ALL (ARRAY[30])", "the function ALL"),
    ("EXISTS (SELECT 1)", "a subquery"),
    ("(age, age) = (1, 2)", "a list of columns or values"),
    ("age + 1 = 30", "ADD"),
    ("age = 15 + 15", "ADD"),
    ("age = - - 30", "NEG"),
    ("age = -'30'", "a minus before a string"),
    ("abs(age) = 30", "the function ABS"),
    ("age = abs(30)", "the function ABS"),
    ("illness = upper('flu')", "the function UPPER"),
    ("illness = version()", "the function"),
    ("illness = current_user", "the function|CURRENT"),
    ("pg_sleep(9) IS NULL", "the function pg_sleep"),
    ("age = 30::int", "a cast"),
    ("age::text = '30'", "a cast"),
    ("age = CAST(30 AS int)", "a cast"),
    ("age = int '30'", "a cast"),
    ("age = $1", "a parameter"),
    ("age = :x", "a parameter"),
    ("age = %s", "cannot be parsed|PLACEHOLDER|a parameter|MOD"),
    ("age = ?", "a parameter|cannot be parsed"),
    ("people.age = 30", "the qualified name people.age"),
    ("age BETWEEN SYMMETRIC 35 AND 30", "SYMMETRIC"),
    ("illness LIKE 'f%'", "LIKE"),
    ("illness SIMILAR TO 'f'", "SIMILAR"),
    ("illness ~ 'f'", "REGEXP"),
    ("illness || 'x' = 'flux'", "PIPE|CONCAT|a concatenation"),
    ("illness = E'flu'", "a string with escapes"),
    ("illness = U&'flu'", "a string with escapes"),
    ("illness = $$flu$$", "a string in dollar quotes"),
    ("illness = 'f'\n'lu'", "a string in several parts"),
    ("illness = 'flu' COLLATE \"C\"", "COLLATE"),
    ("age = 0x1E", "a hexadecimal literal"),
    ("age = B'1'", "a bit string"),
    ("CASE WHEN true THEN true END", "CASE"),
    ("age IN ()", "an empty IN list|cannot be parsed"),
    ("age OPERATOR(pg_catalog.=) 30", "OPERATOR"),
    ("age = '30x'", "'30x', which is not a number"),
    ("age = true", "true, which is not a number"),
    ("age = 1e999999", "which is not a number"),
    ("age = 'NaN'", "which is not a number"),
    ("illness < 'plague'", "by order with 'plague'"),
    ("illness = 'flu' XOR age = 30", "XOR|cannot be parsed"),
]


@pytest.mark.parametrize(
    ("text", "message"),
    [*REFUSED, *((f"{HEAD} WHERE {text}", message) for text, message in REFUSED_CONDITIONS)],
)
def test_all_else_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        parse(text)
    assert caught.value.hint


WORDS = """
    SELECT count(*) FROM people WHERE age = 30 illness 'flu' ( ) , AND OR NOT IN IS NULL BETWEEN
    GROUP BY CUBE ROLLUP GROUPING SETS ; -- /* */ UNION JOIN :: $$ E' " * < CASE WITH AS LATERAL
    VALUES ARRAY[1] pg_sleep(9) TABLE
"""


@MANY
@given(st.lists(st.sampled_from([*WORDS.split(), "\u00a0"]), max_size=9))
def test_whatever_comes_is_understood_or_refused(words: list[str]) -> None:
    try:
        query = parse(f"{HEAD} {' '.join(words)}")
    except BkprivError:
        return
    assert all(len(keys) <= 4 for keys in query.grouping_sets)


def test_size_is_bounded() -> None:
    with pytest.raises(TooLarge, match="the query has 100001 characters"):
        parse(HEAD.ljust(100_001))
    for opening, closing in (("(", ")"), ("NOT ", ""), ("NOT (", ")")):
        with pytest.raises(TooLarge, match="nested too deeply"):
            condition(opening * 15_000 + "age = 30" + closing * 15_000)
    with pytest.raises(TooLarge, match="grouping sets"):
        parse(f"{HEAD} GROUP BY CUBE ({', '.join(['age'] * 13)})")
    with pytest.raises(TooLarge, match="grouping sets"):
        parse(f"{HEAD} GROUP BY GROUPING SETS ({', '.join(['age'] * 4097)})")


# --- Literals -------------------------------------------------------------------------------------


def test_numbers_are_compared_exactly() -> None:
    labels = ("9007199254740993", "9007199254740993.5", "1e+20", None)
    positions = np.array([9007199254740993.0, 9007199254740993.5, 1e20, np.nan])
    domain = Domain("big", labels, positions=positions)

    def rank(text: str) -> tuple[int, int]:
        point = number_point(domain, Literal(text, quoted=False))
        return point.below, point.through

    assert rank("9007199254740993") == (0, 1)
    assert rank("9007199254740992") == (0, 0)
    assert rank("9007199254740993.50") == (1, 2)
    assert rank("9007199254740993.2") == (1, 1)
    assert rank("100000000000000000000") == (2, 3)
    assert rank("1e99999") == (3, 3)
    assert rank("-1e-99999") == (0, 0)
    assert number_point(domain, Literal("1e99999", quoted=False)).position == np.inf


def test_nan_is_above_all_numbers() -> None:
    # As in PostgreSQL; such a domain has a hierarchy, and no positions.
    domain = Domain("grade", ("-1", "2.50", "NaN"))
    points = [number_point(domain, Literal(text, quoted=False)) for text in ("2.5", "1e9")]
    assert [(point.below, point.through) for point in points] == [(1, 2), (2, 2)]
