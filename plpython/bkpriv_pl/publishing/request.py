"""Requests: the arguments of a call that publishes a dataset, or tries what that would cost.

The method, its options and the policy are read, and checked against the dataset before its source
is read. So `exploration` and `lattice`, which try, refuse what `publication` refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bkpriv_core.compatibility import Plan, Space, check, overlap_of
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.method import METHODS, Method, Options, find_method, parse_options
from bkpriv_core.policy import Overlap, Policy, complete, parse_policy
from bkpriv_pl.past.transitions import customary_knowledge
from bkpriv_pl.publishing.distribution import begin_distributing, check_citus, check_column
from bkpriv_pl.publishing.layout import check_columns, names_ahead
from bkpriv_pl.publishing.policy import find_policy
from bkpriv_pl.publishing.view import View, check_name, parse_view_name
from bkpriv_pl.server.boundary import from_json, require
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.contribution import ContributionBound
from bkpriv_pl.tables.dataset import ORDER, Dataset, find_dataset
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.period import require_period
from bkpriv_pl.tables.persons import kept_of

__all__ = ["Request", "read_method", "read_policy", "read_request", "space_of"]


_UNRECORDED = frozenset({"seed", "if_stale"})
"""Options that say how a release is asked for, and not what it is.

Who knew the seed could draw and order records again. No release is measured by it.
"""


@dataclass(frozen=True)
class Request:
    """A validated call of publish."""

    dataset: Dataset
    policy_name: str
    stated: object
    policy: Policy
    overlap: Overlap
    library: PriorTables
    view: View
    method: Method[Any]
    period: Period | None
    options: Options
    options_text: str
    kept: ContributionBound | None


def read_request(
    dataset: str | None,
    policy: str | None,
    view_name: str | None,
    method: str | None,
    period: str | None,
    options: str | None,
    view_schema: str | None,
) -> Request:
    """Read a call of publish, and check all that can be checked before the source is read."""
    registered = find_dataset(dataset)
    policy = require(policy, "policy")
    stated = find_policy(policy)
    decoded = from_json(options, "options")
    if view_name in METHODS and method not in METHODS:
        raise InvalidParameter(
            f"the view has the name of a method, {view_name}",
            detail=f"The method is {as_json(method)}.",
            hint=ORDER,
        )
    way, chosen = read_method(registered, method, decoded)
    completed, demanded = read_policy(registered, way, chosen, stated.requirements)
    if chosen.distribute_by is not None:
        check_citus()
        begin_distributing()
    view = parse_view_name(require(view_name, "view name"), view_schema)
    for exhibit in way.form.exhibits:
        check_name(view.of(exhibit).name)
    return Request(
        dataset=registered,
        policy_name=policy,
        stated=completed,
        policy=demanded,
        overlap=overlap_of(
            Plan(space_of(registered), way, chosen, demanded.requirements, overlap=demanded.overlap)
        ),
        library=stated.library,
        view=view,
        method=way,
        period=require_period(registered, period),
        options=chosen,
        options_text=json.dumps(
            {key: value for key, value in decoded.items() if key not in _UNRECORDED}
        ),
        kept=kept_of(chosen, registered),
    )


def space_of(dataset: Dataset) -> Space:
    """Space of the releases of a dataset."""
    return Space(
        dataset.name,
        dataset.source,
        dataset.sensitive_columns,
        dataset.attributes,
        respondent=dataset.respondent,
    )


def read_method(dataset: Dataset, name: str | None, stated: object) -> tuple[Method[Any], Any]:
    """Read a method, and of decoded JSON its options.

    Raises:
        BkprivError: If it has no such options, or cannot show such a dataset.
    """
    method = find_method(name)
    check_columns(dataset, method.form)
    options = parse_options(method, stated)
    # Attributes pass through what a policy asks for: nothing does that only counts.
    check(Plan(replace(space_of(dataset), attributes=()), method, options))
    ranged = method.with_ranges(options.ranges)
    if options.distribute_by is not None:
        check_column(options.distribute_by, names_ahead(dataset, ranged.form))
    return ranged, options


def read_policy(
    dataset: Dataset, method: Method[Any], options: Options, stated: Mapping[str, Any]
) -> tuple[object, Policy]:
    """Read what a release by a method is to keep.

    Returns:
        Decoded JSON of the policy, with what the method asks for and what it left open.

    Raises:
        BkprivError: If it is no policy, or no release of the dataset by the method can keep it.
    """
    completed = complete(
        method.demands(stated, options), partial(customary_knowledge, dataset.name)
    )
    policy = parse_policy(completed)
    plan = Plan(space_of(dataset), method, options, policy.requirements)
    check(plan)
    return completed, policy.about(dataset.sensitive_columns, plan.combined)
