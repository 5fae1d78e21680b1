"""``make study STUDY=li2009``: its data against other SQL, its pictures, and its database."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import declare_source
from bkpriv_client.loading import load_source
from bkpriv_client.source import Source
from studies.laboratory import Laboratory
from studies.li2009 import attack, command, inference
from studies.li2009.design import QUICK
from studies.procedure import mark
from tests.census_files import adult_files
from tests.conftest import Connection, Database
from tests.core import oracles
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_again, assert_complete, failed, run, succeeded

pytestmark = pytest.mark.extended

FIGURES = [
    *("figure_1a", "figure_1b", "figure_2", "figure_3a", "figure_3b", "figure_4a", "figure_4b"),
    *("figure_5a", "figure_5b", "figure_6a", "figure_6b", "extra_thresholds"),
]

TABLES = {
    "distinct ℓ-diversity": '{"k_anonymity": {"k": 3}, "l_diversity": {"l": 3}}',
    "probabilistic ℓ-diversity": '{"k_anonymity": {"k": 3},'
    ' "l_diversity": {"l": 3, "variant": "probabilistic"}}',
    "t-closeness": '{"k_anonymity": {"k": 3},'
    ' "t_closeness": {"t": 0.25, "ground": "hierarchical"}}',
    "(B,t)-privacy by omega": '{"k_anonymity": {"k": 3},'
    ' "bt_privacy": [{"bandwidth": 0.3, "t": 0.25, "smoothing": 0.75}]}',
    "(B,t)-privacy": '{"k_anonymity": {"k": 3},'
    ' "bt_privacy": [{"bandwidth": 0.3, "t": 0.25, "smoothing": 0.75}]}',
}
"""The tables for para1 of the paper's Table V."""


@dataclass(frozen=True)
class Study:
    """A study that was run, and the same source in a database of the test's own."""

    data: Path
    figures: Path
    uri: str
    db: Connection

    @cached_property
    def source(self) -> Source:
        """The source."""
        return read_adult(self.data)

    def rows(self, name: str, **settings: str) -> list[dict[str, str]]:
        """Rows of a figure's data that have some settings."""
        return read_rows(self.figures / f"{name}.csv", **settings)

    def row(self, name: str, **settings: str) -> dict[str, str]:
        """The one row that has some settings."""
        (row,) = self.rows(name, **settings)
        return row

    def publish(self, view: str, requirements: str, estimator: str = "auto") -> int:
        """Publish as the study should have done."""
        self.db.execute("SELECT bkpriv.set_policy('any', %s)", [requirements])
        release: int = self.number(
            "SELECT bkpriv.publish('adult', 'any', %s,"
            " options => jsonb_build_object('estimator', %s::text, 'refine', false))",
            f"public.{view}",
            estimator,
        )
        return release

    @cached_property
    def sensitive(self) -> oracles.Attribute:
        """The occupations that there are, and their hierarchy."""
        paths = {path[0]: tuple(path) for path in self.source.hierarchies["occupation"]}
        occurring = tuple(sorted(set(self.source.columns["occupation"].values)))
        return oracles.Attribute("occupation", occurring, None, paths)

    def moved(self, release: int, bandwidth: str, estimator: str) -> list[tuple[int, float]]:
        """Records of each cell of a group, and how far belief about them moves, blended."""
        values = self.sensitive.values
        ground = [
            [float(oracles.distance(self.sensitive, one, other)) for other in values]
            for one in values
        ]
        return self.db.execute(
            "SELECT d.records::int, bkpriv.smoothed_distance(p.prior, p.posterior, %s, 0.75) "
            "FROM bkpriv.disclosure(%s, %s, %s) AS d JOIN (SELECT group_id, qi, "
            "array_agg(prior ORDER BY sensitive) AS prior, "
            "array_agg(posterior ORDER BY sensitive) AS posterior "
            "FROM bkpriv.posterior(%s, %s, %s) GROUP BY group_id, qi) AS p USING (group_id, qi)",
            [ground, *[release, bandwidth, estimator] * 2],
        ).fetchall()

    def number(self, query: str, *parameters: Any) -> Any:
        """The one figure that a query yields."""
        row = self.db.execute(query.encode(), parameters).fetchone()
        assert row is not None
        return row[0]


