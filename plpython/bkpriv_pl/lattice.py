"""The lattice of full-domain generalization, node by node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from bkpriv_core.method import parse_options
from bkpriv_core.method.full_domain import UTILITIES, Incognito, describe, find_lattice
from bkpriv_core.policy import complete, parse_policy
from bkpriv_pl.boundary import entry, from_json
from bkpriv_pl.dataset import find_dataset, read_records
from bkpriv_pl.period import require_period
from bkpriv_pl.persons import kept_of
from bkpriv_pl.policy import find_policy
from bkpriv_pl.progress import Task
from bkpriv_pl.remembering import check_respondents, set_out
from bkpriv_pl.transitions import customary_knowledge

__all__ = ["lattice"]


@entry
def lattice(
    dataset: str | None, policy: str | None, options: str | None, period: str | None
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.lattice``."""
    registered = find_dataset(dataset, to_change=False)
    stated = find_policy(policy)
    completed = complete(stated.requirements, partial(customary_knowledge, registered.name))
    method = Incognito()
    chosen = parse_options(method, from_json(options, "options"))
    columns = registered.sensitive_columns
    demanded = parse_policy(completed).about(columns, len(columns) > 1 or chosen.several)
    requirements = demanded.requirements
    check_respondents(registered, requirements, chosen)
    task = Task("bkpriv lattice")
    task.step("counting")
    within = require_period(registered, period)
    registered = replace(registered, attributes=())
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
