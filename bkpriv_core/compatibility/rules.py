"""Rules: pairs that do not compose, each with its reason and the way out.

A rule names two conditions of `CONDITIONS`, and applies to plans that meet both. What is refused is
data: whoever lifts a rule deletes its row, and whoever adds one writes no code but for a condition
that is new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bkpriv_core.compatibility.plan import Plan
from bkpriv_core.composition.companion import jointly
from bkpriv_core.errors import (
    BkprivError,
    InvalidParameter,
    MissingColumn,
    Unsupported,
    as_json,
)
from bkpriv_core.policy import NO_VALUES, SENSITIVE_OR_K
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.requirement import MaxDisclosure, MInvariance

__all__ = ["RULES", "Rule"]

_LISTED = 8
"""Most columns that a message lists."""


def _columns(plan: Plan) -> str:
    columns = plan.space.columns
    return f"{len(columns)} sensitive columns, {', '.join(columns)}" if len(columns) > 1 else ""


def _records(plan: Plan) -> str:
    most = plan.options.max_records_per_person
    return f"option max_records_per_person, {as_json(most)}" if most is not None else ""


def _attributes(plan: Plan) -> str:
    names = plan.space.attributes
    listed = f"{', '.join(names[:_LISTED])}{', ...' if len(names) > _LISTED else ''}"
    return f'attributes of dataset "{plan.space.dataset}", {listed},' if names else ""


def _of_groups(plan: Plan) -> str:
    keys = [item.key for item in plan.requirements if not isinstance(item, MaxDisclosure)]
    return f"requirements about groups, {', '.join(keys)}" if keys else ""


def _unmeasured(plan: Plan) -> str:
    keys = ", ".join(item.key for item in plan.requirements)
    return f"a policy of {keys} alone" if keys and not jointly(plan.requirements)[0] else ""


CONDITIONS: dict[str, Callable[[Plan], str]] = {
    "`randomize`": lambda plan: "" if plan.forms_groups else f"method {plan.method.name}",
    "`incognito`": lambda plan: (
        f"method {plan.method.name}" if plan.forms_groups and not plan.method.grows else ""
    ),
    "`bucketize` and `anatomy`": lambda plan: (
        f"method {plan.method.name}" if isinstance(plan.method.form, Bucketized) else ""
    ),
    "several sensitive columns": _columns,
    "datasets without a sensitive column": lambda plan: (
        ""
        if plan.space.columns
        else f'dataset "{plan.space.dataset}", which has no sensitive column'
    ),
    "requirements about sensitive values": lambda plan: ", ".join(
        item.key for item in plan.requirements if item.of_values
    ),
    "several records of a person": lambda plan: _records(plan) if plan.options.several else "",
    "some of each person's records": lambda plan: (
        _records(plan) if isinstance(plan.options.max_records_per_person, int) else ""
    ),
    "records of each person that are drawn at random": lambda plan: (
        f"{_records(plan)} without latest_by"
        if isinstance(plan.options.max_records_per_person, int) and plan.options.latest_by is None
        else ""
    ),
    "`max_records_per_person`": _records,
    "requirements about groups": _of_groups,
    "`m_invariance`": lambda plan: (
        MInvariance.key if any(isinstance(item, MInvariance) for item in plan.requirements) else ""
    ),
    "adversaries who remember": lambda plan: (
        f"{plan.remembering[0]} about what is remembered of earlier releases"
        if plan.remembering
        else ""
    ),
    "policies about groups of one release alone": _unmeasured,
    "`grow`": lambda plan: "option grow" if plan.grows else "",
    '`grow`, where `departed` is `"stay"`': lambda plan: (
        'option grow where departed is "stay"' if plan.grows and plan.departed == "stay" else ""
    ),
    '`{"unfit": "counterfeit"}`': lambda plan: (
        'option unfit, "counterfeit"' if plan.unfit == "counterfeit" else ""
    ),
    '`unfit` other than `"suppress"`': lambda plan: (
        f"option unfit, {as_json(plan.unfit)}" if plan.unfit != "suppress" else ""
    ),
    "insensitive attributes": _attributes,
    "datasets without respondents": lambda plan: (
        f'dataset "{plan.space.dataset}", which names no respondents'
        if plan.space.respondent is None
        else ""
    ),
    "releases certified together": lambda plan: (
        'a policy with {"overlap": "certify"}' if plan.overlap == "certify" else ""
    ),
}
"""Conditions by their names in the documents: what a plan has of each, in words; "" if nothing."""


@dataclass(frozen=True)
class Rule:
    """Two conditions that do not compose."""

    one: str
    other: str
    """Keys of `CONDITIONS`."""
    reason: str
    """Reason, in one sentence; the detail of errors."""
    instead: str
    """Way out; the hint of errors."""
    kind: type[BkprivError] = InvalidParameter

    def find(self, plan: Plan) -> BkprivError | None:
        """Error of a plan that meets both conditions; None of others."""
        one, other = CONDITIONS[self.one](plan), CONDITIONS[self.other](plan)
        if not (one and other):
            return None
        message = f"{one} cannot be combined with {other}"
        return self.kind(message.rstrip(","), detail=self.reason, hint=self.instead)


_GROUPS = "Use a method that forms groups, such as agglomerate"
_ONE_COLUMN = "register a dataset with one sensitive column"
_BARE = "register the source as another dataset, without attributes"
_RESPONDENTS = "Register the dataset with the column that names the respondents"
_WARN = 'state the policy with {"overlap": "warn"} or "refuse"'
_ONE_RELEASE = "Require it of adversaries who hold one release"

RULES = (
    Rule(
        "requirements about sensitive values",
        "datasets without a sensitive column",
        NO_VALUES,
        SENSITIVE_OR_K,
        MissingColumn,
    ),
    Rule(
        "`bucketize` and `anatomy`",
        "datasets without a sensitive column",
        "They show quasi-identifiers as they are, and hide in groups whose the sensitive values "
        "are.",
        "Use a method that generalizes, such as agglomerate, or register the dataset with a "
        "sensitive column.",
        MissingColumn,
    ),
    Rule(
        "`randomize`",
        "datasets without a sensitive column",
        "Channels are optimal for what a drawn record discloses about the sensitive value.",
        f"{_GROUPS}, or register the dataset with a sensitive column.",
        MissingColumn,
    ),
    Rule(
        "several records of a person",
        "datasets without a sensitive column",
        "A reader would see how many records people of a group have, which no requirement bounds.",
        'Publish one record of each, by {"max_records_per_person": 1}, or register the dataset '
        "with a sensitive column.",
        Unsupported,
    ),
    Rule(
        "`randomize`",
        "several sensitive columns",
        "Channels are optimal for one sensitive attribute; those of several would have to bound "
        "what drawn values of a person tell of one another.",
        f"{_GROUPS}, or {_ONE_COLUMN}.",
        Unsupported,
    ),
    Rule(
        "`randomize`",
        "several records of a person",
        "Every record is drawn by itself, and how many draws have a person's quasi-identifiers is "
        "told beside what channels bound.",
        f'{_GROUPS}, or publish one record of each, by {{"max_records_per_person": 1}}.',
        Unsupported,
    ),
    Rule(
        "`randomize`",
        "requirements about groups",
        "Every record is drawn by itself.",
        f"{_GROUPS}, or state {MaxDisclosure.key} alone.",
    ),
    Rule(
        "`bucketize` and `anatomy`",
        "several records of a person",
        "Rows of a group would have to be dealt to its persons so that they do not show how many "
        "records somebody has. It was never asked for.",
        "Use a method that generalizes, such as agglomerate, or publish one record of each, by "
        '{"max_records_per_person": 1}.',
        Unsupported,
    ),
    Rule(
        "`incognito`",
        "`grow`",
        "Whole columns are generalized, so that newcomers fall into one group with people who were "
        "published before, and groups that are to stay change.",
        "Publish without it, or grow a release of another method that forms groups.",
    ),
    Rule(
        '`{"unfit": "counterfeit"}`',
        "`grow`",
        "Groups that stay keep their values from release to release, and a false one among them is "
        "nobody's: no later release could take it back.",
        'Let those wait whom no group takes: leave out {"unfit": "counterfeit"}.',
    ),
    Rule(
        "insensitive attributes",
        "`randomize`",
        "A true value beside a drawn one tells which record was drawn, and undoes the channel.",
        f"{_GROUPS}, or {_BARE}.",
    ),
    Rule(
        "insensitive attributes",
        '`{"unfit": "counterfeit"}`',
        "A value that nobody has has no attributes, and those of its record would give it away.",
        f'Leave out {{"unfit": "counterfeit"}}, or {_BARE}.',
    ),
    Rule(
        "insensitive attributes",
        '`grow`, where `departed` is `"stay"`',
        "A person who left, or has another record now, stays as published, and has attributes no "
        "more: a row without them would tell whose it is.",
        f'Add the option {{"departed": "withdraw"}}, or {_BARE}.',
    ),
    Rule(
        "insensitive attributes",
        "adversaries who remember",
        "By attributes readers tell which rows of several releases are the same record's, and "
        "beliefs that follow from groups alone are too weak.",
        f"{_ONE_RELEASE}, or {_BARE}.",
        Unsupported,
    ),
    Rule(
        "`m_invariance`",
        "several sensitive columns",
        "The signature of a group is the set of its values of one column.",
        f"Leave it out, or {_ONE_COLUMN}.",
        Unsupported,
    ),
    Rule(
        "`m_invariance`",
        "several records of a person",
        "The signature of a group is the set of its values, one of each person.",
        'Leave it out, or publish one record of each, by {"max_records_per_person": 1}.',
        Unsupported,
    ),
    Rule(
        "adversaries who remember",
        "several records of a person",
        "What is remembered of a person is one value of each release, and knowledge says how one "
        "value follows another.",
        f"{_ONE_RELEASE}, or publish a source that has one record of each person in a period.",
        Unsupported,
    ),
    Rule(
        "adversaries who remember",
        "several sensitive columns",
        "Knowledge says how one value of a column follows another, and not how values of several "
        "columns follow one another together.",
        f"{_ONE_RELEASE}, or {_ONE_COLUMN}.",
        Unsupported,
    ),
    Rule(
        "adversaries who remember",
        "datasets without respondents",
        "Memory is of people: without their names no record of a release is anybody's of another.",
        f"{_RESPONDENTS}.",
        MissingColumn,
    ),
    Rule(
        "`max_records_per_person`",
        "datasets without respondents",
        "Without their names nothing says which records are one person's.",
        f"{_RESPONDENTS}, or leave the option out.",
    ),
    Rule(
        "`grow`",
        "datasets without respondents",
        "Whether a record is a newcomer's can be told only where it is known whose it is.",
        f"{_RESPONDENTS}.",
        MissingColumn,
    ),
    Rule(
        "`grow`",
        "several sensitive columns",
        "It was never asked for: releases are certified together instead.",
        f"Publish without it, or {_ONE_COLUMN}.",
        Unsupported,
    ),
    Rule(
        "`grow`",
        "several records of a person",
        "It was never asked for: whoever has one record more has another value, and few people "
        "would stay as they were.",
        "Publish without it, or publish the latest record of each, by "
        '{"max_records_per_person": 1} and latest_by.',
        Unsupported,
    ),
    Rule(
        "`grow`",
        "records of each person that are drawn at random",
        "They are drawn anew each time: a person whose lot changed could not be told from one "
        "whose record did, and groups that stay would tell who has but one.",
        "Add the option latest_by, with the column by which the latest are kept.",
    ),
    Rule(
        "releases certified together",
        "datasets without respondents",
        "What several releases tell of somebody can be judged only where it is known whom each "
        "shows.",
        f"{_RESPONDENTS}, or {_WARN}.",
        MissingColumn,
    ),
    Rule(
        "releases certified together",
        "insensitive attributes",
        "By attributes, which pass through, readers tell which rows of several releases are the "
        "same record's, whatever their groups.",
        f"To publish so, {_WARN}, or {_BARE}.",
        Unsupported,
    ),
    Rule(
        "releases certified together",
        "some of each person's records",
        "Which records those are is not recorded, and others may show the rest.",
        f'Publish all of them, by {{"max_records_per_person": "all"}}, or {_WARN}.',
    ),
    Rule(
        "releases certified together",
        "`randomize`",
        "It shows no groups that could be joined until they hold.",
        f"{_GROUPS}, or {_WARN}.",
    ),
    Rule(
        "releases certified together",
        '`unfit` other than `"suppress"`',
        "Groups that break bounds by themselves, or show false values, cannot keep them together "
        "with others.",
        f"Leave the option out, or {_WARN}.",
    ),
    Rule(
        "releases certified together",
        "policies about groups of one release alone",
        "What such a policy requires has no figure of several releases.",
        f"Require for example max_disclosure as well, or {_WARN}.",
    ),
)
"""Pairs that do not compose, in the order in which they are refused."""
