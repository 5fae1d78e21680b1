"""Literals of queries, read by PostgreSQL as values of the attributes' types."""

from __future__ import annotations

from functools import cache

import plpy

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method.randomize import Randomize
from bkpriv_core.query.literal import (
    Literal,
    Resolver,
    class_point,
    domain_resolver,
    number_point,
)
from bkpriv_core.query.predicate import Point, value_point
from bkpriv_core.table.domain import Domain
from bkpriv_pl.past.history import RecordedRelease
from bkpriv_pl.server.boundary import run
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import FIXED

__all__ = ["NUMBERS", "TIMES", "literal_resolver"]

NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
"""Types of numbers."""

TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
"""Types of days and times."""


def literal_resolver(release: RecordedRelease) -> Resolver:
    """Resolver of literals that are compared with the attributes of a release.

    Numbers are compared as `number_point` says. What is no value of another domain is read as a
    value of the attribute's type, and takes its place in the order of that type; text, in the order
    of the database's collation. Dates and times are read as ISO, without a zone as UTC.

    Of types that are not built in, such as enumerations, nothing is asked: they may have changed
    since. Their values have the order that they had at the release, and nothing else has a place.

    What was coarsened before records were drawn is compared with labels of its classes alone.
    """
    domains = release.columns
    of_domain = domain_resolver(domains)
    coarsened = _coarsened(release)

    @cache
    def find_type(attribute: int) -> str | None:
        """The attribute's type, if it is built in; a cast to anybody's would run his code."""
        types = run(
            "SELECT format_type(t.oid, -1) AS name FROM pg_type AS t "
            f"WHERE format_type(t.oid, -1) = $1 AND t.typtype = 'b' AND {FIXED}",
            ["text"],
            [release.types[attribute]],
        )
        return str(types[0]["name"]) if types else None

    def resolve(attribute: int, literal: Literal, *, ordered: bool, listed: bool = False) -> Point:
        POLLED.poll()
        domain, type_ = domains[attribute], release.types[attribute]
        if domain.name in coarsened:
            return class_point(domain, literal, ordered=ordered)
        # One that is written as a value is that value, but that no real is the number 0.1.
        written = literal.text in domain.labels and (literal.quoted or type_ not in NUMBERS)
        if type_ in NUMBERS and not written:
            return number_point(domain, literal, type_, listed=listed)
        if written:
            return value_point(domain, domain.labels.index(literal.text))
        own_type = find_type(attribute)
        if own_type is None:
            return of_domain(attribute, literal, ordered=ordered)
        return _read(domain, own_type, literal)

    return resolve


def _coarsened(release: RecordedRelease) -> set[str]:
    """Names of the attributes that were coarsened before records were drawn."""
    if not isinstance(release.method, Randomize):
        return set()
    levels = release.options.levels or {}
    return {name for name, level in levels.items() if level}


def _read(domain: Domain, type_: str, literal: Literal) -> Point:
    """Read a literal as a value of a type, and find its place among the domain's values."""
    if type_ in TIMES and not literal.quoted:
        raise _not_of_type(domain, type_, literal)
    position = "extract(epoch FROM v)::float8" if type_ in TIMES else "0::float8"
    labels = [label for label in domain.labels if label is not None]
    try:
        row = run(
            f"SELECT count(*) FILTER (WHERE x::{type_} < v) AS below, "
            f"count(*) FILTER (WHERE x::{type_} <= v) AS through, min({position}) AS position "
            f"FROM (SELECT $1::{type_} AS v) AS literal LEFT JOIN unnest($2) AS x ON true",
            ["text", "text[]"],
            [literal.text, labels],
        )[0]
    except plpy.SPIError as error:
        if not str(getattr(error, "sqlstate", "")).startswith("22"):
            raise
        raise _not_of_type(domain, type_, literal) from None
    return Point(row["below"], row["through"], row["position"])


def _not_of_type(domain: Domain, type_: str, literal: Literal) -> InvalidParameter:
    return InvalidParameter(
        f'attribute "{domain.name}" is compared with {literal}, which is not of its type',
        detail=f"Its type is {type_}.",
        hint="Compare it with a value of that type, in quotes.",
    )
