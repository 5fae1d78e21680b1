"""The lattice of full-domain generalization, node by node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bkpriv_core.method.full_domain import UTILITIES, Incognito, describe, find_lattice
from bkpriv_pl.publishing.policy import find_policy
from bkpriv_pl.publishing.request import read_method, read_policy
from bkpriv_pl.publishing.subject import Subject
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.dataset import find_dataset
from bkpriv_pl.tables.period import require_period
from bkpriv_pl.tables.persons import kept_of

__all__ = ["lattice"]


@entry(Access.SOURCE)
def lattice(
    dataset: str | None, policy: str | None, options: str | None, period: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.lattice``."""
    registered = replace(find_dataset(dataset), attributes=())
    stated = find_policy(policy)
    method, chosen = read_method(registered, Incognito.name, from_json(options, "options"))
    _, demanded = read_policy(registered, method, chosen, stated.requirements)
    requirements = demanded.requirements
    task = Task("bkpriv lattice")
    task.step("counting")
    within = require_period(registered, period)
    subject = Subject.read(registered, within, method, chosen, kept=kept_of(chosen, registered))
    threat, _ = subject.set_out(requirements, stated.library, stored=False)
    subject.check(threat, requirements)
    nodes = find_lattice(threat.tried(), requirements, chosen, task.step("searching"))
    task.step("describing")
    names = [domain.name for domain in subject.growth.table.quasi_identifiers]
    rows = [
        (
            json.dumps(dict(zip(names, figures.node, strict=True))),
            figures.safe,
            figures.minimal,
            figures.chosen,
            figures.measured,
            figures.suppressed,
            *(figures.costs.get(name) for name in UTILITIES),
        )
        for figures in describe(nodes, chosen.utility)
    ]
    task.done()
    return iter(rows)
