"""Calculators: the mathematics on plain arrays, with the papers' own figures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from tests.conftest import Connection
from tests.core import oracles
from tests.db.clinic import one
from tests.db.refusal import refused, unchanged
from tests.db.waiting import timed_out

# Li, Li, Zhang 2009, tables II and III: three records, values HIV and none, one HIV released.
TABLE_2 = [[0.05, 0.95], [0.05, 0.95], [0.3, 0.7]]
TABLE_3 = [[0.0, 1.0], [0.0, 1.0], [0.3, 0.7]]


@pytest.mark.parametrize(
    ("estimator", "prior", "figure", "rounded"),
    [
        ("exact", TABLE_2, 0.27075 / 0.33725, 0.8028),
        ("omega", TABLE_2, 0.75 / (0.75 + 1.4 / 2.6), 0.5821),
        ("exact", TABLE_3, 1.0, 1.0),
        ("omega", TABLE_3, 1 / (1 + 1.4 / 2.7), 0.6585),
        # In table III nobody has a choice, which belief propagation settles first.
        ("bethe", TABLE_3, 1.0, 1.0),
    ],
)
def test_posteriors_of_the_paper(
    shared_db: Connection, estimator: str, prior: list[list[float]], figure: float, rounded: float
) -> None:
    found = one(shared_db, f"SELECT bkpriv.{estimator}_posterior(%s::float8[], '{{1,2}}')", [prior])
    assert found[2][0] == pytest.approx(figure, abs=1e-12)
    assert found[2][0] == pytest.approx(rounded, abs=5e-5)
    assert [sum(row) for row in found] == pytest.approx([1, 1, 1])


def test_posteriors_equal_those_by_listing_all_worlds(shared_db: Connection) -> None:
    draw = random.Random(5)
    for _ in range(20):
        records, values = draw.randint(1, 6), draw.randint(2, 4)
        weights = [[draw.randint(1, 9) for _ in range(values)] for _ in range(records)]
        prior = [[weight / sum(row) for weight in row] for row in weights]
        secrets = [draw.randrange(values) for _ in range(records)]
        counts = [secrets.count(value) for value in range(values)]
        for name, oracle in (
            ("exact", oracles.exact_posterior),
            ("omega", oracles.omega_posterior),
            ("additive", oracles.additive_posterior),
        ):
            query = f"SELECT bkpriv.{name}_posterior(%s::float8[], %s)"
            found = one(shared_db, query, [prior, counts])
            expected = oracle(prior, secrets)
            assert expected is not None
            for mine, theirs in zip(found, expected, strict=True):
                assert mine == pytest.approx([float(share) for share in theirs], abs=1e-12)


def test_distances(shared_db: Connection) -> None:
    p, q = [0.5, 0.3, 0.2, 0.0], [0.1, 0.2, 0.3, 0.4]
    ground = [[abs(i - j) / 3 for j in range(4)] for i in range(4)]
    arrays = "%s::float8[], %s::float8[]"
    found = one(shared_db, f"SELECT bkpriv.js_divergence({arrays})", [p, q])
    assert found == pytest.approx(oracles.js_divergence(p, q), abs=1e-12)
    found = one(shared_db, f"SELECT bkpriv.emd({arrays}, %s::float8[])", [p, q, ground])
    exactly = [[Fraction(abs(i - j), 3) for j in range(4)] for i in range(4)]
    before, after = ([Fraction(str(share)) for share in row] for row in (p, q))
    moved = oracles.earth_movers_distance(before, after, exactly)
    assert found == pytest.approx(float(moved), abs=1e-9)
    names = tuple("abcd")
    line = oracles.Attribute("v", names, numbers={name: i for i, name in enumerate(names)})
    for bandwidth in (0.2, 0.5, 0.75, 2.0):
        found = one(
            shared_db,
            f"SELECT bkpriv.smoothed_distance({arrays}, %s::float8[], %s)",
            [p, q, ground, bandwidth],
        )
        assert found == pytest.approx(oracles.belief_distance(line, p, q, bandwidth), abs=1e-9)


def _transport(values: int) -> list[Any]:
    """Two distributions, and distances that are all alike, the most laborious ones."""
    draw = random.Random(5)
    weights = [[draw.random() for _ in range(values)] for _ in range(2)]
    beliefs = [[weight / sum(row) for weight in row] for row in weights]
    return [*beliefs, [[float(i != j) for j in range(values)] for i in range(values)]]


TRANSPORT = "SELECT bkpriv.emd(%s::float8[], %s::float8[], %s::float8[])"


def test_transport_between_many_values_heeds_a_timeout(shared_db: Connection) -> None:
    one(shared_db, TRANSPORT, _transport(2))
    arguments = _transport(500)
    with timed_out(shared_db, 0.1):
        shared_db.execute(TRANSPORT, arguments)


def test_transport_between_too_many_values_is_refused(shared_db: Connection) -> None:
    refused(shared_db, TRANSPORT, _transport(501), sqlstate="54000", names=["501", "500"])


@pytest.mark.parametrize(
    "call",
    [
        "js_divergence(NULL, '{1}')",
        "emd('{1}', '{1}', NULL)",
        "exact_posterior(NULL, '{1}')",
        "bethe_posterior('{{1}}', NULL)",
        "omega_posterior('{{1}}', NULL)",
        "additive_posterior('{{1}}', NULL)",
        "smoothed_distance('{1}', '{1}', '{{0}}', NULL)",
    ],
)
def test_null_gives_null(shared_db: Connection, call: str) -> None:
    assert one(shared_db, f"SELECT bkpriv.{call}") is None


@pytest.mark.parametrize(
    ("call", "arguments", "names"),
    [
        ("js_divergence({}, {})", ["{0.5,NULL}", "{0.5,0.5}"], ["NULL"]),
        ("js_divergence({}, {})", ["{0.5,0.5}", "{1}"], ["2 and 1"]),
        ("js_divergence({}, {})", ["{}", "{}"], ["0 and 0"]),
        ("js_divergence({}, {})", ["{{0.5,0.5}}", "{{0.5,0.5}}"], ["1 x 2 and 1 x 2"]),
        ("js_divergence({}, {})", ["{0.5,0.4}", "{0.5,0.5}"], ["0.9"]),
        ("js_divergence({}, {})", ["{1.5,-0.5}", "{0.5,0.5}"], ["-0.5"]),
        ("js_divergence({}, {})", ["{NaN,1}", "{0.5,0.5}"], ["nan"]),
        ("js_divergence({}, {})", ["{Infinity,0}", "{0.5,0.5}"], ["inf"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{{0,1}}"], ["1 x 2", "2 x 2"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{0,1,1,0}"], ["is 4"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{{0,-1},{1,0}}"], ["-1"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{{1,1},{1,0}}"], ["diagonal"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{{0,NaN},{1,0}}"], ["finite"]),
        ("emd({}, {}, {})", ["{1,0}", "{0,1}", "{{0,NULL},{1,0}}"], ["NULL"]),
        ("smoothed_distance({}, {}, {}, 0)", ["{1,0}", "{0,1}", "{{0,1},{1,0}}"], ["0"]),
        ("smoothed_distance({}, {}, {}, -1)", ["{1,0}", "{0,1}", "{{0,1},{1,0}}"], ["-1"]),
        ("smoothed_distance({}, {}, {}, 'NaN')", ["{1,0}", "{0,1}", "{{0,1},{1,0}}"], ["NaN"]),
        ("exact_posterior({}, '{{1,1}}')", ["{{0.5,0.5}}"], ["1", "2"]),
        ("exact_posterior({}, '{{1}}')", ["{{0.5,0.5}}"], []),
        ("exact_posterior({}, '{{2,-1}}')", ["{{0.5,0.5}}"], ["non-negative"]),
        ("exact_posterior({}, '{{1,0}}')", ["{0.5,0.5}"], ["2 and 2"]),
        ("exact_posterior({}, '{{1,0}}')", ["{{0.5,0.4}}"], []),
        ("exact_posterior({}, '{{1,0}}')", ["{{1.5,-0.5}}"], []),
        ("exact_posterior({}, '{{1,0}}')", ["{{NULL,0.5}}"], ["NULL"]),
        ("exact_posterior({}, '{{1,NULL}}')", ["{{0.5,0.5}}"], ["NULL"]),
        ("exact_posterior({}, '{{}}')", ["{}"], []),
        ("bethe_posterior({}, '{{1,1}}')", ["{{0.5,0.5}}"], []),
        ("bethe_posterior({}, '{{1,0}}')", ["{{NaN,0.5}}"], []),
        ("omega_posterior({}, '{{1,1}}')", ["{{0.5,0.5}}"], []),
        ("omega_posterior({}, '{{1,0}}')", ["{{NaN,0.5}}"], []),
    ],
)
def test_what_makes_no_sense_is_refused(
    shared_db: Connection, call: str, arguments: Sequence[Any], names: Sequence[str]
) -> None:
    query = "SELECT bkpriv." + call.format(*["%s::float8[]"] * len(arguments))
    with unchanged(shared_db):
        refused(shared_db, query, arguments, sqlstate="22023", names=names)


def test_a_prior_that_rules_out_what_was_released_is_refused(shared_db: Connection) -> None:
    for estimator in ("exact", "bethe", "omega"):
        query = f"SELECT bkpriv.{estimator}_posterior('{{{{1,0}},{{1,0}}}}', '{{1,1}}')"
        refused(shared_db, query, sqlstate="22000", names=["value 2"])


def test_a_group_that_is_too_large_for_exact_inference_is_refused(shared_db: Connection) -> None:
    prior = [[0.1] * 10 for _ in range(1000)]
    query = "SELECT bkpriv.exact_posterior(%s::float8[], array_fill(100, ARRAY[10]))"
    said = refused(shared_db, query, [prior], sqlstate="54000")
    assert "states" in (said.message_detail or "")
    for name in ("bethe_", "omega_"):
        found = one(shared_db, query.replace("exact_", name), [prior])
        assert found[0] == pytest.approx([0.1] * 10)


def test_belief_propagation_estimates_or_says_that_it_does_not_converge(
    shared_db: Connection,
) -> None:
    draw = random.Random(6)
    weights = [[draw.randint(1, 9) for _ in range(3)] for _ in range(7)]
    prior = [[weight / sum(row) for weight in row] for row in weights]
    secrets = [0, 0, 0, 1, 1, 2, 2]
    expected = oracles.exact_posterior(prior, secrets)
    assert expected is not None
    errors = {}
    for name in ("bethe", "omega"):
        query = f"SELECT bkpriv.{name}_posterior(%s::float8[], '{{3,2,2}}')"
        found = one(shared_db, query, [prior])
        errors[name] = sum(
            abs(mine - theirs)
            for row, other in zip(found, expected, strict=True)
            for mine, theirs in zip(row, other, strict=True)
        )
    assert 0 < errors["bethe"] < 0.3 * errors["omega"]
    query = "SELECT bkpriv.bethe_posterior('{{0.6,0.4},{0.4,0.6}}', '{1,1}')"
    said = refused(shared_db, query, sqlstate="54000", names=["converge"])
    assert "exact_posterior" in (said.message_hint or "")
