"""Reports: whole pages, in which nothing but text comes from data, and what outsiders are told."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from html import unescape
from html.parser import HTMLParser
from typing import Any
from unicodedata import category
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bkpriv_core.count import Count
from bkpriv_core.method import METHODS
from bkpriv_core.policy import REQUIREMENTS
from bkpriv_core.release.uniqueness import Uniqueness
from bkpriv_core.report.facts import (
    AUDIENCES,
    Attack,
    Audience,
    Bounded,
    Contribution,
    Event,
    Facts,
    Sibling,
    SuppressedKind,
    Sure,
    ViewColumn,
)
from bkpriv_core.report.page import STYLE, TEMPLATES, render
from bkpriv_core.report.words import FORMS, exact_share, known, moves, promise, title
from bkpriv_core.table.domain import Domain
from bkpriv_core.verdict import Matter, Verdict

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;\u202e\x07"


def bound(requirement: str = "k_anonymity", **changes: Any) -> Bounded:
    """A bound that is kept."""
    given: dict[str, Any] = {"parameters": {"k": 7}, "threshold": 7, "worst": 9.0, "mean": 21.5}
    given |= {"vulnerable": 0, "satisfied": True, "estimator": "exact"} | changes
    return Bounded(requirement, **given)


def attack(
    attacker: str = "learner", by: str = "carl", model: str = "bayes", **figures: float
) -> Attack:
    """An attack on 997 people, with figures about one column."""
    about = {"accuracy": 0.75, "baseline_accuracy": 0.5, "log_loss": 0.6, "worst": 0.3}
    about |= {"breached": 31.0, "claimed": 213.0, "claimed_right": 188.0, "over_t": 17.0}
    return Attack(
        attacker,
        "2026-01-05 06:07 UTC",
        by,
        {"sure": 0.9, "unsure": 0.5, "model": model},
        {"model"},
        {None: {"people": 997.0, "seconds": 1.5}, "disease": about | figures},
    )


def facts(word: str = "secretive", **changes: Any) -> Facts:
    """Facts of a release, in which all that somebody chose is one word."""
    given: dict[str, Any] = {
        "release": 12,
        **{key: f"{word}{key}" for key in ("dataset", "source", "view", "policy", "created_by")},
        **{"method": "mondrian", "created_at": "2026-01-02 03:04 UTC", "status": "published"},
        **{"period": None, "stale": False, "records": 1000, "suppressed": 3, "groups": 47},
        **{"counterfeited": 2, "grown_from": None, "persons": None, "form": "generalized"},
        "quasi_identifiers": ("age",),
        "sensitive": ("disease",),
        "passed": ("ward",),
        "unpublished": (f"{word}unpublished",),
        "bins": {"age": {f"{word}age": f"{word}end"}},
        "apart": ((("ward",), 50),),
        "verdict": Verdict(
            (
                Matter("k_anonymity", "broken for 4 records", 4, 997, "Withdraw.", violated=True),
                Matter("attributes", f"50 rows are unique by {word}ward", 50, 997, f"{word}do."),
            )
        ),
        "exchanging": Count("exchange", {"movable": 20}, 60, 1000),
        "alone": Uniqueness(2, 0, 9),
        "largest": 0.71,
        "sure": (Sure({"bandwidth": 0.3}, False, 21, 20, 50, True),),
        "shown": (ViewColumn(f"{word}view", "age_from", "integer", "the least value"),),
        "bounds": (
            bound(vulnerable=4, satisfied=False, worst=3.0),
            bound(
                "bt_privacy",
                parameters={"bandwidth": {"table": f"{word}table"}, "t": 0.2},
                threshold=0.2,
                worst=0.1,
                mean=0.05,
                estimator="exact, but omega for 3 groups (166 records)",
                group_records=9,
                whom=f'{{"age": "{word}age"}}',
                value=f"{word}value",
                before=0.1,
                after=0.4,
            ),
        ),
        "audited": ("2026-01-02 03:04 UTC", f"{word}auditor"),
        "utility": {"gcp": 0.12, "gcp_k_anonymous": 0.1, "suppressed_share": 0.003, "kl": None},
        "left_out": (SuppressedKind(f'{{"age": "{word}left"}}', 3, "k_anonymity", 7.0, 3.0),),
        "attacks": (attack("learner", f"{word}by", f"{word}option"),),
        "events": (Event("2026-02-03 04:05 UTC", "stale", f"{word}reason", f"{word}by"),),
        "happened": 1,
        "siblings": (
            Sibling(11, f"{word}period", "mondrian", "superseded", "2026-01-01", 900, 1, "records"),
            Sibling(12, None, "mondrian", "published", "2026-01-02", 1000, 3, "records"),
        ),
        "others": 1,
        "elsewhere": (5,),
        "readers": (f"{word}reader",),
        "options": {"latest_by": f"{word}column"},
        **{"made_at": "2026-03-04 05:06 UTC", "version": "0.3.0"},
    }
    return Facts(**(given | changes))


class Elements(HTMLParser):
    """Elements of a page, and whether each is ended."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End the last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note it, as a browser shows it: lines of the template are none of the page."""
        if shown := re.sub(r"^\n+ *|\n+ *$", "", data):
            self.words.append(re.sub(r"[ \n]+", " ", shown))


