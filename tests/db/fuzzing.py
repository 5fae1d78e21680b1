"""Arguments for functions that are called at random: plausible ones, and odd ones of every type."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from bkpriv_core.method import GROUP_METHODS
from tests.conftest import Connection

__all__ = ["Call", "Function", "draw_call", "public_functions"]

_PUBLIC = """
SELECT proname, coalesce(proargnames, '{}'), ARRAY(SELECT format_type(u.type, NULL)
    FROM unnest(proargtypes) WITH ORDINALITY AS u(type, place) ORDER BY u.place), pronargdefaults
FROM pg_proc
WHERE pronamespace = 'bkpriv'::regnamespace
    AND has_function_privilege(oid, 'EXECUTE')
ORDER BY proname
"""


@dataclass(frozen=True)
class Function:
    """A function as the catalogue knows it."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    defaults: int


@dataclass(frozen=True)
class Call:
    """A call: a statement, and the texts of its arguments."""

    function: str
    statement: str
    values: tuple[str | None, ...]


def public_functions(connection: Connection) -> list[Function]:
    """Functions of schema bkpriv, internal ones left out, that the connection's role may call."""
    return [
        Function(name, tuple(zip(names, types, strict=False)), defaults)
        for name, names, types, defaults in connection.execute(_PUBLIC.encode()).fetchall()
    ]


def draw_call(function: Function, draw: random.Random) -> Call:
    """Draw a call: an argument or two are odd, as a rule, and the others plausible."""
    required = len(function.arguments) - function.defaults
    given = [
        (name, type_)
        for place, (name, type_) in enumerate(function.arguments)
        if place < required or draw.random() < 0.7
    ]
    odd = set(draw.sample(range(len(given)), min(len(given), draw.choice((0, 1, 1, 1, 2)))))
    slots, values = [], []
    for place, (name, type_) in enumerate(given):
        plausible = _PLAUSIBLE.get(name) or _PLAUSIBLE.get(type_) or (None,)
        plausible = _PLAUSIBLE_OF.get(function.name, {}).get(name, plausible)
        slots.append(f'"{name}" => %s::{type_}')
        values.append(draw.choice(_odd(name, type_) if place in odd else plausible))
    statement = f"SELECT * FROM bkpriv.{function.name}({', '.join(slots)}) LIMIT 50"
    return Call(function.name, statement, tuple(values))


def _odd(name: str, type_: str) -> tuple[str | None, ...]:
    if type_ == "jsonb":
        return _JSON + _JSON_OF.get(name, ())
    return _ODD_NAMES.get(name, ()) + _ODD.get(type_, (None, ""))


_DEEP = 1000

