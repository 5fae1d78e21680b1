"""Counts reconstructed from randomized releases, and the same as SQL by a reader of the views.

What they are held against is calculated from the two views alone: the shown records, and by the
retentions the whole matrix of all combinations of values, which is inverted. PostgreSQL itself says
which combinations meet a condition.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import publish, state_policy
from tests.db.queries import answer, asked, draw_condition, rewritten
from tests.db.refusal import refused

TYPES = {
    "age": "int",
    "Sex": "text",
    "born": "date",
    "smokes": "boolean",
    "weight": "numeric",
    "illness": "text",
}
"""Attributes and the types of their values; ages are shown as ranges, in bins."""

SCHEMES = {
    "rr-s": ("few", ("Sex", "smokes", "weight", "illness"), "some"),
    "rr-qi": ("patients", tuple(TYPES), "told"),
    "rr-both": ("patients", tuple(TYPES), "told"),
}
"""Dataset of each scheme, its attributes and a policy that can be kept."""

LITERALS = {
    "age": ["0", "20", "25", "40", "'60'", "-1"],
    '"Sex"': ["'f'", "'m'", "'x'"],
    "born": ["'1990-01-01'", "'2000-06-15'", "'1980-01-01'"],
    "smokes": ["true", "false", "'t'"],
    "weight": ["50.5", "70", "1e2"],
    "illness": ["'flu'", "'it''s'", "'a\\b'", "'none'"],
}

PATIENTS = """
SELECT setseed(0.5);
CREATE TABLE patient AS SELECT
    (random() * 79)::int AS age,
    CASE WHEN random() < 0.9 THEN (ARRAY['f', 'm'])[1 + (random() > 0.6)::int] END AS "Sex",
    (ARRAY[DATE '1990-01-01', '2000-06-15', '2010-12-31'])[1 + (random() * 2)::int] AS born,
    random() < 0.3 AS smokes,
    CASE WHEN i % 7 > 0 THEN (ARRAY[50.5, 70, 90.25])[1 + (random() ^ 2 * 3)::int % 3] END
        AS weight,
    (ARRAY['flu', 'it''s', 'a\\b'])[1 + (random() * 2)::int] AS illness
FROM generate_series(1, 2500) AS i;
SELECT bkpriv.register_dataset('patients', 'patient', '{age,Sex,born,smokes,weight}', 'illness',
    bins => '{"age": 40}');
