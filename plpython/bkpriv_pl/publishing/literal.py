"""Literals of queries, read by PostgreSQL as values of the attributes' types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import plpy

from bkpriv_core.errors import InvalidParameter
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
from bkpriv_pl.server.boundary import Refusal, run
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.column import FIXED, column_types

__all__ = ["NUMBERS", "TIMES", "literal_resolver"]

NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
"""Types of numbers."""

TIMES = ("date", "timestamp without time zone", "timestamp with time zone")
"""Types of days and times."""


def literal_resolver(release: RecordedRelease) -> Resolver:
    """Resolver of literals that are compared with the attributes of a release.

    Numbers are compared as `number_point` says. What is no value of another domain is read as a
    value of the attribute's type, and takes its place in the order of that type. Text takes it in
    the order of the column's collation, as the source has it now. If the source or the column is
    gone, or that is not the order of the values at the release, text that is no value has no place.
    Dates and times are read as ISO, without a zone as UTC.

    Of types that are not built in, such as enumerations, nothing is asked: they may have changed
    since. Their values have the order that they had at the release, and nothing else has a place.
    Nor is anything else equal to one; of base types such as citext that is not known, and refused.

    What was coarsened before records were drawn is compared with labels of its classes alone.
    """
    domains = release.columns
    names = [domain.name for domain in domains]
    of_domain = domain_resolver(domains)
    coarsened = _coarsened(release)

    @cache
    def find_type(attribute: int) -> tuple[str, bool] | None:
        """The attribute's type, if it is built in; a cast to anybody's would run his code.

        With it comes whether it is compared by a collation.
        """
        types = run(
            "SELECT format_type(t.oid, -1) AS name, t.typcollation <> 0 AS collated "
            "FROM pg_type AS t "
            f"WHERE format_type(t.oid, -1) = $1 AND t.typtype = 'b' AND {FIXED}",
            ["text"],
            [release.types[attribute]],
        )
        return (str(types[0]["name"]), bool(types[0]["collated"])) if types else None

    @cache
    def collations() -> dict[str, str]:
        """Collations of the source's columns, by name; of those that have the type they had."""
        return _find_collations(release.release, dict(zip(names, release.types, strict=True)))

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
        found = find_type(attribute)
        if found is None:
            if not ordered and _compares_its_own_way(type_):
                raise _unknown(domain, type_, literal)
            return of_domain(attribute, literal, ordered=ordered)
        own_type, collated = found
        collation = collations().get(domain.name) if collated else ""
        point = None if collation is None else _read(domain, own_type, collation, literal)
        return of_domain(attribute, literal, ordered=ordered) if point is None else point

    return resolve


def _coarsened(release: RecordedRelease) -> set[str]:
    """Names of the attributes that were coarsened before records were drawn."""
    if release.partition is not None:
        return set()
    levels = release.options.levels or {}
    return {name for name, level in levels.items() if level}


def _find_collations(release: int, types: Mapping[str, str]) -> dict[str, str]:
    """Collations, as SQL, of the columns of a release's source that still have their types."""
    (origin,) = run(
        "SELECT source_schema, source_name FROM bkpriv.release WHERE release = $1",
        ["bigint"],
        [release],
    )
    try:
        columns = column_types(origin["source_schema"], origin["source_name"])
    except Refusal:  # The source is gone.
        return {}
    return {
        name: columns[name].collation
        for name, type_ in types.items()
        if name in columns and columns[name].declared_as == type_
    }


def _compares_its_own_way(type_: str) -> bool:
    """Whether there is a base type of that name that is not built in, such as citext."""
    return bool(
        run(
            "SELECT FROM pg_type AS t "
            f"WHERE format_type(t.oid, -1) = $1 AND t.typtype = 'b' AND NOT {FIXED}",
            ["text"],
            [type_],
        )
    )


def _read(domain: Domain, type_: str, collation: str, literal: Literal) -> Point | None:
    """Read a literal as a value of a type, and find its place among the domain's values.

    Returns:
        None if the values do not rise in the order of the collation, so that it is another one.
    """
    if type_ in TIMES and not literal.quoted:
        raise _not_of_type(domain, type_, literal)
    position = "extract(epoch FROM v)::float8" if type_ in TIMES else "0::float8"
    labels = [label for label in domain.labels if label is not None]
    cast = f"::{type_} COLLATE {collation}" if collation else f"::{type_}"
    try:
        row = run(
            "SELECT count(*) FILTER (WHERE x < v) AS below, "
            "count(*) FILTER (WHERE x <= v) AS through, min(position) AS position, "
            "coalesce(bool_and(before < x), true) AS rising FROM ("
            f"SELECT x, v, {position} AS position, lag(x) OVER (ORDER BY place) AS before "
            f"FROM (SELECT $1{cast} AS v) AS literal LEFT JOIN "
            f"(SELECT t{cast} AS x, place FROM unnest($2) WITH ORDINALITY AS u(t, place)) "
            "AS listed "
            "ON true) AS compared",
            ["text", "text[]"],
            [literal.text, labels],
        )[0]
    except plpy.SPIError as error:
        if not str(getattr(error, "sqlstate", "")).startswith("22"):
            raise
        raise _not_of_type(domain, type_, literal) from None
    if collation and not row["rising"]:
        return None
    return Point(row["below"], row["through"], row["position"])


def _unknown(domain: Domain, type_: str, literal: Literal) -> InvalidParameter:
    return InvalidParameter(
        f'attribute "{domain.name}" is compared with {literal}, which is none of its values',
        detail=f"Its type {type_} is not built in, so it is not known which texts are equal by it.",
        hint="Write the value as the release shows it.",
    )


def _not_of_type(domain: Domain, type_: str, literal: Literal) -> InvalidParameter:
    return InvalidParameter(
        f'attribute "{domain.name}" is compared with {literal}, which is not of its type',
        detail=f"Its type is {type_}.",
        hint="Compare it with a value of that type, in quotes.",
    )
