"""Tables made elsewhere, judged against the dataset that they were made of; nothing is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from bkpriv_core.attack import Target, find_attacker, parse_options
from bkpriv_core.attack import metrics as measured
from bkpriv_core.audit import Finding
from bkpriv_core.belief.posterior import check_estimator
from bkpriv_core.certainty import certainties, counted_sure
from bkpriv_core.count import Count
from bkpriv_core.errors import Unsupported
from bkpriv_core.policy import check_sensitive, complete, parse_policy
from bkpriv_core.release.external import MadeElsewhere, Manner, check_judged
from bkpriv_core.table.hierarchy import some_of
from bkpriv_pl.asking.audit import as_row, measure_groups
from bkpriv_pl.asking.leftover import tell_leftover
from bkpriv_pl.asking.utility import losses_of
from bkpriv_pl.past.transitions import customary_knowledge
from bkpriv_pl.server import notices
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import POLLED, Task
from bkpriv_pl.tables.dataset import find_dataset
from bkpriv_pl.tables.knowledge import PriorTables
from bkpriv_pl.tables.shown import Shown, read_shown

__all__ = ["attack_table", "audit_table", "utility_table"]

_GROUP = 8
"""Place of the worst group in a row of an audit."""


@entry(Access.SOURCE)
def audit_table(
    source: str | None,
    dataset: str | None,
    columns: str | None,
    requirements: str | None,
    estimator: str,
    period: str | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.audit_table``."""
    estimator = check_estimator(estimator)
    registered = find_dataset(dataset)
    stated = from_json(requirements, "requirements")
    stated = complete(stated, partial(customary_knowledge, registered.name))
    demanded = parse_policy(stated, complete=False).about(
        registered.sensitive_columns, dataset=registered.name
    )
    task = Task("bkpriv audit_table")
    shown = read_shown(source, registered, columns, period, task)
    release = shown.release
    check_judged(release, demanded.requirements)
    threat = release.threat(PriorTables(()), POLLED)
    rows = measure_groups(release, threat, demanded, estimator, task=task)
    if any(item.knowledge for item in demanded.requirements):
        counting = task.step("inferring beliefs")
        sure = certainties(
            threat, release.groups, demanded.requirements, estimator, progress=counting
        )
        rows = counted_sure(rows, sure)
    found: list[Finding | Count] = [*rows]
    if release.suppressed:
        found.append(Count("suppressed", {}, release.suppressed, release.table.records))
    task.done()
    _tell(shown)
    tell_leftover(shown.relation, shown.grouping, shown.measured)
    return (_with_labels(shown, as_row(each)) for each in found)


def _with_labels(shown: Shown, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Row of an audit with the labels of the worst group in place of its number."""
    group = row[_GROUP]
    labels = None if group is None else json.dumps(shown.release.labels_of(group))
    return *row[:_GROUP], labels, *row[_GROUP + 1 :]


@entry(Access.SOURCE)
def utility_table(
    source: str | None, dataset: str | None, columns: str | None, period: str | None
) -> list[tuple[str, float | None]]:
    """See ``bkpriv.utility_table``."""
    task = Task("bkpriv utility_table")
    shown = read_shown(source, find_dataset(dataset), columns, period, task)
    task.step("measuring")
    figures = losses_of(shown.release)
    task.done()
    _tell(shown)
    return list(figures.items())


@entry(Access.SOURCE)
def attack_table(
    source: str | None,
    dataset: str | None,
    columns: str | None,
    attacker: str | None,
    options: str | None,
    period: str | None,
) -> Iterator[tuple[str, float, str | None]]:
    """See ``bkpriv.attack_table``."""
    found = find_attacker(attacker)
    chosen = parse_options(found, from_json(options, "options"))
    task = Task("bkpriv attack_table")
    declared = find_dataset(dataset)
    check_sensitive(declared.name, declared.sensitive_columns, ["an attack"])
    shown = read_shown(source, declared, columns, period, task)
    release = shown.release
    if not release.true:
        raise Unsupported(
            "the table cannot be attacked: it is not known whose rows are whose",
            detail="An attack is compared with what is true of people. The table has no key that "
            "the dataset has, and its labels leave open who is in which group, or with which "
            "value.",
            hint='Name a column that both have: columns => {"id": "id"}.',
        )
    threat = release.threat(PriorTables(()), POLLED)
    outcome = found.attack(Target(release, threat), chosen, task.step("attacking"))
    task.done()
    _tell(shown)
    return ((each.name, each.value, each.column) for each in measured(outcome, (), chosen))


def _tell(shown: Shown) -> None:
    """Say what the table was taken for."""
    release = shown.release
    whose = {
        "key": f'told by column "{shown.key}"',
        "labels": "told by the labels, under which nobody else can be",
        None: "not known, so groups are judged by themselves",
    }[release.known]
    boxes = [_box(release, name, manner) for name, manner in release.manners.items()]
    notices.notice(
        f"{shown.relation} is judged as {len(release.groups)} groups of {release.published} "
        f'records of dataset "{shown.dataset.name}"',
        detail=f"{release.suppressed} records of it are not in the table. Whose rows are whose is "
        f"{whose}.{''.join(boxes)}",
    )
    if release.strayed:
        notices.warning(
            f"{release.strayed} rows of {shown.relation} have labels that do not hold the values "
            "of their person",
            detail=f'Persons are told by column "{shown.key}", and their values by dataset '
            f'"{shown.dataset.name}". Losses and errors of queries are those of the labels.',
            hint="Compare these labels with the dataset, unless values were changed on purpose.",
        )


def _box(release: MadeElsewhere, name: str, manner: Manner) -> str:
    """Words on labels of a quasi-identifier that are taken for something else than they say."""
    if manner == "labels":
        return ""
    if manner == "not shown":
        return f' Labels of "{name}" are read as all values, for it is not shown.'
    unread = release.unread[name]
    groups = f"in {unread.groups} of {len(release.groups)} groups: {some_of(unread.labels)}"
    if manner == "people":
        return f' Labels of "{name}" are read as the extent of its people\'s values {groups}.'
    return f' Labels of "{name}" cannot be read {groups}.'