def parsed(page: str) -> Elements:
    elements = Elements()
    elements.feed(page)
    elements.close()
    assert not elements.open
    return elements


@pytest.mark.parametrize("audience", AUDIENCES)
def test_names_are_text_and_nothing_else(audience: Audience) -> None:
    plain, hostile = (parsed(render(facts(word), audience)) for word in ("word", HOSTILE))
    assert [tag for tag, _ in hostile.seen] == [tag for tag, _ in plain.seen]
    keys = [[*attributes] for _, attributes in hostile.seen]
    assert keys == [[*attributes] for _, attributes in plain.seen]
    if audience == "officer":
        assert "".join(hostile.words).count("<script>alert(1)") >= 10


@pytest.mark.parametrize("audience", AUDIENCES)
def test_a_page_loads_and_runs_nothing(audience: Audience) -> None:
    page = render(facts(), audience)
    elements = parsed(page)
    tags = {tag for tag, _ in elements.seen}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "a"}
    for _, attributes in elements.seen:
        assert not {"src", "href", "style", "action"} & attributes.keys()
        assert not any(key.startswith("on") for key in attributes)
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    policies = [a["content"] for _, a in elements.seen if "http-equiv" in a]
    assert len(policies) == 1
    assert str(policies[0]).startswith("default-src 'none'; style-src 'sha256-")


def test_a_page_can_be_read_by_who_cannot_see_it() -> None:
    page = render(facts())
    elements = parsed(page)
    assert ("html", {"lang": "en"}) in elements.seen
    tables = page.count("<table>")
    assert tables == page.count("<caption>") > 3
    for tag, attributes in elements.seen:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] in ("col", "row")
    for chart in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(chart)


def test_outsiders_are_told_no_names_values_or_small_counts() -> None:
    page = render(facts(), "outsiders")
    words = " ".join(parsed(page).words)
    assert "secretive" not in page
    for told in ("Release 12", "age", "disease", "2026-01-02 03:04 UTC", "mondrian"):
        assert told in words
    assert "fewer than 7" in words
    # Nor can the three that were left out be worked out: neither from all records nor from a share.
    for count in ("1000", "1\N{NARROW NO-BREAK SPACE}000", "0.3 %", "166", "900"):
        assert count not in words
    assert not {"2", "3", "4"} & {word.strip() for word in parsed(page).words}
    full = " ".join(parsed(render(facts())).words)
    assert "secretivevalue" in full
    assert "166 records" in full


def test_a_large_count_is_told_to_everybody() -> None:
    words = " ".join(parsed(render(facts(suppressed=300), "outsiders")).words)
    assert "300" in words
    assert "30 %" in words


@pytest.mark.parametrize("audience", AUDIENCES)
def test_what_little_is_left_of_a_purged_release_is_reported(audience: Audience) -> None:
    few = facts(
        utility={}, shown=(), quasi_identifiers=(), sensitive=(), left_out=(), events=(), happened=0
    )
    gone = replace(few, status="purged", siblings=(), others=0, stale=None)
    page = render(gone, audience)
    assert "This release is purged." in page
    assert "It cannot be measured any more" in page


