"""Forms: what each shows, and that all that a reader makes of a release agrees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.method import METHODS
from bkpriv_core.query.predicate import EVERYTHING
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawing import draw
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.release.bucketized.form import Anatomized, Bucketized
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.release.randomized.form import Randomized
from bkpriv_core.release.recorded import read_release
from bkpriv_core.release.release import Form, Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.levels import Levels
from bkpriv_core.table.parts import Parts
from bkpriv_core.table.table import Table
from tests.core.oracles import Records
from tests.core.query_strategies import Case, cases
from tests.core.strategies import SOME, as_groups, as_table, partitions, tables
from tests.core.test_recorded import recorded

GROUPED = (Generalized(), Bucketized(), Anatomized())
FORMS = (*GROUPED, Randomized())


def shown_in(form: Form, release: Release) -> Release:
    """A release of groups in another form; all of its table, if records are drawn."""
    if not form.randomized:
        return replace(release, form=form)
    channels = tuple(Channel(item.size, 0.5 + 0.5 / item.size) for item in release.domains)
    drawn = draw(release.table, channels, SeededChance(1))
    return replace(release, partition=None, form=form.with_drawn(channels, drawn))


def test_every_form_is_that_of_a_method() -> None:
    assert {method.form.name for method in METHODS.values()} == {form.name for form in FORMS}


def test_only_one_form_is_of_drawn_records() -> None:
    assert [form.name for form in FORMS if form.randomized] == ["randomized"]
    drawn = Drawn(np.zeros((1, 2), dtype=np.int64), np.ones(1, dtype=np.int64))
    for form in GROUPED:
        assert form.with_drawn((), drawn) is form


@pytest.mark.parametrize(
    ("labels", "hierarchy"),
    [
        (("*", "u", "w"), None),
        (("a", "u", "w"), Hierarchy({value: (value, "a", "*") for value in "auw"})),
    ],
    ids=["root", "node"],
)
def test_a_value_called_like_what_stands_for_others_is_shown_like_them(
    labels: tuple[str, ...], hierarchy: Hierarchy | None
) -> None:
    named = Domain("named", labels, hierarchy=hierarchy)
    number = Domain("number", ("1", "2"), np.array([1.0, 2.0]))
    codes = np.array([[0, 0], [1, 0], [2, 0], [2, 1]])
    counts = np.ones((4, 1), dtype=np.int64)
    parts = Parts.of(Table((named, number), Domain("s", ("x",)), codes, counts))
    pooled = Generalized().pool(parts, as_groups([[0], [1, 2], [3]]))
    assert sorted(sorted(group.tolist()) for group in pooled) == [[0, 1, 2], [3]]


def test_null_alone_and_null_among_numbers_have_the_same_bounds() -> None:
    domain = Domain("number", ("1", "2", None), np.array([1.0, 2.0, np.nan]))
    codes, counts = np.array([[0], [1], [2]]), np.full((3, 1), 2, dtype=np.int64)
    parts = Parts.of(Table((domain,), Domain("s", ("x",)), codes, counts)).apart()
    null, number = (np.flatnonzero(parts.codes[:, 0] == code).tolist() for code in (2, 0))
    groups = as_groups([[null[0]], [null[1], number[0]], [number[1]]])
    assert len(Generalized().pool(parts, groups)) == 3
    pooled = Generalized(ranges="bounds").pool(parts, groups)
    assert sorted(map(len, pooled)) == [1, 3]


@SOME
@given(tables(), st.data())
def test_bounds_tell_no_more_groups_apart_than_a_reader_can(
    records: Records, data: st.DataObject
) -> None:
    table = as_table(records)
    parts = Parts.of(table)
    groups = as_groups(data.draw(partitions(len(parts))))
    form = Generalized(ranges="bounds")
    pooled = form.pool(parts, groups)
    seen = []
    for group in pooled:
        row: list[object] = []
        for axis, domain in enumerate(table.quasi_identifiers):
            codes = [int(parts.codes[part, axis]) for part in group]
            if not domain.numeric:
                low, high = form.boxes(parts, as_groups([group.tolist()]))
                row.append(form.labels(domain, axis, low[:, axis], high[:, axis])[0])
            elif any(domain.labels[code] is None for code in codes):
                row.append(None)
            else:
                row.append((min(codes), max(codes)))
        seen.append(tuple(row))
    assert len({*seen}) == len(seen)
    assert form.with_ranges("bounds") is form
    assert form.recoded(()).ranges == "bounds"


@pytest.mark.parametrize(
    ("form", "columns", "counted"),
    [
        (
            Generalized(),
            {"records": ["quasi_identifiers", "sensitive", "passed"]},
            {"quasi_identifiers": "records", "sensitive": "records"},
        ),
        (
            Bucketized(),
            {
                "records": ["quasi_identifiers", "group_id", "sensitive", "passed"],
                "sensitive": ["group_id", "sensitive", "count"],
            },
            {"quasi_identifiers": "records", "sensitive": "sensitive"},
        ),
        (
            Anatomized(),
            {
                "records": ["quasi_identifiers", "group_id"],
                "sensitive": ["group_id", "sensitive", "passed", "count"],
            },
            {"quasi_identifiers": "records", "sensitive": "sensitive"},
        ),
        (
            Randomized(),
            {
                "records": ["quasi_identifiers", "sensitive"],
                "randomization": ["attribute", "value", "retention", "flip_probability"],
            },
            {"quasi_identifiers": "records", "sensitive": "records"},
        ),
    ],
)
def test_exhibits(form: Form, columns: dict[str, list[str]], counted: dict[str, str]) -> None:
    assert {exhibit: list(fields) for exhibit, fields in form.exhibits.items()} == columns
    assert next(iter(form.exhibits)) == "records"
    assert form.exhibit_of("quasi_identifiers") == counted["quasi_identifiers"]
    assert form.exhibit_of("sensitive") == counted["sensitive"]
    assert form.passes is not form.randomized


@SOME
@given(cases(max_attributes=3), st.sampled_from(FORMS))
def test_counts_and_joint_distribution_have_the_published_records(case: Case, form: Form) -> None:
    release = shown_in(form, case.release)
    published = len(case.records.rows) if form.randomized else sum(map(len, case.groups))
    assert release.published == published
    _, counts = release.estimated.by_key(EVERYTHING)
    assert counts == pytest.approx([published])
    joint = release.form.joint(release)
    assert joint.pair(0, len(release.domains) - 1).sum() == pytest.approx(published)
    if not form.randomized:
        assert (form.penalties(release) == 0).all() or not form.exact


@SOME
@given(tables(), st.data(), st.sampled_from(GROUPED))
def test_groups_that_look_alike_are_one_unless_they_have_numbers(
    records: Records, data: st.DataObject, form: Form
) -> None:
    parts = Parts.of(as_table(records))
    groups = as_groups(data.draw(partitions(len(parts))))
    pooled = form.pool(parts, groups)
    if form.exact:
        assert pooled is groups
        return
    assert isinstance(form, Generalized)
    assert len(form.pool(parts, pooled)) == len(pooled)
    low, high = form.boxes(parts, groups)
    extents: list[list[object]] = []
    for axis, domain in enumerate(parts.table.quasi_identifiers):
        if not domain.numeric:
            extents.append([*form.labels(domain, axis, low[:, axis], high[:, axis])])
            continue
        ends = zip(low[:, axis].tolist(), high[:, axis].tolist(), strict=True)
        null = domain.size - 1 if domain.has_null else None
        extents.append(["anything" if a < b == null else (a, b) for a, b in ends])
    looks = set(zip(*extents, strict=True))
    # Labels may recur at several nodes of a hierarchy, which are not one.
    assert len(pooled) >= len(looks)
    if all(domain.numeric for domain in parts.table.quasi_identifiers):
        assert len(pooled) == len(looks)


@SOME
@given(tables(), st.data(), st.sampled_from(GROUPED))
def test_levels_are_read_back_where_there_are_any(
    records: Records, data: st.DataObject, form: Form
) -> None:
    table = as_table(records)
    chosen = tuple(
        data.draw(st.integers(0, len(Levels.of(domain)) - 1)) for domain in table.quasi_identifiers
    )
    attributes, arrays = recorded(table, as_groups([list(range(table.cells))]))
    generalized = [
        replace(item, level=level) for item, level in zip(attributes, chosen, strict=False)
    ]
    assert read_release(attributes, arrays, form).form is form
    form_read = read_release([*generalized, attributes[-1]], arrays, form).form
    assert form_read.levels == (None if form.exact else chosen)
    recoding = tuple(
        Levels.of(domain).recoding(domain, level)
        for domain, level in zip(table.quasi_identifiers, chosen, strict=True)
    )
    for mine, theirs in zip(getattr(form_read, "recoding", ()), recoding, strict=False):
        np.testing.assert_array_equal(mine.low, theirs.low)
        np.testing.assert_array_equal(mine.high, theirs.high)
