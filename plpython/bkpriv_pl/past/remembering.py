"""Remembering: what adversaries believe of respondents before a release, for settings to ask.

Before a release is published, what they believe after the earlier ones is read from where earlier
publications stored it, and inferred and stored only where it is missing; so each release costs the
same. Of a past release everything is inferred anew from the history before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bkpriv_core.belief.knowledge import Outside, Revised, Snapshot
from bkpriv_core.belief.posterior import Estimator
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import Unsupported
from bkpriv_core.method import Options
from bkpriv_core.requirement import Requirement
from bkpriv_core.sequence.history import History, SequenceRelease
from bkpriv_core.sequence.inference import Memory, believe, expected, remembered, wanted
from bkpriv_core.sequence.signatures import signatures
from bkpriv_core.sequence.sparse import Labels
from bkpriv_core.sequence.transitions import Transitions
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.groups import SUPPRESSED, FloatArray, Groups, IntArray
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table
from bkpriv_pl.past.chain import Chain, read_chain, tell_apart
from bkpriv_pl.past.course import find_course, find_steps
from bkpriv_pl.past.history import RecordedRelease
from bkpriv_pl.past.lookup import look_up
from bkpriv_pl.past.recorded import find_beliefs, read_beliefs
from bkpriv_pl.past.selection import FOLLOWING, ReleaseFilter, find_candidate
from bkpriv_pl.past.transitions import find_knowledge_of
from bkpriv_pl.server.boundary import array_literal
from bkpriv_pl.server.progress import POLLED
from bkpriv_pl.server.writing import write
from bkpriv_pl.tables.column import Period
from bkpriv_pl.tables.dataset import Dataset
from bkpriv_pl.tables.knowledge import PriorTables

__all__ = ["SequenceKnowledgeSource", "recall", "set_out", "with_library"]

_MANNER = 2
"""Number of the manner, to be raised when beliefs are inferred in another way than those stored."""


@dataclass(frozen=True, eq=False)
class SequenceKnowledgeSource(PriorTables):
    """Memory of earlier releases when a table is released.

    Args:
        named_by: See `PriorTables`.
    """

    chain: Chain
    present: SequenceRelease
    """The table; perhaps without groups, as yet."""
    estimator: Estimator
    """Estimator of beliefs after earlier releases: that of the options of publication, or of the
    call that measures; instead of auto it is bethe, which comes as near in a fifth of the time.
    """
    stored: bool

    @property
    def memory(self) -> str | None:
        """Estimator by which earlier releases are inferred; see `KnowledgeSource`."""
        return self.estimator if len(self.chain.history) else None

    @cached_property
    def _history(self) -> History:
        return History((*self.chain.history.steps, self.present))

    @cached_property
    def _course(self) -> tuple[int, ...]:
        return self._history.course(len(self.chain.history))

    def _memory(self, knowledge: Revised) -> Memory:
        like = self.chain.like
        return find_knowledge_of(like.dataset, like.owner, knowledge.sequence).memory

    def revised(self, table: Table, knowledge: Revised, snapshot: FloatArray) -> FloatArray:
        """Revise what earlier releases told; see `KnowledgeSource`.

        Raises:
            Refusal: If the dataset has no such knowledge.
        """
        memory = self._memory(knowledge)
        names = tuple(domain.name for domain in table.quasi_identifiers)
        digest = _digest(knowledge, memory, self.estimator) if self.stored else None
        snapshots = self.chain.snapshots(_snapshot(knowledge, names))
        *course, _ = self._course
        history, last = self._history.along(self._course), len(course)
        ids = [history.steps[place].release for place in range(last)]
        kept = set() if digest is None else find_beliefs(ids, digest)
        # What was stored of a step before another was published of an earlier time holds no more.
        holds = np.maximum.accumulate(course) == course if course else []
        stored = {place for place in np.flatnonzero(holds).tolist() if ids[place] in kept}
        places = wanted(history, memory, last, stored)
        known = {}
        if digest is not None:
            read = read_beliefs([ids[place] for place in places & stored], digest)
            known = {place: read[ids[place]] for place in places & stored}
        after = remembered(
            history,
            memory,
            lambda place: snapshots(course[place]),
            self.estimator,
            known=known,
            places=places,
            progress=POLLED,
        )
        if digest is not None:
            for place in places - stored:
                if holds[place]:
                    _store(ids[place], digest, knowledge, after[place])
        return expected(history, memory, last, after, snapshot=snapshot, progress=POLLED)

    def signatures(self, table: Table) -> IntArray:
        """Values of last groups; see `KnowledgeSource`."""
        return signatures(self._history, len(self.chain.history))

    def keep(
        self,
        release: int,
        revisions: Mapping[Revised, FloatArray],
        labels: IntArray,
        shown: IntArray | None,
    ) -> None:
        """Store beliefs after the table was released.

        Args:
            revisions: Beliefs about each respondent before, by the knowledge of adversaries.
            labels: Shape (n,). Group of each.
            shown: Shape (n,). Value that each is shown with, if some are not their own.
        """
        step = replace(self.present, groups=Groups.from_labels(labels), shown=shown)
        for knowledge, before in revisions.items():
            memory = self._memory(knowledge)
            digest = _digest(knowledge, memory, self.estimator)
            if digest is not None:
                *earlier, _ = self._history.along(self._course).steps
                history = History((*earlier, step))
                after = believe(
                    history, memory, len(earlier), before, estimator=self.estimator, progress=POLLED
                ).after
                _store(release, digest, knowledge, step.compact(after))


def set_out(
    dataset: Dataset,
    period: Period | None,
    table: Table,
    respondents: Respondents,
    requirements: Sequence[Requirement],
    options: Options,
    library: PriorTables,
    *,
    apart: bool = False,
    stored: bool = True,
) -> tuple[ThreatModel, PriorTables]:
    """Set out what a table that is read is measured in, before it is released.

    Args:
        apart: Whether respondents are told apart, if there are any, though no requirement asks for
            it.
        stored: See `SequenceKnowledgeSource`.

    Returns:
        memories: Knowledge of the threat model, if a requirement is about respondents.
    """
    about = any(item.tells_apart for item in requirements)
    if not respondents or not (about or apart):
        return ThreatModel(table, library=library, progress=POLLED), library
    if about:
        chain, present = _remember(
            dataset, period, table.sensitive.labels, respondents, library=library
        )
        library = SequenceKnowledgeSource(
            named_by=library.named_by,
            chain=chain,
            present=present,
            estimator=_named(options.inference),
            stored=stored,
        )
    return ThreatModel(respondents.apart(table), library=library, progress=POLLED), library


def _remember(
    dataset: Dataset,
    period: Period | None,
    labels: Labels,
    respondents: Respondents,
    library: PriorTables,
) -> tuple[Chain, SequenceRelease]:
    """Earlier releases of a dataset, and records of it, or of a period, that are to be released."""
    like = ReleaseFilter.of(dataset, period)
    earlier, now = find_course(dataset.name, dataset.owner, like.period)
    chain = read_chain(like, earlier, library, FOLLOWING)
    chain.warn()
    nowhere = Groups.from_labels(np.full(len(respondents), SUPPRESSED))
    return chain, _shown(0, now, labels, chain, respondents=respondents, groups=nowhere)


def _shown(
    release: int,
    when: int,
    labels: Labels,
    chain: Chain,
    respondents: Respondents,
    groups: Groups,
    shown: IntArray | None = None,
) -> SequenceRelease:
    """Groups that a release, after those of a chain, shows, as sets of respondents."""
    persons = chain.number(respondents.names)
    return SequenceRelease(
        release, labels, persons, respondents.values, groups=groups, when=when, shown=shown
    )


def recall(
    recorded: RecordedRelease, estimator: Estimator, *, named_by: Collection[str]
) -> RecordedRelease:
    """Tell respondents of a past release apart, and what was remembered when it was made.

    What earlier releases told is inferred by the estimator that this one is measured by.

    Raises:
        Refusal: If it names no respondents.
        Unsupported: If somebody has several.
    """
    release = recorded.release
    this = find_candidate(release)
    steps = find_steps(this.dataset, this.owner)
    place = [step.release for step in steps].index(release)
    sensitive = recorded.table.sensitive
    if isinstance(sensitive, Combination) and sensitive.several:
        raise Unsupported(
            f"what is remembered before release {release} is not defined: respondents have "
            "several records",
            detail="What is remembered of a person is one value of each release, and knowledge "
            "says how one value follows another.",
            hint="Publish a source that has one record of each person in a period.",
        )
    like = ReleaseFilter.of_release(this, sensitive.name)
    chain = read_chain(like, steps[:place], PriorTables(named_by), FOLLOWING)
    chain.warn()
    told, respondents = tell_apart(recorded)
    labels = recorded.table.sensitive.labels
    shown = respondents.shown(told.parts, np.arange(len(told.parts)))
    present = _shown(
        release,
        steps[place].when,
        labels,
        chain,
        respondents=respondents,
        groups=told.groups,
        shown=shown,
    )
    memories = SequenceKnowledgeSource(named_by, chain, present, _named(estimator), stored=False)
    return replace(told, library=memories)


def _named(estimator: Estimator) -> Estimator:
    """Estimator of beliefs after earlier releases."""
    return "bethe" if estimator == "auto" else estimator


def with_library(
    recorded: RecordedRelease,
    requirements: Sequence[Requirement],
    estimator: Estimator,
    *,
    own: bool,
) -> RecordedRelease:
    """Give a release what requirements that the caller has named, or not, are measured with."""
    named_by = () if own else (look_up(recorded.release, "owner")["owner"],)
    if any(item.tells_apart for item in requirements):
        return recall(recorded, estimator, named_by=named_by)
    return replace(recorded, library=PriorTables(named_by))


def _snapshot(knowledge: Revised, names: tuple[str, ...]) -> Snapshot:
    """Knowledge about people without a past as stated: attributes may have another order there."""
    resolved = knowledge.snapshot
    return dict(zip(names, resolved, strict=True)) if isinstance(resolved, tuple) else resolved


def _digest(knowledge: Revised, memory: Memory, estimator: Estimator) -> str | None:
    """Digest of all that beliefs follow from but the history; None where a table may change."""
    if isinstance(knowledge.snapshot, Outside):
        return None
    digest = hashlib.sha256(repr((_MANNER, knowledge.snapshot, estimator)).encode())
    if not isinstance(memory, Transitions):
        digest.update(repr(memory).encode())
        return digest.hexdigest()
    digest.update(json.dumps(memory.values).encode())
    arrays = (memory.parent, memory.oldest, memory.offsets, memory.following, memory.probabilities)
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _store(release: int, digest: str, knowledge: Revised, beliefs: FloatArray) -> None:
    if len(beliefs):
        write(
            "INSERT INTO bkpriv.release_belief (release, digest, knowledge, probabilities) "
            "VALUES ($1, $2, $3, $4::float8[]) ON CONFLICT DO NOTHING",
            ["bigint", "text", "text", "text"],
            [release, digest, knowledge.sequence, array_literal(beliefs)],
            release=release,
        )
