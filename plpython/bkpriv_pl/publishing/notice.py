"""Notices: what a publisher is told of a release that they may not have expected of it.

The last one, `close`, sums up what was given away. Notices name columns, and say counts, figures
and bounds: nothing of anybody. So they are recorded with the release, for whoever may see it later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bkpriv_core.audit import Finding
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.certainty import PositiveDisclosure
from bkpriv_core.errors import BkprivError, as_json
from bkpriv_core.method import Options
from bkpriv_core.release.release import Release
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.scale import units_of
from bkpriv_core.utility.measures import column_losses
from bkpriv_core.verdict import Verdict
from bkpriv_pl.server import notices
from bkpriv_pl.server.writing import write

__all__ = ["LISTED", "close", "latest_of", "record", "releases_of", "tell_counterfeits"]

LISTED = 8
"""Limit of the releases that a message lists."""

_LONGEST = 10_000
"""Characters of a text that are recorded, of four bytes at most."""


def latest_of(releases: Sequence[object]) -> str:
    """List the latest of some releases, which are in their order."""
    some = ", ".join(map(str, releases[-LISTED:]))
    return some + (", and earlier ones" if len(releases) > LISTED else "")


def releases_of(numbers: Sequence[int]) -> str:
    """Name some releases by their numbers, which rise."""
    return f"release{'s' * (len(numbers) > 1)} {latest_of(numbers)}"


def tell_counterfeits(release: int, published: Release, shown: Release) -> None:
    """Say how many records a release falsifies, if any.

    Args:
        published, shown: Release as it was made, and as readers see it.
    """
    records = published.table.records
    if shown.parts.counterfeited:
        notices.notice(
            f"release {release} shows {shown.parts.counterfeited} of {records} records "
            "with another sensitive value than they have, as its options allow",
            detail="Its history says how many more, or fewer, records of each cell are shown with "
            "each value than have it. Nothing in its view does.",
            hint='Leave out the option {"unfit": "counterfeit"}, and they are suppressed.',
        )


def close(
    release: int,
    verdict: Verdict,
    published: Release,
    shown: Release,
    rows: Sequence[Finding],
    sure: Sequence[PositiveDisclosure] | BkprivError,
    options: Options,
) -> None:
    """Give the verdict on a release, and what it was measured by.

    Args:
        published, shown: Release as it was made, and as readers see it.
        sure: Certainties of readers; or the reason why they are not counted.
    """
    records = published.table.records
    unit = "records" if options.max_records_per_person is None else "persons"
    grouped = published.partition is not None
    notices.notice(
        f"release {release}: {verdict.sentence}",
        detail="\n".join(
            [
                f"Published are {published.published} of {records} {unit}"
                + (f" in {len(published.groups)} groups." if grouped else ", drawn at random."),
                *closing_lines(release, shown, rows),
                *(
                    _sure_lines(rows, sure, f"of {published.published} {unit}")
                    if columns_of(published.table.sensitive)
                    else ["No reader is judged: the dataset has no sensitive column."]
                ),
            ]
        ),
        hint=f"SELECT * FROM bkpriv.verdict({release}) says what to do; in psql, end it with \\gx."
        if verdict.matters
        else None,
    )


def closing_lines(release: int, shown: Release, rows: Sequence[Finding]) -> list[str]:
    """Lines of the closing notice: what is lost, and the worst figure of each bound.

    What is lost beside k-anonymity alone would take another run of the method, and is left to
    ``bkpriv.utility``.
    """
    lines = []
    losses = column_losses(shown)
    known = [loss for loss in losses.values() if loss is not None]
    if known:
        beside = f"; bkpriv.utility({release}) says how much by k-anonymity alone"
        lines.append(
            f"Detail lost: {100 * sum(known) / len(known):.3g} % (gcp)"
            f"{'' if shown.form.exact else beside}."
        )
    bandwidths = (row.parameters.get("bandwidth") for row in rows)
    lines += [f"{each}." for each in units_of(shown.table.quasi_identifiers, bandwidths)]
    for row in rows:
        kept = " (not met)" if row.satisfied is False else ""
        if row.vulnerable:
            kept = f" (broken for {row.vulnerable})"
        lines.append(f"{_about(row)}: worst {row.worst:.6g}, bound {row.threshold:g}{kept}.")
    return lines


def _sure_lines(
    rows: Sequence[Finding], sure: Sequence[PositiveDisclosure] | BkprivError, among: str
) -> list[str]:
    """Lines that say of how many readers become sure, of one release and of several together."""
    if isinstance(sure, BkprivError):
        return [f"Of whom a reader becomes sure is not counted: {sure.message}."]
    lines = []
    for one in sure:
        unnamed = " whom the policy does not name" if one.customary else ""
        about = "about " if may_understate(one.estimator) else ""
        lines.append(
            f"A reader{unnamed} ({_stated({'bandwidth': one.reader, **one.about})}) {_SURE} "
            f"{about}{one.records} {among}{_MEANT}"
        )
    for row in rows:
        if row.sure is not None and "together" in row.parameters:
            told = {
                key: value
                for key, value in row.parameters.items()
                if key in ("bandwidth", "sensitive", "joint", "together")
            }
            about = "about " if may_understate(row.estimator) else ""
            lines.append(f"A reader ({_stated(told)}) {_SURE} {about}{row.sure} persons{_MEANT}")
    if not lines:
        lines = ["Of whom a reader becomes sure is not counted of records that are drawn."]
    return list(dict.fromkeys(lines))


_SURE, _MEANT = "becomes sure of", ": believed at most 50 % before, above 90 % after."


def _about(row: Finding) -> str:
    """A bound, as a policy states it."""
    return f"{row.requirement} ({_stated(row.parameters)})"


def _stated(parameters: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} = {value if isinstance(value, str) else as_json(value)}"
        for key, value in parameters.items()
    )


def record(release: int, told: Sequence[notices.Notice]) -> None:
    """Append what a publication told, in its order."""
    columns = {
        "severity": [each.severity for each in told],
        "message": [each.message[:_LONGEST] for each in told],
        "detail": [each.detail and each.detail[:_LONGEST] for each in told],
        "hint": [each.hint and each.hint[:_LONGEST] for each in told],
    }
    write(
        f"INSERT INTO bkpriv.release_notice (release, {', '.join(columns)}, place) "
        "SELECT $1, u.* FROM unnest($2, $3, $4, $5) WITH ORDINALITY AS u",
        ["bigint", *["text[]"] * len(columns)],
        [release, *columns.values()],
        release=release,
    )
