"""Readers who know the algorithm, of tables so small that all they rule out can be listed.

Small tables are samples of a synthetic hospital's people: their age and sex, and whether something
is wrong with their heart or lungs. Each is published, and read by two readers with the same prior
belief. One believes what boxes and their values tell; the other also rules out what the method
would have published otherwise. What is counted are people about whom belief moves by more than t,
unblended, and those who are breached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bkpriv_client.hospital import hospital
from bkpriv_client.source import Column
from bkpriv_client.terminal import Advance
from bkpriv_core.attack import Target, find_attacker, findings, parse_options
from bkpriv_core.attack.worlds import sampled
from bkpriv_core.belief.setting import Setting
from bkpriv_core.errors import TooLarge
from bkpriv_core.progress import SILENT
from bkpriv_core.table.table import Table
from studies.attacks.design import SMALL, Design
from studies.attacks.trial import Site, publish
from studies.cells import count_cells
from studies.figure import Figure, Lines, Row
from studies.laboratory import paced

__all__ = ["FIGURES", "clinic"]

_HEART_OR_LUNGS = frozenset({"influenza", "asthma", "emphysema", "heart attack", "stroke"})

_READERS = {"does not know the algorithm": "without_groups", "knows the algorithm": "algorithm"}
"""Attackers by what they are called in the figure."""


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


def _algorithm(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Attack every small table in both ways, published in all ways."""
    table, rows = clinic(design), list[Row]()
    for kind in paced(SMALL, advance, lambda kind: kind.name):
        generator = np.random.default_rng(design.seed)
        told = {name: Counter[str]() for name in _READERS}
        attacked = unpublished = beyond = 0
        for _ in range(design.samples):
            some, _ = sampled(table, design.people, generator)
            target = publish(Setting(some), kind, design.seed)
            if target is None:
                unpublished += 1
                continue
            try:
                of_table = {name: _told(target, name, design) for name in _READERS}
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


def _told(target: Target, reader: str, design: Design) -> Counter[str]:
    """Count the people of a table about whom a reader finds out too much."""
    attacker = find_attacker(_READERS[reader])
    stated: Mapping[str, Any] = {"bandwidth": design.bandwidth}
    options = parse_options(attacker, stated)
    outcome = attacker.attack(target, options, SILENT)
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
