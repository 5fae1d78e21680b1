"""Outcomes: what an attacker believes, beside what was believed before and what is true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Outcome"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """Beliefs about people; those of one row are believed alike."""

    threat: ThreatModel
    """Setting of the table: its sensitive columns, and distances of beliefs about them."""
    group: IntArray
    """Shape (r,). Group of each row; `SUPPRESSED` of people in none."""
    cell: IntArray
    """Shape (r,). Cell of each row."""
    counts: IntArray
    """Shape (r, m). People of each row with each sensitive value, as is true."""
    baseline: FloatArray
    """Shape (r, m). Belief about them without the release."""
    believed: FloatArray
    """Shape (r, m). Belief of the attacker about them."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Further figures of the attacker, about no column."""
