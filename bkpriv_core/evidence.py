"""Rules that find what people have to judge about a release: see `bkpriv_core.verdict`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bkpriv_core.audit import Finding, exactly_auditable
from bkpriv_core.belief.knowledge import Uniform, reader_in_words
from bkpriv_core.belief.posterior import may_understate
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.certainty import PositiveDisclosure, in_groups_of_one_value, readers, weak_readers
from bkpriv_core.count import Count, count_exchanges
from bkpriv_core.errors import BkprivError, as_json
from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.release.release import Release
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.combination import columns_of
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.outlying import stand_ins_within_scale
from bkpriv_core.table.scale import far_beyond_scale
from bkpriv_core.utility.measures import lost_columns
from bkpriv_core.verdict import KEYS, Matter, Verdict

__all__ = ["Evidence", "count_exchanging", "judge", "judge_together", "unique_rows_in_words"]

_MANY = 0.1
"""Share of the people above which a bound that says nothing about them hardly protects people."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Evidence on which a release is judged."""

    published: Release
    """The release as it is measured."""
    shown: Release
    """The release as readers see it."""
    persons: bool
    """Whether persons are counted instead of records."""
    findings: Sequence[Finding]
    """Bounds of its policy."""
    sure: Sequence[PositiveDisclosure] | BkprivError
    """Certainties of the readers of its policy; or why they were not counted."""
    weak: Sequence[PositiveDisclosure] | BkprivError
    """Certainties of weak readers, likewise."""
    exchange: Count | None
    """People of groups that can exchange members."""
    attributes: Sequence[str] = ()
    """Insensitive attributes."""
    unique_rows: int = 0
    """Rows that these single out within their group."""
    shared_rows: Mapping[str, int] = field(default_factory=dict)
    """Rows whose value of an attribute two to twenty rows share."""
    lasting: Sequence[Matter] = ()
    """Matters that were found when it was made."""

    @property
    def unit(self) -> str:
        """Unit that is counted."""
        return "persons" if self.persons else "records"


def judge(evidence: Evidence) -> Verdict:
    """Judge a release."""
    found = [matter for rule in _RULES for matter in rule(evidence)] + [*evidence.lasting]
    return Verdict(tuple(sorted(found, key=_rank)))


def count_exchanging(
    release: Release,
    threat: ThreatModel,
    requirements: Sequence[Requirement],
    progress: Progress = SILENT,
) -> Count | None:
    """Count the people of groups that exchange members: see `count_exchanges`.

    Played are the readers of the requirements, and the one who knows only the table's shares.

    Returns:
        None if no groups are shown, or no column is sensitive, of which anything could be learned.

    Raises:
        TooLarge: If it takes too much.
    """
    if release.partition is None:
        return None
    listed, _ = readers(requirements, threat)
    uniform = [reader for reader in weak_readers(threat) if reader[0] == Uniform()]
    played = [*uniform, *listed]
    return count_exchanges(release, threat, played, progress) if played else None


def _rank(matter: Matter) -> int:
    return -1 if matter.violated else KEYS.index(matter.key)


def _of(certainty: PositiveDisclosure) -> str:
    """Name the reader of a certainty, and the column, where it is one of several."""
    name = reader_in_words(certainty.reader)
    if "sensitive" in certainty.about:
        name += f", asking for {certainty.about['sensitive']},"
    return name


def _broken(evidence: Evidence) -> list[Matter]:
    return [
        Matter(
            row.requirement,
            _breaking(row, evidence.unit),
            row.vulnerable,
            evidence.published.published,
            "Withdraw the release, and publish without the options grow and unfit; or change the "
            "policy.",
            violated=True,
        )
        for row in evidence.findings
        if not row.satisfied
    ]


def _breaking(row: Finding, unit: str) -> str:
    figures = f"{row.worst:.4g} instead of {row.threshold:g}"
    return figures if row.vulnerable is None else f"broken for {row.vulnerable} {unit}, {figures}"


def judge_together(rows: Sequence[Finding]) -> list[Matter]:
    """Judge how a release satisfies its policy together with earlier ones.

    Args:
        rows: Findings about the persons of all of them.
    """
    broken = [
        Matter(
            "together",
            f"{row.requirement} with earlier releases is {_breaking(row, 'persons')}",
            row.vulnerable,
            None,
            "bkpriv.explain_together names them. What earlier releases disclose cannot be undone.",
            violated=True,
        )
        for row in rows
        if not row.satisfied
    ]
    estimated = sorted({row.requirement for row in rows if may_understate(row.estimator)})
    if not estimated:
        return broken
    text = f"{' and '.join(estimated)} with earlier releases is an estimate, which may understate"
    advice = 'The option {"beyond": "suppress"} leaves out what only an estimate can certify.'
    return [*broken, Matter("together", text, None, None, advice)]


