"""Counts reconstructed from randomized releases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.release.randomized.reconstruction import find_attributes
from bkpriv_core.release.randomized.reconstruction import reconstruct as counts_of
from bkpriv_core.table.notation import json_objects
from bkpriv_pl.past.history import find_release
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, require
from bkpriv_pl.server.progress import POLLED

__all__ = ["reconstruct"]

Row = tuple[str, float, float | None, float | None, float | None]


@entry(Access.RELEASES)
def reconstruct(
    release: int | None, attributes: Sequence[str | None] | None, estimator: str | None
) -> Iterator[Row]:
    """See ``bkpriv.reconstruct``."""
    recorded = find_release(release)
    if attributes is None or any(isinstance(name, list) for name in attributes):
        raise InvalidParameter(
            "the attributes are no plain list",
            detail="It is NULL, or an array of several dimensions.",
            hint="Write for example ARRAY['age', 'sex']; '{}' counts everything.",
        )
    names = [require(name, "attribute") for name in attributes]
    places = find_attributes(recorded, names)
    estimates = counts_of(recorded, places, require(estimator, "estimator"), POLLED)
    keys = json_objects([recorded.domains[place] for place in places], estimates.codes)
    columns = (estimates.errors, *estimates.interval)
    told = (
        [None if math.isnan(figure) else figure for figure in side.tolist()] for side in columns
    )
    return zip(keys, estimates.counts.tolist(), *told, strict=True)
