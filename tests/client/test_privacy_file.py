"""Privacy files: what is read of them, and that nothing else comes of what is no such file."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from datetime import date, time
from math import inf
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bkpriv_client.failure import ClientError
from bkpriv_client.privacy_file import read_text
from bkpriv_client.wanted import Wanted, written
from tests.client.command import run
from tests.client.test_apply import FILE, NOTHING
from tests.conftest import Connection, Database, sample
from tests.db.clinic import create_clinic, one
from tests.db.refusal import unchanged

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.pooled

WHOLE = (
    FILE
    + """
period = 2024-01-01
readers = "PUBLIC"
method = "anatomy"
options = { nulls = "category", ranges = "text" }
accept = { left_out = 3, exchange = true }

[dataset.people.knowledge.habit]
kind = "mined"
source = 'clinic."Past"'
memory = 2

[dataset.visits]
source = "clinic.visit"
quasi_identifiers = "age"
sensitive = ["disease", "drug"]
respondent = "id"
period = "month"
attributes = ["paid"]
bins = { month = "month", age = 5, code = { method = "label" } }
scales = { age = [0, 100.5], day = [1900-01-01, "2025-12-31 12:00"] }
hierarchy.code.lengths = [1, 3]
hierarchy.age = { widths = [0.5, 1.0], origin = 0.25 }
hierarchy.day.units = "year"
hierarchy.town = { branches = { north = { coast = ["Kiel"], inland = "Ulm" } }, rest = "abroad" }

[policy."with a name"]
l_diversity = [{ l = 4, sensitive = "disease" }, { l = 2, sensitive = "drug" }]
overlap = "warn"

[grant]
publishers = ["nora"]
auditors = "carl"
"""
)


def test_a_file_is_read() -> None:
    wanted = read_text(WHOLE, "f")
    people, visits = wanted.datasets["people"], wanted.datasets["visits"]
    assert people.register.arguments["sensitive"] == ["disease"]
    assert people.knowledge["habit"].arguments["source"] == 'clinic."Past"'
    assert visits.register.arguments["bins"] == {
        "month": "month",
        "age": 5,
        "code": {"method": "label"},
    }
    assert visits.register.arguments["scales"] == {
        "age": [0, 100.5],
        "day": ["1900-01-01", "2025-12-31 12:00"],
    }
    assert visits.hierarchies["code"].function == "set_prefix_hierarchy"
    assert visits.hierarchies["age"].arguments["widths"] == [0.5, 1]
    assert visits.hierarchies["day"].arguments["units"] == ["year"]
    branches = visits.hierarchies["town"].arguments["branches"]
    assert branches == {"north": {"coast": ["Kiel"], "inland": ["Ulm"]}}
    shown = wanted.publications["public.shown"]
    assert (shown.period, shown.readers, shown.method) == ("2024-01-01", ("PUBLIC",), "anatomy")
    assert shown.accept == {"left_out": 3, "exchange": inf}
    assert wanted.jobs == {"publishers": ("nora",), "auditors": ("carl",)}
    assert read_text("", "f") == Wanted()


def test_names_are_written_in_one_way() -> None:
    texts = ("A.b", '"a".B', 'a."b"')
    files = [FILE.replace('"public.shown"', json.dumps(text)) for text in texts]
    assert {view for file in files for view in read_text(file, "f").publications} == {"a.b"}
    assert written("a b", 'c"d') == '"a b"."c""d"'


def check(text: str) -> None:
    """Read a text, which is refused with a message that names the file, if at all."""
    said = None
    try:
        read_text(text, "a file")
    except ClientError as error:
        said = error
    assert said is None or (said.message.startswith("a file") and said.detail and said.hint)


@given(st.data())
def test_texts_that_are_cut_and_joined_are_read_or_refused(data: st.DataObject) -> None:
    pieces = WHOLE.split(data.draw(st.sampled_from(["\n", " ", '"', "=", "["])))
    joint = data.draw(st.sampled_from(["\n", " ", '"', "=", "[", "\\", "\0", "é", "#"]))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(pieces) - 1))
        other = data.draw(st.integers(0, len(pieces) - 1))
        pieces[place] = data.draw(st.sampled_from(["", pieces[other], joint.join(pieces[other:])]))
    check(joint.join(pieces))


ODD = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(),
        st.integers(2**62, 2**70),
        st.floats(),
        st.text(st.characters(codec="utf-8"), max_size=8),
        st.sampled_from(["age", "people", "careful", "clinic.patient", "mondrian", "month"]),
        st.dates(),
        st.times(),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def toml(value: Any) -> str:
    """Write a value as TOML."""
    match value:
        case dict():
            items = (f"{toml(key)} = {toml(item)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case date() | time():
            return value.isoformat()
        case float():
            return repr(value) if "e" not in repr(value) else f"{value:f}"
        case _:
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def document(value: Mapping[str, Any]) -> str:
    """Write a document as TOML."""
    return "\n".join(f"{toml(key)} = {toml(item)}" for key, item in value.items())


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Places in a document: what holds it, and by which key."""
    held = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in held:
        yield value, key
        if isinstance(item, dict | list):
            yield from places(item)


