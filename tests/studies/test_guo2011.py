"""``make study STUDY=guo2011``: its data against full matrices, sums and what was drawn."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest

from bkpriv_client.adult import read_adult
from bkpriv_core.release.release import Release
from bkpriv_core.table.chance import SeededChance
from bkpriv_core.table.groups import FloatArray
from studies.guo2011.command import STUDY
from studies.guo2011.design import (
    ATTRIBUTES,
    GROUPED,
    QUICK,
    RR_QI,
    RR_S,
    RR_S_MARGINAL,
    TABLES,
)
from studies.guo2011.reading import LIKELIEST, UNBIASED, readings
from studies.guo2011.workshop import Workshop, find_retentions, resized
from tests.census_files import adult_files
from tests.core.randomization_oracles import dense, kron, largest_risk, norm_of_inverses
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_again, assert_complete, failed, succeeded

pytestmark = pytest.mark.extended

FIGURES = [figure.name for figure in STUDY.figures]

FEW = tuple(f"education {place:02}" for place in range(4))
"""Educations that are kept: with all of them there are too many combinations for full matrices."""

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Study:
    """A study that was run, and its data."""

    data: Path
    figures: Path

    def rows(self, name: str, **settings: str) -> Rows:
        """Rows of a figure's data that have some settings."""
        return read_rows(self.figures / f"{name}.csv", **settings)

    @cached_property
    def records(self) -> Rows:
        """The records."""
        with self.data.open(newline="") as stream:
            return list(csv.DictReader(stream))

    @cached_property
    def workshop(self) -> Workshop:
        """Workshop that makes the same releases once more."""
        return Workshop(read_adult(self.data), QUICK.seed)

    def counts(self, name: str) -> FloatArray:
        """Records by all attributes of a table."""
        columns = TABLES[name]
        values = [sorted({record[column] for record in self.records}) for column in columns]
        counts = np.zeros([len(column) for column in values])
        for record in self.records:
            place = [
                known.index(record[column]) for known, column in zip(values, columns, strict=True)
            ]
            counts[tuple(place)] += 1
        return counts

    def releases(self, kind: str, ell: int) -> Iterator[Release]:
        """Releases of ESGRO that the study made."""
        (found,) = (item for item in (RR_QI, *GROUPED) if item.name == kind)
        for number in range(QUICK.draws if found.chance else 1):
            release = self.workshop.release("ESGRO", found, ell, number)
            assert release is not None
            yield release


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    data = adult_files(tmp_path_factory.mktemp("adult"), 3000, most=250)
    with data.open(newline="") as stream:
        records = [row for row in csv.DictReader(stream) if row["education"] in FEW]
    with data.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [*records[0], "salary"])
        writer.writeheader()
        for place, record in enumerate(records):
            high = place % (3 if record["education"] == FEW[1] else 7) == 0
            writer.writerow(record | {"salary": ">50K" if high else "<=50K"})
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    succeeded("guo2011", "--adult", str(data), "--out", str(figures), "--quick")
    return Study(data, figures)


def test_every_figure_has_data_and_a_picture(study: Study) -> None:
    assert_complete(study.figures, FIGURES)


# --- retentions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "figure"), [("EMGRW", "table_3"), ("ESGRO", "extra_retentions")])
@pytest.mark.parametrize("scheme", ["RR-QI", "RR-Both"])
def test_retentions_keep_the_bound(study: Study, name: str, figure: str, scheme: str) -> None:
    counts = study.counts(name)
    for ell in QUICK.levels:
        rows = study.rows(figure, scheme=scheme, l=str(ell))
        assert [row["attribute"] for row in rows] == list(TABLES[name])
        assert [int(row["values"]) for row in rows] == list(counts.shape)
        retentions = [float(row["retention"]) for row in rows]
        assert scheme == "RR-Both" or retentions[-1] == 1
        shares = counts.reshape(-1, counts.shape[-1]) / counts.sum()
        risk = largest_risk(shares, counts.shape, retentions)
        assert risk == pytest.approx(1 / ell, rel=1e-4)
        assert {row["risk"] for row in rows} == {f"{1 / ell:.6g}"}


def test_the_sensitive_attribute_alone_does_not_keep_it(study: Study) -> None:
    counts = study.counts("EMGRW")
    cells = counts.reshape(-1, counts.shape[-1])
    shares = cells[cells.sum(axis=1) > 0]
    shares = shares / shares.sum(axis=1, keepdims=True)
    assert (shares == 1).any()
    for ell in QUICK.levels:
        for row in study.rows("table_3", scheme=RR_S.name, l=str(ell)):
            assert not row["retention"]
            assert float(row["best_attainable"]) == 1
            over = sum(
                counts[place]
                for place in np.ndindex(counts.shape)
                if counts[place] and counts[place] / counts[place[:-1]].sum() > math.sqrt(1 / ell)
            )
            assert int(row["records_over"]) == over


