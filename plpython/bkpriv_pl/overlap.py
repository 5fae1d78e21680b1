"""Overlap: other releases of the records that are published, and of other periods."""

from __future__ import annotations

import plpy

from bkpriv_core.errors import UnattainableRequirement
from bkpriv_core.release.form import Form
from bkpriv_pl import history
from bkpriv_pl.boundary import run
from bkpriv_pl.counts import Period
from bkpriv_pl.dataset import Dataset

__all__ = ["find_overlap", "warn_of_later"]


def find_overlap(
    dataset: Dataset, period: Period | None, form: Form
) -> UnattainableRequirement | None:
    """What is to be said of other releases of the same records, if the caller may see any."""
    # Other periods are a sequence; what cannot be told from this one is taken for it.
    same_period = (
        "($5 IS NULL OR r.period IS NULL OR r.period = $5 OR r.period_type IS NULL "
        "OR (r.period_type, r.period_column, r.period_bin) IS DISTINCT FROM ($6, $7, $8))"
    )
    # A status takes a search of the catalog, so only those of the releases listed are wanted.
    rows = run(
        "SELECT release, status FROM bkpriv.releases WHERE release = ANY (ARRAY("
        "SELECT r.release FROM bkpriv.release r "
        "WHERE ((r.dataset, r.owner) = ($1, $2) OR (r.source_schema, r.source_name) = ($3, $4)) "
        f"AND {same_period} ORDER BY r.release DESC LIMIT 9)) ORDER BY release",
        ["text"] * 8,
        [
            *(dataset.name, dataset.owner, dataset.source_schema, dataset.source_name),
            *((None,) * 4 if period is None else period.recorded.values()),
        ],
    )
    if not rows:
        return None
    listed = ", ".join(f"{row['release']} ({row['status']})" for row in rows[-8:])
    return UnattainableRequirement(
        f"records of {dataset.source}{'' if period is None else f' in period {period.text}'} have "
        f"been released before: {'..., ' if len(rows) > 8 else ''}{listed}",
        detail="Each release is certified by itself. Who holds several, or held one that was "
        "withdrawn, can compare their "
        + (
            "records, and learns more of all of them."
            if form.randomized
            else "groups, and may so learn the value of somebody who is in one only."
        )
        + (
            ""
            if period is None
            else " Another release of a period is a second look at the same values."
        ),
        hint="Give them to different readers. A policy may refuse another release "
        '({"overlap": "refuse"}) or, by default, warn of it.',
    )


def warn_of_later(dataset: Dataset, period: Period, release: int) -> None:
    """Warn of releases of later periods, if there are any."""
    steps = history.find_steps(dataset.name, dataset.owner)
    (when,) = (step.when for step in steps if step.release == release)
    later = [step for step in steps if step.when > when and step.period is not None]
    if later:
        listed = ", ".join(f"{step.period} (release {step.release})" for step in later[-8:])
        plpy.warning(
            f'period {period.text} of dataset "{dataset.name}" is published after later ones: '
            f"{'..., ' if len(later) > 8 else ''}{listed}",
            detail="What a reader remembers is taken in the order of periods. So it is assumed "
            "that releases of later periods say nothing about this one, though who holds them may "
            "conclude from them to what was before.",
            hint="Publish periods in their order. What later releases tell of earlier values is "
            "measured by bkpriv.sequential_audit(…, retrospective => true).",
        )
