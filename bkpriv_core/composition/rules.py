"""Rules: pairs that do not compose, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bkpriv_core.composition.plan import Plan
from bkpriv_core.errors import (
    BkprivError,
    InvalidParameter,
    MissingColumn,
    Unsupported,
    as_json,
)
from bkpriv_core.method import METHODS, GroupOptions
from bkpriv_core.method.randomize import bound_of
from bkpriv_core.together.companion import jointly

__all__ = ["RULES", "Rule", "several_remembered"]

_LISTED = 8
"""Most columns that a message lists."""


@dataclass(frozen=True)
class Rule:
    """Two things that do not compose.

    Parameters
    ----------
    one, other : str
        Names of the two in the documents.
    reason : str
        One sentence, which errors have as their detail.
    kind : type of BkprivError
        Class of the error.
    says : callable
        Gives message and hint for a plan that has both; None for others. An error of its own is
        raised as it is.
    """

    one: str
    other: str
    reason: str
    kind: type[BkprivError]
    says: Callable[[Plan], tuple[str, str] | BkprivError | None]

    def find(self, plan: Plan) -> BkprivError | None:
        """The error of a plan that has both; None of others."""
        said = self.says(plan)
        if said is None or isinstance(said, BkprivError):
            return said
        message, hint = said
        return self.kind(message, detail=self.reason, hint=hint)


RULES: list[Rule] = []
"""Pairs that do not compose, in the order in which they are refused."""

Says = Callable[[Plan], "tuple[str, str] | BkprivError | None"]


def _rule(
    one: str, other: str, reason: str, kind: type[BkprivError] = InvalidParameter
) -> Callable[[Says], Says]:
    def listed(says: Says) -> Says:
        RULES.append(Rule(one, other, reason, kind, says=says))
        return says

    return listed


# --- Methods --------------------------------------------------------------------------------------


def _combining() -> str:
    names = [name for name, method in METHODS.items() if method.combines]
    return f"{', '.join(names[:-1])} or {names[-1]}"


@_rule(
    "`randomize`",
    "several sensitive columns",
    "Channels are optimal for one sensitive attribute; those of several would have to bound what "
    "drawn values of a person tell of one another.",
    Unsupported,
)
def _columns_drawn(plan: Plan) -> tuple[str, str] | None:
    columns = plan.space.columns
    if len(columns) == 1 or plan.method.combines:
        return None
    return (
        f"method {plan.method.name} handles one sensitive column, and there are {len(columns)}: "
        f"{', '.join(columns)}",
        f"Use method {_combining()}, which publish several; or register a dataset with one of "
        "them.",
    )


@_rule(
    "`randomize`",
    "several records of a person",
    "Every record is drawn by itself, and how many draws have a person's quasi-identifiers is told "
    "beside what channels bound.",
    Unsupported,
)
def _records_drawn(plan: Plan) -> tuple[str, str] | None:
    if not plan.options.several or plan.method.combines:
        return None
    most = as_json(plan.options.max_records_per_person)
    return (
        f"method {plan.method.name} shows one record of each person, and option "
        f"max_records_per_person is {most}",
        f'Write {{"max_records_per_person": 1}}, or use method {_combining()}.',
    )


@_rule("`randomize`", "requirements about groups", "Every record is drawn by itself.")
def _groups_of_draws(plan: Plan) -> BkprivError | None:
    if isinstance(plan.options, GroupOptions) or not plan.requirements:
        return None
    try:
        bound_of(plan.requirements)
    except InvalidParameter as error:
        return error
    return None


@_rule(
    "`incognito`",
    "`grow`",
    "Whole columns are generalized, so that newcomers fall into one group with people who were "
    "published before, and groups that are to stay change.",
)
def _whole_columns_grown(plan: Plan) -> tuple[str, str] | None:
    method = plan.method
    if not plan.grows or method.grows:
        return None
    return (
        f"option grow means nothing to method {method.name}",
        "Publish without it, or grow a release of another method that forms groups.",
    )


@_rule(
    '`{"unfit": "counterfeit"}`',
    "`grow`",
    "Groups that stay keep their values from release to release, and a false one among them is "
    "nobody's: no later release could take it back.",
)
def _counterfeits_grown(plan: Plan) -> tuple[str, str] | None:
    if not plan.grows or plan.unfit != "counterfeit":
        return None
    return (
        "a release that grows has no counterfeits",
        'Let those wait whom no group takes: leave out {"unfit": "counterfeit"}.',
    )


# --- Insensitive attributes -----------------------------------------------------------------------


def _attributes(plan: Plan) -> str:
    names = plan.space.attributes
    return f"{', '.join(names[:_LISTED])}{', ...' if len(names) > _LISTED else ''}"


def _without(plan: Plan) -> str:
    return f"Register {plan.space.source} as another dataset, without attributes, to publish it so."


@_rule(
    "insensitive attributes",
    "`randomize`",
    "A true value beside a drawn one tells which record was drawn, and undoes the channel.",
)
def _attributes_drawn(plan: Plan) -> tuple[str, str] | None:
    if not plan.space.attributes or plan.method.form.passes:
        return None
    return (
        f'attributes of dataset "{plan.space.dataset}" cannot pass through method '
        f"{plan.method.name}: {_attributes(plan)}",
        f"Use a method that forms groups, such as mondrian. {_without(plan)}",
    )


@_rule(
    "insensitive attributes",
    '`{"unfit": "counterfeit"}`',
    "A value that nobody has has no attributes, and those of its record would give it away.",
)
def _attributes_counterfeited(plan: Plan) -> tuple[str, str] | None:
    if not plan.space.attributes or plan.unfit != "counterfeit":
        return None
    return (
        f'releases of dataset "{plan.space.dataset}" cannot show counterfeits beside attributes: '
        f"{_attributes(plan)}",
        f'Leave out the option {{"unfit": "counterfeit"}}. {_without(plan)}',
    )


@_rule(
    "insensitive attributes",
    '`grow`, where `departed` is `"stay"`',
    "A person who left, or has another record now, stays as published, and has attributes no more: "
    "a row without them would tell whose it is.",
)
def _attributes_grown(plan: Plan) -> tuple[str, str] | None:
    if not plan.space.attributes or not plan.grows or plan.departed == "withdraw":
        return None
    return (
        f'releases of dataset "{plan.space.dataset}" cannot grow and keep people who departed '
        f"beside attributes: {_attributes(plan)}",
        f'Add the option {{"departed": "withdraw"}}. {_without(plan)}',
    )


@_rule(
    "insensitive attributes",
    "adversaries who remember",
    "By attributes readers tell which rows of several releases are the same record's, and beliefs "
    "that follow from groups alone are too weak.",
    Unsupported,
)
def _attributes_remembered(plan: Plan) -> tuple[str, str] | None:
    if not plan.space.attributes or not plan.remembering:
        return None
    return (
        f"{plan.remembering[0]} about what is remembered of earlier releases is not kept by "
        f'releases of dataset "{plan.space.dataset}" with attributes: {_attributes(plan)}',
        f"Require it of adversaries who hold one release. {_without(plan)}",
    )


# --- Persons --------------------------------------------------------------------------------------


@_rule(
    "`m_invariance`",
    "several sensitive columns, or several records of a person",
    "The signature of a group is the set of its values, one of each person.",
)
def _undefined(plan: Plan) -> BkprivError | None:
    for item in plan.requirements:
        try:
            item.about(plan.space.columns, plan.combined)
        except Unsupported as error:
            return error
    return None


_ONE_VALUE = (
    "What is remembered of a person is one value of each release, and knowledge says how one value "
    "follows another."
)


def several_remembered(what: str) -> Unsupported:
    """Word that something that is remembered is not defined where people have several records."""
    return Unsupported(
        f"{what} is about respondents, and not defined of those who have several records",
        detail=_ONE_VALUE,
        hint="Publish without option max_records_per_person a source that has one record of each "
        "in a period; or leave it out.",
    )


@_rule("adversaries who remember", "several records of a person", _ONE_VALUE, Unsupported)
def _several_remembered(plan: Plan) -> BkprivError | None:
    if not plan.remembering or not plan.options.several:
        return None
    return several_remembered(plan.remembering[0])


@_rule(
    "adversaries who remember",
    "several sensitive columns",
    "Knowledge says how one value of a column follows another, and not how values of several "
    "columns follow one another together.",
    Unsupported,
)
def _columns_remembered(plan: Plan) -> tuple[str, str] | None:
    if not plan.remembering or len(plan.space.columns) == 1:
        return None
    return (
        f"{plan.remembering[0]} about what is remembered handles one sensitive column, and there "
        f"are {len(plan.space.columns)}: {', '.join(plan.space.columns)}",
        "Require it of adversaries who hold one release; or register a dataset with one of them.",
    )


@_rule(
    "adversaries who remember",
    "datasets without respondents",
    "Memory is of people: without their names no record of a release is anybody's of another.",
    MissingColumn,
)
def _nobody_remembered(plan: Plan) -> tuple[str, str] | None:
    if not plan.remembering or plan.space.respondent is not None:
        return None
    return (
        f"{plan.remembering[0]} is about respondents, and dataset "
        f'"{plan.space.dataset}" has no column of them',
        "Register it with the column that names the respondents.",
    )


@_rule(
    "`max_records_per_person`",
    "datasets without respondents",
    "Without their names nothing says which records are one person's.",
)
def _nobody_bounded(plan: Plan) -> tuple[str, str] | None:
    if plan.options.max_records_per_person is None or plan.space.respondent is not None:
        return None
    return (
        f'dataset "{plan.space.dataset}" does not say whom a record is about, and option '
        "max_records_per_person bounds the records of each person",
        "Register it with a column of respondents, or leave the option out.",
    )


@_rule(
    "`grow`",
    "datasets without respondents",
    "Whether a record is a newcomer's can be told only where it is known whose it is.",
    MissingColumn,
)
def _nobody_grown(plan: Plan) -> tuple[str, str] | None:
    if not plan.grows or plan.space.respondent is not None:
        return None
    return (
        f'dataset "{plan.space.dataset}" names no respondents, and cannot grow',
        "Register it with the column that names the respondents.",
    )


@_rule(
    "`grow`",
    "records of each person that are drawn at random",
    "They are drawn anew each time: a person whose lot changed could not be told from one whose "
    "record did, and groups that stay would tell who has but one.",
)
def _drawn_grown(plan: Plan) -> tuple[str, str] | None:
    most = plan.options.max_records_per_person
    if not plan.grows or not isinstance(most, int) or plan.options.latest_by is not None:
        return None
    return (
        f"a release of at most {most} of each person's records, drawn at random, cannot grow",
        "Add the option latest_by, with the column by which the latest are kept, or write "
        '{"max_records_per_person": "all"}.',
    )


# --- Certified together ---------------------------------------------------------------------------

_WARN = 'State the policy with {"overlap": "warn"} or "refuse"'


@_rule(
    "releases certified together",
    "datasets without respondents",
    "What several releases tell of somebody can be judged only where it is known whom each shows.",
    MissingColumn,
)
def _nobody_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or plan.space.respondent is not None:
        return None
    return (
        f'dataset "{plan.space.dataset}" names no respondents, so that its releases cannot be '
        "certified together",
        "Register it with the column that names the respondents, or state the policy with "
        '{"overlap": "warn"}.',
    )


@_rule(
    "releases certified together",
    "insensitive attributes",
    "By attributes, which pass through, readers tell which rows of several releases are the same "
    "record's, whatever their groups.",
    Unsupported,
)
def _attributes_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or not plan.space.attributes:
        return None
    return (
        f'releases of dataset "{plan.space.dataset}" cannot be certified together with others',
        f"{_WARN}, or register the source as another dataset, without attributes.",
    )


@_rule(
    "releases certified together",
    "some of each person's records",
    "Which records those are is not recorded, and others may show the rest.",
)
def _some_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or not isinstance(plan.options.max_records_per_person, int):
        return None
    return (
        "releases of some of each person's records cannot be certified together with others",
        'Publish all of them, with option {"max_records_per_person": "all"}, or state the policy '
        'with {"overlap": "warn"} or "refuse".',
    )


@_rule(
    "releases certified together",
    "`randomize`",
    "It shows no groups that could be joined until they hold.",
)
def _draws_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or isinstance(plan.options, GroupOptions):
        return None
    return (
        f"releases of method {plan.method.name} cannot be certified together with others",
        f"{_WARN}.",
    )


@_rule(
    "releases certified together",
    '`unfit` other than `"suppress"`',
    "Groups that break bounds by themselves, or show false values, cannot keep them together with "
    "others.",
)
def _unfit_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or plan.unfit == "suppress":
        return None
    return (
        f"option unfit, {plan.unfit!r}, contradicts a policy that certifies releases together",
        'Leave the option out, or state the policy with {"overlap": "warn"}.',
    )


@_rule(
    "releases certified together",
    "policies about groups of one release alone",
    "What such a policy requires has no figure of several releases.",
)
def _unmeasured_beside(plan: Plan) -> tuple[str, str] | None:
    if plan.overlap != "certify" or not plan.requirements or jointly(plan.requirements)[0]:
        return None
    keys = ", ".join(item.key for item in plan.requirements)
    return (
        f"nothing that the policy requires can be certified together with others: {keys}",
        'Require for example max_disclosure as well, or state {"overlap": "warn"}.',
    )
