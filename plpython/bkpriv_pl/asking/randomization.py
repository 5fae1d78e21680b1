"""Optimal strength of the distortion of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bkpriv_core.compatibility import Plan, check
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.method import parse_options
from bkpriv_core.method.randomize import Randomize
from bkpriv_core.policy import check_sensitive
from bkpriv_core.randomization.channel import check_scheme
from bkpriv_core.randomization.optimization import check_tau, optimize
from bkpriv_pl.publishing.request import space_of
from bkpriv_pl.server.access import Access
from bkpriv_pl.server.boundary import entry, from_json, require
from bkpriv_pl.server.progress import Task
from bkpriv_pl.tables.dataset import find_dataset, read_records
from bkpriv_pl.tables.period import require_period
from bkpriv_pl.tables.persons import kept_of

__all__ = ["optimize_randomization"]


@entry(Access.SOURCE)
def optimize_randomization(
    dataset: str | None,
    scheme: str | None,
    tau: float | None,
    options: str | None,
    period: str | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.optimize_randomization``."""
    registered = find_dataset(dataset)
    check_sensitive(registered.name, registered.sensitive_columns, ["randomization"])
    wanted = check_scheme(require(scheme, "scheme"))
    if tau is None:
        raise InvalidParameter(
            "tau is missing", detail="It is NULL.", hint="Give a number above 0 and at most 1."
        )
    check_tau(tau)
    stated = from_json(options, "options")
    if isinstance(stated, dict) and stated.setdefault("scheme", wanted) != wanted:
        raise InvalidParameter(
            f"the scheme is {wanted}, but another in the options",
            detail=f"There it is {as_json(stated['scheme'])}.",
            hint="Leave it out of the options.",
        )
    method = Randomize()
    chosen = parse_options(method, stated)
    check(Plan(replace(space_of(registered), attributes=()), method, chosen))
    task = Task("bkpriv optimize_randomization")
    task.step("counting")
    kept = kept_of(chosen, registered)
    read = replace(registered, attributes=())
    table, *_ = read_records(read, chosen.nulls, require_period(registered, period), kept=kept)
    table, _ = method.prepare(table, chosen)
    optimum = optimize(table, chosen.scheme, tau, chosen.utility, progress=task.step("optimizing"))
    task.done()
    rows = [
        (domain.name, domain.size, channel.retention, channel.epsilon)
        for domain, channel in zip(table.domains, optimum.channels, strict=True)
    ]
    return iter(rows)