def test_how_much_of_a_bound_is_used() -> None:
    floor = bound(threshold=7, worst=14.0, mean=28.0)
    ceiling = bound("t_closeness", parameters={"t": 0.2}, threshold=0.2, worst=0.15, mean=0.05)
    words = " ".join(parsed(render(facts(bounds=(floor, ceiling)))).words)
    assert "k-anonymity 50 %" in words
    assert "t-closeness 75 %" in words
    page = render(facts(bounds=(floor, ceiling)))
    assert "k-anonymity 50 %, mean 25 %; t-closeness 75 %, mean 25 %" in page


def test_every_requirement_and_form_has_words() -> None:
    for key in (*REQUIREMENTS, "query_error"):
        assert title(key) != key
        assert promise(bound(key), named=True).against != "What the policy names"
    assert {*FORMS} == {method.form.name for method in METHODS.values()}


def test_what_was_told_of_a_bound_is_said() -> None:
    stated = {"bandwidth": 0.3, "t": 0.2, "sensitive": "disease", "joint": True, "together": [1]}
    said = promise(bound("bt_privacy", parameters=stated, threshold=0.2), named=True)
    for word in ("0.2 bits", "about disease", "together"):
        assert word in said.that
    assert "0.3" in said.against


def test_a_breach_is_said_in_shares_of_a_hundred() -> None:
    stated = {"bandwidth": 0.3, "rho1": 0.5, "rho2": 0.9}
    said = promise(bound("belief_breach", parameters=stated, threshold=0.9), named=True)
    assert "at most 50 % is believed with more than 90 % afterwards" in said.that
    assert "0.3 of its scale" in said.against


PERSONS = [
    Contribution(1700, 2, "seen"),
    Contribution(1700, 2, None),
    Contribution(1700, 1, "seen"),
]


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize(
    "persons", [*PERSONS, Contribution(1700, None, None), Contribution(None, 2, "seen")]
)
def test_persons_are_counted_and_called_so(persons: Contribution, audience: Audience) -> None:
    """No count of persons is one of records, and what is shown of each is said."""
    counted = facts(persons=persons, suppressed=30)
    counted = replace(
        counted, siblings=tuple(replace(item, unit="persons") for item in counted.siblings)
    )
    page = parsed(render(counted, audience))
    labels = [str(attributes.get("aria-label", "")) for _, attributes in page.seen]
    for words in [*page.words, *labels]:
        assert not re.search(r"(970|30|900|166|\u202f000) records", words)
        assert not re.search(r"[Rr]ecords (left|over|published|in a group|judged)", words)
        assert words.strip() not in ("Records", "all records")
    said = " ".join(" ".join(page.words).split())
    assert ("1 700 records" in said) is (persons.rows is not None)
    assert "970 persons published" in said
    if persons.most is None:
        assert "Of each person all records are shown." in said
        assert "not judged together" not in said
    else:
        most = "one record is shown" if persons.most == 1 else "at most 2 records are shown"
        how = "chosen at random" if persons.latest_by is None else "the latest"
        assert f"Of each person {most}, {how}" in said
        assert said.count("Any others of the same person were left out") == 1
        assert "not judged together with others" in said
    named = audience == "officer" and persons.latest_by is not None
    assert ("by seen" in said) is named


def test_a_dataset_may_have_releases_of_records_and_of_persons() -> None:
    first, second = facts().siblings
    words = " ".join(parsed(render(facts(siblings=(first, replace(second, unit="persons"))))).words)
    assert "900 records" in words
    assert "1\N{NARROW NO-BREAK SPACE}000 persons" in words


def test_that_more_releases_are_there_than_are_listed_is_said() -> None:
    assert "Releases of the dataset, with this one: 2 of 5" in render(facts(others=4))
    assert "Releases of the dataset, with this one<" in render(facts())
    assert "Its dataset has 4 others." in render(facts(others=4), "outsiders")
    assert "Its dataset has 1 other release." in render(facts(), "outsiders")


