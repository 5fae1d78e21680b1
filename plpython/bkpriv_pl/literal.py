"""Literals of queries, read by PostgreSQL as values of the attributes' types."""

from __future__ import annotations

from functools import cache
from typing import Any

import plpy

from bkpriv_core.domain import Domain
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.query.literal import Literal, Resolver, domain_resolver, number_point
from bkpriv_core.query.predicate import Point, value_point
from bkpriv_pl.boundary import run
from bkpriv_pl.history import Release
from bkpriv_pl.progress import poll

__all__ = ["NUMBERS", "literal_resolver"]

NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
"""Types of numbers."""

_TIMES = ("date", "timestamp without time zone", "timestamp with time zone")


def literal_resolver(release: Release) -> Resolver:
    """Resolver of literals that are compared with the attributes of a release.

    Numbers are compared exactly. What is no value of another domain is read as a value of the
    attribute's type, and takes its place in the order of that type; text, in the order of the
    database's collation. Dates and times are read as ISO, without a zone as UTC.
    """
    domains = (*release.table.quasi_identifiers, release.table.sensitive)
    known = domain_resolver(domains)

    @cache
    def find_type(attribute: int) -> Any:
        """The attribute's type, if literals may be cast to it; anybody's would run his code."""
        types = run(
            "SELECT oid::int8 AS oid, format_type(oid, -1) AS name, typtype = 'e' AS enumerated "
            "FROM pg_type WHERE format_type(oid, -1) = $1 AND (typtype = 'e' "
            "OR typtype = 'b' AND typnamespace = 'pg_catalog'::regnamespace)",
            ["text"],
            [release.types[attribute]],
        )
        return types[0] if types else None

    def resolve(attribute: int, literal: Literal, *, ordered: bool) -> Point:
        poll()
        domain, type_ = domains[attribute], release.types[attribute]
        if domain.numeric and type_ in NUMBERS:
            return number_point(domain, literal)
        if literal.text in domain.labels:
            return value_point(domain, domain.labels.index(literal.text))
        if type_ in NUMBERS:
            return number_point(domain, literal)  # they have a hierarchy
        found = find_type(attribute)
        if found is None or (found["enumerated"] and not ordered):
            return known(attribute, literal, ordered=ordered)
        if found["enumerated"]:
            return _place(domain, found["oid"], type_, literal)
        return _read(domain, found["name"], literal)

    return resolve


def _place(domain: Domain, enumeration: int, type_: str, literal: Literal) -> Point:
    """Find the place of a label of an enumeration among the domain's values."""
    labels = [label for label in domain.labels if label is not None]
    rows = run(
        "SELECT count(x) FILTER (WHERE x.enumsortorder < v.enumsortorder) AS below, "
        "count(x) FILTER (WHERE x.enumsortorder <= v.enumsortorder) AS through "
        "FROM pg_enum AS v LEFT JOIN pg_enum AS x "
        "ON x.enumtypid = v.enumtypid AND x.enumlabel = ANY ($3) "
        "WHERE v.enumtypid = $1::oid AND v.enumlabel = $2 GROUP BY v.oid",
        ["int8", "text", "text[]"],
        [enumeration, literal.text, labels],
    )
    if not rows:
        raise _not_of_type(domain, type_, literal)
    return Point(rows[0]["below"], rows[0]["through"], 0.0)


def _read(domain: Domain, type_: str, literal: Literal) -> Point:
    """Read a literal as a value of a type, and find its place among the domain's values."""
    if type_ in _TIMES and not literal.quoted:
        raise _not_of_type(domain, type_, literal)
    position = "extract(epoch FROM v)::float8" if type_ in _TIMES else "0::float8"
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