@pytest.fixture(scope="module")
def study(
    shared_database: Database, shared_db: Connection, tmp_path_factory: pytest.TempPathFactory
) -> Study:
    data = adult_files(tmp_path_factory.mktemp("adult"), 1200, most=60)
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    uri = shared_database.uri()
    arguments = ("--uri", uri, "--adult", str(data), "--out", str(figures), "--quick")
    succeeded("li2009", *arguments)
    made = Study(data, figures, uri, shared_db)
    load_source(shared_db, "public", made.source)
    for statement in declare_source(shared_db, "adult", "public", made.source):
        shared_db.execute(statement)
    return made


@pytest.fixture(scope="module")
def releases(study: Study) -> dict[str, int]:
    """The releases of para1, made for the tests."""
    return {
        name: study.publish(
            f"release_{place}", requirements, "omega" if name.endswith("omega") else "auto"
        )
        for place, (name, requirements) in enumerate(TABLES.items())
    }


def test_every_figure_has_data_and_a_picture(study: Study) -> None:
    assert_complete(study.figures, FIGURES)


def test_its_database_is_gone(study: Study) -> None:
    database = study.db.execute(
        "SELECT datname FROM pg_database WHERE datname = current_database() || '_li2009'"
    )
    assert database.fetchall() == []


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("estimator", ["omega", "auto"])
def test_vulnerable_records(
    study: Study, releases: dict[str, int], table: str, estimator: str
) -> None:
    for adversary in ("0.3", "0.5"):
        row = study.row(
            "figure_1a", table=table, parameters="para1", adversary=adversary, estimator=estimator
        )
        moved = study.moved(releases[table], adversary, estimator)
        everybody = sum(records for records, _ in moved)
        assert int(row["vulnerable"]) == sum(n for n, bits in moved if bits > 0.25 + 1e-9)
        assert float(row["worst"]) == approx(max(bits for _, bits in moved))
        assert float(row["mean"]) == approx(sum(n * bits for n, bits in moved) / everybody)
        assert row["t"] == "0.25"
        assert (row["estimator_used"] == "omega") == (estimator == "omega")


def test_figure_1b_is_one_adversary_of_figure_1a(study: Study) -> None:
    assert study.rows("figure_1b") == study.rows("figure_1a", adversary="0.3")
    assert {row["parameters"] for row in study.rows("figure_1b")} == {"para1", "para4"}
    assert {row["table"] for row in study.rows("figure_1b")} == set(TABLES)


def test_what_a_certificate_is_good_for(study: Study) -> None:
    """The skyline's own adversary finds nobody in a certified table, but some in the paper's."""
    for row in study.rows("figure_1b", table="(B,t)-privacy", estimator="auto"):
        assert row["vulnerable"] == "0"
    for row in study.rows("figure_1b", table="(B,t)-privacy by omega", estimator="omega"):
        assert row["vulnerable"] == "0"
    exact = study.rows("figure_1b", table="(B,t)-privacy by omega", estimator="auto")
    assert any(int(row["vulnerable"]) > 0 for row in exact)


def test_thresholds(study: Study) -> None:
    policy = (
        '{"k_anonymity": {"k": 3}, "bt_privacy": [{"bandwidth": 0.3, "t": 0.1, "smoothing": 0.75}]}'
    )
    release = study.publish("thresholds", policy, "omega")
    vulnerable = sum(n for n, bits in study.moved(release, "0.3", "auto") if bits > 0.1)
    row = study.row("extra_thresholds", t="0.1", table="(B,t)-privacy by omega", estimator="exact")
    assert int(row["vulnerable"]) == vulnerable > 0
    assert row["line"] == "(B,t)-privacy by omega, measured exactly if feasible"
    assert len(study.rows("extra_thresholds")) == 2 * 4


@pytest.mark.parametrize(
    ("bandwidth", "settings"),
    [
        ("0.5", {"b": "0.5"}),
        (
            '{"age": 0.2, "workclass": 0.2, "education": 0.2,'
            ' "marital_status": 0.8, "race": 0.8, "sex": 0.8}',
            {"b1": "0.2", "b2": "0.8"},
        ),
    ],
)
@pytest.mark.parametrize(
    ("view", "enforced", "measured"),
    [
        ("(B,t)-privacy by omega, measured by omega", "omega", "omega"),
        ("(B,t)-privacy by omega, measured by auto", "omega", "auto"),
        ("(B,t)-privacy, measured by auto", "auto", "auto"),
    ],
)
def test_worst_disclosure(
    study: Study,
    bandwidth: str,
    settings: dict[str, str],
    view: str,
    enforced: str,
    measured: str,
) -> None:
    policy = (
        f'{{"k_anonymity": {{"k": 3}}, "bt_privacy": [{{"bandwidth": {bandwidth}, "t": 0.25, '
        '"smoothing": 0.75}]}'
    )
    release = study.publish("continuity", policy, enforced)
    worst = max(bits for _, bits in study.moved(release, "0.3", measured))
    figure = "figure_3a" if "b" in settings else "figure_3b"
    assert float(study.row(figure, view=view, adversary="0.3", **settings)["worst"]) == approx(
        worst
    )