SELECT bkpriv.register_dataset('few', 'patient', '{Sex,smokes,weight}', 'illness');
"""

Figures = tuple[float, float]
"""An estimate and its standard error."""


@dataclass(frozen=True)
class Read:
    """A randomized release, and what a reader of its views knows."""

    release: int
    dataset: str
    attributes: tuple[str, ...]
    kept: frozenset[str]
    reader: Connection
    """A role that may read the two views and nothing else."""
    grid: list[tuple[str | None, ...]]
    """All combinations of values, as texts."""
    inverse: np.ndarray
    """Shape (grid, grid). Inverse of the matrix that distorted them."""
    shown: np.ndarray
    """Shape (grid,). Records of each combination."""

    def met(self, condition: str) -> np.ndarray:
        """Mark combinations that meet a condition, by PostgreSQL."""
        rows = self.reader.execute(
            f"SELECT place FROM pg_temp.grid WHERE {condition}".encode()
        ).fetchall()
        met = np.zeros(len(self.grid))
        met[[place for (place,) in rows]] = 1
        return met

    def figures(self, met: np.ndarray) -> list[Figures]:
        """Estimates of the records that have some combinations, with their standard errors.

        Args:
            met: Shape (k, grid). The combinations of each of several counts.
        """
        weights = met @ self.inverse
        estimates = weights @ self.shown
        variances = np.maximum((weights * (weights - 1)) @ self.shown, 0)
        return [*zip(estimates.tolist(), np.sqrt(variances).tolist(), strict=True)]

    def by_key(self, condition: str, attributes: Sequence[str]) -> dict[str, Figures]:
        """Estimates by attributes; none where no record can have been."""
        places = [self.attributes.index(attribute) for attribute in attributes]
        keys = [tuple(values[place] for place in places) for values in self.grid]
        number = {key: row for row, key in enumerate(dict.fromkeys(keys))}
        met = np.zeros((len(number), len(keys)))
        met[[number[key] for key in keys], np.arange(len(keys))] = self.met(condition)
        names = [named(attributes, key) for key in number]
        return dict(zip(names, self.figures(met), strict=True))


def named(attributes: Sequence[str], values: Sequence[Any]) -> str:
    """A key as text; numbers are as they are written."""
    texts = [value if value is None else str(value) for value in values]
    return json.dumps(dict(zip(attributes, texts, strict=True)), sort_keys=True)


def keyed(key: dict[str, Any]) -> str:
    return named([*key], [*key.values()])


def read(connection: Connection, release: int, scheme: str, view: str) -> Read:
    """Learn what the two views tell."""
    dataset, attributes, _ = SCHEMES[scheme]
    kept: set[str] = set()
    sides, inverse = [], np.ones((1, 1), dtype=np.float64)
    for name in attributes:
        value = "lower(value::int4range)" if name == "age" else f"value::{TYPES[name]}"
        rows = connection.execute(
            f"SELECT {value}::text, retention, flip_probability FROM {view}_randomization "
            f"WHERE attribute = '{name}' ORDER BY {value}".encode()
        ).fetchall()
        sides.append([text for text, _, _ in rows])
        ((keep, flip),) = {(keep, flip) for _, keep, flip in rows}
        assert keep + (len(rows) - 1) * flip == pytest.approx(1)
        kept |= {name} if keep == 1 else set()
        matrix = np.full((len(rows), len(rows)), flip)
        np.fill_diagonal(matrix, keep)
        inverse = np.asarray(np.kron(inverse, np.linalg.inv(matrix)), dtype=np.float64)
    columns = ", ".join(f'"{name}" {TYPES[name]}' for name in attributes)
    connection.execute(f"CREATE TEMPORARY TABLE grid (place int, {columns})".encode())
    grid = [*product(*sides)]
    with connection.cursor().copy("COPY pg_temp.grid FROM STDIN") as copy:
        for place, point in enumerate(grid):
            copy.write_row((place, *point))
    alike = " AND ".join(
        f'g."{name}" IS NOT DISTINCT FROM ' + ("lower(r.age)" if name == "age" else f'r."{name}"')
        for name in attributes
    )
    found = connection.execute(
        f"SELECT g.place, count(*) FROM {view} AS r JOIN pg_temp.grid AS g ON {alike} "
        "GROUP BY g.place".encode()
    ).fetchall()
    shown = np.zeros(len(grid))
    for place, records in found:
        shown[place] = records
    return Read(release, dataset, attributes, frozenset(kept), connection, grid, inverse, shown)


@pytest.fixture(scope="module")
def patients(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with the patients."""
    shared_db.execute(PATIENTS.encode())
    state_policy(shared_db, "told", {"max_disclosure": {"tau": 0.45}})
    state_policy(shared_db, "some", {"max_disclosure": {"tau": 0.65}})
    return shared_db


@pytest.fixture(scope="module", params=SCHEMES)
def shown(
    request: pytest.FixtureRequest,
    patients: Connection,
    shared_database: Database,
    make_role: Callable[..., str],
) -> Read:
    """A release by each scheme, read by who may read its views only."""
    view = request.param.replace("-", "_")
    options = {"scheme": request.param, "nulls": "category"}
    dataset, _, policy = SCHEMES[request.param]
    release = publish(patients, dataset, policy, f"public.{view}", options, "randomize")
    role = make_role("reader")
    for name in (view, f"{view}_randomization"):
        patients.execute(
            sql.SQL("GRANT SELECT ON public.{} TO {}").format(
                sql.Identifier(name), sql.Identifier(role)
            )
        )
    return read(shared_database.connect(role), release, request.param, f"public.{view}")


def close(mine: Figures, theirs: Figures, records: float) -> bool:
    """Whether figures agree but for rounding; variances, which may be a difference of rounded."""
    return bool(
        np.isclose(mine[0], theirs[0], rtol=1e-9, atol=1e-8 * records)
        and np.isclose(mine[1] ** 2, theirs[1] ** 2, rtol=1e-8, atol=1e-8 * records)
    )


def differing(
    found: dict[str, Figures], expected: dict[str, Figures], records: float
) -> list[tuple[str, Figures, Figures]]:
    """Keys whose figures differ; what is not there is nothing."""
    nothing = (0.0, 0.0)
    pairs = [
        (key, found.get(key, nothing), expected.get(key, nothing)) for key in {*found, *expected}
    ]
    return [(key, mine, theirs) for key, mine, theirs in pairs if not close(mine, theirs, records)]


# --- Counts by attributes -------------------------------------------------------------------------


def reconstructed(
    connection: Connection, release: int, attributes: Sequence[str], estimator: str = "unbiased"
) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT * FROM bkpriv.reconstruct(%s, %s, %s)", [release, [*attributes], estimator]
    ).fetchall()