def test_releases_of_other_datasets_of_the_same_records_are_told() -> None:
    assert "other datasets" not in render(facts(elsewhere=()))
    said = "2 releases of other datasets may show the same records"
    assert f"{said}, since their sources read the same tables: 3, 9." in render(
        facts(elsewhere=(3, 9))
    )
    assert f"{said}." in render(facts(elsewhere=(3, 9)), "outsiders")
    many = render(facts(elsewhere=tuple(range(30))))
    assert "29 and earlier ones." in many


def test_values_of_several_columns_and_records_are_words() -> None:
    told = '[{"disease":"flu","drug":null},{"disease":"<b>","drug":"x"}]'
    case = bound("bt_privacy", group_records=9, whom='{"age": [20, 29]}', value=told)
    case = replace(case, parameters={"bandwidth": 0.3}, before=0.1, after=0.4)
    page = parsed(render(facts(bounds=(case,))))
    words = "".join(page.words)
    assert (
        "A group of 9, people with age 20–29; "
        "disease: flu · drug: missing / disease: <b> · drug: x, 10 % before, 40 % after"
    ) in words
    assert '{"' not in words


def test_how_much_is_judged_exactly_is_said() -> None:
    estimated = bound("t_closeness", parameters={"t": 0.2}, threshold=9.0, estimator="omega")
    assert "<strong>0 %</strong> <span>judged exactly" in render(facts(bounds=(estimated,)))
    assert "judged exactly" not in render(facts(bounds=(bound(),)))


def test_what_is_promised_is_that_of_the_form() -> None:
    least = promise(bound(), named=True, form="bucketized").that
    assert least == "The person's value is one of those of at least 7 records."
    assert "look alike" in promise(bound(), named=True).that
    likely = bound("max_disclosure", parameters={"tau": 0.3}, threshold=0.3)
    assert "on average over what may be drawn" in promise(likely, True, "randomized").that
    assert "becomes more probable" in promise(likely, True, "generalized").that
    worst = replace(likely, group_records=2, value="flu", before=0.3, after=0.2)
    drawn = facts(form="randomized", groups=0, bounds=(worst,))
    words = " ".join(parsed(render(drawn)).words)
    assert "2 alike" in words
    assert ", 30 % of all; guessed with 20 %" in words
    assert "A group of" not in words
    for form in FORMS:
        exact = "are shown as they are: everybody can read"
        assert (exact in render(facts(form=form))) is (form in ("bucketized", "anatomized"))


def test_costs_are_compared_where_there_is_something_to_compare() -> None:
    assert "k-anonymity alone" in render(facts())
    alone = render(facts(utility={"gcp": 0.12, "kl": math.inf}))
    assert "k-anonymity alone" not in alone
    assert "∞ says that the release rules out what occurs" in unescape(alone)
    assert "∞ says" not in render(facts())
    nothing = render(facts(utility={"kl": 0.5}), "outsiders")
    assert "It has no groups" in nothing
    assert "Metrics" not in nothing


def test_other_releases_that_are_out_are_named_to_officers() -> None:
    first, second = facts().siblings
    out = facts(siblings=(replace(first, status="published"), second))
    assert "Out beside this one now: 11." in render(out)
    assert "Out beside" not in render(out, "outsiders")
    assert "Out beside" not in render(facts())
    assert "Out beside this one now, of those listed: 11." in render(replace(out, others=70))


def test_moves_of_a_belief_end_where_it_is_not_yet_certain() -> None:
    assert moves(0.001) == "from 10 % to 12 %"


def test_estimators_count_persons() -> None:
    said = "exact, but omega for 1 group (1 record) and bethe for 2 groups (26 records)"
    assert known(said, "records") == said
    assert known(said, "persons") == (
        "exact, but omega for 1 group (1 person) and bethe for 2 groups (26 persons)"
    )


@given(st.floats(0.01, 0.99))
def test_moves_of_belief_are_as_large_as_the_bits(bits: float) -> None:
    """Changes of belief that are said to be allowed are, and one per cent more is not."""
    said = [int(number) for number in re.findall(r"(\d+) %", moves(bits))]

    def entropy(yes: float) -> float:
        return -sum(share * math.log2(share) for share in (yes, 1.0 - yes) if share > 0.0)

    def apart(before: float, after: float) -> float:
        return entropy((before + after) / 2) - (entropy(before) + entropy(after)) / 2

    if len(said) == 1:
        assert apart(0.1, 1.0) <= bits + 1e-9
        return
    believed, up, least = said
    assert believed == 10
    assert apart(0.1, up / 100) <= bits + 1e-9 < apart(0.1, (up + 1) / 100) + 2e-9
    assert apart(least / 100, 1.0) <= bits + 1e-9
    assert least == 0 or apart((least - 1) / 100, 1.0) > bits - 1e-9