_PLAUSIBLE: dict[str, tuple[str | None, ...]] = {
    "dataset": ("mine", "own_people", "unused"),
    "release": ("1", "2", "3", "4", "5", "6"),
    "releases": ("{1}", "{1,2}", "{2,3,5}"),
    "owner": ("postgres",),
    "policy": ("p", "beliefs", "diverse"),
    "view_name": ("shown", "fuzzed", '"Quoted View"'),
    "view_schema": ("fuzz",),
    "method": tuple(GROUP_METHODS),
    "period": (None,),
    "estimator": ("auto", "exact", "bethe", "omega", "unbiased", "maximum_likelihood"),
    "language": ("implications", "negations"),
    "reason": ("a mistake",),
    "source": ("own", "person"),
    "levels": ("b_levels", "own"),
    "quasi_identifiers": ("{a}", "{a,b}", "{id,a}"),
    "sensitive": ("b", "a"),
    "respondent": (None, "id"),
    "attribute": ("a", "b"),
    "attributes": ("{a}", "{b,a}", "{}"),
    "name": ("fuzzed", "p", "mine"),
    "widths": ("{2,4}", "{5}"),
    "origin": ("0", "1.5"),
    "requirements": (
        '{"k_anonymity": {"k": 3}}',
        '{"bt_privacy": [{"bandwidth": 0.3, "t": 0.2}]}',
        '{"ck_safety": {"c": 0.9, "k": 1}, "query_error": {"median": 0.5}}',
        '{"pair_divergence": {"theta": 0.3}, "js_divergence": {"j": 0.5, "bandwidth": 0.3}}',
        None,
    ),
    "policies": (
        '[{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}]',
        '{"grid": {"bandwidth": [0.3], "t": [0.2, 0.4]}, "with": {"k_anonymity": {"k": 3}}}',
        '{"grid": {"k": [2, 5], "l": 2}}',
    ),
    "options": ("{}", '{"estimator": "exact"}', '{"nulls": "category"}'),
    "bandwidth": ("0.3", '{"a": 0.2}', '{"kernel": "uniform"}', "0.5"),
    "query": (
        "SELECT count(*) FROM mine WHERE a < 5",
        "SELECT a, count(*) FROM mine GROUP BY a",
        "SELECT count(*) FROM own_people WHERE b IN (1, 2)",
    ),
    "k": ("0", "2", "3"),
    "limit": ("1", "10"),
    "queries": ("3", "10"),
    "dimensions": ("1",),
    "selectivity": ("0.1", "0.5"),
    "seed": ("1", None),
    "prior": ("{{0.5,0.5},{0.2,0.8}}",),
    "counts": ("{1,1}", "{2,0}"),
    "scheme": ("rr-s", "rr-qi", "rr-both"),
    "tau": ("0.3", "0.9", "1"),
    "joint": ("{{0.5,0.2},{0.1,0.2}}",),
    "retention": ("{0.6,0.7}",),
    "histograms": ("{{3,1},{2,2}}", "{2,1}"),
    "p": ("{0.5,0.5}",),
    "q": ("{0.1,0.9}",),
    "ground": ("{{0,1},{1,0}}",),
    "text": ("a",),
    "text[]": ("{a}",),
    "regclass": ("own",),
    "regrole": ("pg_monitor",),
    "jsonb": ("{}",),
    "bigint": ("1",),
    "integer": ("1",),
    "boolean": ("true", "false"),
    "double precision": ("0.5",),
    "numeric": ("1",),
}

_OF_PEOPLE: dict[str, tuple[str | None, ...]] = {
    "dataset": ("own_people",),
    "releases": ("{3}", "{3,7}"),
    "readers": ('{"a": [3], "b": ["people", 7]}', '{"a": ["people_sensitive"]}'),
    "name": ("known",),
    "knowledge": ("known",),
    "kind": ("constant", "incremental"),
    "source": (None,),
    "memory": (None,),
    "respondent": ("7", "8"),
}

_PLAUSIBLE_OF: dict[str, dict[str, tuple[str | None, ...]]] = {
    "reconstruct": {
        "release": ("6",),
        "attributes": ("{a}", "{b,a}"),
        "estimator": ("unbiased", "maximum_likelihood"),
    },
    "suggest_hierarchy": {"dataset": ("towns",), "attribute": ("a",)},
    "set_date_hierarchy": {"dataset": ("days",), "attribute": ("b",), "units": ("{year}",)},
    "set_prefix_hierarchy": {"dataset": ("towns",), "attribute": ("a",), "lengths": ("{6,5}",)},
    "set_list_hierarchy": {"attribute": ("a",), "branches": ('{"few": ["1"]}',)},
    **dict.fromkeys(
        (
            *("set_sequential_knowledge", "unset_sequential_knowledge", "sequential_knowledge"),
            *("sequential_audit", "revised_belief"),
            *("audit_together", "explain_together", "audit_readers"),
        ),
        _OF_PEOPLE,
    ),
}
"""Plausible arguments of functions that others than those of their names or types suit."""

