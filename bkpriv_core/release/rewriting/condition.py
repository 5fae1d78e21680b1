"""Conditions as SQL: what a row weighs, given its share in values of each attribute.

The expression is a sum over classes of values of the first attribute, of the row's share in them
times the expression for what is left of the condition then (see `bkpriv_core.query.combination`);
classes that leave the same are taken together. A conjunction so becomes a product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bkpriv_core.progress import Progress
from bkpriv_core.release.rewriting.fragment import check_length, product
from bkpriv_core.release.rewriting.side import Side
from bkpriv_core.table.groups import BoolArray

__all__ = ["weight"]


def weight(met: BoolArray, sides: Sequence[Side], progress: Progress) -> str:
    """SQL of what a row weighs by a condition.

    Args:
        met: Mark of the combinations of classes for which it is true, an axis for each side.

    Raises:
        TooLarge: If it is too long.
    """
    if met.all() or not met.any():
        return str(int(met.all()))
    side, *rest = sides
    alike: dict[bytes, list[int]] = {}
    for place in range(len(met)):
        progress.poll()
        alike.setdefault(np.ascontiguousarray(met[place]).tobytes(), []).append(place)
    terms: list[str] = []
    length = 0
    for places in alike.values():
        left = weight(met[places[0]], rest, progress)
        if left == "0":
            continue
        share = "1"
        if len(alike) > 1:
            share = side.share(np.isin(side.classes.members, places))
        terms.append(product([share, left]))
        length += len(terms[-1])
        check_length(length)
    if len(terms) < 2:
        return terms[0] if terms else "0"  # None is left where no row shows what would meet it.
    return f"({' + '.join(terms)})"