def test_times_are_those_of_every_table_and_sample(study: Study) -> None:
    rows = study.rows("figure_4a")
    assert {(row["table"], row["parameters"]) for row in rows} == {
        (table, parameters) for table in TABLES for parameters in ("para1", "para4")
    }
    sampled = study.rows("figure_4b")
    everything = study.source.records
    assert {(row["records"], row["b"]) for row in sampled} == {
        (str(records), b)
        for records in (round(everything / 2), everything)
        for b in ("near 0: no smoothing", "0.3", "0.5")
    }
    assert all(0 < float(row["seconds"]) < 60 for row in rows + sampled)


def test_utility(study: Study, releases: dict[str, int]) -> None:
    for place, (table, release) in enumerate(releases.items()):
        row = study.row("figure_5a", table=table, parameters="para1")
        squares, published = study.db.execute(
            f"""
            SELECT sum(n * n), sum(n) FROM (
                SELECT count(*) AS n FROM release_{place}
                GROUP BY age, workclass, education, marital_status, race, sex
            ) AS box
            """.encode()
        ).fetchone() or (0, 0)
        suppressed = study.source.records - published
        assert float(row["discernibility"]) == approx(
            float(squares + suppressed * study.source.records)
        )
        assert float(row["suppressed_share"]) == approx(float(suppressed) / study.source.records)
        gcp = study.number("SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'", release)
        assert float(row["gcp"]) == approx(gcp)
    assert study.rows("figure_5b") == study.rows("figure_5a")


@pytest.mark.parametrize(
    ("figure", "settings"),
    [
        ("figure_6a", {"dimension": "2", "selectivity": "0.1"}),
        ("figure_6b", {"dimension": "4", "selectivity": "0.05"}),
    ],
)
def test_query_errors(
    study: Study, releases: dict[str, int], figure: str, settings: dict[str, str]
) -> None:
    for table, release in releases.items():
        row = study.row(figure, table=table, **settings)
        errors = [
            abs(estimate - actual) / actual if actual else None
            for actual, estimate in study.db.execute(
                "SELECT actual, estimate FROM bkpriv.query_workload(%s, 100, %s, %s, 2009)",
                [release, int(settings["dimension"]), float(settings["selectivity"])],
            )
        ]
        defined = [error for error in errors if error is not None]
        assert float(row["mean_relative_error"]) == approx(mean(defined))
        assert float(row["median_relative_error"]) == approx(median(defined))
        assert row["queries"] == "100"
        assert int(row["undefined"]) == len(errors) - len(defined)


def test_errors_of_estimates(study: Study) -> None:
    """Figure 2 by listing all worlds of groups of three, on beliefs that SQL hands out."""
    source = study.source
    sensitive = study.sensitive
    occurring = sensitive.values
    priors: dict[tuple[Any, ...], list[float]] = {}
    for qi, value, chance in study.db.execute("SELECT * FROM bkpriv.prior('adult', '0.3')"):
        belief = priors.setdefault(tuple(qi[name] for name in source.quasi_identifiers), [])
        assert value == occurring[len(belief)]
        belief.append(chance)
    cells = [
        tuple(row)
        for row in study.db.execute(
            "SELECT age, workclass, education, marital_status, race, sex, occupation FROM adult"
            " ORDER BY ctid"
        )
    ]

    draw = random.Random(QUICK.seed)
    errors = []
    biases = []
    for _ in range(QUICK.repetitions):
        members = [cells[record - 1] for record in draw.sample(range(1, len(cells) + 1), 3)]
        beliefs = [priors[member[:-1]] for member in members]
        secrets = [occurring.index(member[-1]) for member in members]
        exact = oracles.exact_posterior(beliefs, secrets)
        omega = oracles.omega_posterior(beliefs, secrets)
        assert exact is not None
        assert omega is not None
        differences = [
            oracles.belief_distance(sensitive, before, guess, 0.75)
            - oracles.belief_distance(sensitive, before, truth, 0.75)
            for before, truth, guess in zip(beliefs, exact, omega, strict=True)
        ]
        errors.append(mean(map(abs, differences)))
        biases.append(mean(differences))
    row = study.row("figure_2", estimator="omega", b="0.3", records="3")
    assert float(row["error"]) == approx(mean(errors))
    assert float(row["largest_error"]) == approx(max(errors))
    assert float(row["bias"]) == approx(mean(biases))
    assert row["groups"] == "10"
    assert row["not_converged"] == "0"


