"""Cost of certification: the time of mending, and the detail that is lost by it.

A partition is formed by omega, so a publication under ``omega`` shows what it would be if nothing
had to be mended: its loss of detail is the baseline of that which is certified. And an audit of it
by ``auto`` infers every group once, which certification cannot do without: that is the baseline of
the time certification takes. Improving groups that hold is not mending: it is a step of its own,
and its time is told apart. Detail is that of the releases, and both are improved.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

from bench.figure import Figure
from bench.publication import SKYLINE, Publication, detail_lost, published, typical
from bkpriv_client.source import Source

__all__ = ["measure_repair"]


@dataclass(frozen=True)
class _Most:
    """Limits of what certification may cost, where they are stated."""

    audits: float | None = None
    """Time of certifying, that is, of measuring and mending, in audits."""
    detail_ratio: float | None = None
    """Loss of detail, in those of the uncertified release."""


# In audits, twice what repair by mergers alone takes: 2.05 on Adult, 2.8 on the census.
_MOST = {
    "adult": _Most(audits=4.1, detail_ratio=1.06),
    "census": _Most(audits=5.6, detail_ratio=1.06),
    "hospital": _Most(detail_ratio=1.12),
}


def measure_repair(uri: str, source: Source, dataset: str, rounds: int) -> list[Figure]:
    """Measure a source that was loaded and declared as a dataset, against three adversaries."""
    most = _MOST[source.name]
    certified: list[Publication] = []
    plain: list[Publication] = []
    audited = []
    for _ in range(rounds):
        with published(uri, dataset, SKYLINE, "omega") as (connection, publication):
            plain.append(publication)
            expected = detail_lost(connection, publication)
            started = time.perf_counter()
            connection.execute("SELECT bkpriv.audit(%s)", [publication.release])
            audited.append(time.perf_counter() - started)
        with published(uri, dataset, SKYLINE) as (connection, publication):
            certified.append(publication)
            lost = detail_lost(connection, publication)
    ours, baseline = typical(certified), typical(plain)
    certifying, audit = ours.steps["certifying"], median(audited)
    improving = ours.steps.get("improving", 0.0)
    mended = ours.seconds - improving
    partitioned = baseline.seconds - baseline.steps.get("improving", 0.0)
    return [
        Figure(
            f"certified skyline, {source.name}",
            f"{ours.seconds:.2f} s",
            f"by omega {baseline.seconds:.2f} s",
            ours.seconds / baseline.seconds,
        ),
        Figure(
            "    without improving",
            f"{mended:.2f} s",
            f"by omega {partitioned:.2f} s",
            mended / partitioned,
        ),
        Figure(
            "    certifying",
            f"{certifying:.2f} s",
            f"audit {audit:.2f} s",
            certifying / audit,
            *_aim(certifying / audit, most.audits, "ratio {:g}"),
        ),
        Figure("    improving", f"{improving:.2f} s", f"audit {audit:.2f} s", improving / audit),
        Figure(
            "    suppressed",
            f"{ours.suppressed:,} records",
            f"{baseline.suppressed:,} records",
            None,
            "none",
            ours.suppressed == 0,
        ),
        Figure(
            "    detail lost (GCP)",
            f"{lost:.4f}",
            f"{expected:.4f}",
            lost / expected,
            *_aim(lost / expected, most.detail_ratio, "ratio {:g}"),
        ),
    ]


def _aim(figure: float, most: float | None, written: str) -> tuple[str, bool | None]:
    """A target as written, and whether it is met; neither, where there is none."""
    return ("", None) if most is None else (written.format(most), figure <= most)
