"""Outcomes: what an attacker believes, beside what was believed before and what is true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bkpriv_core.belief.setting import Setting
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["Outcome"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """Beliefs about people; those of one row are believed alike.

    Parameters
    ----------
    setting : Setting
        Setting of the table: its sensitive columns, and distances of beliefs about them.
    group : (r,) int array
        Group of each row; `SUPPRESSED` of people in none.
    cell : (r,) int array
        Cell of each row.
    counts : (r, m) int array
        People of each row with each sensitive value, as is true.
    baseline : (r, m) float array
        Belief about them without the release.
    believed : (r, m) float array
        Belief of the attacker about them.
    figures : mapping of str to float
        Further figures of the attacker, about no column.
    """

    setting: Setting
    group: IntArray
    cell: IntArray
    counts: IntArray
    baseline: FloatArray
    believed: FloatArray
    figures: Mapping[str, float] = field(default_factory=dict)