def test_any_attributes_are_counted_by(patients: Connection, shown: Read) -> None:
    records = shown.shown.sum()
    for size in range(4):
        for attributes in combinations(shown.attributes, size):
            rows = reconstructed(patients, shown.release, attributes)
            found = {keyed(key): (count, error) for key, count, error, _, _ in rows}
            assert len(found) == len(rows)
            assert not differing(found, shown.by_key("true", attributes), records), attributes
            for _, count, error, low, high in rows:
                assert low == pytest.approx(count - 1.959964 * error, abs=1e-4)
                assert high == pytest.approx(count + 1.959964 * error, abs=1e-4)


def test_likeliest_counts_are_not_negative_and_have_the_records(
    patients: Connection, shown: Read
) -> None:
    attributes = shown.attributes[-2:]
    rows = reconstructed(patients, shown.release, attributes, "maximum_likelihood")
    assert sum(count for _, count, *_ in rows) == pytest.approx(shown.shown.sum())
    assert all(count >= 0 for _, count, *_ in rows)
    assert {(error, low, high) for _, _, error, low, high in rows} == {(None, None, None)}
    free = shown.by_key("true", attributes)
    if all(count > 0 for count, _ in free.values()):
        for key, count, *_ in rows:
            assert count == pytest.approx(free[keyed(key)][0], abs=0.5)


# --- Queries --------------------------------------------------------------------------------------


def draw_sets(draw: random.Random, attributes: Sequence[str]) -> tuple[str, list[tuple[str, ...]]]:
    """Draw what to group by: as text, and as sets."""

    def quoted(names: Sequence[str]) -> str:
        return ", ".join(f'"{name}"' for name in names)

    some = tuple(draw.sample([*attributes], draw.randint(1, 3)))
    kind = draw.choice(["list", "cube", "rollup", "sets"])
    if kind == "list":
        return quoted(some), [some]
    if kind == "cube":
        sizes = range(len(some) + 1)
        return f"CUBE ({quoted(some)})", [
            each for size in sizes for each in combinations(some, size)
        ]
    if kind == "rollup":
        return f"ROLLUP ({quoted(some)})", [some[:size] for size in range(len(some) + 1)]
    other = tuple(draw.sample([*attributes], 2))
    return f"GROUPING SETS (({quoted(some)}), ({quoted(other)}), ())", [some, other, ()]


def test_a_reader_of_the_views_gets_the_estimates_and_errors(
    patients: Connection, shown: Read
) -> None:
    draw = random.Random(7)
    records = shown.shown.sum()
    literals = {name: LITERALS[f'"{name}"' if name == "Sex" else name] for name in shown.attributes}
    literals = {f'"{name}"': values for name, values in literals.items()}
    told = errors = 0
    for number in range(70):
        condition = draw_condition(draw, literals) if number % 5 else "true"
        grouping, sets = draw_sets(draw, shown.attributes) if number % 2 else ("", [()])
        query = f"SELECT count(*) FROM {shown.dataset} WHERE {condition}"
        query += f" GROUP BY {grouping}" if grouping else ""
        statement = rewritten(patients, shown.release, query)
        rows = shown.reader.execute(sql.SQL(statement)).fetchall()
        if not grouping:
            ((estimate, error),) = rows
            (expected,) = shown.by_key(condition, ()).values()
            assert close((estimate, error), expected, records), query
            _, accuracy, _ = answer(patients, shown.release, query)
            assert estimate == pytest.approx(accuracy, rel=1e-9, abs=1e-6), query
            told += 0 < estimate < records
            errors += error > 0.1
            continue
        every: dict[str, Figures] = {}
        for attributes in {tuple(sorted(each)) for each in sets}:
            every |= shown.by_key(condition, attributes)
        found = {keyed(key): (estimate, error) for key, estimate, error in rows}
        assert not differing(found, every, records), query
        accuracies = {
            keyed(key): figure for key, _, figure, _ in asked(patients, shown.release, query)
        }
        for key, (estimate, _) in found.items():
            assert estimate == pytest.approx(accuracies.pop(key, 0.0), rel=1e-9, abs=1e-6), query
        assert [*accuracies.values()] == pytest.approx([0] * len(accuracies), abs=1e-6)
    assert told > 10
    assert errors > 1


def test_a_statement_reads_nothing_but_the_view_of_records(
    patients: Connection, shown: Read
) -> None:
    query = f'SELECT count(*) FROM {shown.dataset} WHERE smokes = true GROUP BY "Sex"'
    statement = rewritten(patients, shown.release, query)
    assert "patient" not in statement
    assert "_randomization" not in statement
    assert "bkpriv" not in statement
    columns = shown.reader.execute(sql.SQL(statement)).description
    assert columns is not None
    assert [column.name for column in columns] == ["key", "estimate", "standard_error"]


