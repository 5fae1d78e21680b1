"""Notices: what a publisher is told of a release that he may not have expected of it."""

from __future__ import annotations

from collections.abc import Sequence

import plpy

from bkpriv_core.audit import Finding, exactly_auditable
from bkpriv_core.method import GroupOptions, Options
from bkpriv_core.release.release import Release
from bkpriv_core.utility.measures import lost_columns

__all__ = ["LISTED", "give_notice", "latest_of", "releases_of"]

LISTED = 8
"""How many releases a message lists."""


def latest_of(releases: Sequence[object]) -> str:
    """List the latest of some releases, which are in their order."""
    some = ", ".join(map(str, releases[-LISTED:]))
    return some + (", and earlier ones" if len(releases) > LISTED else "")


def releases_of(numbers: Sequence[int]) -> str:
    """Name some releases by their numbers, which rise."""
    return f"release{'s' * (len(numbers) > 1)} {latest_of(numbers)}"


def give_notice(
    release: int, published: Release, shown: Release, rows: Sequence[Finding], options: Options
) -> None:
    """Say what a release leaves out, falsifies, breaks, or rests on an estimate for.

    Parameters
    ----------
    release : int
        Its id.
    published, shown : Release
        As it was made, and as readers see it.
    rows : sequence of Finding
        How it keeps its policy.
    options : Options
        How it was made.
    """
    records = published.table.records
    unit = "records" if options.max_records_per_person is None else "persons"
    suppressed = records - published.published
    if suppressed:
        plpy.notice(
            f"release {release} leaves out {suppressed} of {records} {unit}",
            hint=f"bkpriv.explain_suppressed({release}) says which, and why.",
        )
    if shown.parts.counterfeited:
        plpy.notice(
            f"release {release} shows {shown.parts.counterfeited} of {records} records "
            "with another sensitive value than they have, as its options allow",
            detail="Its history says how many more, or fewer, records of each cell are shown with "
            "each value than have it. Nothing in its view does.",
            hint='Leave out the option {"unfit": "counterfeit"}, and they are suppressed.',
        )
    _tell_lost(release, shown)
    relaxed = [row for row in rows if row.vulnerable]
    if relaxed:
        plpy.notice(
            f"release {release} has records in groups that break its policy, as its options allow",
            detail="; ".join(
                f"{row.requirement}: {row.vulnerable} records, to {row.worst:.6g} instead of "
                f"{row.threshold:g}"
                for row in relaxed
            )
            + ".",
            hint="Groups of the release that it grows from stay as they were published. Publish "
            "without the option grow, and everybody is grouped anew."
            if isinstance(options, GroupOptions) and options.grow
            else 'Leave out the option {"unfit": "relax"}, and they are suppressed.',
        )
    estimated = sorted({row.estimator for row in rows} - {"exact"})
    if estimated:
        plpy.notice(
            f"release {release} is certified by estimate in part: {'; '.join(estimated)}",
            detail="An estimate may understate what an adversary learns.",
            hint=_surer(options, release, published, estimated),
        )


def _tell_lost(release: int, shown: Release) -> None:
    """Say of which columns hardly anything is left, and what would leave more."""
    lost = lost_columns(shown)
    if not lost:
        return
    named = {domain.name: domain for domain in shown.table.quasi_identifiers}
    ways = []
    if labels := [name for name in lost if not named[name].numeric and not named[name].hierarchy]:
        ways.append(f"give a hierarchy to {_quoted(labels)} (bkpriv.set_hierarchy)")
    if numbers := [name for name in lost if named[name].numeric]:
        ways.append(f"register wider bins for {_quoted(numbers)}")
    ways.append(f"leave {'it' if len(lost) == 1 else 'one of them'} out")
    said = ", or ".join(ways)
    plpy.notice(
        f"release {release} leaves hardly anything of {'columns' if len(lost) > 1 else 'column'} "
        f"{_quoted(list(lost))}",
        detail="Loss (1 where any value may be meant): "
        + ", ".join(f'"{name}" {loss:.3g}' for name, loss in [*lost.items()][:LISTED])
        + f"{', ...' if len(lost) > LISTED else ''}.",
        hint=f"{said[0].upper()}{said[1:]}; the other columns then lose less.",
    )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names[:LISTED]) + ", ..." * (len(names) > LISTED)


def _surer(options: Options, release: int, published: Release, estimated: Sequence[str]) -> str:
    """Say what does without the estimates that a release was certified by."""
    if all(manner.startswith("exact, given ") for manner in estimated):
        return (
            "Only what is remembered was estimated. The option estimator says by what; by whatever "
            "it is, people who shared a group are taken as independent from then on."
        )
    but = (
        ", but for what is remembered" if any(", given " in manner for manner in estimated) else ""
    )
    ways = (
        f"bkpriv.audit({release}, estimator => 'exact') measures it exactly{but}, if slowly."
        if exactly_auditable(published.parts, published.groups)
        else "A less strict policy leaves smaller groups, which can be judged exactly; some of "
        "these are too large for that."
    )
    if options.inference == "auto":
        ways += ' The option {"beyond": "suppress"} leaves out what only an estimate can certify.'
    return ways
