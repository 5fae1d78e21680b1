"""The main job on real and generated data: published, audited, and still of use.

The Adult data are not part of the project. Name the file with its hierarchies beside it in the
environment variable ADULT to have them tested, as in `make test-all ADULT=adult.csv`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import declare_source
from bkpriv_client.hospital import hospital
from bkpriv_client.loading import load_source
from bkpriv_client.source import Source
from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy

SKYLINE = [{"bandwidth": bandwidth, "t": 0.2} for bandwidth in (0.2, 0.3, 0.5)]


@dataclass(frozen=True)
class Published:
    """A source published three ways."""

    db: Connection
    name: str
    records: int
    plain: int
    estimated: int
    certified: int
    """Releases: 4-anonymous and 4-diverse; under the skyline certified by omega, which leaves the
    partition as it is; under the skyline certified by auto, which mends it.
    """

    def audit(self, release: int, estimator: str) -> list[tuple[Any, ...]]:
        """Measure a release against the three adversaries."""
        return self.db.execute(
            "SELECT worst, vulnerable, satisfied, estimator_used FROM bkpriv.audit(%s, %s, %s)",
            [release, Jsonb({"bt_privacy": SKYLINE}), estimator],
        ).fetchall()

    def blended(self) -> Published:
        """Publish under the skyline again, beliefs blended by a smoothing of 0.75."""
        skyline = [{**adversary, "smoothing": 0.75} for adversary in SKYLINE]
        requirements = {"k_anonymity": {"k": 4}, "bt_privacy": skyline, "overlap": "warn"}
        state_policy(self.db, "blended", requirements)

        def made(estimator: str) -> int:
            view = f"{self.name}.blended_{estimator}"
            return publish(self.db, self.name, "blended", view, {"estimator": estimator})

        return replace(self, estimated=made("omega"), certified=made("auto"))

    def gcp(self, release: int) -> float:
        """Global certainty penalty of a release."""
        metric = "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'"
        return float(one(self.db, metric, [release]))


def adult() -> Source:
    """Read the Adult data, or skip."""
    path = os.environ.get("ADULT")
    if not path:
        pytest.skip("the Adult data are missing: set ADULT to the CSV file, hierarchies beside it")
    return read_adult(Path(path))


def generated() -> Source:
    """Draw a hospital."""
    return hospital(8000, seed=3)


SOURCES: dict[str, Callable[[], Source]] = {"adult": adult, "hospital": generated}


@pytest.fixture(
    scope="module", params=[pytest.param("adult", marks=pytest.mark.extended), "hospital"]
)
def published(request: pytest.FixtureRequest, shared_db: Connection) -> Published:
    """A source, loaded, declared and published."""
    source = SOURCES[request.param]()
    db = shared_db
    db.execute(f"CREATE SCHEMA {source.name}")
    load_source(db, source.name, source)
    for statement in declare_source(db, source.name, source.name, source):
        db.execute(statement)
    state_policy(db, "plain", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 4}})
    state_policy(db, "skyline", {"k_anonymity": {"k": 4}, "bt_privacy": SKYLINE})

    def made(policy: str, estimator: str) -> int:
        view = f"{source.name}.{policy}_{estimator}"
        return publish(db, source.name, policy, view, {"estimator": estimator})

    return Published(
        db,
        request.param,
        source.records,
        made("plain", "auto"),
        made("skyline", "omega"),
        made("skyline", "auto"),
    )


def test_syntactic_requirements_leave_hundreds_vulnerable(published: Published) -> None:
    rows = published.audit(published.plain, "auto")
    assert len(rows) == 3
    for worst, vulnerable, satisfied, _ in rows:
        assert worst > 0.5
        assert vulnerable >= 200
        assert not satisfied


@pytest.mark.parametrize("estimator", ["auto", pytest.param("exact", marks=pytest.mark.extended)])
def test_a_certified_release_leaves_nobody_vulnerable(published: Published, estimator: str) -> None:
    release = published.certified
    if estimator == "exact":  # Some groups are too large for it, unless they are left out.
        options = {"estimator": "auto", "beyond": "suppress"}
        view = f"{published.name}.exactly"
        release = publish(published.db, published.name, "skyline", view, options)
    rows = published.audit(release, estimator)
    assert len(rows) == 3
    for worst, vulnerable, satisfied, used in rows:
        assert worst <= 0.2 + 1e-9
        assert (vulnerable, satisfied) == (0, True)
        assert used.startswith("exact")
        assert used == "exact" or estimator == "auto"


def test_an_estimate_alone_would_have_broken_the_promise(published: Published) -> None:
    for worst, vulnerable, satisfied, _ in published.audit(published.estimated, "omega"):
        assert worst <= 0.2 + 1e-9
        assert (vulnerable, satisfied) == (0, True)
    rows = published.audit(published.estimated, "auto")
    assert max(worst for worst, *_ in rows) > 0.25
    assert max(vulnerable for _, vulnerable, *_ in rows) >= 10


def test_propagation_errs_far_less_than_omega(published: Published) -> None:
    """Mean total variation to the exact posterior, over cells of groups that all three infer."""
    exact, bethe, omega = one(
        published.db,
        """
        SELECT ARRAY[count(*), avg(bethe), avg(omega)] FROM (
            SELECT sum(abs(a.posterior - b.posterior)) / 2 AS bethe,
                sum(abs(a.posterior - o.posterior)) / 2 AS omega
            FROM bkpriv.posterior(%s, '0.3', 'auto') AS a
            JOIN bkpriv.posterior(%s, '0.3', 'bethe') AS b USING (group_id, qi, sensitive)
            JOIN bkpriv.posterior(%s, '0.3', 'omega') AS o USING (group_id, qi, sensitive)
            WHERE a.estimator_used = 'exact' AND b.estimator_used = 'bethe'
            GROUP BY group_id, qi
        ) AS cell
        """,
        [published.estimated] * 3,
    )
    assert exact > 1000
    assert bethe <= 0.3 * omega


@pytest.mark.parametrize("blended", [True, False])
def test_what_certification_costs(published: Published, blended: bool) -> None:
    if blended:
        published = published.blended()
    suppressed = one(
        published.db,
        "SELECT suppressed FROM bkpriv.releases WHERE release = %s",
        [published.certified],
    )
    assert suppressed <= 0.01 * published.records
    # Of Adult omega misses more where beliefs are not blended: 1.28 times the detail is lost. Of
    # two draws of the hospital, with six orders of columns each, it is 1.07 to 1.24 times as much.
    most = 1.15 if blended else {"adult": 1.3, "hospital": 1.25}[published.name]
    assert published.gcp(published.certified) <= most * published.gcp(published.estimated)


_FARTHEST = """
SELECT max(bits) FROM (
    SELECT sum(CASE WHEN prior > 0 THEN prior * ln(2 * prior / (prior + posterior)) ELSE 0 END
        + CASE WHEN posterior > 0 THEN posterior * ln(2 * posterior / (prior + posterior))
            ELSE 0 END)
        / (2 * ln(2)) AS bits
    FROM bkpriv.posterior(%s, %s, 'auto') GROUP BY group_id, qi
) AS moved
"""
"""Jensen-Shannon divergence of beliefs as they are, by its definition."""

_SURE = """
SELECT p.group_id, p.qi, p.sensitive,
    (SELECT count(*) FROM {0}.{0} AS s
     WHERE to_jsonb(s) @> (p.qi || jsonb_build_object({1}, p.sensitive)))
