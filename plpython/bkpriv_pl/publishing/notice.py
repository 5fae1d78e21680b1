"""Notices: what a publisher is told of a release that they may not have expected of it.

The last one, `close`, sums up what was given away. Notices name columns, and say counts, figures
and bounds: nothing of anybody. So they are recorded with the release, for whoever may see it later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bkpriv_core.audit import Finding, exactly_auditable
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.certainty import Certainty
from bkpriv_core.errors import BkprivError, as_json
from bkpriv_core.method import Options
from bkpriv_core.release.release import Release
from bkpriv_core.table.scale import units_of
from bkpriv_core.utility.measures import column_losses, lost_columns
from bkpriv_core.verdict import Verdict
from bkpriv_pl.server import telling
from bkpriv_pl.server.writing import write

__all__ = ["LISTED", "close", "give_notice", "latest_of", "record", "releases_of"]

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


def give_notice(
    release: int, published: Release, shown: Release, rows: Sequence[Finding], options: Options
) -> None:
    """Say what a release falsifies, breaks, or rests on an estimate for.

    Args:
        published, shown: Release as it was made, and as readers see it.
    """
    records = published.table.records
    if shown.parts.counterfeited:
        telling.notice(
            f"release {release} shows {shown.parts.counterfeited} of {records} records "
            "with another sensitive value than they have, as its options allow",
            detail="Its history says how many more, or fewer, records of each cell are shown with "
            "each value than have it. Nothing in its view does.",
            hint='Leave out the option {"unfit": "counterfeit"}, and they are suppressed.',
        )
    _tell_lost(release, shown)
    relaxed = [row for row in rows if row.vulnerable]
    if relaxed:
        telling.notice(
            f"release {release} has records in groups that break its policy, as its options allow",
            detail="; ".join(
                f"{row.requirement}: {row.vulnerable} records, to {row.worst:.6g} instead of "
                f"{row.threshold:g}"
                for row in relaxed
            )
            + ".",
            hint="Groups of the release that it grows from stay as they were published. Publish "
            "without the option grow, and everybody is grouped anew."
            if options.grows
            else 'Leave out the option {"unfit": "relax"}, and they are suppressed.',
        )
    estimated = sorted({row.estimator for row in rows if may_understate(row.estimator)})
    if estimated:
        telling.notice(
            f"release {release} is certified by estimate in part: {'; '.join(estimated)}",
            detail="An estimate may understate what an adversary learns.",
            hint=_surer(options, release, published, estimated),
        )


def close(
    release: int,
    verdict: Verdict,
    published: Release,
    shown: Release,
    rows: Sequence[Finding],
    sure: Sequence[Certainty] | BkprivError,
    options: Options,
) -> None:
    """Give the verdict on a release, and what it was measured by.

    Args:
        release, published, shown, rows, options: See `give_notice`.
        sure: Certainties of readers; or the reason why they are not counted.
    """
    records = published.table.records
    unit = "records" if options.max_records_per_person is None else "persons"
    grouped = published.partition is not None
    telling.notice(
        f"release {release}: {verdict.sentence}",
        detail="\n".join(
            [
                f"Published are {published.published} of {records} {unit}"
                + (f" in {len(published.groups)} groups." if grouped else ", drawn at random."),
                *closing_lines(release, shown, rows),
                *_sure_lines(rows, sure, f"of {published.published} {unit}"),
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
    if lost := lost_columns(shown):
        lines.append(f"Hardly anything is left of {_quoted([*lost])}.")
    for row in rows:
        kept = " (not met)" if row.satisfied is False else ""
        if row.vulnerable:
            kept = f" (broken for {row.vulnerable})"
        lines.append(f"{_about(row)}: worst {row.worst:.6g}, bound {row.threshold:g}{kept}.")
    return lines


def _sure_lines(
    rows: Sequence[Finding], sure: Sequence[Certainty] | BkprivError, among: str
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


def record(release: int, told: Sequence[telling.Told]) -> None:
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


def _tell_lost(release: int, shown: Release) -> None:
    """Say of which columns hardly anything is left, and what would leave more."""
    lost = lost_columns(shown)
    if not lost:
        return
    named = {domain.name: domain for domain in shown.table.quasi_identifiers}
    ways = []
    if labels := [name for name in lost if not named[name].numeric and not named[name].hierarchy]:
        ways.append(
            f"give a hierarchy to {_quoted(labels)} (bkpriv.suggest_hierarchy proposes one)"
        )
    if numbers := [name for name in lost if named[name].numeric]:
        ways.append(f"register wider bins for {_quoted(numbers)}")
    ways.append(f"leave {'it' if len(lost) == 1 else 'one of them'} out")
    said = ", or ".join(ways)
    telling.notice(
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