def test_distances_of_values_are_the_extensions(database: Database, study: Study) -> None:
    db = database.connect()
    laboratory = Laboratory(db, study.source)
    inference.create_values(laboratory)
    release = laboratory.publish({"k_anonymity": {"k": 5}}).release
    compared = db.execute(
        """
        SELECT count(*), max(bits), sum(records * bits) / sum(records) FROM (
            SELECT d.records, bkpriv.smoothed_distance(p.prior, p.posterior,
                (SELECT array_agg(distances ORDER BY sensitive) FROM study.value), 0.75) AS bits
        FROM bkpriv.disclosure(%(release)s, '0.3', 'omega') AS d JOIN (
            SELECT qi, array_agg(prior ORDER BY sensitive) AS prior,
                array_agg(posterior ORDER BY sensitive) AS posterior
            FROM bkpriv.posterior(%(release)s, '0.3', 'omega') GROUP BY qi
        ) AS p USING (qi)) AS moved
        """,
        {"release": release},
    ).fetchone()
    assert compared is not None
    assert compared[0] > 200
    (measured,) = laboratory.audit(release, [0.3], 0.2, "omega")
    assert compared[1] == approx(measured.worst)
    assert float(compared[2]) == approx(measured.mean)


def test_samples_have_their_size_and_hold_one_another(database: Database, study: Study) -> None:
    db = database.connect()
    laboratory = Laboratory(db, study.source)
    names = [laboratory.sample(records, seed=1) for records in (40, 70)]
    fewer, more = (
        {record for (record,) in db.execute(f"SELECT record FROM study.{name}".encode())}
        for name in names
    )
    assert (len(fewer), len(more)) == (40, 70)
    assert fewer < more
    datasets = db.execute("SELECT name FROM bkpriv.dataset WHERE name LIKE 'sample%'").fetchall()
    assert sorted(datasets) == [("sample_40",), ("sample_70",)]


def test_all_but_times_is_repeatable(study: Study, tmp_path: Path) -> None:
    call = ("li2009", "--uri", study.uri, "--adult", study.data, "--quick")
    assert_again(study.figures, tmp_path, ["figure_2", "figure_5a"], *call)


def _own_database(uri: str) -> str:
    return f"{conninfo_to_dict(uri)['dbname']}_li2009"


def test_a_database_of_somebody_else_is_left_alone(
    database: Database, server: Connection, study: Study, tmp_path: Path
) -> None:
    name = _own_database(database.uri())
    server.execute(f"CREATE DATABASE {name}".encode())
    try:
        said = failed(
            "li2009",
            "--uri",
            database.uri(),
            "--adult",
            str(study.data),
            "--out",
            str(tmp_path),
            "--quick",
            "--only",
            "figure_5a",
        )
        assert f'the database "{name}" was not made by this command' in said
        assert list(tmp_path.iterdir()) == []
    finally:
        server.execute(f"DROP DATABASE {name}".encode())


def test_an_interrupted_study_leaves_nothing(
    database: Database,
    server: Connection,
    study: Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = _own_database(database.uri())
    server.execute(f"CREATE DATABASE {name}".encode())
    # As a study that was killed leaves it.
    server.execute(f"COMMENT ON DATABASE {name} IS '{mark(command.STUDY.name)}'".encode())

    def interrupt(*arguments: object) -> list[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(attack, "_audit", interrupt)
    code, _, errors = run(
        "li2009",
        "--uri",
        database.uri(),
        "--adult",
        str(study.data),
        "--out",
        str(tmp_path),
        "--quick",
        "--only",
        "figure_5a",
        "--only",
        "figure_1b",
    )
    assert code != 0
    assert "Interrupted" in errors
    assert {path.name for path in tmp_path.iterdir()} == {"figure_5a.csv", "figure_5a.png"}
    left = server.execute("SELECT FROM pg_database WHERE datname = %s", [name])
    assert left.fetchall() == []


def test_an_unknown_figure_is_refused(database: Database, study: Study, tmp_path: Path) -> None:
    said = failed(
        "li2009",
        "--uri",
        database.uri(),
        "--adult",
        str(study.data),
        "--out",
        str(tmp_path),
        "--only",
        "figure_7",
    )
    assert 'there is no figure "figure_7"' in said
    assert "figure_6b" in said
