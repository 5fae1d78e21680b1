"""Plans: what has to change, from what is declared and what is wanted, without a server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.failure import ClientError
from bkpriv_client.plan import Action, Declared, DeclaredDataset, plan
from bkpriv_client.wanted import Call, Publication, Wanted, WantedDataset

SET = Call("set_interval_hierarchy", {})
WANTED = Wanted(
    {"d": WantedDataset(Call("register_dataset", {}), {"age": SET}, {"habit": SET})},
    {"p": {"k_anonymity": {"k": 5}}},
    {"a.v": Publication("d", "p", readers=("rita",))},
    {"publishers": ("nora",)},
)
DECLARED = Declared(
    {"d": DeclaredDataset(None, {"age": True}, {"habit": True}, {7: "a.v"})},
    frozenset({"d"}),
    {"p": {"k_anonymity": {"k": 5}}, "other": {}},
    frozenset({("publishers", "nora")}),
    {"a.v": 7},
    {"a.v": ()},
    {"a.v": frozenset({"rita"})},
)


def said(declared: Declared, wanted: Wanted = WANTED) -> list[str]:
    """Changes as lines, those that take away with a minus."""
    return [f"{'-' if change.pruning else '+'} {change}" for change in plan(declared, wanted)]


def test_nothing_changes_where_all_is_as_it_is_wanted() -> None:
    assert said(DECLARED) == []
    assert said(Declared(), Wanted()) == []


def test_of_nothing_all_is_made() -> None:
    nothing = Declared(reasons={"a.v": ("view: nothing is published",)})
    assert said(nothing) == [
        "+ make nora one of the publishers: it is not",
        "+ register dataset d: there is none",
        "+ set the hierarchy of d, age: there is none",
        "+ set sequential knowledge d, habit: there is none",
        "+ set policy p: there is none",
        "+ publish a.v: view: nothing is published",
        "+ let read a.v: rita: it may not",
    ]


def test_what_the_file_does_not_have_is_pruned() -> None:
    assert said(DECLARED, Wanted()) == [
        "- withdraw release 7, a.v: dataset d goes",
        "- drop dataset d: the file has none",
    ]
    bare = {"d": WantedDataset(Call("register_dataset", {}))}
    unread = {"a.w": Publication("d", "p", readers=("rita",))}
    both = frozenset({"rita", "PUBLIC"})
    there = replace(DECLARED, reasons={}, readers={"a.w": both}, glancing={"a.w": both})
    assert said(there, replace(WANTED, datasets=bare, publications=unread)) == [
        "- withdraw release 7, a.v: the file does not publish it",
        "- unset the hierarchy of d, age: the file has none",
        "- unset sequential knowledge d, habit: the file has none",
        "- stop reading a.w: PUBLIC: the file does not let it",
    ]
    # Whose readers the file does not speak of, and what others own, stays.
    silent = {"a.w": Publication("d", "p")}
    others = replace(there, owned=frozenset(), shown={})
    assert said(others, replace(WANTED, publications=silent)) == []


def test_a_dataset_that_differs_is_made_anew_in_this_order() -> None:
    found = replace(DECLARED.datasets["d"], differs="age, not sex", hierarchies={}, knowledge={})
    changes = plan(replace(DECLARED, datasets={"d": found}, reasons={}), WANTED)
    assert [(change.action, change.pruning, change.needed) for change in changes] == [
        (Action.withdraw, True, True),
        (Action.drop, True, True),
        (Action.register, False, False),
        (Action.set_hierarchy, False, False),
        (Action.set_knowledge, False, False),
        (Action.publish, False, False),
        (Action.let_read, False, False),
    ]


@pytest.mark.parametrize(
    ("publication", "names"),
    [
        (Publication("dd", "p"), ("dataset dd", 'meant "d"')),
        (Publication("d", "othr"), ("other",)),
    ],
)
def test_what_a_publication_names_is_declared(
    publication: Publication, names: tuple[str, ...]
) -> None:
    with pytest.raises(ClientError) as caught:
        plan(DECLARED, replace(WANTED, publications={"a.v": publication}))
    text = f"{caught.value} {caught.value.detail} {caught.value.hint}"
    assert all(name in text for name in names)


NAMES = st.sets(st.sampled_from("abc"))


@given(NAMES, NAMES, st.dictionaries(st.sampled_from("abc"), st.booleans()))
def test_changes_are_those_that_sets_tell(
    there: set[str], stated: set[str], same: dict[str, bool]
) -> None:
    found = DeclaredDataset(None, {name: same.get(name, True) for name in there})
    dataset = WantedDataset(Call("register_dataset", {}), dict.fromkeys(sorted(stated), SET))
    changes = plan(Declared({"d": found}, frozenset({"d"})), Wanted({"d": dataset}))
    expected = {(Action.unset_hierarchy, name) for name in there - stated}
    expected |= {
        (Action.set_hierarchy, name)
        for name in stated
        if name not in there or not same.get(name, True)
    }
    assert {(change.action, change.subject[1]) for change in changes} == expected
