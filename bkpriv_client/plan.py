"""Plans: what has to change so that a database is as a privacy file declares it, and why.

`plan` is a pure function of what is declared and what is wanted. What it says is carried out in its
order: rights first, then what is no longer wanted, then declarations, then publications.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from bkpriv_client.failure import ClientError
from bkpriv_client.wanted import Publication, Wanted, WantedDataset
from bkpriv_core.errors import as_json
from bkpriv_core.schema import near

__all__ = ["Action", "Change", "Declared", "DeclaredDataset", "check_references", "plan"]


class Action(Enum):
    """Kind of change: what is done, in words."""

    grant_job = "grant the job of"
    withdraw = "withdraw"
    drop = "drop dataset"
    register = "register dataset"
    set_hierarchy = "set the hierarchy of"
    unset_hierarchy = "unset the hierarchy of"
    set_knowledge = "set sequential knowledge"
    unset_knowledge = "unset sequential knowledge"
    set_policy = "set policy"
    publish = "publish"
    let_read = "let read"
    stop_reading = "stop reading"


@dataclass(frozen=True)
class Change:
    """One thing that has to change."""

    action: Action
    subject: tuple[str, ...]
    """Names of the thing it is done to: of a dataset and an attribute, of a view and a role."""
    why: str = ""
    pruning: bool = False
    """Whether something is taken away, which is done only if that is asked for."""
    needed: bool = False
    """Whether nothing can be done without that."""

    def __str__(self) -> str:
        """One line that says what is done, and why."""
        match self.action, self.subject:
            case Action.grant_job, (job, role):
                said = f"make {role} one of the {job}"
            case ((Action.let_read | Action.stop_reading), (view, role)):
                said = f"{self.action.value} {view}: {role}"
            case Action.withdraw, (view, release):
                said = f"withdraw release {release}, {view}"
            case _, names:
                said = f"{self.action.value} {', '.join(names)}"
        return f"{said}: {self.why}" if self.why else said


@dataclass(frozen=True)
class DeclaredDataset:
    """A dataset as it is declared."""

    differs: str | None = None
    """Difference of its declaration from the one that is wanted; None if there is none."""
    hierarchies: Mapping[str, bool] = field(default_factory=dict)
    knowledge: Mapping[str, bool] = field(default_factory=dict)
    releases: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Declared:
    """Declarations of a database, as far as a file speaks of them or the caller owns them."""

    datasets: Mapping[str, DeclaredDataset] = field(default_factory=dict)
    """Datasets that the caller may see, by name."""
    owned: frozenset[str] = frozenset()
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    jobs: frozenset[tuple[str, str]] = frozenset()
    shown: Mapping[str, int] = field(default_factory=dict)
    """The release that a view shows, of the datasets that the caller owns."""
    reasons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Reasons why a publication would be made anew, by its view, were all else as wanted."""
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Roles that may read a publication of the file, by its view; where that is there."""
    glancing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Roles that may read some of it: one of its views, or a column."""


def check_references(declared: Declared, wanted: Wanted) -> None:
    """Refuse publications of datasets, or under policies, that are neither there nor wanted.

    Raises:
        ClientError: If there are such.
    """
    for view, publication in wanted.publications.items():
        for noun, name, known in (
            ("dataset", publication.dataset, {*declared.datasets, *wanted.datasets}),
            ("policy", publication.policy, {*declared.policies, *wanted.policies}),
        ):
            if name not in known:
                raise ClientError(
                    f"{noun} {name}, of the publication {view}, is nowhere declared",
                    detail=f"There are {', '.join(sorted(known))}." if known else "There is none.",
                    hint=f"{near(name, known)}Declare it in the file: [{noun}.{name}].",
                )


def plan(declared: Declared, wanted: Wanted) -> tuple[Change, ...]:
    """Say what has to change; nothing where all is as it is wanted.

    Raises:
        ClientError: See `check_references`.
    """
    check_references(declared, wanted)
    replaced = {
        name
        for name in wanted.datasets
        if name in declared.datasets and declared.datasets[name].differs is not None
    }
    return (
        *_granted(declared, wanted),
        *_taken_away(declared, wanted, replaced),
        *_declared_anew(declared, wanted, replaced),
        *_published(declared, wanted, replaced),
    )


