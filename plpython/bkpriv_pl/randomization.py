"""How strongly records are to be distorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from bkpriv_core import stated
from bkpriv_core.errors import InvalidParameter
from bkpriv_core.randomization.channel import check_scheme
from bkpriv_core.randomization.optimization import check_tau, optimize
from bkpriv_pl.boundary import entry, from_json, require
from bkpriv_pl.dataset import find_dataset, read_table
from bkpriv_pl.period import require_period
from bkpriv_pl.progress import Task

__all__ = ["optimize_randomization"]


@dataclass(frozen=True)
class _Options:
    """Options of the search.

    Parameters
    ----------
    utility : mapping of str to float, optional
        Weights of attributes.
    nulls : {"error", "category"}
        What NULL is.
    """

    utility: Mapping[str, Annotated[float, stated.Range(above=0)]] | None = None
    nulls: Literal["error", "category"] = "error"


@entry
def optimize_randomization(
    dataset: str | None,
    scheme: str | None,
    tau: float | None,
    options: str | None,
    period: str | None,
) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.optimize_randomization``."""
    registered = find_dataset(dataset, to_change=False)
    chosen = check_scheme(require(scheme, "scheme"))
    if tau is None:
        raise InvalidParameter(
            "tau is missing", detail="It is NULL.", hint="Give a number above 0 and at most 1."
        )
    check_tau(tau)
    read: _Options = stated.read(_Options, from_json(options, "options"), "options")
    task = Task("bkpriv optimize_randomization")
    task.step("counting")
    table = read_table(registered, read.nulls, require_period(registered, period))
    optimum = optimize(table, chosen, tau, read.utility, task.step("searching"))
    task.done()
    rows = [
        (domain.name, domain.size, channel.retention, channel.epsilon)
        for domain, channel in zip(table.domains, optimum.channels, strict=True)
    ]
    return iter(rows)
