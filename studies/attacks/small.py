"""Readers who know the algorithm, of tables so small that all they rule out can be listed.

Small tables are samples of a synthetic hospital's people: their age and sex, and whether something
is wrong with their heart or lungs. Each is published, and read by two readers with the same prior
belief. One believes what boxes and their values tell; the other also rules out what the method
would have published otherwise. What is counted are people about whom belief moves by more than t,
unblended, and those who are breached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bkpriv_client.hospital import hospital
from bkpriv_client.source import Column
from bkpriv_client.terminal import Advance
from bkpriv_core.attack import Outcome, Target, find_attacker, findings
from bkpriv_core.attack.without_groups import KnowingOptions
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import TooLarge
from bkpriv_core.method import find_method
from bkpriv_core.method import parse_options as parse_method_options
from bkpriv_core.progress import SILENT
from bkpriv_core.table.table import Table
from studies.attacks.design import SMALL, Design, Kind
from studies.attacks.trial import Site, publish, requirements_of
from studies.attacks.worlds import infer_worlds, publishing, sampled
from studies.cells import count_cells
from studies.figure import Figure, Lines, Row
from studies.laboratory import paced

__all__ = ["FIGURES", "clinic", "knowing", "not_knowing"]

_HEART_OR_LUNGS = frozenset({"influenza", "asthma", "emphysema", "heart attack", "stroke"})


def clinic(design: Design) -> Table:
    """Table that small ones are drawn from."""
    source = hospital(design.hospital, design.seed)
    told = [
        "heart or lungs" if diagnosis in _HEART_OR_LUNGS else "other"
        for diagnosis in source.columns["diagnosis"].values
    ]
    return count_cells(
        replace(
            source,
            columns={**source.columns, "diagnosis": Column("text", told)},
            quasi_identifiers=("age", "sex"),
            hierarchies={"sex": source.hierarchies["sex"]},
        )
    )


def not_knowing(target: Target, kind: Kind, options: KnowingOptions) -> Outcome:
    """Beliefs of a reader who does not know how a release was made."""
    return find_attacker("without_groups").attack(target, options, SILENT)


def knowing(target: Target, kind: Kind, options: KnowingOptions) -> Outcome:
    """Beliefs of a reader who knows how a release was made."""
    release = target.release
    method = find_method(kind.method)
    publishes = publishing(
        method, requirements_of(kind), parse_method_options(method, kind.options)
    )
    prior = target.threat.prior(options.knowledge)
    found = infer_worlds(release, prior, publishes)
    return Outcome(
        threat=target.threat,
        group=release.labels,
        cell=release.parts.cell,
        counts=release.parts.actual,
        baseline=prior,
        believed=found.beliefs,
    )


_READERS: dict[str, Callable[[Target, Kind, KnowingOptions], Outcome]] = {
    "does not know the algorithm": not_knowing,
    "knows the algorithm": knowing,
}
"""Readers by what they are called in the figure."""


def _algorithm(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Attack every small table in both ways, published in all ways."""
    table, rows = clinic(design), list[Row]()
    options = KnowingOptions(bandwidth=design.bandwidth)
    for kind in paced(SMALL, advance, lambda kind: kind.name):
        generator = np.random.default_rng(design.seed)
        told = {name: Counter[str]() for name in _READERS}
        attacked = unpublished = beyond = 0
        for _ in range(design.samples):
            some, _ = sampled(table, design.people, generator)
            target = publish(ThreatModel(some), kind, design.seed)
            if target is None:
                unpublished += 1
                continue
            try:
                of_table = {
                    name: _told(reader(target, kind, options), options, design)
                    for name, reader in _READERS.items()
                }
            except TooLarge:
                beyond += 1
                continue
            attacked += 1
            for name, counts in of_table.items():
                told[name] += counts
        rows += [
            {
                "policy": kind.policy,
                "method": kind.method,
                "reader": name,
                "tables": attacked,
                "unpublished": unpublished,
                "too_large": beyond,
                "people": attacked * design.people,
                "moved": told[name]["moved"],
                "share": told[name]["moved"] / max(attacked * design.people, 1),
                "breached": told[name]["breached"],
            }
            for name in _READERS
        ]
    return rows


def _told(outcome: Outcome, options: KnowingOptions, design: Design) -> Counter[str]:
    """Count the people of a table about whom a reader finds out too much."""
    found = findings(outcome, options)
    return Counter(
        moved=sum(each.records for each in found if each.distance > design.t),
        breached=sum(each.breached for each in found),
    )


FIGURES = (
    Figure(
        "algorithm",
        "People of small tables about whom belief moves by more than 0.2 bits",
        _algorithm,
        Lines(
            x="policy",
            y="share",
            x_label="policy",
            y_label="share of people",
            series="reader",
            panel="method",
            joined=False,
        ),
    ),
)