def _known(evidence: Evidence) -> list[Matter]:
    if isinstance(evidence.sure, BkprivError):
        return []
    known = [each for each in evidence.sure if each.anyway and not each.customary]
    if not known:
        return []
    most = max(known, key=lambda each: each.anyway)
    people = evidence.published.published
    text = f"{_of(most)} is sure about {most.anyway} of {people} {evidence.unit} beforehand"
    advice = (
        "The bound says nothing about them. Use fewer or coarser quasi-identifiers, or a larger "
        "bandwidth; bound belief_breach for a reader who knows less."
    )
    if 2 * most.by_shares > most.anyway:
        text += ", mostly since one value is that frequent"
        advice = (
            "The bound says nothing about them. Bound what is learned about the rare values, "
            "by belief_breach or beta_likeness."
        )
    if most.anyway > _MANY * people:
        text += ", so the policy hardly protects against that reader"
    return [Matter("known", text, most.anyway, people, advice)]


def _determined(evidence: Evidence) -> list[Matter]:
    release, counted = evidence.published, dict[tuple[str, str], int]()
    people = release.published
    if release.partition is not None:
        counted = release.parts.determined(release.groups)
    for each in [] if isinstance(evidence.weak, BkprivError) else evidence.weak:
        count = each.anyway - each.by_shares
        if count > 0 and isinstance(each.reader, Mapping) and "only" in each.reader:
            pair = each.reader["only"], each.about.get("sensitive", _sensitive(evidence))
            counted[pair] = max(count, counted.get(pair, 0))
    return [
        Matter(
            "determined",
            f"{name} alone determines {column} for {count} of {people} {evidence.unit}",
            count,
            people,
            f"Leave {name} out, or make it sensitive, too.",
        )
        for (name, column), count in counted.items()
    ]


def _sensitive(evidence: Evidence) -> str:
    names = [domain.name for domain in columns_of(evidence.published.table.sensitive)]
    return " and ".join(names)


def _inferred(evidence: Evidence) -> list[Matter]:
    people = evidence.published.published
    reasons = [each for each in (evidence.sure, evidence.weak) if isinstance(each, BkprivError)]
    found = []
    if reasons:
        found.append(
            Matter(
                "inferred",
                "people about whom a reader becomes sure were not counted",
                None,
                people,
                f"{reasons[0].message[0].upper()}{reasons[0].message[1:]}. {reasons[0].hint}",
            )
        )
    counted = [
        each
        for kind in (evidence.sure, evidence.weak)
        if not isinstance(kind, BkprivError)
        for each in kind
        if each.records
    ]
    if counted:
        most = max(counted, key=lambda each: each.records)
        about = "about " if may_understate(most.estimator) else ""
        text = (
            f"{_of(most)} becomes sure about the sensitive value of {about}{most.records} of "
            f"{people} {evidence.unit}"
        )
        if others := len(counted) - 1:
            text += f", and {others} other reader{'s' * (others > 1)} about no more"
        stated = as_json(most.reader)
        found.append(
            Matter(
                "inferred",
                text,
                most.records,
                people,
                f'Add {{"belief_breach": {{"bandwidth": {stated}, "rho1": 0.5, "rho2": 0.9}}}} to '
                "the policy.",
            )
        )
    return found


def _one_value(evidence: Evidence) -> list[Matter]:
    release = evidence.shown
    if release.partition is None or not release.published:
        return []
    people = in_groups_of_one_value(release.parts, release.groups)
    if not people:
        return []
    return [
        Matter(
            "one_value",
            f"{people} of {release.published} {evidence.unit} are in groups of one sensitive value",
            people,
            release.published,
            "Add l_diversity with l = 2 to the policy.",
        )
    ]


def _exchange(evidence: Evidence) -> list[Matter]:
    count = evidence.exchange
    if count is None or count.vulnerable == 0:
        return []
    if count.vulnerable is None:
        return [
            Matter(
                "exchange",
                "people who can be in another group were not counted",
                None,
                count.among,
                "Coarser hierarchies or wider bins leave fewer ranges to compare.",
            )
        ]
    played = ""
    if sure := count.parameters.get("sure"):
        played = f"; such a reader becomes sure about {sure} of them"
    if unknown := count.parameters.get("not_inferred"):
        played += f"; what such a reader learns about {unknown} of them is not known"
    return [
        Matter(
            "exchange",
            f"{count.vulnerable} of {count.among} {evidence.unit} are in groups whose ranges "
            "overlap so that they can exchange members, and the bounds do not cover readers who "
            f"see only the ranges ({count.parameters['movable']} of these {evidence.unit} fit "
            f"another group{played})",
            count.vulnerable,
            count.among,
            "bkpriv.attack(release, 'without_groups') measures what such a reader learns. The "
            "method incognito makes no groups that overlap, and loses more detail.",
        )
    ]


def _attributes(evidence: Evidence) -> list[Matter]:
    if not evidence.unique_rows:
        return []
    rows = evidence.published.rows
    return [
        Matter(
            "attributes",
            unique_rows_in_words(evidence.unique_rows, rows, evidence.attributes),
            evidence.unique_rows,
            rows,
            "The bounds suppose that no reader knows these values of any person. If somebody may, "
            "leave the column out, or declare it a quasi-identifier.",
        )
    ]


