"""A library that knows one thing: for tests of what is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bkpriv_core.belief.knowledge_source import NoLibrary

__all__ = ["Known"]


@dataclass(frozen=True, eq=False)
class Known(NoLibrary):
    """One prior about cells, whatever its name, and one about respondents."""

    cells: Any = None
    """Shape (c, m). Prior that every outside table states."""
    respondents: Any = None
    """Shape (n, m). Prior of all adversaries who remember."""
    past: Any = None
    """Shape (n, m + 1). Signatures of the respondents."""

    def outside(self, table: Any, name: str) -> Any:
        """See `KnowledgeSource`."""
        return self.cells if self.cells is not None else super().outside(table, name)

    def revised(self, table: Any, knowledge: Any, snapshot: Any) -> Any:
        """See `KnowledgeSource`."""
        if self.respondents is None:
            return super().revised(table, knowledge, snapshot)
        assert snapshot.shape == self.respondents.shape
        return self.respondents

    def signatures(self, table: Any) -> Any:
        """See `KnowledgeSource`."""
        return self.past if self.past is not None else super().signatures(table)
