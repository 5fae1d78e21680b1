"""Forms of knowledge: read, stated, and turned into priors."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_core.belief import knowledge
from bkpriv_core.belief.distance import js_divergence
from bkpriv_core.belief.kernels import epanechnikov
from bkpriv_core.belief.knowledge import (
    UNKNOWN,
    Outside,
    Remembered,
    Revised,
    Uniform,
    outside_prior,
    parse_knowledge,
    resolve_knowledge,
    state_knowledge,
    uniform_prior,
)
from bkpriv_core.belief.knowledge_source import NoLibrary
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.errors import InvalidData, InvalidParameter
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.parts import Parts
from tests.core.library import Known
from tests.core.oracles import Attribute, Records
from tests.core.strategies import MANY, as_array, as_table, beliefs, tables

PATIENTS = Records(
    (
        Attribute("age", ("30", "40"), {"30": 30, "40": 40}),
        Attribute("sex", ("F", "M")),
    ),
    Attribute("disease", ("cold", "flu")),
    (("30", "F", "cold"), ("30", "F", "flu"), ("40", "M", "flu")),
)


@pytest.mark.parametrize(
    ("stated", "knowledge"),
    [
        (0.3, 0.3),
        ({"age": 0.2, "sex": 1}, {"age": 0.2, "sex": 1}),
        ({"kernel": "uniform"}, Uniform()),
        ({"table": "public.prior"}, Outside("public.prior")),
        ({"sequence": "mined"}, Remembered("mined")),
        ({"sequence": "mined", "bandwidth": 0.3}, Remembered("mined", 0.3)),
        (
            {"sequence": "mined", "bandwidth": {"age": 0.2, "sex": 1}},
            Remembered("mined", {"age": 0.2, "sex": 1}),
        ),
        (
            {"sequence": "mined", "bandwidth": {"table": "public.prior"}},
            Remembered("mined", Outside("public.prior")),
        ),
        # Attributes of these names have bandwidths that are numbers.
        ({"table": 0.3}, {"table": 0.3}),
        ({"kernel": 0.3, "table": 0.1}, {"kernel": 0.3, "table": 0.1}),
        ({"sequence": 0.3, "bandwidth": 0.1}, {"sequence": 0.3, "bandwidth": 0.1}),
    ],
)
def test_every_form_is_read_and_stated_again(stated: object, knowledge: object) -> None:
    parsed = parse_knowledge(stated)
    assert parsed == knowledge
    assert json.loads(json.dumps(state_knowledge(parsed))) == stated


@pytest.mark.parametrize(
    ("stated", "named"),
    [
        (0, "0"),
        (-0.5, "-0.5"),
        (True, "true"),
        (None, "null"),
        ("0.3", '"0.3"'),
        ([], "[]"),
        ([0.3], "[0.3]"),
        ({}, "names no attribute"),
        ({"age": "0.3"}, '"age"'),
        ({"kernel": "gaussian"}, "gaussian"),
        ({"kernel": "uniform", "age": 0.3}, "age"),
        ({"table": "p", "kernel": "uniform"}, "table"),
        ({"table": "p", "age": 0.3}, "age"),
        ({"table": ""}, "table"),
        ({"sequence": ""}, "sequence"),
        ({"sequence": "s", "age": 0.3}, "age"),
        ({"sequence": "s", "bandwidth": {"sequence": "t"}}, "sequence"),
    ],
)
def test_anything_else_is_refused_by_name(stated: object, named: str) -> None:
    with pytest.raises(InvalidParameter) as caught:
        parse_knowledge(stated)
    assert named in caught.value.message


def test_resolved_knowledge_is_equal_where_it_means_the_same() -> None:
    names = ("age", "sex")
    assert resolve_knowledge(0.3, names) == resolve_knowledge({"sex": 0.3, "age": 0.3}, names)
    assert resolve_knowledge({"age": 0.1, "sex": 0.2}, names) == (0.1, 0.2)
    assert resolve_knowledge(Outside("p"), names) == Outside("p") != Outside("q")
    assert resolve_knowledge(Remembered("s", {"sex": 0.3, "age": 0.1}), names) == Revised(
        "s", (0.1, 0.3)
    )
    for stated, named in (({"age": 1, "sex": 2, "weight": 1}, "weight"), ({"age": 1}, "sex")):
        with pytest.raises(InvalidParameter, match=f'"{named}"'):
            resolve_knowledge(stated, names)


@MANY
@given(tables())
def test_the_uniform_kernel_believes_the_shares_of_the_table(records: Records) -> None:
    table = as_table(records)
    values = [record[-1] for record in records.rows]
    shares = [values.count(value) / len(values) for value in records.sensitive.values]
    prior = uniform_prior(table)
    np.testing.assert_allclose(prior, [shares] * table.cells, rtol=0, atol=1e-15)
    prior[0, 0] = 7.0  # The rows are one's own to keep.
    assert prior.shape == table.counts.shape


def test_a_huge_bandwidth_comes_near_the_uniform_kernel() -> None:
    table = as_table(PATIENTS)
    assert epanechnikov(np.array([1.0]), 1e6)[0] == pytest.approx(1.0)
    threat = ThreatModel(table)
    np.testing.assert_allclose(threat.prior(1e6), threat.prior(Uniform()), atol=1e-9)


@st.composite
def outside(draw: st.DrawFn) -> tuple[Records, Any, list[tuple[list[int], int, float]]]:
    """Records, a belief for each cell, and the rows that say so, in any order."""
    records = draw(tables())
    table = as_table(records)
    beliefs_of_cells = [draw(beliefs(table.sensitive.size)) for _ in range(table.cells)]
    rows = [
        ([int(code) for code in table.codes[cell]], value, float(share))
        for cell, belief in enumerate(beliefs_of_cells)
        for value, share in enumerate(belief)
        # What has no probability needs no row.
        if share or draw(st.booleans())
    ]
    # Neither do cells or values play a part that the data do not have.
    rows.append(([UNKNOWN] * table.codes.shape[1], 0, 0.7))
    rows.append(([int(code) for code in table.codes[0]], UNKNOWN, 0.0))
    return records, as_array(beliefs_of_cells), draw(st.permutations(rows))


@MANY
@given(outside())
def test_a_prior_from_outside_is_what_its_rows_say(
    drawn: tuple[Records, Any, list[tuple[list[int], int, float]]],
) -> None:
    records, expected, rows = drawn
    table = as_table(records)

    class Rows(NoLibrary):
        def outside(self, about: Any, name: str) -> Any:
            assert about is table
            assert name == "public.prior"
            return outside_prior(
                table,
                name,
                np.array([codes for codes, _, _ in rows], dtype=np.int64),
                np.array([value for _, value, _ in rows], dtype=np.int64),
                np.array([share for _, _, share in rows]),
            )

    prior = ThreatModel(table, library=Rows()).prior(Outside("public.prior"))
    np.testing.assert_allclose(prior, expected, rtol=0, atol=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knowledge, "_ROWS", 1)
        again = ThreatModel(table, library=Rows()).prior(Outside("public.prior"))
    np.testing.assert_array_equal(again, prior)


ROWS = [
    ((0, 0), 0, 0.25),
    ((0, 0), 1, 0.75),
    ((1, 1), 0, 1.0),
    ((1, 0), 0, 9.0),
]


@pytest.mark.parametrize(
    ("change", "message", "where"),
    [
        ({0: None, 1: None, 2: None}, "misses 2 of 2 cells", "\"age\" is '30'"),
        ({2: None}, "misses 1 of 2 cells", "\"age\" is '40', \"sex\" is 'M'"),
        ({1: ((0, 0), 1, 0.5)}, "do not sum to 1", "0.75 where \"age\" is '30', \"sex\" is 'F'"),
        ({1: ((0, 0), 1, -0.25)}, "negative probability -0.25", "\"age\" is '30'"),
        ({2: ((1, 1), 0, float("nan"))}, "NULL or not finite", "\"age\" is '40'"),
        ({2: ((1, 1), 0, float("inf"))}, "NULL or not finite", "\"age\" is '40'"),
        ({3: ((0, 0), 1, 0.0)}, "two probabilities of 'flu'", "\"age\" is '30'"),
        ({2: ((1, 1), UNKNOWN, 1.0)}, '"disease" does not have', "\"age\" is '40'"),
    ],
)
def test_a_faulty_prior_is_refused_where_it_is_at_fault(
    change: dict[int, Any], message: str, where: str
) -> None:
    rows = [change.get(place, row) for place, row in enumerate(ROWS)]
    kept = [row for row in rows if row is not None]
    with pytest.raises(InvalidData) as caught:
        outside_prior(
            as_table(PATIENTS),
            "public.prior",
            np.array([codes for codes, _, _ in kept]),
            np.array([value for _, value, _ in kept]),
            np.array([share for _, _, share in kept]),
        )
    assert "public.prior" in caught.value.message
    assert message in caught.value.message
    assert where in caught.value.detail
    assert ("types of the source" in caught.value.hint) == ("2 of 2" in message)


def test_a_sum_within_rounding_is_scaled_to_1() -> None:
    table = as_table(PATIENTS)
    prior = outside_prior(
        table,
        "p",
        np.array([[0, 0], [0, 0], [1, 1]]),
        np.array([0, 1, 1]),
        np.array([0.25, 0.75 + 5e-7, 1.0]),
    )
    np.testing.assert_allclose(prior.sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_without_a_library_no_table_is_found() -> None:
    with pytest.raises(InvalidParameter, match="no prior table p"):
        ThreatModel(as_table(PATIENTS)).prior(Outside("p"))


def test_without_a_library_nothing_is_remembered() -> None:
    table = as_table(PATIENTS)
    parts = Parts(table, np.array([0, 0, 1]), np.array([[1, 0], [0, 1], [0, 1]]), np.arange(3))
    with pytest.raises(InvalidParameter, match="no sequential knowledge mined"):
        ThreatModel(parts).prior(Remembered("mined"))


def test_who_remembers_tells_respondents_of_a_cell_apart() -> None:
    the_table = as_table(PATIENTS)
    beliefs = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])

    class Past(NoLibrary):
        def revised(self, table: Any, knowledge: Any, snapshot: Any) -> Any:
            assert table is the_table
            assert knowledge.sequence == "mined"
            # Of respondents in their order, of whom 2 and 0 are the two thirty-year-olds.
            alone = ThreatModel(the_table).prior(0.3)
            np.testing.assert_array_equal(snapshot, alone[[0, 1, 0]])
            return beliefs

    counts = np.array([[1, 0], [0, 1], [0, 1]])
    parts = Parts(the_table, np.array([0, 0, 1]), counts, np.array([2, 0, 1]))
    threat = ThreatModel(parts, library=Past())
    np.testing.assert_array_equal(threat.prior(Remembered("mined", 0.3)), beliefs[[2, 0, 1]])
    # Another order of the same records is looked up, not asked for again.
    turned = Parts(the_table, np.array([1, 0, 0]), counts[[2, 0, 1]], np.array([1, 2, 0]))
    again = threat.over(turned).prior(Remembered("mined", 0.3))
    np.testing.assert_array_equal(again, beliefs[[1, 2, 0]])
    with pytest.raises(ValueError, match="apart"):
        threat.over(Parts.of(the_table)).prior(Remembered("mined", 0.3))


def test_a_skyline_may_mix_all_forms() -> None:
    table = as_table(PATIENTS)
    prior = np.array([[0.5, 0.5], [0.0, 1.0]])
    threat = ThreatModel(table, library=Known(prior))
    groups = Groups.from_labels(np.array([0, 1]))
    disclosure = threat.adversaries([0.3, Uniform(), Outside("p")]).disclosure(groups, "exact")
    assert disclosure.figures.shape == (3, 2)
    # The outside adversary knows the second record's value for certain, and learns nothing.
    assert disclosure.figures[2, 1] == 0.0
    learnt = js_divergence(np.array([1 / 3, 2 / 3]), np.array([1 / 2, 1 / 2]))
    assert disclosure.figures[1, 0] == pytest.approx(float(learnt), abs=1e-12)
    assert disclosure.figures[1, 0] > 0.01