_TEXTS = (
    None,
    "",
    " ",
    "x" * 70,
    "x" * 100_000,
    "no such thing",
    'a"b',
    "a'b; DROP TABLE own; --",
    "a.b.c.d",
    '"unclosed',
    "$1",
    "%s",
    "{0}",
    "\\",
    "tab\there",
    "line\nbreak",
    "bell\x07",
    "naïve – ünïcödé 🜁 ﷽",
    "\u202egnirts",
    "0",
    "-1",
    "1e400",
    "null",
    "*",
    "pg_class",
    "pg_catalog.pg_class",
    "bkpriv.release",
    "bkpriv_release.release_1",
    "SELECT 1",
    "SELECT count(*) FROM",
    "SELECT count(*) FROM mine WHERE a = 1e400",
    "SELECT count(*) FROM mine WHERE a = '5874897-12-31'",
    "SELECT count(*) FROM mine WHERE a IN ()",
    "SELECT count(*) FROM mine WHERE a < NULL",
    "SELECT count(*) FROM mine GROUP BY 99999999999999999999",
    "SELECT count(*) FROM mine WHERE " + "(" * 500 + "a = 1" + ")" * 500,
    "SELECT count(*) FROM mine WHERE " + "NOT " * 3000 + "a = 1",
    "SELECT count(*) FROM mine, mine AS m",
    "WITH RECURSIVE w AS (SELECT 1) SELECT count(*) FROM w",
)


def _listed(texts: str) -> tuple[str | None, ...]:
    """NULL, and the texts between blanks."""
    return (None, *texts.split())


_INTEGERS = (None, "-1", "0", "99", "2147483647", "-2147483648", "2147483648", "1.5", "x", "")

_FLOATS = (None, "NaN", "Infinity", "-Infinity", "-0", "5e-324", "1e308", "-1", "0", "2", "1e400")

_ODD: dict[str, tuple[str | None, ...]] = {
    "text": _TEXTS,
    "integer": _INTEGERS,
    "bigint": (*_INTEGERS, "9223372036854775807", "-9223372036854775808"),
    "bigint[]": _listed(
        "{} {NULL} {0} {-1} {1,1} {{1},{2}} {{1,NULL}} [0:1]={1,2} {9223372036854775807} "
        "{9223372036854775808} {1,NULL,2} {x} {99}"
    ),
    "double precision": _FLOATS,
    "numeric": _listed(f"NaN Infinity -Infinity 1e400 1e-400 0 -5 {'1' * 5000}"),
    "boolean": _listed("x"),
    "regclass": _listed(
        '0 - 4294967295 no_such pg_class own_seq own_index odd_view " a.b.c.d bkpriv.release empty '
        "wide nameless nulls wild failing"
    ),
    "regrole": (*_listed("0 - 4294967295 no_such pg_monitor"), ""),
    "text[]": _listed(
        '{} {NULL} {{a,b},{a,b}} {""} {a,a} {A} {a,NULL} [5:6]={a,b} {a {ctid} {tableoid} {xmin} '
        f"{{{','.join('a' * 1601)}}} {{{','.join(f'c{i}' for i in range(420))}}} "
        "{n,b} {j} {t}"
    ),
    "numeric[]": _listed(
        "{} {NULL} {{1,2},{4,8}} {0} {-1} {NaN} {Infinity} {1e400} {1e-400} {5,7} {5,5} {10,5} "
        f"{{{'1' * 5000}}} {{1e5000}} {{0.1,0.2}} {{{','.join(str(2**i) for i in range(400))}}}"
    ),
    "integer[]": _listed(
        "{} {NULL} {{1,NULL}} {-1} {0} {0,0} {{{1}}} {2147483647} {2147483647,2147483647} "
        "{{1,2},{3,4}} {1,1,1} [0:1]={1,1} {x}"
    ),
    "double precision[]": _listed(
        "{} {NULL} {{NULL,1}} {NaN} {{NaN,0.5},{0.5,0.5}} {Infinity,0} {1} {{1}} {{{0.5,0.5}}} "
        "{0.5,0.6} {-0.5,1.5} {1e308,1e308} {5e-324,1} {{0,1},{1,0},{1,1}} {{0,-1},{-1,0}} "
        "{{0,NaN},{NaN,0}} {0.2,0.3,0.5} {{1,0},{1,0}} {{1e-320,1},{1,1e-320}}"
    ),
}

# Datasets that are there, over tables that are odd: more likely than odd names of datasets.
_ODD_NAMES = {
    "dataset": ("wild", "days", "nulls", "empty", "failing", "one", "same", "dropped") * 4
}

