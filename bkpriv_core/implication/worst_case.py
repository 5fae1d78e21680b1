"""The maximum disclosure for ``0 ... k`` pieces of knowledge, and what attains it.

A piece is an implication or a negation, two languages. An *implication* is between atoms about any
persons; a *negation* says that a person does not have a value, and is the implication to another
value of that person. So either way a *witness* is a target and atoms each of which implies it.
Negations disclose no more than as many implications, and either reach 1 when all values but one of
some bucket are ruled out: no figure beyond that is computed.

Figures are exact up to rounding; see `buckets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bkpriv_core.errors import InvalidParameter, TooLarge, as_json
from bkpriv_core.implication.atoms import Atom, check_histograms, check_pieces
from bkpriv_core.implication.buckets import (
    Buckets,
    check_attackable,
    negation_ratios,
)
from bkpriv_core.implication.minimization import atoms_per_person, signatures
from bkpriv_core.implication.profiles import BucketPool, Profiles
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.table.arrays import distinct_rows
from bkpriv_core.table.groups import FloatArray, IntArray

__all__ = ["LANGUAGES", "Witness", "witnesses", "worst_case"]

LANGUAGES = ("implications", "negations")
"""Languages of pieces of knowledge."""

_MOST_FIGURES = 10_000
"""Largest k that figures are given for, most of them 1."""


@dataclass(frozen=True)
class Witness:
    """Implications that attain a maximum disclosure."""

    disclosure: float
    target: Atom
    antecedents: tuple[Atom, ...]
    """Atoms each of which implies the target; fewer than were allowed if they suffice for
    certainty.
    """


def worst_case(
    histograms: npt.NDArray[np.integer],
    k: int,
    language: str = "implications",
    progress: Progress = SILENT,
) -> FloatArray:
    """Maximum disclosure of a set of buckets for 0 ... k pieces of knowledge.

    Args:
        histograms: Shape (b, m). Persons of each bucket with each value.
        k: Largest number of pieces.

    Returns:
        Shape (k + 1,). Non-decreasing.

    Raises:
        InvalidParameter: If an argument means nothing, or there are no buckets.
        TooLarge: If `k` is far beyond what is useful, or no bucket is disclosed by as many pieces
            as profiles are computed for.
    """
    _check_language(language)
    k = check_pieces(k)
    checked = check_histograms(histograms)
    pieces = _useful(checked, k)
    buckets = Buckets(pieces, progress)
    buckets.add(checked)
    curve = buckets.curve() if language == "implications" else buckets.negation_curve()
    return np.concatenate((curve, np.ones(k - pieces)))


def witnesses(
    histograms: npt.NDArray[np.integer],
    k: int,
    language: str = "implications",
    progress: Progress = SILENT,
) -> tuple[Witness, ...]:
    """Find implications that attain the maximum disclosure, for each of 0 ... k pieces.

    Parameters and errors are those of `worst_case`. Persons of a bucket are interchangeable, so
    those that a witness names are the bucket's first.
    """
    _check_language(language)
    k = check_pieces(k)
    checked = check_histograms(histograms)
    pieces = _useful(checked, k)
    signed = signatures(checked, pieces + 1)
    if language == "implications":
        useful = _implication_witnesses(checked, signed, progress)
    else:
        useful = _negation_witnesses(checked, signed)
    return (*useful, *(useful[-1] for _ in range(k - pieces)))


def _check_language(language: object) -> None:
    if language not in LANGUAGES:
        raise InvalidParameter(
            f"there is no language {as_json(language)}",
            detail="It says what an adversary may know pieces of.",
            hint=f"It must be one of {', '.join(LANGUAGES)}.",
        )


def _useful(histograms: IntArray, k: int) -> int:
    """Number of pieces up to which the disclosure may still rise, at most `k`."""
    if k > _MOST_FIGURES:
        raise TooLarge(
            f"k is {k}, which is too many pieces of knowledge",
            detail=f"Figures are given for at most {_MOST_FIGURES}, and are 1 long before that.",
            hint="Ask for a smaller k.",
        )
    pieces = min(k, int(np.count_nonzero(histograms, axis=1).min()) - 1)
    check_attackable(pieces)
    return pieces


def _negation_witnesses(histograms: IntArray, signed: IntArray) -> list[Witness]:
    ratios = negation_ratios(signed)
    best = []
    for pieces, bucket in enumerate(ratios.argmin(axis=0).tolist()):
        target, *ruled_out = _atoms(histograms, bucket, [pieces + 1])
        disclosure = 1.0 / (1.0 + float(ratios[bucket, pieces]))
        best.append(Witness(disclosure, target, tuple(ruled_out)))
    return best


def _implication_witnesses(
    histograms: IntArray, signed: IntArray, progress: Progress
) -> list[Witness]:
    first, kind, counts = distinct_rows(signed)
    kinds = Profiles.of_buckets(signed[first], progress)
    pool = BucketPool(kinds, counts, progress=progress)
    entries, running = kinds[pool.entries], pool.running()

    @cache
    def per_person(entry_kind: int, share: int) -> list[int]:
        progress.poll()
        return atoms_per_person(signed[first[entry_kind]], share)

    best = []
    for pieces in range(kinds.pieces + 1):
        progress.poll()
        order, shares = _best_shares(entries, running, pieces)
        used = np.bincount(pool.entries[order], minlength=len(first))
        free = {
            u: iter(np.flatnonzero(kind == u)[: used[u]].tolist())
            for u in np.flatnonzero(used).tolist()
        }
        atoms: list[Atom] = []
        for entry, share in zip(order, shares, strict=True):
            place = int(pool.entries[entry])
            atoms += _atoms(histograms, next(free[place]), per_person(place, share))
        disclosure = 1.0 / (1.0 + float(pool.total.target[0, pieces]))
        best.append(Witness(disclosure, atoms[0], tuple(atoms[1:])))
    return best


def _best_shares(
    entries: Profiles, running: list[Profiles], pieces: int
) -> tuple[list[int], list[int]]:
    """Buckets of a pool that hold the best atoms, the target's first, and atoms of each."""
    target: tuple[int, int] | None = None
    helpers: list[tuple[int, int]] = []
    left = pieces
    for entry in reversed(range(len(entries))):
        before = running[entry]
        shares = np.arange(left + 1)
        helping = entries.helper[entry, : left + 1]
        if target is not None:
            share = int(np.argmin(before.helper[0, left - shares] * helping))
        else:
            with np.errstate(invalid="ignore"):
                here = entries.target[entry, : left + 1] * before.helper[0, left - shares]
                there = before.target[0, left - shares] * helping
            there[np.isnan(there)] = np.inf
            # On a tie this bucket is the target: an earlier one need not exist.
            if here.min() <= there.min():
                share = int(here.argmin())
                target = (entry, share + 1)
                left -= share
                continue
            share = int(there.argmin())
        if share:
            helpers.append((entry, share))
            left -= share
    assert target is not None
    chosen = [target, *helpers]
    return [entry for entry, _ in chosen], [share for _, share in chosen]


def _atoms(histograms: IntArray, bucket: int, shares: list[int]) -> list[Atom]:
    """Atoms by which each of the first persons has one of the most frequent values."""
    frequent = np.argsort(-histograms[bucket], kind="stable").tolist()
    return [
        Atom(bucket, person, value)
        for person, share in enumerate(shares)
        for value in frequent[:share]
    ]
