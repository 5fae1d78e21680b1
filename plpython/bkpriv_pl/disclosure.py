"""Priors, posteriors and disclosure, handed back as columns or rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bkpriv_core.belief.knowledge import parse_knowledge
from bkpriv_core.belief.posterior import ESTIMATORS, UsedArray, check_estimator
from bkpriv_core.belief.setting import Setting
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.parts import Parts
from bkpriv_pl.boundary import array_literal, entry, from_json
from bkpriv_pl.dataset import find_dataset, read_table
from bkpriv_pl.history import find_release
from bkpriv_pl.knowledge import find_prior
from bkpriv_pl.progress import POLLED

__all__ = ["disclosure", "explain_disclosure", "posterior", "prior"]


@entry
def prior(dataset: str | None, bandwidth: str | None) -> dict[str, Any]:
    """See ``bkpriv.prior``."""
    known = parse_knowledge(from_json(bandwidth, "bandwidth"))
    table = read_table(find_dataset(dataset, to_change=False), "category")
    beliefs = Setting(table, library=find_prior, progress=POLLED).prior(known)
    return {
        "qi": qi_json(table, np.arange(table.cells)),
        "probabilities": list(map(array_literal, beliefs)),
        "sensitive": list(table.sensitive.labels),
    }


@entry
def posterior(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.posterior``."""
    known = parse_knowledge(from_json(bandwidth, "bandwidth"))
    estimator = check_estimator(estimator)
    found = find_release(release)
    parts, groups = found.parts, found.groups
    before = found.setting.prior(known)
    after = found.setting.adversaries([known]).posterior(groups, estimator)
    return {
        **_memberships(parts, groups, after.used),
        "priors": list(map(array_literal, before[groups.members])),
        "posteriors": list(map(array_literal, after.beliefs[0])),
        "sensitive": list(found.table.sensitive.labels),
    }


@entry
def disclosure(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.disclosure``."""
    known = parse_knowledge(from_json(bandwidth, "bandwidth"))
    estimator = check_estimator(estimator)
    found = find_release(release)
    parts, groups = found.parts, found.groups
    told = found.setting.adversaries([known]).disclosure(groups, estimator)
    return {
        **_memberships(parts, groups, told.used),
        "records": parts.weights[groups.members].tolist(),
        "disclosure": told.figures[0].tolist(),
    }


@entry
def explain_disclosure(
    release: int | None, bandwidth: str | None, estimator: str
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_disclosure``."""
    known = parse_knowledge(from_json(bandwidth, "bandwidth"))
    estimator = check_estimator(estimator)
    found = find_release(release)
    parts, groups = found.parts, found.groups
    told = found.setting.adversaries([known]).explain(groups, estimator)
    worst_first = np.argsort(-told.figures, kind="stable")
    rows = zip(
        worst_first.tolist(),
        parts.sizes(groups)[worst_first].tolist(),
        qi_json(found.table, parts.cell[groups.members[told.members[worst_first]]]),
        told.figures[worst_first].tolist(),
        [found.table.sensitive.labels[value] for value in told.values[worst_first]],
        told.before[worst_first].tolist(),
        told.after[worst_first].tolist(),
        [ESTIMATORS[place] for place in told.used[worst_first]],
        strict=True,
    )
    return iter(rows)


def _memberships(parts: Parts, groups: Groups, used: UsedArray) -> dict[str, Any]:
    """Columns that say which cell of which group a row is about, and how it was inferred."""
    return {
        "group_id": groups.owner.tolist(),
        "qi": qi_json(parts.table, parts.cell[groups.members]),
        "estimated": [ESTIMATORS[place] for place in used[groups.owner].tolist()],
    }