_NUMBERS = ("1e400", "1e-400", "-1", "0", "1e308", "1e-320", "-0.0", "1" * 400, "0.5", "2.5")

_JSON: tuple[str | None, ...] = (
    *(None, "null", "true", '""', '"x"', "[]", "{}", "[null]", "[[]]", "{", "0", "1.5", *_NUMBERS),
    '{"a":' * _DEEP + "1" + "}" * _DEEP,
    "[" * _DEEP + "]" * _DEEP,
    '{"": ""}',
    '{"a": 1, "a": 2}',
    '{"\\u0001": 1}',
    '{"\\ud83d\\ude00": "é"}',
    '{"k_anonymity": {"k": 3}, "k_anonymity": 5}',
    "[" + ",".join("1" * 2000) + "]",
    '{"x": "' + "y" * 100_000 + '"}',
)

_OF_ANY = ("null", "true", '"x"', '"3"', "[]", "[1]", "{}", '{"x": 1}', *_NUMBERS)


def _broken(*texts: str) -> tuple[str, ...]:
    """JSON in which one value of a text, however deep, is replaced by each odd one."""

    def spoilt(value: object) -> Iterator[str]:
        yield "@"
        if isinstance(value, dict):
            for key, item in value.items():
                for inner in spoilt(item):
                    others = {other: value[other] for other in value if other != key}
                    rest = "".join(f", {json.dumps(k)}: {json.dumps(v)}" for k, v in others.items())
                    yield f"{{{json.dumps(key)}: {inner}{rest}}}"
        elif isinstance(value, list):
            for place, item in enumerate(value):
                for inner in spoilt(item):
                    yield f"[{', '.join([inner, *map(json.dumps, value[place + 1 :])])}]"

    templates = [template for text in texts for template in spoilt(json.loads(text))]
    return tuple(template.replace("@", odd) for template in templates for odd in _OF_ANY)


_JSON_OF: dict[str, tuple[str, ...]] = {
    "readers": _broken('{"a": [1, 2], "b": ["shown"]}', '{"all": [1]}'),
    "policies": _broken(
        '{"grid": {"bandwidth": [0.3], "t": [0.2]}, "with": {"k_anonymity": {"k": 3}}}',
        '[{"bt_privacy": {"bandwidth": 0.3, "t": 0.2}}, {"k_anonymity": {"k": 2}}]',
    ),
    "requirements": _broken(
        '{"k_anonymity": {"k": 3, "x": 1}}',
        '{"l_diversity": {"l": 2, "variant": "recursive", "c": 2}, "overlap": "warn"}',
        '{"t_closeness": {"t": 0.2, "ground": "equal"}}',
        '{"beta_likeness": {"beta": 2, "variant": "basic"}}',
        '{"bt_privacy": [{"bandwidth": {"a": 0.3}, "t": 0.2}]}',
        '{"bt_privacy": [{"bandwidth": {"table": "own"}, "t": 0.2}]}',
        '{"ck_safety": {"c": 0.5, "k": 2}}',
        '{"k_anonymity": {"k": 2}, "query_error": {"median": 0.5, "queries": 9, "dimensions": 1, '
        '"selectivity": 0.1}}',
    ),
    "options": _broken(
        '{"estimator": "exact", "materialized": true, "nulls": "category"}',
        '{"beyond": "suppress", "unfit": "relax", "x": 1}',
        '{"utility": "gcp", "suppression": 0.1, "seed": 1}',
    ),
    "bins": _broken('{"b": 2, "a": 5}', '{"t": ["day"]}'),
    "bandwidth": (
        *_broken('{"a": 0.3, "b": 0.2}', '{"kernel": "uniform"}', '{"table": "own"}'),
        *('{"table": "no.such"}', '{"table": "own"}', '{"table": "prior_odd"}'),
        *('{"table": "failing"}', '{"table": "a.b.c.d"}', '{"table": "\\""}'),
        *('{"table": "pg_class"}', '{"sequence": "x"}', '{"from": 0.1, "to": 0.5}'),
    ),
}