def _granted(declared: Declared, wanted: Wanted) -> Iterator[Change]:
    for job, roles in wanted.jobs.items():
        for role in roles:
            if (job, role) not in declared.jobs:
                yield Change(Action.grant_job, (job, role), "it is not")


def _taken_away(declared: Declared, wanted: Wanted, replaced: set[str]) -> Iterator[Change]:
    gone = [name for name in sorted(declared.owned) if name not in wanted.datasets]
    going = {release for name in (*replaced, *gone) for release in declared.datasets[name].releases}
    yield from _dropped(declared, sorted(replaced), gone)
    for view, release in sorted(declared.shown.items()):
        if view not in wanted.publications and release not in going:
            yield Change(
                Action.withdraw, (view, str(release)), "the file does not publish it", pruning=True
            )
    for name, dataset in wanted.datasets.items():
        if name in declared.datasets and name not in replaced:
            yield from _unset(name, declared.datasets[name], dataset)
    for view, publication in wanted.publications.items():
        for role in sorted(declared.glancing.get(view, frozenset())):
            if publication.readers is not None and role not in publication.readers:
                yield Change(
                    Action.stop_reading, (view, role), "the file does not let it", pruning=True
                )


def _dropped(declared: Declared, replaced: list[str], gone: list[str]) -> Iterator[Change]:
    for name in (*replaced, *gone):
        found, needed = declared.datasets[name], name in replaced
        for release, view in sorted(found.releases.items()):
            subject, why = (view, str(release)), f"dataset {name} goes"
            yield Change(Action.withdraw, subject, why, pruning=True, needed=needed)
        why = f"it is declared otherwise: {found.differs}" if needed else "the file has none"
        yield Change(Action.drop, (name,), why, pruning=True, needed=needed)


def _unset(name: str, found: DeclaredDataset, dataset: WantedDataset) -> Iterator[Change]:
    for action, there, stated in (
        (Action.unset_hierarchy, found.hierarchies, dataset.hierarchies),
        (Action.unset_knowledge, found.knowledge, dataset.knowledge),
    ):
        for item in sorted({*there} - {*stated}):
            yield Change(action, (name, item), "the file has none", pruning=True)


def _declared_anew(declared: Declared, wanted: Wanted, replaced: set[str]) -> Iterator[Change]:
    for name, dataset in wanted.datasets.items():
        found = DeclaredDataset()
        if name in declared.datasets and name not in replaced:
            found = declared.datasets[name]
        else:
            yield Change(Action.register, (name,), "" if name in replaced else "there is none")
        for action, there, stated in (
            (Action.set_hierarchy, found.hierarchies, dataset.hierarchies),
            (Action.set_knowledge, found.knowledge, dataset.knowledge),
        ):
            for item in stated:
                if not there.get(item, False):
                    why = "it is another" if item in there else "there is none"
                    yield Change(action, (name, item), why)
    for name, requirements in wanted.policies.items():
        if name not in declared.policies:
            yield Change(Action.set_policy, (name,), "there is none")
        elif declared.policies[name] != requirements:
            differing = _differing(declared.policies[name], requirements)
            yield Change(Action.set_policy, (name,), differing)


def _differing(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say which keys of a policy differ."""
    return "; ".join(
        f"{key} was {as_json(was[key]) if key in was else 'not stated'}, "
        f"and is {as_json(now[key]) if key in now else 'not stated'}"
        for key in sorted({*was, *now})
        if was.get(key) != now.get(key)
    )


def _published(declared: Declared, wanted: Wanted, replaced: set[str]) -> Iterator[Change]:
    for view, publication in wanted.publications.items():
        anew = publication.dataset in replaced
        reasons = ("its dataset is made anew",) if anew else declared.reasons.get(view, ())
        if reasons:
            yield Change(Action.publish, (view,), "; ".join(reasons))
        yield from _readers(declared, view, publication, anew)


def _readers(
    declared: Declared, view: str, publication: Publication, anew: bool
) -> Iterator[Change]:
    there = frozenset() if anew else declared.readers.get(view, frozenset())
    for role in publication.readers or ():
        if role not in there:
            yield Change(Action.let_read, (view, role), "it may not")
