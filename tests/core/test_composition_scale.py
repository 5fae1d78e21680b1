"""Two releases of as many records as Adult has, judged together in steps and memory."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest

from bkpriv_core.composition.constraint import Constraints
from bkpriv_core.composition.inference import infer
from bkpriv_core.table.groups import FloatArray, Groups, IntArray
from tests.core.watching import Watched, polls_of

RECORDS, VALUES = 45_222, 14


def cut(points: FloatArray, records: IntArray, axes: tuple[int, ...], k: int) -> Groups:
    """Groups of k to 2 k - 1 records, by medians of one axis after another."""
    groups, left = [], [(records, 0)]
    while left:
        some, depth = left.pop()
        if len(some) < 2 * k:
            groups.append(some)
            continue
        half = len(some) // 2
        order = np.argpartition(points[some, axes[depth % len(axes)]], half)
        left += [(some[order[:half]], depth + 1), (some[order[half:]], depth + 1)]
    return Groups.from_lists(groups)


@pytest.mark.parametrize(
    ("axes", "k", "certain", "most"),
    [((0, 1, 2), 5, 8_000, 6_000), ((2, 1, 0), 5, 17_000, 60_000), ((2, 1, 0), 20, 0, 45_000)],
    ids=["grown", "other cuts", "other cuts of large groups"],
)
def test_two_releases_of_many_records(
    axes: tuple[int, ...], k: int, certain: int, most: int
) -> None:
    """The second has eight per cent more records; and is cut alike, or along other axes first."""
    random = np.random.default_rng(7)
    points = random.normal(size=(RECORDS, 3))
    kind = np.digitize(points[:, 0], [-1, 0, 1])
    shares = random.dirichlet(np.ones(VALUES), 4)
    values = np.array([random.choice(VALUES, p=shares[mine]) for mine in kind])
    first = np.sort(random.permutation(RECORDS)[: int(RECORDS / 1.08)])
    releases = [
        cut(points, first, (0, 1, 2), k),
        cut(points, np.arange(RECORDS), axes, k),
    ]
    constraints = Constraints.joined(
        [
            Constraints(
                groups,
                np.stack([np.bincount(values[some], minlength=VALUES) for some in groups]),
            )
            for groups in releases
        ]
    )
    polled = 0

    def poll() -> None:
        nonlocal polled
        polled += 1

    told = infer(constraints, (shares[kind],), progress=Watched(poll, lambda share: poll()))
    assert polled < most
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2_000_000
    assert np.allclose(told.posteriors[0].sum(axis=1), 1.0)
    assert told.possible[np.arange(RECORDS), values].all()
    assert (told.low <= told.posteriors[0] + 1e-9).all()
    assert (told.high >= told.posteriors[0] - 1e-9).all()
    assert np.count_nonzero(told.certain) >= certain


def test_progress_rises_and_all_can_be_cancelled() -> None:
    random = np.random.default_rng(7)
    points, values = random.normal(size=(400, 3)), random.choice(3, size=400)
    constraints = Constraints.joined(
        [
            Constraints(
                groups, np.stack([np.bincount(values[some], minlength=3) for some in groups])
            )
            for groups in (cut(points, np.arange(400), axes, 5) for axes in ((0, 1, 2), (2, 1, 0)))
        ]
    )
    priors = (np.full((400, 3), 1 / 3),)
    shares: list[float] = []
    infer(constraints, priors, progress=Watched(report=shares.append))
    assert shares[-1] == 1.0
    assert (np.diff(shares) >= 0).all()
    assert polls_of(lambda progress: infer(constraints, priors, progress=progress)) > 100


def test_many_small_groups_of_one_large_one_can_be_cancelled() -> None:
    """Pairs cross the halves of a release: one component, of as many kinds as people."""
    count = 3_000
    halves = Groups.from_rows(np.arange(count).reshape(2, -1))
    pairs = Groups.from_rows(np.arange(count).reshape(2, -1).T)
    values = (np.arange(count) + np.arange(count) // (count // 2)) % 2
    constraints = Constraints.joined(
        [
            Constraints(
                groups, np.stack([np.bincount(values[some], minlength=2) for some in groups])
            )
            for groups in (halves, pairs)
        ]
    )
    polled: list[float] = []
    beliefs = np.random.default_rng(3).dirichlet(np.ones(2), count)
    watched = Watched(poll=lambda: polled.append(time.process_time()))
    infer(constraints, (beliefs,), progress=watched)
    assert max(np.diff(polled)) < 2.0
