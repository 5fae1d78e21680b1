"""``make study STUDY=martin2007``: its data against nodes in Python and the paper's recursions."""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from bkpriv_client.adult import read_adult
from bkpriv_client.declaration import declare_source
from bkpriv_client.loading import load_source
from studies.martin2007.design import FULL
from studies.martin2007.nodes import narrowed
from tests.census_files import adult_files
from tests.conftest import Connection, Database
from tests.core.worlds import negation_paper, paper
from tests.figure_files import approx, read_rows
from tests.studies.command import assert_again, assert_complete, succeeded

pytestmark = pytest.mark.extended

FIGURES = ["figure_5", "figure_6", "extra_difference", "extra_safe", "extra_discernibility"]

WIDTHS = (1, 5, 10, 20, 40, 1000)
"""Widths of intervals of ages, by level; nobody is 1000 years old."""

NODES = list(product(range(6), range(3), range(2), range(2)))
FEW = 40
"""So many buckets are handled by recursions in fractions."""

Node = tuple[int, ...]


@dataclass(frozen=True)
class Study:
    """A study that was run, and its nodes made once more."""

    data: Path
    figures: Path
    uri: str
    buckets: dict[Node, list[list[int]]]

    def rows(self, name: str, **settings: str) -> list[dict[str, str]]:
        """Rows of a figure's data that have some settings."""
        return read_rows(self.figures / f"{name}.csv", **settings)

    @cache  # noqa: B019 - there is one study
    def implications(self, node: Node, k: int) -> float:
        """Maximum disclosure of a node with few buckets against k implications."""
        return float(paper(self.buckets[node], k))

    @cache  # noqa: B019 - there is one study
    def negations(self, node: Node, k: int) -> float:
        """Maximum disclosure of a node against k negations."""
        return float(negation_paper(self.buckets[node], k))

    def __hash__(self) -> int:
        return id(self)


def generalized(path: Path) -> dict[Node, list[list[int]]]:
    """Read files of the Adult data and make the buckets of all nodes."""
    with path.open(newline="") as stream:
        records = list(csv.DictReader(stream))
    with (path.parent / "hierarchy_marital_status.csv").open(newline="") as stream:
        marital = {labels[0]: labels for labels in csv.reader(stream)}
    occupations = sorted({record["occupation"] for record in records})
    nodes: dict[Node, list[list[int]]] = {}
    for age, status, race, sex in NODES:
        groups: dict[tuple[object, ...], Counter[str]] = defaultdict(Counter)
        for record in records:
            bucket = (
                int(record["age"]) // WIDTHS[age],
                marital[record["marital_status"]][status],
                "" if race else record["race"],
                "" if sex else record["sex"],
            )
            groups[bucket][record["occupation"]] += 1
        nodes[age, status, race, sex] = [
            [counts[occupation] for occupation in occupations] for counts in groups.values()
        ]
    return nodes


def entropy(bucket: list[int]) -> float:
    shares = [number / sum(bucket) for number in bucket if number]
    return -sum(share * math.log2(share) for share in shares)