@pytest.mark.parametrize(("l", "share"), [(3, "one in 3."), (1.5, "66.7 %.")])
def test_shares_are_said_as_people_say_them(l: float, share: str) -> None:  # noqa: E741
    stated = {"l": l, "variant": "probabilistic"}
    said = promise(bound("l_diversity", parameters=stated, threshold=l), named=True)
    assert said.that.endswith(share)


@pytest.mark.parametrize(
    ("estimator", "share"),
    [
        ("exact", 1.0),
        ("omega", 0.0),
        ("exact, but omega for 3 groups (25 records)", 0.75),
        ("exact, but omega for 3 groups (25 persons)", 0.75),
        ("exact, but bethe for 1 group (10 records) and omega for 2 groups (15 records)", 0.75),
        ("exact, but omega for 1 person", 0.99),
        ("bethe, but omega for 2 groups (15 records)", 0.0),
        ("exact, given earlier releases by bethe", 0.0),
    ],
)
def test_the_share_that_is_exact(estimator: str, share: float) -> None:
    assert exact_share(bound(estimator=estimator), 100) == pytest.approx(share)


@example("<b>{{ 7 * 7 }}", "\u202e")
@example('\'" onclick="x', "&lt;{% raw %}")
@example("\x07\r", "\x80")
@given(*[st.text(st.characters(exclude_categories=["Cn", "Cs"]))] * 2)
def test_a_page_says_what_was_put_in(value: str, reason: str) -> None:
    """Text and attributes are what they were made of, but for controls."""
    event = Event("2026-02-03 04:05 UTC", "stale", f"({reason})", "carl")
    column = bound(parameters={"k": 7, "sensitive": f"({value})"})
    page = parsed(render(facts(events=(event,), bounds=(column,))))

    def shown(text: str) -> str:
        kept = (category(c) != "Cc" or c in "\n\t" for c in text)
        whole = "".join(c if k else "\ufffd" for c, k in zip(text, kept, strict=True))
        return re.sub(r"[ \n]+", " ", f"({whole})")

    assert shown(reason) in page.words
    assert f"k-anonymity, {shown(value)}" in page.words
    charts = [str(has["aria-label"]) for tag, has in page.seen if tag == "svg"]
    assert shown(value) in re.sub(r"[ \n]+", " ", charts[0])


def test_nothing_but_the_style_sheet_is_marked_as_safe() -> None:
    for path in TEMPLATES.glob("*.j2"):
        assert not re.search(r"safe|autoescape|Markup", path.read_text(encoding="utf-8"))
    code = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.parent.glob("*.py"))
    assert re.findall(r"Markup\(.*\)", code) == ["Markup(STYLE)"]


def test_facts_are_all_used() -> None:
    """A fact that no page tells of would be measured in vain."""
    changed = {
        "stale": True,
        "grown_from": 5,
        "persons": Contribution(1700, None, None),
        "options": {},
        "period": "2024",
        "audited": None,
        "domains": (Domain("age", ("1", "9"), np.array([1.0, 9.0])),),
    }
    for field in fields(Facts):
        near = (bound("bt_privacy", parameters={"bandwidth": 0.3, "t": 0.2}, threshold=0.2),)
        alike: dict[str, Any] = {"bounds": near} if field.name == "domains" else {}
        value: Any = changed.get(field.name)
        now = getattr(facts(), field.name)
        if field.name not in changed:
            if isinstance(now, str):
                value = "bucketized" if field.name == "form" else f"{now}x"
            elif isinstance(now, int):
                value = now + 50
            elif isinstance(now, tuple):
                value = ()
            elif field.name in ("alone", "exchanging", "verdict"):
                value = None
            else:
                value = {"gcp": 0.7}
        assert render(facts(**alike, **{field.name: value})) != render(facts(**alike)), field.name
