"""Measures of a release against code that goes from record to record."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.core import oracles
from tests.core.loss_oracles import column_loss
from tests.db.clinic import (
    QUASI_IDENTIFIERS,
    SENSITIVE,
    one,
    publish,
    rows_of,
    sentence,
    state_policy,
)
from tests.db.naive import PATHS, records_of
from tests.db.refusal import refused

pytestmark = pytest.mark.rolled_back

Cell = tuple[str | None, ...]

BANDWIDTHS: list[Any] = [0.3, {"age": 0.15, "sex": 1.5, "city": 0.6}]


@pytest.fixture(scope="module")
def release(shared_clinic: Connection) -> int:
    """A release of the clinic's table."""
    return publish(shared_clinic, view="public.shown")


@pytest.fixture(scope="module")
def records(shared_clinic: Connection) -> oracles.Records:
    """The clinic's records as the oracles take them."""
    source = rows_of(shared_clinic, "clinic.patient")
    return records_of(source, ["age"], PATHS, [*QUASI_IDENTIFIERS, SENSITIVE])


def key(qi: dict[str, Any]) -> Cell:
    """Quasi-identifiers of a cell as the oracles' records have them."""
    return tuple(str(qi[name]) for name in QUASI_IDENTIFIERS)


def widths(bandwidth: Any) -> list[float]:
    """Bandwidths by attribute, in order."""
    if isinstance(bandwidth, dict):
        return [bandwidth[name] for name in QUASI_IDENTIFIERS]
    return [bandwidth] * 3


def naive_priors(records: oracles.Records, bandwidth: Any) -> dict[Cell, list[float]]:
    """Prior of each cell, from pairs of records."""
    beliefs = oracles.rounded(oracles.priors(records, widths(bandwidth)))
    return {row[:-1]: belief for row, belief in zip(records.rows, beliefs, strict=True)}


def groups_of(db: Connection, release: int, records: oracles.Records) -> dict[int, list[int]]:
    """Places of the records of each group."""
    cells = db.execute(
        "SELECT DISTINCT group_id, qi FROM bkpriv.disclosure(%s, '1')", [release]
    ).fetchall()
    group_of = {key(qi): group for group, qi in cells}
    members: dict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(records.rows):
        members[group_of[row[:-1]]].append(place)
    return members


@pytest.mark.parametrize("bandwidth", BANDWIDTHS, ids=str)
def test_priors(shared_clinic: Connection, records: oracles.Records, bandwidth: Any) -> None:
    expected = naive_priors(records, bandwidth)
    rows = shared_clinic.execute(
        "SELECT qi, sensitive, probability FROM bkpriv.prior('patients', %s)", [Jsonb(bandwidth)]
    ).fetchall()
    values = records.sensitive.values
    assert len(rows) == len(expected) * len(values)
    for qi, sensitive, probability in rows:
        assert isinstance(qi["age"], int)
        belief = expected[key(qi)]
        assert probability == pytest.approx(belief[values.index(sensitive)], abs=1e-12)


@pytest.mark.parametrize("estimator", ["exact", "omega", "auto"])
def test_posteriors(
    shared_clinic: Connection, records: oracles.Records, release: int, estimator: str
) -> None:
    priors = naive_priors(records, 0.3)
    values = records.sensitive.values
    found: dict[Cell, dict[str | None, tuple[float, float]]] = defaultdict(dict)
    for _, qi, sensitive, prior, posterior, used in shared_clinic.execute(
        "SELECT * FROM bkpriv.posterior(%s, '0.3', %s)", [release, estimator]
    ).fetchall():
        found[key(qi)][sensitive] = (prior, posterior)
        assert used == ("omega" if estimator == "omega" else "exact")
    for group in groups_of(shared_clinic, release, records).values():
        before = [priors[records.rows[place][:-1]] for place in group]
        secrets = records.secrets(group)
        counts = tuple(secrets.count(value) for value in range(len(values)))
        after = (
            oracles.omega_posterior(before, secrets)
            if estimator == "omega"
            else oracles.posterior_by_equation_3(before, counts)
        )
        assert after is not None
        for place, prior, posterior in zip(group, before, after, strict=True):
            told = found[records.rows[place][:-1]]
            assert [told[value][0] for value in values] == pytest.approx(prior, abs=1e-12)
            floats = [float(share) for share in posterior]
            assert [told[value][1] for value in values] == pytest.approx(floats, abs=1e-10)


