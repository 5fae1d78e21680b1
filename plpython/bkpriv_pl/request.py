"""Requests: what is asked of a dataset by who publishes it, or asks what that would come to.

The method, its options and the policy are read, and checked against the dataset before its source
is read. So whoever tries, by `exploration` or `lattice`, is refused what `publication` refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.method import GroupOptions, Method, Options, find_method, parse_options
from bkpriv_core.policy import Overlap, Policy, complete, parse_policy
from bkpriv_core.together.companion import jointly
from bkpriv_pl.boundary import Refusal, from_json, require
from bkpriv_pl.column import Period
from bkpriv_pl.dataset import Dataset, find_dataset
from bkpriv_pl.distribution import begin_distributing, check_citus
from bkpriv_pl.kept import Kept
from bkpriv_pl.knowledge import PriorTables
from bkpriv_pl.layout import check_columns
from bkpriv_pl.ownership import check_owner
from bkpriv_pl.passed import check_attributes
from bkpriv_pl.period import require_period
from bkpriv_pl.persons import kept_of
from bkpriv_pl.policy import find_policy
from bkpriv_pl.remembering import check_respondents
from bkpriv_pl.transitions import customary_knowledge
from bkpriv_pl.view import View, check_name, parse_view_name

__all__ = ["Request", "read_method", "read_policy", "read_request"]


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
    kept: Kept | None


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
    check_owner(registered)
    policy = require(policy, "policy")
    stated = find_policy(policy)
    decoded = from_json(options, "options")
    way, chosen = read_method(registered, method, decoded)
    completed, demanded = read_policy(registered, way, chosen, stated.requirements)
    if chosen.distribute_by is not None:
        check_citus()
        begin_distributing()
    view = parse_view_name(require(view_name, "view name"), view_schema)
    for exhibit in way.form.exhibits:
        check_name(view.of(exhibit).name)
    return Request(
        registered,
        policy,
        completed,
        demanded,
        _choose_overlap(registered, way, chosen, demanded),
        stated.library,
        view,
        way,
        require_period(registered, period),
        chosen,
        # Who knew the seed could draw and order records again. No release is measured by it.
        json.dumps({key: value for key, value in decoded.items() if key != "seed"}),
        kept_of(chosen, registered),
    )


def read_method(dataset: Dataset, name: str | None, stated: object) -> tuple[Method[Any], Any]:
    """Read a method, and of decoded JSON its options.

    Raises
    ------
    BkprivError
        If it has no such options, or cannot show such a dataset.
    """
    method = find_method(name)
    check_columns(dataset, method.form)
    options = parse_options(method, stated)
    method.check_told(dataset.sensitive_columns, options)
    return method.with_ranges(options.ranges), options


def read_policy(
    dataset: Dataset, method: Method[Any], options: Options, stated: Mapping[str, Any]
) -> tuple[object, Policy]:
    """Read what a release by a method is to keep.

    Returns
    -------
    object
        Decoded JSON of the policy, with what the method asks for and what it left open.
    Policy
        What that comes to of the dataset.

    Raises
    ------
    BkprivError
        If it is no policy, or no release of the dataset by the method can keep it.
    """
    completed = complete(
        method.demands(stated, options), partial(customary_knowledge, dataset.name)
    )
    columns = dataset.sensitive_columns
    policy = parse_policy(completed).about(columns, len(columns) > 1 or options.several)
    check_respondents(dataset, policy.requirements, options)
    check_attributes(dataset, method, options, policy)
    return completed, policy


def _choose_overlap(
    dataset: Dataset, method: Method[Options], options: Options, policy: Policy
) -> Overlap:
    """What is to be done about other releases of the same records.

    Raises
    ------
    Refusal, InvalidParameter
        If the policy wants them certified together, and that cannot be done.
    """
    if policy.overlap not in (None, "certify"):
        return policy.overlap
    measured, _ = jointly(policy.requirements)
    unfit: str = options.unfit if isinstance(options, GroupOptions) else "suppress"
    obstacle: Exception | None = None
    if dataset.respondent is None:
        obstacle = Refusal(
            "42703",
            f'dataset "{dataset.name}" names no respondents, so that its releases cannot be '
            "certified together",
            detail="What several releases tell of somebody can be judged only where it is known "
            "whom each shows.",
            hint="Register it with the column that names the respondents, or state the policy with "
            '{"overlap": "warn"}.',
        )
    elif dataset.attributes:
        obstacle = Refusal(
            "0A000",
            f'releases of dataset "{dataset.name}" cannot be certified together with others',
            detail="By attributes, which pass through, readers tell which rows of several releases "
            "are the same record's.",
            hint='State the policy with {"overlap": "warn"} or "refuse", or register the source as '
            "another dataset, without attributes.",
        )
    elif isinstance(options.max_records_per_person, int):
        obstacle = InvalidParameter(
            "releases of some of each person's records cannot be certified together with others",
            detail="Which records those are is not recorded, and others may show the rest.",
            hint='Publish all of them, with option {"max_records_per_person": "all"}, or state the '
            'policy with {"overlap": "warn"} or "refuse".',
        )
    elif not isinstance(options, GroupOptions):
        obstacle = InvalidParameter(
            f"releases of method {method.name} cannot be certified together with others",
            detail="It shows no groups.",
            hint='State the policy with {"overlap": "warn"} or "refuse".',
        )
    elif unfit != "suppress":
        obstacle = InvalidParameter(
            f"option unfit, {unfit!r}, contradicts a policy that certifies releases together",
            detail="Groups that break bounds by themselves, or show false values, cannot keep them "
            "together with others.",
            hint='Leave the option out, or state the policy with {"overlap": "warn"}.',
        )
    elif not measured:
        keys = ", ".join(item.key for item in policy.requirements)
        obstacle = InvalidParameter(
            f"nothing that the policy requires can be certified together with others: {keys}",
            detail="It is about the groups of one release.",
            hint='Require for example max_disclosure as well, or state {"overlap": "warn"}.',
        )
    if obstacle is None:
        return "certify"
    if policy.overlap == "certify":
        raise obstacle
    return "warn"
