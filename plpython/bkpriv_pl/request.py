"""Requests: what is asked of a dataset by who publishes it, or asks what that would come to.

The method, its options and the policy are read, and checked against the dataset before its source
is read. So whoever tries, by `exploration` or `lattice`, is refused what `publication` refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from bkpriv_core.method import Method, Options, find_method, parse_options
from bkpriv_core.policy import Policy, complete, parse_policy
from bkpriv_pl.dataset import Dataset
from bkpriv_pl.layout import check_columns
from bkpriv_pl.passed import check_attributes
from bkpriv_pl.remembering import check_respondents
from bkpriv_pl.transitions import customary_knowledge

__all__ = ["read_method", "read_policy"]


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
