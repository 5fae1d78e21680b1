"""Priors, posteriors and disclosure, handed back as columns or rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bkpriv_core.belief.distance import Comparison
from bkpriv_core.belief.knowledge import Knowledge, Remembered, parse_knowledge
from bkpriv_core.belief.posterior import ESTIMATORS, EXACT, Estimator, UsedArray, check_estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import made_sure_in
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import check_sensitive
from bkpriv_core.randomization.risk import risks
from bkpriv_core.requirement import BtPrivacy
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.notation import qi_json
from bkpriv_core.table.parts import Parts
from bkpriv_pl.past.history import RecordedRelease, find_release
from bkpriv_pl.past.remembering import recall
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import array_literal, entry, from_json
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.tables.dataset import find_dataset, read_table
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.period import find_period

__all__ = ["disclosure", "explain_disclosure", "posterior", "prior"]


@entry(Access.SOURCE)
def prior(dataset: str | None, bandwidth: str | None, period: str | None) -> dict[str, Any]:
    """See ``bkpriv.prior``."""
    knowledge = parse_knowledge(from_json(bandwidth, "bandwidth"))
    if isinstance(knowledge, Remembered):
        raise InvalidParameter(
            "what is remembered of earlier releases is about respondents, not about cells",
            detail=f'The bandwidth is the sequential knowledge "{knowledge.sequence}".',
            hint="Ask bkpriv.revised_belief(dataset, knowledge, respondent, period).",
        )
    registered = find_dataset(dataset)
    check_sensitive(registered.name, registered.sensitive_columns, ["prior"])
    table = read_table(registered, "category", find_period(registered, period))
    beliefs = ThreatModel(table, library=PriorTables(()), progress=POLLED).prior(knowledge)
    return {
        "qi": qi_json(table, np.arange(table.cells)),
        "probabilities": list(map(array_literal, beliefs)),
        "sensitive": list(table.sensitive.labels),
    }


@entry(Access.RELEASES)
def posterior(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.posterior``."""
    knowledge = parse_knowledge(from_json(bandwidth, "bandwidth"))
    estimator = check_estimator(estimator)
    recorded = _remembering(find_release(release, "posterior"), knowledge, estimator)
    parts, groups = recorded.parts, recorded.groups
    before = recorded.threat.prior(knowledge)
    after = recorded.threat.adversaries([knowledge]).posterior(groups, estimator)
    return {
        **_memberships(parts, groups, after.used),
        "priors": list(map(array_literal, before[groups.members])),
        "posteriors": list(map(array_literal, after.beliefs[0])),
        "sensitive": list(recorded.table.sensitive.labels),
    }


@entry(Access.RELEASES)
def disclosure(release: int | None, bandwidth: str | None, estimator: str) -> dict[str, Any]:
    """See ``bkpriv.disclosure``."""
    knowledge = parse_knowledge(from_json(bandwidth, "bandwidth"))
    estimator = check_estimator(estimator)
    recorded = _remembering(find_release(release, "disclosure"), knowledge, estimator)
    parts, groups = recorded.parts, recorded.groups
    adversaries = recorded.threat.adversaries([knowledge], [_compared(recorded)])
    disclosed = adversaries.disclosure(groups, estimator)
    return {
        **_memberships(parts, groups, disclosed.used),
        "records": parts.weights[groups.members].tolist(),
        "disclosure": disclosed.figures[0].tolist(),
    }


