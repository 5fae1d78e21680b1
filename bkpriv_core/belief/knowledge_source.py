"""Libraries: where a setting reads what adversaries know beyond its table."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bkpriv_core.belief.knowledge import Revised
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.table.groups import FloatArray, IntArray
from bkpriv_core.table.table import Table

__all__ = ["KnowledgeSource", "NoLibrary"]


class KnowledgeSource(Protocol):
    """Source of what adversaries know beyond the table of a setting."""

    @property
    def memory(self) -> str | None:
        """Estimator by which earlier releases were inferred; None if there were none."""

    def outside(self, table: Table, name: str) -> FloatArray:
        """Prior that the outside table of a name gives about each cell, shape (c, m)."""

    def revised(self, table: Table, knowledge: Revised, snapshot: FloatArray) -> FloatArray:
        """Beliefs of an adversary who remembers earlier releases, and has sequential knowledge.

        Args:
            knowledge: Sequential knowledge by name, and knowledge about respondents without a past.
            snapshot: Shape (n, m). Prior beliefs about each respondent of the table as if they had
                no past.

        Returns:
            Shape (n, m). Prior beliefs about each respondent, before the table is released.
        """

    def signatures(self, table: Table) -> IntArray:
        """Values of the group that each respondent was published in last.

        Returns:
            Shape (n, m + 1). Signature of each respondent of the table: 1 for each of its values
            that the group had; last 1 where it had a value that the table does not have. All 0 for
            those who were in no release, or have another value now than in the last one.
        """


class NoLibrary:
    """A library where nothing can be read."""

    @property
    def memory(self) -> str | None:
        """Return None: nothing is remembered."""
        return None

    def outside(self, table: Table, name: str) -> FloatArray:
        """Refuse; see `KnowledgeSource`."""
        raise InvalidParameter(
            f"there is no prior table {name} here",
            detail="Knowledge from outside needs a place to read it from.",
            hint="Use a bandwidth.",
        )

    def revised(self, table: Table, knowledge: Revised, snapshot: FloatArray) -> FloatArray:
        """Refuse; see `KnowledgeSource`."""
        raise InvalidParameter(
            f"there is no sequential knowledge {knowledge.sequence} here",
            detail="It needs a history of releases.",
            hint="Use a bandwidth.",
        )

    def signatures(self, table: Table) -> IntArray:
        """Return no signatures: no respondent was in a release."""
        return np.zeros((table.records, table.sensitive.size + 1), dtype=np.int64)