FROM bkpriv.posterior(%s, '0.3', 'auto') AS p WHERE p.prior <= 0.5 AND p.posterior > 0.9
"""
"""Query of the records of which an adversary becomes sure, and of how many that is true."""

_MOST_LOST = {("adult", "mondrian"): 0.035, ("adult", "agglomerate"): 0.020}


@pytest.mark.parametrize("method", ["mondrian", "agglomerate"])
def test_beliefs_that_are_not_blended_are_bounded_too(published: Published, method: str) -> None:
    """The default holds: whoever states t = 0.2 gets what the words say, at a bearable price."""
    db, name = published.db, published.name
    state_policy(db, "five", {"k_anonymity": {"k": 5}, "bt_privacy": SKYLINE})
    release = publish(db, name, "five", f"{name}.five_{method}", {}, method)
    for bandwidth in (0.2, 0.3, 0.5):
        assert one(db, _FARTHEST, [release, str(bandwidth)]) <= 0.2 + 1e-9
    suppressed = "SELECT suppressed FROM bkpriv.releases WHERE release = %s"
    assert one(db, suppressed, [release]) == 0
    if (name, method) in _MOST_LOST:
        assert published.gcp(release) <= _MOST_LOST[name, method]
    sensitive = one(
        db, "SELECT quote_literal(sensitive[1]) FROM bkpriv.dataset WHERE name = %s", [name]
    )
    sure = db.execute(_SURE.format(name, sensitive).encode(), [release]).fetchall()
    assert sum(people for *_, people in sure) <= 1
    named = db.execute(
        "SELECT group_id, sure_qi FROM bkpriv.explain_disclosure(%s, '0.3') WHERE sure > 0",
        [release],
    ).fetchall()
    assert all((group, qi) in named for group, qi, *_ in sure)


def errors(published: Published, release: int, dimensions: int, selectivity: float) -> list[float]:
    """Errors of random queries that count something."""
    rows = published.db.execute(
        "SELECT relative_error FROM bkpriv.query_workload(%s, 3000, %s, %s, 1) "
        "WHERE relative_error IS NOT NULL",
        [release, dimensions, selectivity],
    ).fetchall()
    assert len(rows) > 2000
    return [error for (error,) in rows]


def bucketized(published: Published) -> int:
    """The source published with its quasi-identifiers as they are."""
    return publish(
        published.db,
        published.name,
        "plain",
        f"{published.name}.bucketized",
        method="bucketize",
    )


def test_queries_err_less_the_more_they_count(published: Published) -> None:
    releases = {"generalized": published.certified, "bucketized": bucketized(published)}
    typical: dict[str, float] = {}
    for name, release in releases.items():
        by_selectivity = [
            median(errors(published, release, 3, selectivity)) for selectivity in (0.02, 0.1, 0.5)
        ]
        assert by_selectivity == sorted(by_selectivity, reverse=True)
        assert by_selectivity[0] > 2 * by_selectivity[2]
        typical[name] = by_selectivity[1]
        if published.name == "adult":
            # Li, Li, Zhang 2009, Figure 6(a).
            few, many = (mean(errors(published, release, number, 0.05)) for number in (2, 6))
            assert few > many
    assert typical["bucketized"] < typical["generalized"]


def test_ten_thousand_queries_are_answered(published: Published) -> None:
    answered = one(
        published.db,
        "SELECT count(*) FROM bkpriv.query_workload(%s, 10000, 3, 0.05, 1)",
        [published.certified],
    )
    assert answered == 10_000
