"""The lattice of full-domain generalization, node by node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bkpriv_core.method.full_domain import UTILITIES, Incognito, describe, find_lattice
from bkpriv_core.requirement import check_binding
from bkpriv_pl.past.remembering import set_out
from bkpriv_pl.publishing.policy import find_policy
from bkpriv_pl.publishing.request import read_method, read_policy
from bkpriv_pl.server.boundary import entry, from_json
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.dataset import find_dataset, read_records
from bkpriv_pl.tables.period import require_period
from bkpriv_pl.tables.persons import kept_of

__all__ = ["lattice"]


@entry
def lattice(
    dataset: str | None, policy: str | None, options: str | None, period: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.lattice``."""
    registered = replace(find_dataset(dataset, to_change=False), attributes=())
    stated = find_policy(policy)
    method, chosen = read_method(registered, Incognito.name, from_json(options, "options"))
    _, demanded = read_policy(registered, method, chosen, stated.requirements)
    requirements = demanded.requirements
    task = Task("bkpriv lattice")
    task.step("counting")
    within = require_period(registered, period)
    kept = kept_of(chosen, registered)
    table, respondents, _ = read_records(registered, chosen.nulls, within, kept=kept)
    setting, _ = set_out(
        registered,
        within,
        table,
        respondents,
        requirements,
        chosen,
        stated.library,
        stored=False,
    )
    check_binding(requirements, setting)
    method.check(setting, requirements, chosen)
    nodes = find_lattice(setting.tried(), requirements, chosen, task.step("searching"))
    task.step("describing")
    names = [domain.name for domain in table.quasi_identifiers]
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
