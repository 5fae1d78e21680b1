"""Cost of certainty: a publication that is certified beside one that rests on estimates alone.

The table is the census with a further column, so that it has many cells of about ten records each:
such cells make groups whose exact inference takes long. Both publications are made in the core, and
timed by the processor; they form groups, certify and improve them, and neither counts nor writes.
"""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median

import numpy as np

from bench.figure import Figure, seconds_against
from bench.publication import SKYLINE
from bkpriv_client.source import Column, Source
from bkpriv_core.belief.posterior import BOUND, Sound
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import DEFAULT_METHOD, GROUP_METHODS, Job
from bkpriv_core.partition.certification import Certificate
from bkpriv_core.policy import parse_policy
from bkpriv_core.progress import SILENT
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.utility.measures import utility
from studies.cells import count_cells
from studies.census import census

__all__ = ["measure_certainty"]

_REGIONS = (0.7, 0.2, 0.07, 0.03)
_TIMES = 3.0


def measure_certainty(records: int, seed: int, rounds: int = 1) -> list[Figure]:
    """Measure so many records of the census, each in one of four regions."""
    table = count_cells(_with_regions(census(records, seed), seed))
    method = GROUP_METHODS[DEFAULT_METHOD]
    requirements = parse_policy(SKYLINE).about([table.sensitive.name]).requirements
    seconds: dict[Sound, list[float]] = {"omega": [], "auto": []}
    made: dict[Sound, tuple[Release, Certificate]] = {}
    for _ in range(rounds):
        for estimator, taken in seconds.items():
            options = method.options(estimator=estimator)
            job = Job(ThreatModel(table), requirements, options, SeededChance(seed), SILENT)
            started = time.process_time()
            made[estimator] = method.certified(job)
            taken.append(time.process_time() - started)
    ours, baseline = median(seconds["auto"]), median(seconds["omega"])
    (release, certificate), (estimated, _) = made["auto"], made["omega"]
    lost, least = (utility(item)["gcp"] or 0.0 for item in (release, estimated))
    used = np.max([item.used for item in certificate.measurements], axis=0)
    sizes = certificate.parts.sizes(certificate.groups)
    people = {
        "on estimates": int(sizes[used > BOUND].sum()),
        "left out": int(table.records - sizes.sum()),
    }
    return [
        seconds_against(f"certified, {table.cells:,} cells", ours, "omega", baseline, _TIMES),
        Figure("    detail lost (GCP)", f"{lost:.5f}", f"{least:.5f}", lost / least),
        *(
            Figure(
                f"    people {what}",
                f"{number:,}",
                f"{table.records:,}",
                target="0",
                met=not number,
            )
            for what, number in people.items()
        ),
    ]


def _with_regions(source: Source, seed: int) -> Source:
    """Add a column that depends on nothing."""
    random = np.random.default_rng(seed + 77)
    regions = random.choice(len(_REGIONS), size=source.records, p=_REGIONS).tolist()
    region = Column("text", [f"region {code}" for code in regions])
    return replace(
        source,
        columns={"region": region, **source.columns},
        quasi_identifiers=(*source.quasi_identifiers, "region"),
    )
