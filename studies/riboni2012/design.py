"""Design of the study: the paper's defences and adversaries, and ours.

Parameters are those in bold in the paper's Table V. It does not say which k JS-reduce had; here it
is 5, and that of the sequential skyline too.

The paper infers what an adversary believes of a group's members by the omega-estimate, on both
sides. So do its figures here. What the best informed adversary learns is also measured with
inference as good as can be, and JS-reduce made with better inference too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studies.blending import SMOOTHING

__all__ = [
    "BELIEFS",
    "BEST",
    "DEFENCES",
    "DK",
    "FULL",
    "IE",
    "JS_REDUCE",
    "NOTHING",
    "PAPERS",
    "QUICK",
    "SNAPSHOTS",
    "STEPS",
    "Adversary",
    "Defence",
    "Design",
    "js_reduce",
    "mined",
    "remembering",
    "skyline",
]


PAPERS = "omega"
"""Estimator by which the paper infers beliefs from groups."""

BEST = "auto"
"""Estimator as good as can be: exact for small groups, else `bethe`."""

BETTER = "bethe"
"""Estimator of a defender who infers better than the paper, of whatever groups."""


@dataclass(frozen=True)
class Adversary:
    """Adversary with knowledge of how results follow each other."""

    name: str
    """Name of the adversary in figures, and of the sequential knowledge."""
    kind: str | None = None
    """Kind of the knowledge, as `set_sequential_knowledge` has it; none, if nothing is known."""
    source: str | None = None
    """Name of the table that it is read from."""


STEPS = tuple(Adversary(f"{n}-step DK", "domain", f"transitions_{n}") for n in (3, 2, 1))
"""Domain knowledge: the model's own chances of the next result, given the last results."""

DK = STEPS[0]
"""The best that there is, since no more than three results matter to the model."""

IE = Adversary("IE", "incremental")
"""Extracted from the original records of all releases so far."""

NOTHING = Adversary("none")
"""Adversary who remembers nothing, and sees each release as the first."""

BELIEFS = "beliefs"
"""Table of what everyone believes of newcomers, and who remembers nothing, of all."""


def mined(patients: int) -> Adversary:
    """Knowledge mined from a corpus of other registers, of so many patients a week."""
    return Adversary(f"SPM, {patients:,} a week", "mined", f"corpus_{patients}")


@dataclass(frozen=True)
class Defence:
    """Defence: a way of publishing weeks, one after the other."""

    name: str
    """Name of the defence in figures, and of the dataset."""
    requirements: Mapping[str, Any]
    method: str = "mondrian"
    options: Mapping[str, Any] = field(default_factory=dict)
    knowledge: Adversary = NOTHING
    """Adversary whose sequential knowledge the policy names."""


_SEED = 2012
"""Seed of all that is drawn: JS-reduce's order among equals, the register, and queries."""

_AT_MEDIANS = {"refine": False}
"""Groups of the paper's Mondrian."""

_NOT_ALONE = {"k_anonymity": {"k": 2}}
"""Requirement that ℓ-diversity implies; (B,t)-privacy of a large t bears single records."""

SNAPSHOTS = (
    Defence(
        "ℓ-diversity",
        {"l_diversity": {"l": 2, "variant": "distinct"}},
        options=_AT_MEDIANS,
    ),
    Defence(
        "t-closeness",
        {**_NOT_ALONE, "t_closeness": {"t": 0.8, "ground": "equal"}},
        options=_AT_MEDIANS,
    ),
    Defence(
        "(B,t)-privacy",
        {**_NOT_ALONE, "bt_privacy": [{"bandwidth": 0.5, "t": 0.8, "smoothing": SMOOTHING}]},
        options=_AT_MEDIANS,
    ),
)
"""Defences that know nothing of other weeks."""

_K = {"k_anonymity": {"k": 5}}


def remembering(knowledge: Adversary) -> dict[str, Any]:
    """An adversary of a policy."""
    return {"sequence": knowledge.name, "bandwidth": {"table": f"study.{BELIEFS}"}}


def js_reduce(j: float, knowledge: Adversary = DK, estimator: str = PAPERS) -> Defence:
    """JS-reduce against adversaries of some knowledge, their beliefs inferred by an estimator."""
    return Defence(
        f"JS-reduce by {estimator}, j = {j}, {knowledge.name}",
        {
            **_K,
            "t_closeness": {"t": 0.5, "ground": "equal"},
            "js_divergence": {"j": j, "bandwidth": remembering(knowledge)},
        },
        method="js_reduce",
        options={"estimator": estimator, "seed": _SEED},
        knowledge=knowledge,
    )


def skyline(t: float, method: str = "mondrian") -> Defence:
    """(B,t)-privacy against who remembers: no release moves a belief by more than t, by omega."""
    return Defence(
        f"sequential (B,t) by {PAPERS}, t = {t}, {method}",
        {
            **_K,
            "bt_privacy": [{"bandwidth": remembering(DK), "t": t, "smoothing": SMOOTHING}],
        },
        method=method,
        options={"estimator": PAPERS},
        knowledge=DK,
    )


JS_REDUCE = js_reduce(0.6)

DEFENCES = (
    *SNAPSHOTS,
    JS_REDUCE,
    js_reduce(0.6, estimator=BETTER),
    skyline(0.2),
    skyline(0.2, "agglomerate"),
)


@dataclass(frozen=True)
class Design:
    """Extent of what is measured."""

    patients: int = 5000
    weeks: int = 24
    """Size of the register: records of a week, and weeks."""
    seed: int = _SEED
    """Seed of the register; corpora have those after it. Also the seed of queries."""
    corpora: tuple[int, ...] = (5000, 500, 50)
    """Patients a week in each corpus, the largest first."""
    weighed: int = 4
    """Utility is measured every so many weeks, counted from the last."""
    thresholds: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)
    """The j of JS-reduce."""
    bounds: tuple[float, ...] = (0.1, 0.2, 0.3)
    """The t of the sequential skyline."""
    queries: int = 1000
    selectivities: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2)
    """Shares of all combinations of values that queries ask for."""


FULL = Design()

QUICK = Design(
    patients=500,
    weeks=3,
    corpora=(500, 50),
    weighed=2,
    thresholds=(0.6, 0.8),
    bounds=(0.2, 0.3),
    queries=50,
    selectivities=(0.05, 0.2),
)
"""Few points, to see whether all works."""
