"""Disclosure of a release in the worst case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from bkpriv_core.errors import InvalidParameter, Unsupported
from bkpriv_core.implication import Witness, witnesses
from bkpriv_core.implication.statement import Cells, NamedPersons, Names
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.parts import Parts
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.recorded import read_respondents
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, require
from bkpriv_pl.server.progress import POLLED

__all__ = ["max_disclosure"]


@entry(Access.RELEASES)
def max_disclosure(
    release: int | None, k: int | None, language: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.max_disclosure``."""
    recorded = find_release(release, "max_disclosure")
    sensitive = recorded.table.sensitive
    if isinstance(sensitive, Combination) and sensitive.several:
        raise Unsupported(
            f"persons of release {recorded.release} have several records",
            detail="Implications are about one value of each.",
            hint="bkpriv.audit measures what adversaries with background knowledge learn of them.",
        )
    if k is None:
        raise InvalidParameter(
            "k is missing", detail="It is NULL.", hint="Give a whole number of at least 0."
        )
    language = require(language, "language")
    # Implications are about one column; of several the worst counts, by whose values it is told.
    about = []
    respondents = read_respondents(recorded.release)
    for parts in _by_column(recorded):
        persons: NamedPersons = (
            Cells(parts, recorded.groups)
            if respondents is None
            else Names(parts, respondents.names, respondents.labels)
        )
        found = witnesses(parts.histograms(recorded.groups), k, language, POLLED)
        about.append([(witness, persons) for witness in found])

    @cache
    def as_json(witness: Witness, persons: NamedPersons) -> tuple[str, str]:
        """Witness and target; once for all k beyond which nothing more can be disclosed."""
        POLLED.poll()
        return persons.witness_json(witness, language), persons.atom_json(witness.target)

    rows = []
    for pieces, attaining in enumerate(zip(*about, strict=True)):
        witness, persons = max(attaining, key=lambda told: told[0].disclosure)
        rows.append((pieces, witness.disclosure, *as_json(witness, persons)))
    return iter(rows)


def _by_column(recorded: RecordedRelease) -> list[Parts]:
    """Parts of a release as far as each column tells, whose name is in the labels of several."""
    sensitive = recorded.table.sensitive
    if not isinstance(sensitive, Combination):
        return [recorded.parts]
    told = []
    for aspect in sensitive.aspects:
        parts = recorded.threat.seen(aspect.column).parts
        labels = tuple(map(aspect.label, range(aspect.domain.size)))
        table = replace(parts.table, sensitive=Domain(aspect.column, labels))
        told.append(replace(parts, table=table))
    return told