def test_the_marginal_variant_by_full_matrices(study: Study) -> None:
    met = 0
    for name, ell in itertools.product(TABLES, (2, 3, 4, 6)):
        counts = study.counts(name)
        cells = counts.reshape(-1, counts.shape[-1])
        cells = cells[cells.sum(axis=1) > 0]
        largest = (cells / cells.sum(axis=1, keepdims=True)).max(axis=0)
        overall = cells.sum(axis=0) / counts.sum()
        found = find_retentions(study.workshop.tables[name], RR_S_MARGINAL, ell)
        best = float((largest * overall).max())
        assert found.best == pytest.approx(best)
        if found.channels is None:
            assert best >= 1 / ell
            continue
        met += 1
        matrix = dense(counts.shape[-1], found.channels[-1].retention)
        shown = matrix @ overall
        guessed = [
            share * (matrix[:, value] ** 2 / shown).sum() for value, share in enumerate(overall)
        ]
        assert float((largest * guessed).max()) == pytest.approx(1 / ell, rel=1e-6)
        assert {channel.retention for channel in found.channels[:-1]} == {1.0}
        norm = norm_of_inverses([len(matrix)], [found.channels[-1].retention])
        assert found.objective == pytest.approx(norm)
    assert met


# --- what readers estimate ------------------------------------------------------------------------


def without_bias(release: Release) -> FloatArray:
    """Estimated counts by all attributes, by the inverse of the whole matrix."""
    channels, drawn = release.form.channels, release.form.drawn
    assert channels is not None
    assert drawn is not None
    shown = np.zeros([domain.size for domain in release.domains])
    shown[tuple(drawn.codes.T)] = drawn.counts
    assert shown.sum() == release.table.records
    matrix = kron([dense(channel.size, channel.retention) for channel in channels])
    counts = np.linalg.solve(matrix, shown.ravel())
    return np.asarray(counts, dtype=np.float64).reshape(shown.shape)


def exactly(release: Release) -> FloatArray:
    """Counts by all attributes that a release by buckets is expected to have."""
    counts = np.zeros([domain.size for domain in release.domains])
    parts = release.parts
    for group in range(len(release.groups)):
        (members,) = np.nonzero(release.labels == group)
        shares = parts.counts[members].sum(axis=0) / parts.counts[members].sum()
        for part in members:
            counts[tuple(parts.codes[part])] += parts.counts[part].sum() * shares
    return counts


ESTIMATES = {
    "RR-QI, unbiased": ("RR-QI", without_bias),
    "anatomy": ("anatomy", exactly),
    "bucketize": ("bucketize", exactly),
}


def assert_spread(row: dict[str, str], figure: str, expected: list[float]) -> None:
    """Assert that a row has the mean of figures and their deviation."""
    assert float(row[figure]) == approx(fmean(expected))
    if len(expected) > 1:
        assert float(row["deviation"]) == pytest.approx(stdev(expected), rel=1e-4, abs=1e-9)
    else:
        assert not row["deviation"]


@pytest.mark.parametrize("released", ESTIMATES)
@pytest.mark.parametrize("ell", QUICK.levels)
def test_distances(study: Study, released: str, ell: int) -> None:
    actual = study.counts("ESGRO")
    kind, estimate = ESTIMATES[released]
    there = actual > 0
    estimated = map(estimate, study.releases(kind, ell))
    apart = [counts / counts.sum() - actual / actual.sum() for counts in estimated]
    original = actual[there] / actual.sum()
    for distance, expected in (
        ("Euclidean", [math.sqrt((gap**2).sum()) for gap in apart]),
        (
            "chi-square, by the original",
            [float((gap[there] ** 2 / original).sum()) for gap in apart],
        ),
    ):
        (row,) = study.rows("figure_5", released=released, l=str(ell), distance=distance)
        assert_spread(row, "figure", expected)
        assert float(row["max_disclosure"]) <= 1 / ell + 1e-6


@pytest.mark.parametrize("released", ESTIMATES)
@pytest.mark.parametrize("ell", QUICK.levels)
def test_errors_of_queries(study: Study, released: str, ell: int) -> None:
    """Counts by fewer attributes are sums, of the estimates as of the records."""
    actual = study.counts("ESGRO")
    kind, estimate = ESTIMATES[released]
    by_all, in_cube = [], []
    for release in study.releases(kind, ell):
        estimated = estimate(release)
        errors: dict[int, list[float]] = {}
        for chosen in itertools.product((False, True), repeat=actual.ndim):
            others = tuple(axis for axis, kept in enumerate(chosen) if not kept)
            truth, guess = actual.sum(axis=others), estimated.sum(axis=others)
            there = truth > 0
            found = (np.abs(guess - truth)[there] / truth[there]).tolist()
            errors.setdefault(sum(chosen), []).extend(found)
        by_all.append(fmean(errors[actual.ndim]))
        in_cube.append(fmean(error for some in errors.values() for error in some))
    for query, expected in zip(("(a)", "(b)"), (by_all, in_cube), strict=True):
        (row,) = [
            row
            for row in study.rows("figure_6", released=released, l=str(ell))
            if row["query"].startswith(query)
        ]
        assert_spread(row, "error", expected)