def unique_rows_in_words(unique: int, rows: int, names: Sequence[str]) -> str:
    """Rows that some columns single out within their group."""
    return f"{unique} of {rows} rows are unique within their group by {_listed(names)}"


def _linked(evidence: Evidence) -> list[Matter]:
    rows = evidence.published.rows
    return [
        Matter(
            "linked",
            f"{shared} of {rows} rows share their {name} with 1 to 19 others",
            shared,
            rows,
            f"The rows of a household or class are found together. Leave {name} out.",
        )
        for name, shared in evidence.shared_rows.items()
    ]


def _estimated(evidence: Evidence) -> list[Matter]:
    bounds = [row for row in evidence.findings if may_understate(row.estimator)]
    if not bounds:
        return []
    people = evidence.published.published
    most = max((row.estimated for row in bounds if row.estimated), default=None)
    some = "some" if most is None else f"{most} of {people}"
    names = " and ".join(sorted({row.requirement for row in bounds}))
    text = f"{names} of {some} {evidence.unit} is an estimate, which may understate"
    return [Matter("estimated", text, most, people, _surer(evidence.published, bounds))]


def _surer(release: Release, bounds: Sequence[Finding]) -> str:
    """Say what does without the estimates of bounds."""
    if all(row.estimator.startswith("exact, given ") for row in bounds):
        return "Only what readers remember was estimated. The option estimator chooses how."
    exactly = release.partition is not None and exactly_auditable(release.parts, release.groups)
    return (
        "bkpriv.audit(release, estimator => 'exact') infers it exactly, if slowly. "
        if exactly
        else "A less strict policy leaves smaller groups, which can be inferred exactly. "
    ) + 'The option {"beyond": "suppress"} leaves out what only an estimate can certify.'


def _estimated_readers(evidence: Evidence) -> list[Matter]:
    counted = [
        each
        for kind in (evidence.sure, evidence.weak)
        if not isinstance(kind, BkprivError)
        for each in kind
        if may_understate(each.estimator)
    ]
    if not counted:
        return []
    people, most = evidence.published.published, max(each.estimated for each in counted)
    return [
        Matter(
            "estimated",
            f"whether readers become sure about {most} of {people} {evidence.unit} is an estimate, "
            "which may understate",
            most,
            people,
            'Bound belief_breach for these readers, with the option {"beyond": "suppress"}.',
        )
    ]


def _left_out(evidence: Evidence) -> list[Matter]:
    records = evidence.published.table.records
    left = records - evidence.published.published
    if not left:
        return []
    return [
        Matter(
            "left_out",
            f"{left} of {records} {evidence.unit} are not published",
            left,
            records,
            "bkpriv.explain_suppressed(release) says which, and why.",
        )
    ]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + ", ..." * (len(names) > 8)


def _lost(evidence: Evidence) -> list[Matter]:
    lost = [*lost_columns(evidence.shown)]
    if not lost:
        return []
    return [
        Matter(
            "lost",
            f"hardly anything is left of {_listed(lost)}",
            len(lost),
            len(evidence.shown.table.quasi_identifiers),
            _leaving_more(evidence.shown.table.quasi_identifiers, lost),
        )
    ]


def _leaving_more(domains: Sequence[Domain], lost: Sequence[str]) -> str:
    """Say what would leave more of columns."""
    ways = []
    named = {domain.name: domain for domain in domains}
    if labels := [name for name in lost if not named[name].numeric and not named[name].hierarchy]:
        ways.append(f"give {_listed(labels)} a hierarchy (bkpriv.suggest_hierarchy proposes one)")
    if numbers := [name for name in lost if named[name].numeric]:
        ways.append(f"register wider bins for {_listed(numbers)}")
    ways.append(f"leave {'it' if len(lost) == 1 else 'one of them'} out")
    said = ", or ".join(ways)
    return f"{said[0].upper()}{said[1:]}; the other columns then lose less."


def _beyond_scale(evidence: Evidence) -> list[Matter]:
    table = evidence.published.table
    return [
        Matter(
            "scale",
            f"{records} of {table.records} {evidence.unit} lie far beyond the scale of {name}",
            records,
            table.records,
            "Bandwidths and losses are shares of the range of the others. Publish from a view that "
            "shows NULL or the nearest of these instead, or declare scales with the dataset.",
        )
        for name, records in far_beyond_scale(table).items()
    ] + [
        Matter(
            "scale",
            f"{name} is {_listed(values)} for {records} of {table.records} {evidence.unit}, which "
            "may stand for a missing value and stretches its scale",
            records,
            table.records,
            "Bandwidths and losses are shares of the scale. Publish from a view that shows NULL "
            'instead, with the option {"nulls": "category"}, or declare scales with the dataset.',
        )
        for name, (records, values) in stand_ins_within_scale(table).items()
    ]


_RULES: tuple[Callable[[Evidence], list[Matter]], ...] = (
    *(_broken, _known, _determined, _inferred, _one_value, _exchange),
    *(_attributes, _linked, _estimated, _estimated_readers, _left_out, _lost, _beyond_scale),
)
