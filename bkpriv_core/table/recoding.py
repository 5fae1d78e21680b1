"""Tables with attributes coarsened: every value by the class that it is in at a level.

Classes are those of `bkpriv_core.table.levels`. A coarsened attribute is categorical: its values
are the labels of classes, for numbers the range from the smallest to the largest that occurs, as
text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.domain import ROOT, Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.table import Table

__all__ = ["recode"]


def recode(table: Table, levels: Mapping[str, int]) -> tuple[Table, IntArray]:
    """Coarsen quasi-identifiers of a table.

    Args:
        levels: Level of each of some quasi-identifiers; 0 leaves one as it is.

    Returns:
        Domains of the other attributes are the same objects.
        Shape (c,). The cell that each cell has become part of.

    Raises:
        InvalidParameter: If there is no such quasi-identifier, or no such level of it; or it is
            binned, which is done where the dataset is registered.
    """
    domains = {domain.name: axis for axis, domain in enumerate(table.quasi_identifiers)}
    coarse, codes = list(table.quasi_identifiers), table.codes.copy()
    for name, level in levels.items():
        if name not in domains:
            listed = '", "'.join(domains)
            raise InvalidParameter(
                f'option levels names "{name}", which is no quasi-identifier',
                detail="Quasi-identifiers may be coarsened before they are drawn.",
                hint=f'They are "{listed}".',
            )
        axis = domains[name]
        if level:
            coarse[axis], classes = _coarsen(coarse[axis], level)
            codes[:, axis] = classes[codes[:, axis]]
    first, cell, _ = distinct_rows(codes)
    counts = np.zeros((len(first), table.sensitive.size), dtype=np.int64)
    np.add.at(counts, cell, table.counts)
    return replace(table, quasi_identifiers=tuple(coarse), codes=codes[first], counts=counts), cell


def _coarsen(domain: Domain, level: int) -> tuple[Domain, IntArray]:
    """A domain's classes at a level, and the class of each value."""
    choices = Levels.of(domain)
    if level >= len(choices):
        raise InvalidParameter(
            f'option levels has {level} for "{domain.name}", which has no such level',
            detail="Level 0 keeps values as they are, and the last has one for all.",
            hint=f"Its levels go from 0 to {len(choices) - 1}. More come with set_hierarchy or "
            "set_interval_hierarchy.",
        )
    if domain.ends is not None:
        raise InvalidParameter(
            f'option levels names "{domain.name}", which is binned',
            detail="Bins are what is drawn of it.",
            hint="Register the dataset with wider bins.",
        )
    recoding = choices.recoding(domain, level)
    # Classes in the order of their first values, so that NULL, which comes last, stays last.
    lows = recoding.low[domain.leaf_order]
    _, first, by_low = np.unique(lows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    places = domain.leaf_order[first[order]].tolist()
    if recoding.labels is not None:
        labels = tuple(recoding.labels[place] for place in places)
    else:
        labels = tuple(_range(domain, place, int(recoding.high[place])) for place in places)
    return Domain(domain.name, labels, hierarchy=_above(domain, level)), rank[by_low]


def _range(domain: Domain, low: int, high: int) -> str | None:
    """Text of the values of a numeric domain from one to another."""
    if low == high:
        return domain.labels[low]
    if domain.labels[high] is None:
        return ROOT
    return f"[{domain.labels[low]},{domain.labels[high]}]"


def _above(domain: Domain, level: int) -> Hierarchy | None:
    """Remaining hierarchy above a level."""
    if domain.hierarchy is None or level >= domain.hierarchy.height:
        return None
    paths = domain.hierarchy.paths.values()
    return Hierarchy({path[level]: path[level:] for path in paths})
