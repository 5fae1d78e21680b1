"""Sequences: what adversaries remember of releases, and what it tells them of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from bkpriv_core.belief.knowledge import Remembered, Snapshot, Uniform, parse_knowledge
from bkpriv_core.belief.posterior import ESTIMATORS, EXACT, Estimator, UsedArray, check_estimator
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.policy import check_sensitive
from bkpriv_core.schema import ErrorText, read
from bkpriv_core.sequence.history import History
from bkpriv_core.sequence.inference import (
    Beliefs,
    Constant,
    Memory,
    believe,
    forward,
    transitions_at,
)
from bkpriv_core.sequence.measures import measure
from bkpriv_core.sequence.mining import check_memory
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_pl.past.chain import Chain, read_chain
from bkpriv_pl.past.course import find_steps
from bkpriv_pl.past.payload import note_attributes
from bkpriv_pl.past.selection import FOLLOWING, ReleaseFilter
from bkpriv_pl.past.transitions import (
    READERS,
    Origin,
    find_knowledge,
    forget_knowledge,
    keep_knowledge,
)
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import Refusal, entry, from_json, require, run
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.dataset import Dataset, find_dataset
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = [
    "knowledge",
    "revised_belief",
    "sequential_audit",
    "set_knowledge",
    "unset_knowledge",
]

_UNDERSTATING: tuple[Estimator, ...] = ("omega", "additive")

_SHOWN = 8
"""Limit of the periods that an error message lists."""

_NAME_BYTES = 10_000
"""Largest number of bytes of the names of knowledge and of its dataset."""


@entry(Access.SOURCE)
def set_knowledge(
    dataset: str | None, name: str | None, kind: str | None, source: str | None, memory: int | None
) -> None:
    """See ``bkpriv.set_sequential_knowledge``."""
    declared = _serial(find_dataset(dataset))
    name = require(name, "name of the knowledge")
    size = len(declared.name.encode()) + len(name.encode())
    if size > _NAME_BYTES:
        raise InvalidParameter(
            "the name of the knowledge is too long",
            detail=f"With that of its dataset it has {size} bytes; at most {_NAME_BYTES} are kept.",
            hint="Choose a shorter one.",
        )
    kind = read(
        Annotated[Origin, ErrorText("It says where the knowledge comes from.")], kind, "kind"
    )
    check_memory(memory)
    if (source is None) == (kind in READERS):
        raise InvalidParameter(
            f"{kind} knowledge is read from {'a' if source is None else 'no'} table",
            detail="The source is NULL." if source is None else f"The source is {source}.",
            hint=f"The kinds {' and '.join(READERS)} need a source, the others take none.",
        )
    if kind == "constant" and memory is not None:
        raise InvalidParameter(
            "values that never change need no memory",
            detail=f"The memory is {memory}, but the latest value tells the next one.",
            hint="Leave the memory out.",
        )
    transitions = None if source is None else READERS[kind](declared, source, memory)
    keep_knowledge(declared, name, kind, memory, transitions=transitions)


@entry(Access.MANAGE)
def unset_knowledge(dataset: str | None, name: str | None) -> None:
    """See ``bkpriv.unset_sequential_knowledge``."""
    declared = find_dataset(dataset)
    found = find_knowledge(declared, require(name, "name of the knowledge"))
    forget_knowledge(declared, found.name)


@entry(Access.RELEASES)
def knowledge(dataset: str | None, name: str | None) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.sequential_knowledge``."""
    declared = find_dataset(dataset)
    memory = find_knowledge(declared, require(name, "name of the knowledge")).memory
    if not isinstance(memory, Transitions):
        chain = _chain(_serial(declared))
        if not len(chain.history):
            return iter([])
        memory = transitions_at(chain.history, memory, len(chain.history) - 1)
    listed = memory.listed()
    support = listed.support or (None,) * len(listed.following)
    rows = zip(listed.histories, listed.following, listed.probabilities, support, strict=True)
    return iter([(list(history), *rest) for history, *rest in rows])


def _serial(dataset: Dataset) -> Dataset:
    """Return a dataset that tells respondents apart, and refuse others."""
    if dataset.respondent is None:
        raise Refusal(
            "42703",
            f'dataset "{dataset.name}" has no respondent column',
            detail="Nobody could tell whose values follow each other.",
            hint="Register it with the column that names the respondents.",
        )
    check_sensitive(dataset.name, dataset.sensitive_columns, ["knowledge of sequences"])
    if len(dataset.sensitive_columns) > 1:
        raise Refusal(
            "0A000",
            f'sequential knowledge is of one sensitive column, and dataset "{dataset.name}" has '
            f"{len(dataset.sensitive_columns)}",
            detail=f"They are {', '.join(dataset.sensitive_columns)}. What their combinations "
            "follow each other by is not handled.",
            hint="Register the table with one of them as another dataset, and measure that.",
        )
    return dataset


@dataclass(frozen=True, eq=False)
class _Inquiry:
    """A question of what somebody who saw releases of a dataset believes."""

    chain: Chain
    memory: Memory | None
    """Knowledge of sequences; None if the adversary remembers nothing."""
    snapshot: Snapshot
    """Knowledge about people without a past."""
    estimator: Estimator

    def beliefs(self, task: Task) -> Iterator[Beliefs]:
        """Beliefs about each release as it appeared."""
        snapshots = self.chain.snapshots(self.snapshot)
        progress = task.step("inferring beliefs")
        if self.memory is not None:
            yield from forward(
                self.chain.history, self.memory, snapshots, self.estimator, progress=progress
            )
            return
        for place, step in enumerate(self.chain.history.steps):
            alone = History((step,))
            yield believe(
                alone,
                Constant(),
                0,
                snapshots(place),
                estimator=self.estimator,
                progress=progress.quiet,
            )
            progress.report((place + 1) / len(self.chain.history))


