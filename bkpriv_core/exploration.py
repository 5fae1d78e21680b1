"""Exploration: what publishing would cost and disclose under each of many policies, tried in turn.

Nothing is published and nothing recorded. Each *setting*, a policy with a method and its options,
is made as a publication makes it and thrown away once its figures are taken, so that they are those
of the release that publishing would make. Everything that depends on the table alone is computed
once: its cells and counts, and priors of adversaries whom several settings name.

===================================================================  =============================
figure                                                               of
===================================================================  =============================
``discernibility``, ``average_class_size``, ``gcp``, ``rgcp``,       `bkpriv_core.utility.measures`
``suppressed_share``
``query_error``                                                      median relative error of the
                                                                     workload of `QueryError`
``worst_disclosure``                                                 largest of any record, to any
                                                                     adversary of the policy
``mean_disclosure``                                                  mean over records, to the
                                                                     adversary of the largest mean
``exact_share``                                                      published records about whom
                                                                     it was inferred exactly
``groups``                                                           published groups
``seconds``                                                          making and measuring it
===================================================================  =============================

Disclosure is that of ``bt_privacy``, in bits; without adversaries there is none to tell. They
differ in what they know, so that of two settings the one of less disclosure need not be the safer
one: compare those of the same adversaries.

Each setting is judged by itself. What its release would tell together with others of the same
people is not; one that grows keeps the groups of the last release, which have the figures that they
have.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bkpriv_core.audit import Finding, judge_queries, unmet
from bkpriv_core.errors import InvalidParameter, TooLarge, as_json
from bkpriv_core.method import Job, Method
from bkpriv_core.method.growing import Growth
from bkpriv_core.method.together import layered
from bkpriv_core.policy import REQUIREMENTS
from bkpriv_core.query.bound import QueryError
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import BtPrivacy, KAnonymity, LDiversity, check_binding
from bkpriv_core.stated import keys_of
from bkpriv_core.utility.comparison import query_errors
from bkpriv_core.utility.measures import utility

__all__ = ["MOST_SETTINGS", "list_policies", "try_out"]

MOST_SETTINGS = 1000
"""Largest number of policies that are tried in one call."""

_AXES = ("bandwidth", "t", "k", "l")
"""Axes of a grid; the last one changes first."""

_HINT = (
    'Write [{"k_anonymity": {"k": 5}}, ...], or {"grid": {"bandwidth": [0.2, 0.3], '
    '"t": [0.1, 0.2]}, "with": {"k_anonymity": {"k": 5}}}.'
)


def list_policies(stated: object) -> list[Mapping[str, Any]]:
    """List the policies of an array, or of a grid.

    Parameters
    ----------
    stated : object
        Decoded JSON: an array of policies; one of them; or an object with a ``grid``, which lists
        values of ``bandwidth`` and ``t``, of ``k`` or of ``l``, and perhaps the requirements that
        all have, ``with``.

    Returns
    -------
    list of mapping
        Policies as stated, not yet checked; of a grid every combination, one for each adversary
        after the other.

    Raises
    ------
    InvalidParameter
        If it is none of these, or empty; if a grid has bandwidths without t, or says what ``with``
        says, too.
    TooLarge
        If there are more than `MOST_SETTINGS`.
    """
    if isinstance(stated, Mapping):
        return _of_grid(stated) if "grid" in stated or "with" in stated else [stated]
    if not isinstance(stated, list) or not stated:
        raise InvalidParameter(
            "the policies must be a JSON array of policies, or a grid",
            detail=f"It is {as_json(stated)}.",
            hint=_HINT,
        )
    _refuse_many(len(stated))
    for place, policy in enumerate(stated, start=1):
        if not isinstance(policy, Mapping):
            raise InvalidParameter(
                f"policy {place} is no JSON object",
                detail=f"It is {as_json(policy)}.",
                hint=_HINT,
            )
    return stated


def _of_grid(stated: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    keys_of(stated, "a grid of policies", ("grid", "with"), ("grid",))
    grid = keys_of(stated["grid"], "grid", _AXES)
    known = (*REQUIREMENTS, QueryError.key, "overlap")
    shared = keys_of(stated.get("with", {}), "with", known, noun="requirement")
    if not grid or ("bandwidth" in grid) != ("t" in grid):
        raise InvalidParameter(
            "the grid lists no adversaries" if grid else "the grid is empty",
            detail=f"It is {as_json(dict(grid))}; an adversary has a bandwidth and a t.",
            hint=_HINT,
        )
    if "t" in grid and BtPrivacy.key in shared:
        raise InvalidParameter(
            f"the grid and the requirements beside it both state {BtPrivacy.key}",
            detail=f"Beside it stands {as_json(shared[BtPrivacy.key])}.",
            hint=f"List the policies one by one, each with all its adversaries. {_HINT}",
        )
    listed = {
        axis: values if isinstance(values := grid[axis], list) else [values]
        for axis in _AXES
        if axis in grid
    }
    for axis, values in listed.items():
        if not values:
            raise InvalidParameter(
                f"{axis} of grid lists no value", detail="The list is empty.", hint=_HINT
            )
    _refuse_many(math.prod(map(len, listed.values())))
    return [
        {**shared, **_requirements(dict(zip(listed, chosen, strict=True)), shared)}
        for chosen in itertools.product(*listed.values())
    ]


def _refuse_many(settings: int) -> None:
    """Refuse more settings than anybody waits for."""
    if settings > MOST_SETTINGS:
        raise TooLarge(
            f"{settings} policies are too many to try",
            detail=f"At most {MOST_SETTINGS} are tried in one call, one after the other.",
            hint="Take few values first, and finer ones where they turn out to matter.",
        )


def _requirements(chosen: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Requirements of one place of a grid; keys but k and l stay as they stand beside it."""
    found: dict[str, Any] = {}
    if "t" in chosen:
        found[BtPrivacy.key] = [{"bandwidth": chosen["bandwidth"], "t": chosen["t"]}]
    for axis, key in (("k", KAnonymity.key), ("l", LDiversity.key)):
        if axis in chosen:
            beside = shared.get(key)
            if isinstance(beside, list):
                raise InvalidParameter(
                    f"axis {axis} cannot vary several bounds of {key}",
                    detail=f"Beside it stands {as_json(beside)}.",
                    hint=f"State one, or policies with a {axis} for each by their names.",
                )
            found[key] = {**(beside if isinstance(beside, Mapping) else {}), axis: chosen[axis]}
    return found