@pytest.mark.parametrize("estimator", ["exact", "omega"])
def test_disclosures_and_the_audit_of_them(
    shared_clinic: Connection, records: oracles.Records, release: int, estimator: str
) -> None:
    priors = naive_priors(records, 0.3)
    beliefs = [priors[row[:-1]] for row in records.rows]
    expected: dict[Cell, float] = {}
    each: list[float] = []
    for group in groups_of(shared_clinic, release, records).values():
        figures = oracles.disclosures(records, beliefs, group, None, estimator)
        each += figures
        expected |= {
            records.rows[place][:-1]: figure for place, figure in zip(group, figures, strict=True)
        }
    told = shared_clinic.execute(
        "SELECT * FROM bkpriv.disclosure(%s, '0.3', %s)", [release, estimator]
    ).fetchall()
    assert sum(row[2] for row in told) == len(records.rows)
    for _, qi, _, figure, used in told:
        assert figure == pytest.approx(expected[key(qi)], abs=1e-9)
        assert used == estimator
    # An audit says the same in one line.
    for t in (0.05, 0.2, 0.6):
        ((name, parameters, threshold, worst, mean, vulnerable, satisfied, used, *_),) = (
            shared_clinic.execute(
                "SELECT * FROM bkpriv.audit(%s, jsonb_build_object('bt_privacy', "
                "jsonb_build_object('bandwidth', 0.3, 't', %s::numeric)), %s)",
                [release, t, estimator],
            ).fetchall()
        )
        assert (name, parameters, threshold) == ("bt_privacy", {"bandwidth": 0.3, "t": t}, t)
        assert worst == pytest.approx(max(each), abs=1e-9)
        assert mean == pytest.approx(sum(each) / len(each), abs=1e-9)
        assert vulnerable == sum(figure > t + 1e-9 for figure in each)
        assert satisfied == (vulnerable == 0)
        assert used == estimator


def test_audits_of_the_other_requirements(
    shared_clinic: Connection, records: oracles.Records, release: int
) -> None:
    groups = list(groups_of(shared_clinic, release, records).values())
    ground = oracles.ground_distances

    def closeness(group: list[int], name: str) -> float:
        overall = oracles.shares(records, records.everything())
        mine = oracles.shares(records, group)
        return float(oracles.earth_movers_distance(mine, overall, ground(records.sensitive, name)))

    def probable(group: list[int]) -> float:
        return float(1 / max(oracles.shares(records, group)))

    checks: list[tuple[str, dict[str, Any], float, list[float]]] = [
        ("k_anonymity", {"k": 6}, 6, [float(len(group)) for group in groups]),
        (
            "l_diversity",
            {"l": 3, "variant": "distinct"},
            3,
            [float(len(set(records.secrets(group)))) for group in groups],
        ),
        (
            "l_diversity",
            {"l": 1.9, "variant": "probabilistic"},
            1.9,
            [probable(group) for group in groups],
        ),
    ]
    for name in ("equal", "ordered", "hierarchical"):
        figures = [closeness(group, name) for group in groups]
        checks.append(("t_closeness", {"t": 0.3, "ground": name}, 0.3, figures))
    sizes = [len(group) for group in groups]
    for name, parameters, threshold, figures in checks:
        ((told, _, bound, worst, mean, vulnerable, satisfied, *_),) = shared_clinic.execute(
            "SELECT * FROM bkpriv.audit(%s, %s)", [release, Jsonb({name: parameters})]
        ).fetchall()
        upper = name == "t_closeness"
        broken = [
            figure > threshold + 1e-9 if upper else figure < threshold - 1e-9 for figure in figures
        ]
        weighted = sum(size * figure for size, figure in zip(sizes, figures, strict=True))
        assert (told, bound) == (name, threshold)
        assert worst == pytest.approx(max(figures) if upper else min(figures), abs=1e-9)
        assert mean == pytest.approx(weighted / sum(sizes), abs=1e-9)
        assert vulnerable == sum(size for size, bad in zip(sizes, broken, strict=True) if bad)
        assert satisfied == (vulnerable == 0)


