"""Kept: which records of each person are published, where somebody has several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plpy

__all__ = ["ContributionBound"]


@dataclass(frozen=True)
class ContributionBound:
    """Contribution bound: how many records of each person are published, and which."""

    most: int | None
    """Largest number of records of a person; None for all."""
    latest_by: str | None = None
    """The column by which the latest are; None if they are chosen at random."""
    key: str = ""
    """Key by which the choice is drawn, so that it is the same whenever the source is read. Whoever
    knew it could tell which records were not chosen.
    """

    def pick(
        self, source: str, respondent: str, columns: Sequence[str], slot: str, condition: str
    ) -> str:
        """SQL of the records of a relation that are kept, as a relation.

        Args:
            slot: The parameter that holds `key`.
            condition: SQL of which of its records are published at all, under alias s, or nothing.
        """
        read = dict.fromkeys((respondent, *columns))
        names = [f"s.{plpy.quote_ident(name)}" for name in read]
        # Records that are equal in all that is read may take each other's place.
        texts = ", ".join(f"{name}::pg_catalog.text" for name in names)
        lot = f"sha256(convert_to(ARRAY[{slot}, {texts}]::pg_catalog.text, 'UTF8'))"
        order = [lot]
        if self.latest_by is not None:
            order.insert(0, f"s.{plpy.quote_ident(self.latest_by)} DESC NULLS LAST")
        person = f"s.{plpy.quote_ident(respondent)}"
        whose = f'{person}::pg_catalog.text COLLATE "C"'
        place = plpy.quote_ident(_free("place", [*read]))
        window = f"PARTITION BY {whose} ORDER BY {', '.join(order)}"
        return (
            f"(SELECT {', '.join(names)} FROM (SELECT {', '.join(names)}, row_number() "
            f"OVER ({window}) AS {place} FROM {source} AS s{condition}) AS s "
            f"WHERE s.{place} <= {self.most} OR {person} IS NULL)"
        )


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that no column has."""
    while name in taken:
        name += "_"
    return name