def try_out(
    method: Method[Any],
    job: Job[Any],
    growth: Growth,
    bound: QueryError | None = None,
) -> dict[str, float | None]:
    """Make the release of one setting, and return its figures.

    Parameters
    ----------
    method : Method
        Method that would make it.
    job : Job
        Job that it would be asked.
    growth : Growth
        Groups of the last release that stay, where the release would grow.
    bound : QueryError, optional
        The policy's bound on the error of queries.

    Returns
    -------
    dict of str to float or None
        Figures by name, see the module; None where there is nothing to measure.

    Raises
    ------
    BkprivError
        If the setting cannot be published: see `Method.check` and `Method.make`. Or if the release
        would break the bound on the error of queries.
    """
    started = time.perf_counter()
    check_binding(job.requirements, job.setting)
    if not growth.kept:  # Newcomers whom no group takes wait.
        method.check(job.setting, job.requirements, job.options)
    made = layered(method, growth)(job)
    release, _ = made.release.together()
    progress = job.progress
    if bound is not None:
        finding = judge_queries(release, bound, progress)
        if not finding.satisfied and bound.action == "refuse":
            raise unmet(bound, finding)
    figures = {
        **utility(release, progress),
        "query_error": query_errors(release, progress).median,
        **_disclosed(release, [row for row in made.findings if row.requirement == BtPrivacy.key]),
        "groups": 0.0 if release.partition is None else float(len(release.partition)),
        "seconds": time.perf_counter() - started,
    }
    return {
        name: None if figure is None or math.isnan(figure) else figure
        for name, figure in figures.items()
    }


def _disclosed(release: Release, rows: Sequence[Finding]) -> dict[str, float | None]:
    """Disclosure of a release to the adversary that learns most."""
    if not rows:
        return dict.fromkeys(("worst_disclosure", "mean_disclosure", "exact_share"))
    estimated = max(row.estimated or 0 for row in rows)
    return {
        "worst_disclosure": max(row.worst for row in rows),
        "mean_disclosure": max(row.mean for row in rows),
        "exact_share": 1.0 - estimated / release.published,
    }