@st.composite
def documents(draw: st.DrawFn, text: str, odd: st.SearchStrategy[Any] = ODD) -> dict[str, Any]:
    """Draw documents in which an item or two are other ones, elsewhere, or gone."""
    changed: dict[str, Any] = copy.deepcopy(tomllib.loads(text))
    for _ in range(draw(st.integers(1, 2))):
        holder, key = draw(st.sampled_from(list(places(changed))))
        what = draw(st.sampled_from(["other", "other", "gone", "named"]))
        if what == "other":
            holder[key] = draw(odd)
        elif what == "gone":
            del holder[key]
        elif isinstance(holder, dict):
            holder[draw(st.sampled_from(["sensitive", "memory", "levels", "x", "", "people"]))] = (
                holder.pop(key)
            )
        if not list(places(changed)):
            break
    return changed


@given(documents(WHOLE))
def test_documents_with_odd_items_are_read_or_refused(changed: dict[str, Any]) -> None:
    text = document(changed)
    tomllib.loads(text)
    check(text)


PLAUSIBLE = st.sampled_from(
    [
        *(0, 5, 60, 10**18, -1, 0.5, True, [], {}, "", "people", "careful", "age", "sex", ["sex"]),
        *("clinic.patient", "clinic.city_levels", "public.shown", "mondrian", "anatomy", "a.b"),
        *({"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}, {"widths": [5]}, "it's"),
        *({"source": "clinic.patient", "quasi_identifiers": ["age"], "sensitive": "sex"},),
        *({"dataset": "people", "policy": "careful"}, {"nulls": "category"}, ["age", "city"]),
    ]
)


@settings(
    max_examples=sample(20),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(documents(FILE, PLAUSIBLE))
def test_no_file_ends_in_a_traceback_or_half_applied(
    db: Connection, database: Database, tmp_path: Path, changed: dict[str, Any]
) -> None:
    if one(db, "SELECT to_regnamespace('clinic') IS NULL"):
        create_clinic(db)
    path = tmp_path / "privacy.toml"
    path.write_text(document(changed))
    command = ("apply", str(path), "--uri", database.uri())
    hypothesis.note(path.read_text())
    with unchanged(db):
        planned, _, _ = run(*command, "--plan")
    with unchanged(db) if planned else nullcontext():
        code, output, errors = run(*command)
    assert code in (0, 1, 3)
    assert "Traceback" not in output + errors
    if code == 1:
        # A publication that the method cannot make is refused by itself.
        assert ("was not published" in output) == (not planned)
        assert "Error" in errors
    else:
        with unchanged(db):
            assert NOTHING in run(*command)[1].splitlines()
    assert one(db, "SELECT count(*) FROM bkpriv.release_event WHERE kind = 'withdrawn'") == 0