@pytest.mark.parametrize("released", ESTIMATES)
def test_errors_by_fewer_attributes(study: Study, released: str) -> None:
    actual = study.counts("ESGRO")
    kind, estimate = ESTIMATES[released]
    estimates = [estimate(release) for release in study.releases(kind, QUICK.level)]
    rows = study.rows("extra_cube", released=released)
    assert [row["quasi_identifiers"] for row in rows] == ["1", "2", "3", "4"]
    for row in rows:
        expected = []
        for estimated in estimates:
            errors: list[float] = []
            for others in itertools.combinations(range(4), 4 - int(row["quasi_identifiers"])):
                truth, guess = actual.sum(axis=others), estimated.sum(axis=others)
                there = truth > 0
                errors += (np.abs(guess - truth)[there] / truth[there]).tolist()
            expected.append(fmean(errors))
        assert_spread(row, "error", expected)


def test_the_likeliest_counts_are_not_negative(study: Study) -> None:
    release = next(study.releases("RR-QI", 4))
    for keys in ((0, 1, 2, 3, 4), (0, 4), ()):
        told = {name: read(keys) for name, read in readings(release).items()}
        assert list(told) == [LIKELIEST, UNBIASED]
        assert told[LIKELIEST].min() >= 0
        if len(keys) == 5:
            assert told[UNBIASED].min() < 0
        for counts in told.values():
            assert counts.sum() == pytest.approx(release.table.records)


def test_original_associations(study: Study) -> None:
    letters = {letter: column for column, letter in ATTRIBUTES.items()}

    def entropy(*columns: str) -> float:
        counted = Counter(tuple(record[column] for column in columns) for record in study.records)
        return -sum(n / counted.total() * math.log2(n / counted.total()) for n in counted.values())

    for name, pairs in (("table_4", 12), ("table_5", 8)):
        rows = study.rows(name, released="original", l=str(QUICK.levels[0]))
        assert len(rows) == pairs
        for row in rows:
            one, other = (letters[letter] for letter in row["pair"].split("|"))
            told = entropy(one) + entropy(other) - entropy(one, other)
            assert float(row["coefficient"]) == approx(told / entropy(one))
            assert row["coefficient"] == row["original"]


def test_averages_of_associations(study: Study) -> None:
    for letter, name in (("(a)", "table_5"), ("(b)", "table_4")):
        for row in study.rows("figure_7"):
            if row["pair"].startswith(letter):
                pairs = study.rows(name, released=row["released"], l=row["l"])
                mean = fmean(float(pair["coefficient"]) for pair in pairs)
                assert float(row["coefficient"]) == pytest.approx(mean, rel=1e-4)


def test_beliefs(study: Study) -> None:
    actual = study.counts("ESGRO")

    def believed(counts: FloatArray) -> tuple[float, float]:
        sure, largest = 0.0, 0.0
        for place in np.ndindex(actual.shape[:-1]):
            if actual[place].sum():
                shares = counts[place] / counts[place].sum()
                sure += float(actual[place] @ shares)
                if actual[place].sum() >= 100:
                    largest = max(largest, float(shares.max()))
        return sure / actual.sum(), largest

    releases = {kind: map(exactly, study.releases(kind, 2)) for kind in ("anatomy", "bucketize")}
    for released, several in {"the table itself": [actual], **releases}.items():
        mean, largest = zip(*map(believed, several), strict=True)
        rows = study.rows("extra_belief", released=released, l="2")
        assert [row["belief"][:7] for row in rows] == ["in the ", "largest"]
        assert_spread(rows[0], "probability", list(mean))
        assert_spread(rows[1], "probability", list(largest))
    for row in study.rows("extra_belief", released="RR-QI"):
        (known,) = study.rows(
            "extra_belief", released="the table itself", l=row["l"], belief=row["belief"]
        )
        assert float(row["probability"]) == pytest.approx(float(known["probability"]), abs=0.15)


# --- what is drawn --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["RR-QI", "anatomy"])
def test_draws_differ(study: Study, kind: str) -> None:
    estimate = without_bias if kind == "RR-QI" else exactly
    one, other, *_ = map(estimate, study.releases(kind, QUICK.levels[0]))
    assert not np.allclose(one, other)


@pytest.mark.parametrize("size", [0.25, 1.0, 1.5, 3.0])
def test_a_table_of_another_size(study: Study, size: float) -> None:
    table = study.workshop.tables["ESGRO"]
    other = resized(table, size, SeededChance(1))
    assert abs(other.records - size * table.records) < 1
    assert other.counts.any(axis=1).all()
    counts = {tuple(codes): held for codes, held in zip(other.codes, other.counts, strict=True)}
    for codes, held in zip(table.codes, table.counts, strict=True):
        found = counts.pop(tuple(codes), np.zeros_like(held))
        assert (found >= int(size) * held).all()
        assert (found <= math.ceil(size) * held).all()
    assert not counts


def test_all_is_the_same_again(study: Study, tmp_path: Path) -> None:
    assert_again(study.figures, tmp_path, ["table_4"], "guo2011", "--adult", study.data, "--quick")


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    said = failed("guo2011", "--out", str(tmp_path), "--adult", str(adult_files(tmp_path, 50)))
    assert "lacks columns" in said
    assert "Missing: salary" in said
