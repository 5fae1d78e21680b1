"""Priors, posteriors and disclosure, handed back as columns."""

from __future__ import annotations

import json
import re
from typing import Any

from bkpriv_core.domain import Domain, Table
from bkpriv_core.groups import FloatArray, Groups, IntArray
from bkpriv_core.posterior import check_estimator
from bkpriv_core.posterior import posterior as infer
from bkpriv_core.setting import Setting
from bkpriv_pl.boundary import entry, from_json
from bkpriv_pl.dataset import find_dataset, read_table
from bkpriv_pl.history import find_release
from bkpriv_pl.progress import poll

__all__ = ["disclosure", "posterior", "prior"]

_JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")


@entry
def prior(dataset: str | None, bandwidth: str | None) -> dict[str, Any]:
    """See ``bkpriv.prior``."""
    known = from_json(bandwidth, "bandwidth")
    table = read_table(find_dataset(dataset, to_change=False), "category")
    beliefs = Setting(table, poll=poll).prior(known)
    return {
        "qi": _qi_json(table),
        "probabilities": _rows(beliefs),
        "sensitive": list(table.sensitive.labels),
    }


@entry
def posterior(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.posterior``."""
    known = from_json(bandwidth, "bandwidth")
    estimator = check_estimator(estimator)
    found = find_release(release)
    table, groups = found.table, found.groups
    before = Setting(table, found.options.smoothing, poll=poll).prior(known)
    after = infer(groups, table.counts, (before,), estimator, poll=poll)
    return {
        **_memberships(table, groups, after.exact[groups.owner]),
        "priors": _rows(before[groups.members]),
        "posteriors": _rows(after.beliefs[0]),
        "sensitive": list(table.sensitive.labels),
    }


@entry
def disclosure(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.disclosure``."""
    known = from_json(bandwidth, "bandwidth")
    estimator = check_estimator(estimator)
    found = find_release(release)
    table, groups = found.table, found.groups
    setting = Setting(table, found.options.smoothing, poll=poll)
    told = setting.disclosure([known], groups, estimator)
    return {
        **_memberships(table, groups, told.exact[groups.owner]),
        "records": table.weights[groups.members].tolist(),
        "disclosure": told.figures[0].tolist(),
    }


def _rows(beliefs: FloatArray) -> list[str]:
    """Each row of beliefs as the text of a PostgreSQL array."""
    return ["{" + ",".join(map(repr, row)) + "}" for row in beliefs.tolist()]


def _memberships(table: Table, groups: Groups, exact: Any) -> dict[str, Any]:
    """Columns that say which cell of which group a row is about."""
    qi = _qi_json(table)
    return {
        "group_id": groups.owner.tolist(),
        "qi": [qi[cell] for cell in groups.members.tolist()],
        "estimated": ["exact" if told else "omega" for told in exact.tolist()],
    }


def _qi_json(table: Table) -> list[str]:
    """Quasi-identifiers of each cell as a JSON object."""
    columns = [
        _fragments(domain, table.codes[:, axis])
        for axis, domain in enumerate(table.quasi_identifiers)
    ]
    return ["{" + ", ".join(row) + "}" for row in zip(*columns, strict=True)]


def _fragments(domain: Domain, codes: IntArray) -> list[str]:
    """The pair of name and value in each cell; numbers stay numbers."""
    name = json.dumps(domain.name)
    values = [
        label
        if label is not None and domain.numeric and _JSON_NUMBER.fullmatch(label)
        else json.dumps(label)
        for label in domain.labels
    ]
    return [f"{name}: {values[code]}" for code in codes.tolist()]