def test_an_audit_of_a_policy_has_one_row_for_each_bound(
    shared_clinic: Connection, release: int
) -> None:
    rows = shared_clinic.execute(
        "SELECT requirement, threshold FROM bkpriv.audit(%s, "
        '\'{"bt_privacy": [{"bandwidth": 0.3, "t": 0.2}, {"bandwidth": 0.5, "t": 0.1}], '
        '"k_anonymity": {"k": 4}}\')',
        [release],
    ).fetchall()
    assert rows == [("k_anonymity", 4.0), ("bt_privacy", 0.2), ("bt_privacy", 0.1)]


def test_utility(shared_clinic: Connection, records: oracles.Records, release: int) -> None:
    groups = list(groups_of(shared_clinic, release, records).values())
    expected = oracles.utility(records, groups)
    told: dict[str, float] = dict(
        shared_clinic.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    )
    assert set(told) >= set(expected)
    for metric, value in expected.items():
        assert value is not None
        assert told[metric] == pytest.approx(float(value), abs=1e-9), metric
    for axis, attribute in enumerate(records.attributes):
        lost = column_loss(records, groups, axis)
        assert lost is not None
        assert told[f"gcp({attribute.name})"] == pytest.approx(float(lost), abs=1e-9)


@pytest.mark.parametrize(
    ("method", "alike"),
    [
        ("mondrian", "mondrian"),
        ("bucketize", "bucketize"),
        ("anatomy", "bucketize"),
        ("incognito", "incognito"),
    ],
)
def test_loss_stands_beside_that_of_k_anonymity_alone(
    clinic: Connection, method: str, alike: str
) -> None:
    def measured(release: int) -> dict[str, float]:
        query = "SELECT * FROM bkpriv.utility(%s)"
        return dict(clinic.execute(query, [release]).fetchall())

    state_policy(clinic, "four", {"k_anonymity": {"k": 4}})
    diverse = measured(publish(clinic, view="public.v", method=method))
    four = measured(publish(clinic, policy="four", view="public.v", method=alike))
    for metric in ("discernibility", "average_class_size", "gcp", "rgcp", "suppressed_share"):
        if metric in ("gcp", "rgcp") and method in ("bucketize", "anatomy"):
            assert f"{metric}_k_anonymous" not in diverse
        else:
            assert diverse[f"{metric}_k_anonymous"] == pytest.approx(four[metric], abs=1e-12)
            assert four[f"{metric}_k_anonymous"] == pytest.approx(four[metric], abs=1e-12)


def test_auto_says_where_it_is_an_estimate(db: Connection) -> None:
    # One small group, and groups whose ten cells of 25 records and ten values make too many states.
    db.execute(
        """
        CREATE TABLE mixed AS
        SELECT 'large' AS kind, i % 40 AS a, (i % 10 + 3 * (i % 7 = 0)::int) % 10 AS b
        FROM generate_series(1, 1000) AS i
        UNION ALL SELECT 'small', 0, i FROM generate_series(0, 9) AS i;
        SELECT bkpriv.register_dataset('mixed', 'mixed', '{kind,a}', 'b');
        """
    )
    # Bounds prove little where most of a group cannot have the values that others have.
    bound = {"bt_privacy": {"bandwidth": 0.05, "t": 0.6}}
    state_policy(db, "p", {"l_diversity": {"l": 10}} | bound)
    release = publish(db, "mixed", "p", "public.shown")
    assert "bt_privacy of 1000 of 1010 records is an estimate" in sentence(db, release)
    advice = "SELECT advice FROM bkpriv.verdict(%s) WHERE what LIKE 'estimated: bt_privacy%%'"
    assert '{"beyond": "suppress"}' in one(db, advice, [release])
    for told in ("posterior", "disclosure"):
        used = db.execute(
            "SELECT DISTINCT qi ->> 'kind', estimator_used "
            f"FROM bkpriv.{told}(%s, '0.05') ORDER BY 1",
            [release],
        ).fetchall()
        assert used == [("large", "bethe"), ("small", "exact")]
    audited = "SELECT estimator_used FROM bkpriv.audit(%s, %s)"
    assert one(db, audited, [release, Jsonb(bound)]) == (
        "exact, but bethe for 4 groups (1000 records)"
    )
    bound["bt_privacy"]["t"] = 0.9
    assert "bound for 1 group (250 records)" in one(db, audited, [release, Jsonb(bound)])
    # To insist on what is not feasible is an error that names a group.
    query = "SELECT * FROM bkpriv.disclosure(%s, '0.05', 'exact')"
    refused(db, query, [release], sqlstate="54000", names=["group"])