def _inquire(
    dataset: str | None, knowledge: str | None, estimator: str, bandwidth: str | None
) -> _Inquiry:
    """Check what is asked, and read the releases."""
    declared = _serial(find_dataset(dataset))
    memory = None if knowledge is None else find_knowledge(declared, knowledge).memory
    snapshot = (
        Uniform() if bandwidth is None else parse_knowledge(from_json(bandwidth, "bandwidth"))
    )
    if isinstance(snapshot, Remembered):
        raise InvalidParameter(
            "the bandwidth is for readers of one release only",
            detail=f'It is the sequential knowledge "{snapshot.sequence}".',
            hint="Name that as the knowledge; the bandwidth says what is believed of respondents "
            "without a past.",
        )
    named = check_estimator(estimator)
    chain = _chain(declared)
    chain.warn()
    note_attributes([step.release for step in chain.history.steps])
    if named in _UNDERSTATING:
        notices.notice(
            f"beliefs are inferred by {named}, which understates what is learnt",
            detail="What is missed in one release is carried over to the next.",
            hint="The estimator auto comes nearest to exact inference, bethe is nearly as good and "
            "faster.",
        )
    return _Inquiry(chain, memory, snapshot, named)


def _chain(dataset: Dataset) -> Chain:
    """Chain of all releases of a dataset."""
    steps = find_steps(dataset.name, dataset.owner)
    return read_chain(ReleaseFilter.of(dataset), steps, PriorTables(()), FOLLOWING)


@entry(Access.RELEASES)
def sequential_audit(
    dataset: str | None,
    knowledge: str | None,
    estimator: str,
    bandwidth: str | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.sequential_audit``."""
    inquiry = _inquire(dataset, knowledge, estimator, bandwidth)
    chain = inquiry.chain
    task = Task("bkpriv sequential_audit")
    judged: dict[int, tuple[Any, ...]] = {}
    for place, beliefs in enumerate(inquiry.beliefs(task)):
        step = chain.history.steps[place]
        figures = measure(step, beliefs.after)
        judged[step.release] = (
            *(figures.records, _figure(figures.gain), _figure(figures.confidence)),
            *(_figure(figures.worst), _remembered(chain, place), *_manner(beliefs.used)),
        )
    statuses = {
        row["release"]: row["status"]
        for row in run(
            "SELECT release, status FROM bkpriv.releases WHERE release = ANY ($1)",
            ["bigint[]"],
            [[step.release for step in chain.steps]],
        )
    }
    task.done()
    return iter(
        [
            (
                step.release,
                step.period,
                *judged.get(step.release, (None,) * 7),
                statuses[step.release],
                None if (why := chain.left_out.get(step.release)) is None else why.words,
            )
            for step in chain.steps
        ]
    )


def _remembered(chain: Chain, place: int) -> int:
    """Published records of a release whose respondents an earlier one showed."""
    past, again = chain.history.past(place)
    shown = (np.diff(past.offsets) > 0) | (again >= 0)
    return int(shown[chain.history.steps[place].groups.members].sum())


def _manner(used: UsedArray) -> tuple[str | None, float | None]:
    """The least sure estimator that was used, and the share of groups that are exact."""
    if not len(used):
        return None, None
    return ESTIMATORS[int(used.max())], float((used == EXACT).mean())


def _figure(value: float) -> float | None:
    """A figure, NULL where there is none."""
    return None if np.isnan(value) else value


@entry(Access.RELEASES)
def revised_belief(
    dataset: str | None,
    knowledge: str | None,
    respondent: str | None,
    period: str | None,
    estimator: str,
    bandwidth: str | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.revised_belief``."""
    respondent = require(respondent, "respondent")
    inquiry = _inquire(dataset, knowledge, estimator, bandwidth)
    place, member = _find_look(inquiry.chain, respondent, period)
    task = Task("bkpriv revised_belief")
    beliefs = next(b for i, b in enumerate(inquiry.beliefs(task)) if i == place)
    step = inquiry.chain.history.steps[place]
    task.done()
    before, after = beliefs.before[member].tolist(), beliefs.after[member].tolist()
    rows = zip(step.labels, before, after, strict=True)
    return iter([(*row, step.release) for row in rows])


def _find_look(chain: Chain, respondent: str, period: str | None) -> tuple[int, int]:
    """Place of the last release of a period that shows a respondent, and their membership in it."""
    number = chain.names.get(respondent, -1)
    steps = chain.history.steps
    wanted = {step.when for step in steps} if period is None else chain.find_period(period)
    shown: list[tuple[int, int]] = []
    for place, step in enumerate(steps):
        members = np.flatnonzero(step.persons[step.groups.members] == number)
        shown += [(place, member) for member in members.tolist()]
    found = [look for look in shown if steps[look[0]].when in wanted]
    if not found:
        held = (chain.held[place] for place, _ in shown[-_SHOWN:])
        listed = ", ".join(step.period or f"release {step.release}" for step in held)
        raise Refusal(
            "42704",
            f"no release{'' if period is None else f' of period {period}'} shows respondent "
            f"{respondent}",
            detail=f"They are shown in {listed}."
            if listed
            else f"No release{' that is not left out' if chain.left_out else ''} shows them.",
            hint="Respondents are those of the dataset's respondent column, and suppressed records "
            "are not shown.",
        )
    return found[-1]
