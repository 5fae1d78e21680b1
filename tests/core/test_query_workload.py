"""Random queries: what is drawn, and that many at once are answered like one at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.errors import InvalidParameter, TooLarge
from bkpriv_core.query import counting, workload
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.workload import Workload, draw_workload, relative_errors
from bkpriv_core.release.generalized import tally as tally_module
from bkpriv_core.table.domain import Domain
from tests.core.query_strategies import BUCKETIZED, Case, cases, split_cases
from tests.core.strategies import MANY, SOME
from tests.core.watching import Watched

AGE = Domain("age", tuple(map(str, range(17, 91))), positions=np.arange(17.0, 91.0))
CITY = Domain("city", (*(f"{place:02}" for place in range(20)), None))
ILLNESS = Domain("illness", tuple("abcdefghij"))
DOMAINS = (AGE, CITY, ILLNESS)


def drawn(case: Case, data: st.DataObject) -> Workload:
    """A few queries about a table."""
    domains = case.release.domains
    return draw_workload(
        domains,
        data.draw(st.integers(1, 5)),
        data.draw(st.integers(1, len(domains) - 1)),
        data.draw(st.floats(0.01, 1.0)),
        np.random.default_rng(data.draw(st.integers(0, 2**32))),
    )


def has_values(case: Case) -> bool:
    return all(domain.labels != (None,) for domain in case.release.domains)


@SOME
@given(cases(max_attributes=3).filter(has_values), st.data())
def test_many_queries_at_once_on_generalized(case: Case, data: st.DataObject) -> None:
    queries = drawn(case, data)
    estimator, actual = case.release.estimated, CellCounts.of(case.release.table)
    estimates, counts = estimator.answer(queries), actual.answer(queries)
    for query in range(len(queries)):
        predicate = queries.predicate(query)
        assert estimates[query] == pytest.approx(
            float(estimator.by_key(predicate)[1][0]), abs=1e-11
        )
        assert counts[query] == actual.tabulate(predicate)


@SOME
@given(split_cases().filter(has_values), st.data())
def test_many_queries_at_once_on_bucketized(case: Case, data: st.DataObject) -> None:
    queries = drawn(case, data)
    estimator, actual = BUCKETIZED.tally(case.release), CellCounts.of(case.release.table)
    estimates, counts = estimator.answer(queries), actual.answer(queries)
    for query in range(len(queries)):
        predicate = queries.predicate(query)
        assert estimates[query] == pytest.approx(
            float(estimator.by_key(predicate)[1][0]), abs=1e-11
        )
        assert counts[query] == actual.tabulate(predicate)


@SOME
@given(cases(max_attributes=3).filter(has_values), st.data())
def test_parts_of_a_workload(case: Case, data: st.DataObject) -> None:
    queries = drawn(case, data)
    whole = case.release.estimated.answer(queries)
    counts = CellCounts.of(case.release.table).answer(queries)
    calls: list[None] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "_CHUNK", 1)
        patch.setattr(counting, "_CHUNK", 1)
        one_by_one = case.release.estimated.answer(queries, Watched(lambda: calls.append(None)))
        np.testing.assert_allclose(one_by_one, whole, rtol=1e-12)
        assert len(calls) == len(queries)
        one_by_one = CellCounts.of(case.release.table).answer(
            queries, Watched(lambda: calls.append(None))
        )
        np.testing.assert_array_equal(one_by_one, counts)
        assert len(calls) == 2 * len(queries)


@MANY
@given(st.integers(1, 2), st.floats(0.001, 1.0), st.integers(0, 2**32), st.integers(1, 30))
def test_what_a_query_asks_for(dimensions: int, selectivity: float, seed: int, count: int) -> None:
    queries = draw_workload(DOMAINS, count, dimensions, selectivity, np.random.default_rng(seed))
    assert len(queries) == count
    assert (queries.queried[:, :-1].sum(axis=1) == dimensions).all()
    assert queries.queried[:, -1].all()
    for place, size in enumerate((74, 20, 10)):
        masks = queries.chosen[place][queries.queried[:, place]]
        exact = size * selectivity ** (1 / (dimensions + 1))
        assert (np.abs(masks.sum(axis=1) - exact - 0.5) <= 0.5 + 1e-6).all()
        assert queries.chosen[place][~queries.queried[:, place]].all()
    masks = queries.chosen[0][queries.queried[:, 0]]
    assert (np.diff(masks.astype(int), axis=1, prepend=0, append=0) == 1).sum() == len(masks)
    assert not queries.chosen[1][queries.queried[:, 1], -1].any()  # NULL


def test_every_value_has_its_turn() -> None:
    queries = draw_workload(DOMAINS, 4000, 1, 0.04, np.random.default_rng(1))
    assert queries.queried[:, 0].mean() == pytest.approx(0.5, abs=0.05)
    cities = queries.chosen[1][queries.queried[:, 1]][:, :-1]
    np.testing.assert_allclose(cities.mean(axis=0), 4 / 20, atol=0.05)
    starts = queries.chosen[0][queries.queried[:, 0]].argmax(axis=1)
    assert set(starts) == set(range(74 - 15 + 1))
    assert (queries.chosen[2].sum(axis=1) == 2).all()


def test_a_seed_repeats_a_workload() -> None:
    one, again = (draw_workload(DOMAINS, 9, 1, 0.1, np.random.default_rng(3)) for _ in range(2))
    other = draw_workload(DOMAINS, 9, 1, 0.1, np.random.default_rng(4))
    for place in range(3):
        np.testing.assert_array_equal(one.chosen[place], again.chosen[place])
    assert any((one.chosen[place] != other.chosen[place]).any() for place in range(3))


def test_the_text_of_a_query() -> None:
    day = Domain("born", ("2001-02-03", "2001-02-04"), positions=np.array([0.0, 86400.0]))
    names = Domain('na"me', ("d'Arc", "Smith"))
    cold = Domain("temp", ("-1.5", "2e+20"), positions=np.array([-1.5, 2e20]))
    queries = draw_workload((day, names, cold), 1, 2, 1.0, np.random.default_rng(1))
    assert queries.text(0, "public.people") == (
        """SELECT count(*) FROM public.people WHERE "born" BETWEEN '2001-02-03' AND '2001-02-04' """
        """AND "na""me" IN ('d''Arc', 'Smith') AND "temp" BETWEEN -1.5 AND 2e+20"""
    )


def test_errors_are_undefined_where_nothing_is_counted() -> None:
    errors = relative_errors(np.array([0.0, 0.0, 4.0, 4.0]), np.array([0.0, 2.0, 5.0, 0.0]))
    assert [None if math.isnan(error) else error for error in errors] == [None, None, 0.25, 1.0]


@pytest.mark.parametrize(
    ("queries", "dimensions", "selectivity", "message"),
    [
        (0, 1, 0.1, "the number of queries is 0"),
        (5, 0, 0.1, "the number of dimensions is 0"),
        (5, 3, 0.1, "the number of dimensions is 3"),
        (5, 1, 0.0, "the selectivity is 0"),
        (5, 1, 1.01, "the selectivity is 1.01"),
        (5, 1, float("nan"), "the selectivity is nan"),
    ],
)
def test_refusals(queries: int, dimensions: int, selectivity: float, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        draw_workload(DOMAINS, queries, dimensions, selectivity, np.random.default_rng(1))


def test_an_attribute_of_nothing_but_null_is_refused() -> None:
    with pytest.raises(InvalidParameter, match='"x" has no values but NULL'):
        draw_workload((Domain("x", (None,)), ILLNESS), 1, 1, 0.1, np.random.default_rng(1))


def test_a_workload_beyond_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "_MARKS", 1049)
    with pytest.raises(TooLarge, match="10 queries"):
        draw_workload(DOMAINS, 10, 1, 0.1, np.random.default_rng(1))
