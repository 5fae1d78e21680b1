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
``sure``                                                             people of whom a reader
                                                                     becomes sure: one of all whom
                                                                     the policies name, or who knows
                                                                     the table's shares, who does so
                                                                     of most (`certainty`)
``known``                                                            people of whom one of these
                                                                     readers is sure beforehand
``known_by_columns``, ``knowable``                                   people of whom one is so by the
                                                                     quasi-identifiers, of so many
                                                                     without a value that over nine
                                                                     tenths have
``largest_disclosure``                                               largest of any record, to any
                                                                     of them who knows more than the
                                                                     table's shares; estimated for
                                                                     those whom it does not bound
``one_value``                                                        people in groups of one value
                                                                     of a sensitive column
``exact_share``                                                      published records about whom
                                                                     it was inferred exactly
``rows``                                                             rows that the views would show
``groups``                                                           published groups
``seconds``                                                          making and measuring it
===================================================================  =============================

Disclosure is that of ``bt_privacy``, in bits; without adversaries there is none to tell. They
differ in what they know, so that of two settings the one of less disclosure need not be the safer
one: compare those of the same adversaries. ``sure`` and what follows it are about the same readers
in all settings, so that they can be compared: readers whom any policy names by a bandwidth, the one
who knows only the table's shares, and those of the policy itself; or one who stands in, if no
policy names any. Groups that take longest are estimated.

A grid begins with k-anonymity alone, for each k of it, which the others are compared with. It is
what nearly everybody asks for; what else is lost is the price of the rest. Then come its policies
without readers, if they require more: the price of readers is what is lost beyond these.

A bound on a well informed reader does not bind one who knows less. So the customary grid bounds, in
every policy, the reader who knows only the table's shares (`WEAK_READER`).

Each setting is judged by itself. What its release would tell together with others of the same
people is not; one that grows keeps the groups of the last release, which have the figures that they
have.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from bkpriv_core.audit import Finding, judge_queries, unmet
from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.knowledge import Knowledge, Uniform
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import (
    in_groups_of_one_value,
    known_by_columns,
    most_known,
    most_sure,
    readers,
)
from bkpriv_core.errors import BkprivError, InvalidParameter, TooLarge, as_json
from bkpriv_core.method import Job, Method, Result
from bkpriv_core.method.composition import layered
from bkpriv_core.method.growing import IncrementalPopulation
from bkpriv_core.policy import REQUIREMENTS
from bkpriv_core.query.bound import Asked, QueryError
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import (
    BeliefBreach,
    BtPrivacy,
    KAnonymity,
    LDiversity,
    Requirement,
    check_binding,
)
from bkpriv_core.requirement.breach import BEFORE, SURE
from bkpriv_core.requirement.scope import Scope
from bkpriv_core.schema import keys_of
from bkpriv_core.table.groups import Groups
from bkpriv_core.utility.comparison import query_errors
from bkpriv_core.utility.measures import utility

__all__ = [
    "CUSTOMARY",
    "MOST_SETTINGS",
    "WEAK_READER",
    "Readers",
    "Shared",
    "list_policies",
    "shared_readers",
    "try_out",
]

MOST_SETTINGS = 1000
"""Largest number of policies that are tried in one call."""

WEAK_READER: Mapping[str, Any] = {
    BeliefBreach.key: {"bandwidth": {"kernel": "uniform"}, "rho1": BEFORE, "rho2": SURE}
}
"""Requirement that the reader who knows only the table's shares becomes sure of nobody."""