@pytest.fixture(scope="module")
def study(shared_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Study:
    data = adult_files(tmp_path_factory.mktemp("adult"), 3000)
    figures = tmp_path_factory.mktemp("figures") / "made" / "by it"
    uri = shared_database.uri()
    succeeded("martin2007", "--uri", uri, "--adult", str(data), "--out", str(figures))
    return Study(data, figures, uri, generalized(data))


def test_every_figure_has_data_and_a_picture(study: Study) -> None:
    assert_complete(study.figures, FIGURES)


def test_one_node(study: Study) -> None:
    node = (3, 2, 1, 1)
    rows = {
        (row["language"], int(row["k"])): float(row["disclosure"]) for row in study.rows("figure_5")
    }
    assert rows == {
        **{("implications", k): approx(study.implications(node, k)) for k in range(13)},
        **{("negations", k): approx(study.negations(node, k)) for k in range(13)},
    }
    assert any(rows["implications", k] > rows["negations", k] + 1e-3 for k in range(13))


@pytest.mark.parametrize("language", ["implications", "negations"])
def test_least_disclosure_by_entropy(study: Study, language: str) -> None:
    groups: dict[float, list[Node]] = defaultdict(list)
    for node, buckets in study.buckets.items():
        groups[round(min(map(entropy, buckets)), 7)].append(node)
    rows = study.rows("figure_6", language=language)
    assert {int(row["k"]) for row in rows} == set(FULL.pieces)
    assert len(rows) == len(FULL.pieces) * len(groups)
    checked = 0
    for row in rows:
        k = int(row["k"])
        (nodes,) = [group for h, group in groups.items() if float(row["entropy"]) == approx(h)]
        assert int(row["nodes"]) == len(nodes)
        chosen = tuple(int(row[name]) for name in ("age", "marital_status", "race", "sex"))
        assert chosen in nodes
        if language == "negations":
            assert float(row["disclosure"]) == approx(study.negations(chosen, k))
            assert float(row["disclosure"]) == approx(min(study.negations(n, k) for n in nodes))
        elif all(len(study.buckets[node]) <= FEW for node in nodes):
            checked += 1
            assert float(row["disclosure"]) == approx(
                min(study.implications(node, k) for node in nodes)
            )
    assert language == "negations" or checked > 20


def test_differences(study: Study) -> None:
    curves = {
        language: [float(row["disclosure"]) for row in study.rows("figure_5", language=language)]
        for language in ("implications", "negations")
    }
    ours = study.rows("extra_difference", nodes="the node of figure 5")
    largest = study.rows("extra_difference", nodes="largest of all nodes")
    mean = study.rows("extra_difference", nodes="mean of all nodes")
    assert len(ours) == len(largest) == len(mean) == 13
    for k, row in enumerate(ours):
        difference = curves["implications"][k] - curves["negations"][k]
        assert float(row["difference"]) == pytest.approx(difference, abs=2e-6)
        assert float(largest[k]["difference"]) >= float(row["difference"]) >= 0
        few = [node for node, buckets in study.buckets.items() if len(buckets) <= FEW]
        least = max(study.implications(node, k) - study.negations(node, k) for node in few)
        assert float(largest[k]["difference"]) >= least - 2e-6
        assert float(largest[k]["difference"]) >= float(mean[k]["difference"]) >= 0


def test_safe_nodes(study: Study) -> None:
    rows = study.rows("extra_safe", language="negations")
    assert len(rows) == len(FULL.thresholds) * len(FULL.pieces_of_safety)
    for row in rows:
        c, k = float(row["c"]), int(row["k"])
        safe = [node for node in NODES if study.negations(node, k) < c - 1e-9]
        assert int(row["safe"]) == len(safe), row
        fineness = [sum(sum(bucket) ** 2 for bucket in study.buckets[node]) for node in safe]
        if safe:
            assert float(row["least_discernibility"]) == approx(min(fineness))
        else:
            assert not row["least_discernibility"]
        (other,) = study.rows("extra_safe", language="implications", c=row["c"], k=row["k"])
        assert int(other["safe"]) <= int(row["safe"])
    assert study.rows("extra_discernibility") == study.rows("extra_safe")
    assert any(int(row["safe"]) for row in rows)


@pytest.fixture(scope="module")
def declared(study: Study, shared_db: Connection) -> Connection:
    """The source in a database of the test's own."""
    source = narrowed(read_adult(study.data))
    load_source(shared_db, "public", source)
    for statement in declare_source(shared_db, "adult", "public", source):
        shared_db.execute(statement)
    return shared_db


@pytest.mark.parametrize(("c", "k"), [("0.5", "1"), ("0.5", "2"), ("0.7", "2"), ("0.9", "5")])
def test_safe_nodes_are_those_of_the_lattice(
    study: Study, declared: Connection, c: str, k: str
) -> None:
    policy = {"ck_safety": {"c": float(c), "k": int(k)}}
    declared.execute("SELECT bkpriv.set_policy('safe', %s)", [Jsonb(policy)])
    rows = declared.execute(
        "SELECT count(*), count(*) FILTER (WHERE safe), min(discernibility) FILTER (WHERE safe)"
        " FROM bkpriv.lattice('adult', 'safe')"
    ).fetchone()
    assert rows is not None
    (row,) = study.rows("extra_safe", language="implications", c=c, k=k)
    assert rows[0] == len(NODES)
    assert int(row["safe"]) == rows[1] > 0
    assert float(row["least_discernibility"]) == approx(rows[2])


def test_the_coarsest_node_is_a_release_of_one_group(study: Study, declared: Connection) -> None:
    (records,) = map(sum, study.buckets[5, 2, 1, 1])
    declared.execute(
        "SELECT bkpriv.set_policy('one', %s)", [Jsonb({"k_anonymity": {"k": records}})]
    )
    declared.execute("SELECT bkpriv.publish('adult', 'one', 'public.one')")
    rows: dict[int, float] = dict(
        declared.execute(
            "SELECT k, disclosure FROM bkpriv.max_disclosure(1, 11) WHERE k % 2 = 1"
        ).fetchall()
    )
    coarsest = study.rows(
        "figure_6", language="implications", age="5", marital_status="2", race="1", sex="1"
    )
    assert {int(row["k"]): float(row["disclosure"]) for row in coarsest} == {
        k: approx(disclosure) for k, disclosure in rows.items()
    }


def test_some_figures_again(study: Study, tmp_path: Path) -> None:
    call = ("martin2007", "--uri", study.uri, "--adult", study.data)
    assert_again(study.figures, tmp_path, ["extra_safe"], *call)