@entry(Access.RELEASES)
def explain_disclosure(
    release: int | None, bandwidth: str | None, estimator: str
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.explain_disclosure``."""
    estimator = check_estimator(estimator)
    recorded = find_release(release, "explain_disclosure")
    if recorded.partition is None:
        return _riskiest(recorded, bandwidth)
    knowledge = parse_knowledge(from_json(bandwidth, "bandwidth"))
    recorded = _remembering(recorded, knowledge, estimator)
    parts, groups = recorded.parts, recorded.groups
    adversaries = recorded.threat.adversaries([knowledge], [_compared(recorded)])
    explanation = adversaries.explain(groups, estimator)
    sure = made_sure_in(recorded.threat, groups, knowledge, estimator)
    worst_first = np.argsort(-explanation.figures, kind="stable")
    of_whom = sure.records[worst_first] > 0
    named = (
        qi_json(recorded.table, parts.cell[groups.members[sure.members[worst_first]]]),
        [sure.values[group] for group in worst_first.tolist()],
        sure.before[worst_first].tolist(),
        sure.after[worst_first].tolist(),
    )
    rows = zip(
        worst_first.tolist(),
        parts.sizes(groups)[worst_first].tolist(),
        qi_json(recorded.table, parts.cell[groups.members[explanation.members[worst_first]]]),
        explanation.figures[worst_first].tolist(),
        [explanation.label(group, recorded.table.sensitive) for group in worst_first.tolist()],
        explanation.before[worst_first].tolist(),
        explanation.after[worst_first].tolist(),
        [ESTIMATORS[place] for place in explanation.used[worst_first]],
        sure.records[worst_first].tolist(),
        *(
            [one if there else None for one, there in zip(column, of_whom.tolist(), strict=True)]
            for column in named
        ),
        strict=True,
    )
    return iter(rows)


def _riskiest(recorded: RecordedRelease, bandwidth: str | None) -> Iterator[tuple[Any, ...]]:
    """Rows of every cell and value of a randomized release, the riskiest first."""
    if bandwidth is not None:
        raise InvalidParameter(
            f"a bandwidth means nothing to {recorded.title}, which is {recorded.form.name}",
            detail="Its risk is that of whoever knows the exact quasi-identifiers, and how values "
            "are distributed.",
            hint="Give NULL.",
        )
    channels, table = recorded.form.channels, recorded.table
    assert channels is not None
    cells, values = np.nonzero(table.counts)
    risk = risks(table, channels, POLLED)[cells, values]
    first = np.argsort(-risk, kind="stable")
    cells, values, figures = cells[first], values[first], risk[first].tolist()
    columns = (
        table.counts[cells, values].tolist(),
        qi_json(table, cells),
        figures,
        [table.sensitive.labels[value] for value in values.tolist()],
        table.overall[values].tolist(),
        figures,
    )
    nobody = (None,) * 5
    return ((None, *row, ESTIMATORS[EXACT], *nobody) for row in zip(*columns, strict=True))


def _remembering(
    recorded: RecordedRelease, knowledge: Knowledge, estimator: Estimator
) -> RecordedRelease:
    """Add to a release what an adversary of such knowledge remembers of others."""
    if isinstance(knowledge, Remembered):
        recorded = recall(recorded, estimator, named_by=())
        if (memory := recorded.threat.memory) is not None:
            notices.notice(
                f"what releases before release {recorded.release} told is inferred by {memory}",
                detail="People who shared a group are taken as independent from then on. Both may "
                "understate what is remembered.",
            )
    return recorded


def _compared(recorded: RecordedRelease) -> Comparison:
    """Comparison of beliefs: that of all adversaries of its policy, if these are alike."""
    by = {
        regard.smoothing
        for item in recorded.policy.requirements
        if isinstance(item, BtPrivacy)
        for regard in item.regarding
    }
    (smoothing,) = by if len(by) == 1 else (None,)
    if smoothing is not None:
        notices.notice(
            f"beliefs about {recorded.title} are compared by a smoothing of {smoothing:g}, as its "
            "policy has it",
            detail="Of sensitive values nearer than that, belief in one counts for belief in the "
            "other.",
            hint="bkpriv.audit compares them as its requirements say; as they are, without one.",
        )
    return Comparison(farthest=True, smoothing=smoothing)


def _memberships(parts: Parts, groups: Groups, used: UsedArray) -> dict[str, Any]:
    """Columns that say which cell of which group a row is about, and how it was inferred."""
    return {
        "group_id": groups.owner.tolist(),
        "qi": qi_json(parts.table, parts.cell[groups.members]),
        "estimated": [ESTIMATORS[place] for place in used[groups.owner].tolist()],
    }