CUSTOMARY: Mapping[str, Any] = {
    "grid": {
        "bandwidth": [[0.2, 0.3, 0.5]],
        "t": [0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
        "k": 5,
    },
    "with": WEAK_READER,
}
"""Grid that is tried if nobody says which policies: three readers at once, and the weak one."""

_BELIEFS = 2**22
"""Limit of the numbers that are beliefs at a time, arrays of 32 MB."""

_AXES = ("bandwidth", "t", "k", "l")
"""Axes of a grid; the last one changes first."""

Readers = Sequence[tuple[Knowledge, Scope]]
"""Readers, and the columns that each is kept from."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Findings that trials of several policies share, beside a setting."""

    readers: Readers = ()
    """Readers of whom is counted, under every policy, of how many they become sure, beside those of
    the policy itself; see `shared_readers`.
    """
    asked: Asked | None = None
    """The `usual_queries` of the table."""


_NOTHING = Shared()

_HINT = (
    'Write [{"k_anonymity": {"k": 5}}, ...], or {"grid": {"bandwidth": [0.2, 0.3], '
    '"t": [0.1, 0.2]}, "with": {"k_anonymity": {"k": 5}}}.'
)


def list_policies(stated: object) -> list[Mapping[str, Any]]:
    """List the policies of an array, or of a grid.

    Args:
        stated: Decoded JSON: an array of policies; one of them; or an object with a ``grid``, which
            lists values of ``bandwidth`` and ``t``, of ``k`` or of ``l``, and perhaps the
            requirements that all have, ``with``. A bandwidth that is a list means several
            adversaries at once. None: the grid `CUSTOMARY`.

    Returns:
        Policies as stated, not yet checked; of a grid k-anonymity alone with each k, then what it
        requires without adversaries, then every combination, one for each adversary after the
        other.

    Raises:
        InvalidParameter: If it is none of these, or empty; if a grid has bandwidths without t, or
            says what ``with`` says, too.
        TooLarge: If there are more than `MOST_SETTINGS`.
    """
    if stated is None:
        return _of_grid(CUSTOMARY)
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
    if empty := next((axis for axis, values in listed.items() if not values), None):
        raise InvalidParameter(
            f"{empty} of grid lists no value", detail="The list is empty.", hint=_HINT
        )
    _refuse_many(math.prod(map(len, listed.values())))
    policies = [
        {**shared, **_requirements(dict(zip(listed, chosen, strict=True)), shared)}
        for chosen in itertools.product(*listed.values())
    ]
    return _after_plain(policies)


def _after_plain(policies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Put before the policies of a grid k-anonymity alone, and what they require but beliefs."""
    listed: list[Mapping[str, Any]] = []
    every = {key for policy in policies for key in policy}
    for kept in ({KAnonymity.key}, every - {BtPrivacy.key}):
        for policy in policies:
            without = {key: stated for key, stated in policy.items() if key in kept}
            if without and without not in listed:
                listed.append(without)
    return [*listed, *(policy for policy in policies if policy not in listed)]


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
        bandwidth = chosen["bandwidth"]
        several = bandwidth if isinstance(bandwidth, list) else [bandwidth]
        found[BtPrivacy.key] = [{"bandwidth": one, "t": chosen["t"]} for one in several]
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
    growth: IncrementalPopulation,
    bound: QueryError | None = None,
    shared: Shared = _NOTHING,
) -> dict[str, float | None]:
    """Make the release of one setting, and return its figures.

    Args:
        growth: Groups of the last release that stay, where the release would grow.
        shared: Findings that depend on the table and all policies.

    Returns:
        Figures by name, see the module; None where there is nothing to measure.

    Raises:
        BkprivError: If the setting cannot be published: see `Method.check` and `Method.make`. Or if
            the release would break the bound on the error of queries.
    """
    started = time.perf_counter()
    check_binding(job.requirements, job.threat, job.progress)
    if not growth.kept:  # Newcomers whom no group takes wait.
        method.check(job.threat, job.requirements, job.options)
    made = layered(method, growth)(job)
    release, _ = made.release.together()
    progress = job.progress
    if bound is not None:
        finding = judge_queries(release, bound, progress)
        if not finding.satisfied and bound.action == "refuse":
            raise unmet(bound, finding)
    figures = {
        **utility(release, progress),
        "query_error": query_errors(release, progress, shared.asked).median,
        **_disclosed(release, [row for row in made.findings if row.requirement == BtPrivacy.key]),
        **_certain(job, made, release, shared.readers),
        "rows": float(release.rows),
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


def shared_readers(threat: ThreatModel, requirements: Sequence[Requirement]) -> Readers:
    """Readers of whom is counted, under every policy, of how many they become sure.

    Returns:
        Readers who are named by a bandwidth, whose priors are those of the table, and the one who
        knows only its shares; each once. Others take longer, or come from outside: they are counted
        where a policy names them.
    """
    named, customary = readers(requirements, threat)
    if customary:
        return []
    weak: list[tuple[Knowledge, Scope]] = [(Uniform(), sight) for _, sight in named]
    return list(dict.fromkeys([one for one in named if _is_told(threat, one[0])] + weak))


_CERTAIN = (
    *("sure", "known", "known_by_columns", "knowable"),
    *("largest_disclosure", "one_value"),
)


def _is_told(threat: ThreatModel, knowledge: Knowledge) -> bool:
    """Whether a reader has a bandwidth that means something to a table."""
    if not isinstance(knowledge, float | Mapping):
        return False
    try:
        threat.prior(knowledge)
    except BkprivError:  # The policy that names it is refused.
        return False
    return True


def _bounded(job: Job[Any]) -> list[Knowledge]:
    """Knowledge of the readers whom a policy bounds by t, and of the one who knows least."""
    stated = [item for item in job.requirements if item.key == BtPrivacy.key]
    return [Uniform(), *(knowledge for item in stated for knowledge in item.knowledge)]


def _certain(
    job: Job[Any], made: Result, shown: Release, named: Readers
) -> dict[str, float | None]:
    """Count people of whom readers become sure, or are beforehand, and what they learn.

    None if no groups are shown, there is no sensitive column, or it takes long.
    """
    figures: dict[str, float | None] = dict.fromkeys(_CERTAIN)
    if shown.partition is None or not shown.published:
        return figures
    own, customary = readers(job.requirements, job.threat)
    if not own:
        return figures
    every = [*named, *(one for one in ([] if customary else own) if one not in named)]
    told = made.release if any(item.tells_apart for item in job.requirements) else shown
    over, groups = job.threat.over(told.parts), told.groups
    inference = job.options.inference
    worst = max(
        (row.worst for row in made.findings if row.requirement == BtPrivacy.key), default=0.0
    )
    with suppress(TooLarge):
        figures["sure"] = most_sure(over, groups, every, inference, job.progress)
        figures["known"] = most_known(over, groups, every)
        counted = known_by_columns(over, groups, every)
        figures["known_by_columns"], figures["knowable"] = counted
        informed = [one for one in every or own if one[0] not in _bounded(job)]
        figures["largest_disclosure"] = max(worst, _largest_change(over, groups, informed))
        figures["one_value"] = in_groups_of_one_value(over.parts, groups)
    return figures


def _largest_change(
    threat: ThreatModel, groups: Groups, named: Sequence[tuple[Knowledge, Scope]]
) -> float:
    """Estimate by omega how far the belief of some readers moves that moves most, in bits.

    Args:
        threat, groups, named: See `most_sure`.
    """
    most = 0.0
    for knowledge, sight in named:
        compared = [Comparison(column=sight.column(threat))]
        adversary = threat.adversaries([knowledge], compared)
        for first, last in groups.chunks(max(_BELIEFS // threat.table.sensitive.size, 1)):
            some = groups.select(np.arange(first, last))
            most = max(most, float(adversary.disclosure(some, "omega").figures.max()))
    return most
