"""What several randomized releases of a table tell whoever can link their records.

Draws of one table are independent, given the table: so together they are one release, in which
every value is shown once by each of them. An attribute's channel is then that of all its showings,
and what is true of one release (see `risk`) holds of it. The adversary knows which records of the
releases are one person's, which is the worst case: releases do not say so.

The grid is that of the combinations of what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.table.groups import FloatArray
from bkpriv_core.table.table import Table

__all__ = ["Together", "risk_together"]


@dataclass(frozen=True, eq=False)
class Together:
    """What several draws tell.

    Parameters
    ----------
    risk : (c, m) float array
        Risk of the records of every cell with every value; 0 where there is no record.
    standard_error : (c, m) float array, optional
        Of the risks where they are estimates; None where they are exact.
    """

    risk: FloatArray
    standard_error: FloatArray | None

    @property
    def exact(self) -> bool:
        """Whether risks are exact up to rounding, rather than estimates."""
        return self.standard_error is None


def risk_together(
    table: Table, draws: Sequence[Sequence[Channel]], progress: Progress = SILENT
) -> Together:
    """Risk of the records of every cell with every value, if several draws are linked.

    Parameters
    ----------
    table : Table
        The table.
    draws : sequence of sequence of Channel
        Channels of each draw, one for each attribute, the sensitive one last.
    progress : Progress
        Polled between steps.

    Returns
    -------
    Together
        Exact where the grid of all that may be shown fits, otherwise estimated by sampling.
    """
    raise NotImplementedError