def test_columns_by_the_names_that_statements_use(patients: Connection) -> None:
    patients.execute(
        """
        CREATE TABLE odd AS SELECT i % 3 AS r, i % 2 AS shown_1, i % 5 AS "value_0",
            i % 4 AS records, i * i % 7 % 4 AS "weight" FROM generate_series(1, 900) AS i;
        SELECT bkpriv.register_dataset('odd', 'odd', '{r,shown_1,value_0,records}', 'weight');
        """
    )
    release = publish(
        patients, "odd", "some", "public.odd_shown", {"scheme": "rr-both"}, "randomize"
    )
    query = (
        "SELECT count(*) FROM odd WHERE r > 0 AND (shown_1 = 1 OR records < 2) "
        "GROUP BY CUBE (r, value_0), weight"
    )
    rows = patients.execute(sql.SQL(rewritten(patients, release, query))).fetchall()
    expected = {json.dumps(key): figure for key, _, figure, _ in asked(patients, release, query)}
    found = {json.dumps(key): estimate for key, estimate, _ in rows}
    assert found == pytest.approx(expected)
    assert len(found) == 3 * (1 + 2 + 5 + 10)


def test_workloads_are_answered_as_their_queries_are(patients: Connection, shown: Read) -> None:
    rows = patients.execute(
        "SELECT * FROM bkpriv.query_workload(%s, 20, 2, 0.2, 1)", [shown.release]
    ).fetchall()
    for query, *figures in rows:
        assert answer(patients, shown.release, query) == pytest.approx(
            tuple(figures), rel=1e-9, abs=1e-9
        )


# --- What is measured -----------------------------------------------------------------------------


def test_what_is_about_groups_is_null(patients: Connection, shown: Read) -> None:
    rows = patients.execute("SELECT * FROM bkpriv.utility(%s)", [shown.release]).fetchall()
    assert rows[:5] == [
        *((metric, None) for metric in ("discernibility", "average_class_size", "gcp", "rgcp")),
        ("suppressed_share", 0),
    ]
    columns, divergences = rows[5:-3], rows[-3:]
    assert columns
    assert all(metric.startswith("gcp(") and figure is None for metric, figure in columns)
    assert [metric for metric, _ in divergences] == ["kl", "chi_square", "l2"]
    assert all(0 < figure < math.inf for _, figure in divergences)


def test_associations_of_what_is_kept_are_those_of_the_source(
    patients: Connection, shown: Read
) -> None:
    rows = patients.execute("SELECT * FROM bkpriv.association(%s)", [shown.release]).fetchall()
    assert len(rows) == len(shown.attributes) * (len(shown.attributes) - 1)
    for one, other, original, released in rows:
        both_kept = {one, other} <= shown.kept
        assert released == pytest.approx(original, abs=1e-9 if both_kept else 0.15)


# --- Refusals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(patients: Connection) -> int:
    """A release that is not randomized."""
    state_policy(patients, "two", {"k_anonymity": {"k": 2}})
    return publish(patients, "few", "two", "public.plain", {"nulls": "category"})


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("'{bedside}'", ['"bedside"', "Sex, smokes, weight, illness"]),
        ("'{smokes,Sex,smokes}'", ['"smokes"', "twice"]),
        ("'{NULL,Sex}'", ["attribute is missing"]),
        ("NULL", ["the attributes are no plain list"]),
        ("'{{Sex},{smokes}}'", ["the attributes are no plain list"]),
        ("'{Sex}', 'omega'", ["'omega'", "unbiased and maximum_likelihood"]),
        ("'{Sex}', NULL", ["estimator"]),
    ],
)
def test_arguments_that_mean_nothing(
    patients: Connection, arguments: str, names: list[str], randomized: int
) -> None:
    statement = f"SELECT * FROM bkpriv.reconstruct({randomized}, {arguments})"
    refused(patients, statement, sqlstate="22023", names=names)


@pytest.fixture(scope="module")
def randomized(patients: Connection) -> int:
    """A randomized release."""
    options = {"scheme": "rr-s", "nulls": "category"}
    return publish(patients, "few", "some", "public.other", options, "randomize")


def test_only_what_was_randomized_is_reconstructed(patients: Connection, plain: int) -> None:
    statement = f"SELECT * FROM bkpriv.reconstruct({plain}, '{{Sex}}')"
    refused(patients, statement, sqlstate="22023", names=[f"release {plain} is generalized"])
    none = f"SELECT * FROM bkpriv.reconstruct({plain + 100}, '{{Sex}}')"
    refused(patients, none, sqlstate="42704", names=[str(plain + 100)])
