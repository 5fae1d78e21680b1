"""Comparison of beliefs in studies: blended, as in Li, Li, Zhang 2009.

A policy that states no smoothing compares beliefs as they are. Figures of the papers, and ours
beside them, are of blended beliefs, so every study states it.
"""

from __future__ import annotations

__all__ = ["SMOOTHING"]

SMOOTHING = 0.75
"""Bandwidth within which sensitive values blend: siblings do, in a hierarchy of height two."""
