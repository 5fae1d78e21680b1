"""Utility of a release: its costs, see `bkpriv_core.table.cost`, and the suppressed share.

The GCP is that of the groups' extents, and 0 where the method publishes quasi-identifiers exactly.
The *suppressed share* is that of unpublished records among all. All are exact.
"""

from __future__ import annotations

from bkpriv_core.table.cost import costs
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts

__all__ = ["utility"]


def utility(parts: Parts, groups: Groups, *, generalized: bool = True) -> dict[str, float]:
    """Utility measures of publishing `groups` of a table, by name.

    Parameters
    ----------
    parts : Parts
        The table's cells, or parts of them.
    groups : Groups
        Its published groups.
    generalized : bool
        Whether quasi-identifiers are published as the groups' extents, or else exactly.
    """
    table = parts.table
    sizes = parts.sizes(groups)
    penalty = float((sizes * table.penalty(*parts.boxes(groups))).sum()) if generalized else 0.0
    suppressed = table.records - int(sizes.sum())
    return {
        **costs(sizes, table.records, penalty),
        "suppressed_share": suppressed / table.records,
    }
