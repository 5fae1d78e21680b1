"""Datasets of several sensitive columns: published, audited, read back, asked and refused."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.policy import parse_policy
from bkpriv_core.table.combination import Combination
from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.hierarchy import Hierarchy
from bkpriv_core.table.table import Table
from tests.conftest import Connection
from tests.db.clinic import one, publish, state_policy
from tests.db.queries import agree, answer
from tests.db.several import COLUMNS, METHODS, POLICY, create_releases
from tests.db.witness import given_witness


@pytest.fixture(scope="module")
def visits(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with a release of two sensitive columns by each method."""
    create_releases(shared_clinic)
    return shared_clinic


def test_the_columns_are_declared(visits: Connection) -> None:
    row = visits.execute("SELECT sensitive, attributes FROM bkpriv.dataset WHERE name = 'visits'")
    assert row.fetchall() == [(COLUMNS, [])]


@pytest.mark.parametrize("method", METHODS)
def test_whole_rows_are_published(visits: Connection, method: str) -> None:
    suppressed = one(
        visits, "SELECT suppressed FROM bkpriv.releases WHERE view_name LIKE %s", [f"%{method}"]
    )
    shown = Counter(visits.execute(f"SELECT disease, treatment FROM {method}").fetchall())
    source = Counter(visits.execute("SELECT disease, treatment FROM clinic.visit").fetchall())
    assert not shown - source
    assert sum((source - shown).values()) == suppressed
    assert suppressed < 60


def test_a_companion_has_all_sensitive_columns(visits: Connection) -> None:
    told = visits.execute(
        "SELECT group_id, disease, treatment, count FROM bucketize_sensitive ORDER BY 1, 2, 3"
    ).fetchall()
    counted = visits.execute(
        "SELECT group_id, disease, treatment, count(*) FROM bucketize GROUP BY 1, 2, 3 "
        "ORDER BY 1, 2, 3"
    ).fetchall()
    assert told == counted


def as_table(db: Connection) -> tuple[Table, dict[Any, int]]:
    """The source as the core has it, read by plain SQL; and its cells."""
    rows = db.execute("SELECT age, sex, city, disease, treatment FROM clinic.visit").fetchall()
    columns = [sorted(set(column)) for column in zip(*rows, strict=True)]
    codes = np.array([[c.index(v) for c, v in zip(columns, row, strict=True)] for row in rows])
    paths: dict[str, str] = dict(
        db.execute("SELECT disease, kind FROM clinic.disease_levels").fetchall()
    )
    regions: dict[str, str] = dict(
        db.execute("SELECT city, region FROM clinic.city_levels").fetchall()
    )

    def tree(name: str, levels: dict[str, str]) -> Hierarchy:
        return Hierarchy.from_rows(name, [[leaf, up, "*"] for leaf, up in levels.items()])

    told, values = Combination.of(
        (
            Domain("disease", tuple(columns[3]), hierarchy=tree("disease", paths)),
            Domain("treatment", tuple(columns[4])),
        ),
        codes[:, 3:],
    )
    known = (
        Domain("age", tuple(map(str, columns[0])), np.array(columns[0], dtype=float)),
        Domain("sex", tuple(columns[1])),
        Domain("city", tuple(columns[2]), hierarchy=tree("city", regions)),
    )
    counted = np.column_stack((codes[:, :3], values))
    table, cells = Table.from_rows(known, told, counted, np.ones(len(rows), dtype=np.int64))
    return table, {row[:3]: cell for row, cell in zip(rows, cells.tolist(), strict=True)}


def test_an_audit_is_what_the_core_measures(visits: Connection) -> None:
    """Groups are read from the view, records from the source, and measured by the core."""
    table, cell_of = as_table(visits)
    groups: dict[int, set[int]] = {}
    for *known, group in visits.execute(
        "SELECT age, sex, city, group_id FROM bucketize"
    ).fetchall():
        groups.setdefault(group, set()).add(cell_of[tuple(known)])
    lists = [np.array(sorted(cells)) for _, cells in sorted(groups.items())]
    if sum(map(len, lists)) != len({cell for cells in lists for cell in cells.tolist()}):
        pytest.fail("cells lie in one group")
    requirements = parse_policy(POLICY).about(COLUMNS).requirements
    setting = ThreatModel(table)
    expected: list[tuple[str, dict[str, Any], float]] = []
    for item in requirements:
        figures = item.measure(setting, Groups.from_lists(lists), "auto").figures
        for bound, figure in zip(item.bounds, figures, strict=True):
            expected.append((bound.requirement, dict(bound.parameters), bound.worst(figure)))
    audited = visits.execute(
        "SELECT requirement, parameters, worst FROM bkpriv.audit(2) WHERE threshold IS NOT NULL"
    ).fetchall()
    assert [row[:2] for row in audited] == [row[:2] for row in expected]
    assert [row[2] for row in audited] == pytest.approx([row[2] for row in expected], abs=1e-9)
    assert [row[1].get("sensitive") for row in audited] == [
        *(None, *COLUMNS, *COLUMNS, None),
    ]
    assert audited[-1][1]["joint"] is True


@pytest.mark.parametrize("release", range(1, len(METHODS) + 1))
def test_what_was_certified_is_read_back(visits: Connection, release: int) -> None:
    columns = "requirement, parameters, worst, mean, vulnerable, satisfied"
    certified = visits.execute(
        f"SELECT {columns} FROM bkpriv.audit_record "
        "WHERE release = %s AND NOT parameters ? 'together' ORDER BY audit, place LIMIT 6",
        [release],
    ).fetchall()
    audited = visits.execute(
        f"SELECT {columns} FROM bkpriv.audit(%s) WHERE threshold IS NOT NULL", [release]
    ).fetchall()
    for one_of, other in zip(certified, audited, strict=True):
        assert one_of[:2] == other[:2]
        assert one_of[2:4] == pytest.approx(other[2:4])
        assert one_of[4:] == other[4:] == (0, True)


def test_values_at_fault_name_their_column(visits: Connection) -> None:
    rows = visits.execute("SELECT parameters, value FROM bkpriv.audit(1)").fetchall()
    for parameters, value in rows:
        if value is None:
            continue
        told = json.loads(value)
        if "sensitive" in parameters:
            assert list(told) == [parameters["sensitive"]]
        else:
            assert list(told) == COLUMNS


def test_beliefs_are_about_combinations(visits: Connection) -> None:
    rows = visits.execute(
        "SELECT qi, sensitive, probability FROM bkpriv.prior('visits', '0.3')"
    ).fetchall()
    pairs = set(visits.execute("SELECT disease, treatment FROM clinic.visit").fetchall())
    assert {tuple(json.loads(label).values()) for _, label, _ in rows} == pairs
    belief: Counter[str] = Counter()
    for qi, _, probability in rows:
        belief[json.dumps(qi)] += probability
    assert list(belief.values()) == pytest.approx([1.0] * len(belief))
    after = visits.execute(
        "SELECT group_id, qi, sum(posterior) FROM bkpriv.posterior(1, '0.3') GROUP BY 1, 2"
    ).fetchall()
    assert [row[2] for row in after] == pytest.approx([1.0] * len(after))
    worst = one(visits, "SELECT max(disclosure) FROM bkpriv.disclosure(1, '0.3')")
    told = visits.execute(
        "SELECT disclosure, sensitive FROM bkpriv.explain_disclosure(1, '0.3') LIMIT 1"
    ).fetchone()
    assert told is not None
    assert told[0] == pytest.approx(worst)
    assert next(iter(json.loads(told[1]))) in COLUMNS
    by_column = visits.execute(
        "SELECT max(worst) FROM bkpriv.audit(1) WHERE requirement = 'bt_privacy' "
        "AND parameters ? 'sensitive'"
    ).fetchone()
    assert by_column == (pytest.approx(worst),)


def test_the_worst_column_is_disclosed(visits: Connection) -> None:
    share = "count(*)::float8 / sum(count(*)) OVER (PARTITION BY group_id)"
    largest = max(
        one(
            visits,
            f"SELECT max(share) FROM (SELECT {share} AS share FROM bucketize "
            f"GROUP BY group_id, {column}) AS x",
        )
        for column in COLUMNS
    )
    k, disclosed, target = visits.execute(
        "SELECT k, disclosure, target FROM bkpriv.max_disclosure(2, 0)"
    ).fetchall()[0]
    assert (k, disclosed) == (0, pytest.approx(largest))
    compared = visits.execute(
        "SELECT value FROM bkpriv.compare_releases(ARRAY[2, 1]) "
        "WHERE metric = 'max_disclosure' AND release = 2"
    ).fetchall()
    assert compared == [(pytest.approx(largest),)]
    assert next(iter(json.loads(target["value"]))) in COLUMNS


@pytest.mark.parametrize("release", [1, 2])
@pytest.mark.parametrize("language", ["implications", "negations"])
def test_the_witness_of_a_column_gives_the_maximum(
    visits: Connection, release: int, language: str
) -> None:
    rows = visits.execute(
        "SELECT k, disclosure, witness, target FROM bkpriv.max_disclosure(%s, 3, %s)",
        [release, language],
    ).fetchall()
    assert rows[0][1] < rows[3][1]
    group_of: dict[str, int] = dict(
        visits.execute(
            "SELECT u.* FROM bkpriv.release_respondent, unnest(respondents, group_ids) AS u "
            "WHERE release = %s",
            [release],
        ).fetchall()
    )
    for k, disclosure, witness, target in rows:
        assert len(witness) <= k
        (column,) = json.loads(target["value"])
        held: dict[int, Counter[str]] = {}
        for name, value in visits.execute(f"SELECT id::text, {column} FROM clinic.visit"):
            label = json.dumps({column: value}, separators=(",", ":"))
            held.setdefault(group_of[name], Counter())[label] += 1
        given = given_witness(held, lambda atom: group_of[atom["respondent"]], target, witness)
        assert given == pytest.approx(disclosure, abs=1e-9)


CONDITIONS = (
    "disease = 'asthma'",
    "disease = 'asthma' AND treatment = 'inhaler'",
    "disease IN ('asthma', 'ulcer') OR treatment <> 'pills'",
    "NOT (treatment = 'rest' AND age < 40)",
    "age BETWEEN 30 AND 50 AND disease = 'ulcer' AND NOT treatment = 'cast'",
    "treatment = 'nothing'",
)


@pytest.mark.parametrize("release", [1, 2])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_column_can_be_asked_about(visits: Connection, release: int, condition: str) -> None:
    actual, estimate = agree(visits, release, f"SELECT count(*) FROM visits WHERE {condition}")
    assert actual == one(visits, f"SELECT count(*) FROM clinic.visit WHERE {condition}")
    if "age" not in condition:
        view = METHODS[release - 1]
        assert estimate == pytest.approx(
            one(visits, f"SELECT count(*) FROM {view} WHERE {condition}")
        )


@pytest.mark.parametrize("release", [1, 2])
@pytest.mark.parametrize("keys", ["treatment", "disease, treatment", "sex, treatment"])
def test_each_column_can_be_grouped_by(visits: Connection, release: int, keys: str) -> None:
    query = f"SELECT count(*) FROM visits WHERE age < 60 GROUP BY {keys}"
    agree(visits, release, query)
    actual = visits.execute(
        "SELECT key, actual FROM bkpriv.query_accuracy(%s, %s) WHERE actual > 0",
        [release, query],
    ).fetchall()
    counted = visits.execute(
        f"SELECT count(*) FROM clinic.visit WHERE age < 60 GROUP BY {keys}"
    ).fetchall()
    assert sorted(row[1] for row in actual) == sorted(row[0] for row in counted)


def test_random_queries_are_about_combinations(visits: Connection) -> None:
    rows = visits.execute("SELECT * FROM bkpriv.query_workload(1, 20, 2, 0.2, 1)").fetchall()
    assert len(rows) == 20
    for query, actual, estimate, _ in rows:
        assert answer(visits, 1, query)[:2] == pytest.approx((actual, estimate))


def test_releases_are_judged_together(visits: Connection) -> None:
    alone = visits.execute(
        "SELECT requirement, parameters, worst FROM bkpriv.audit(2) "
        "WHERE requirement IN ('l_diversity', 'bt_privacy')"
    ).fetchall()
    together = visits.execute(
        "SELECT requirement, parameters - 'together', worst, value "
        "FROM bkpriv.audit_together(ARRAY[2, 1])"
    ).fetchall()
    by_bound = {json.dumps(row[:2], sort_keys=True): row[2] for row in together}
    for requirement, parameters, worst in alone:
        joined = by_bound[json.dumps((requirement, parameters), sort_keys=True)]
        assert joined <= worst + 1e-6 if requirement == "l_diversity" else joined >= worst - 1e-6
    single = visits.execute(
        "SELECT requirement, parameters - 'together', worst FROM bkpriv.audit_together(ARRAY[2])"
    ).fetchall()
    found = {json.dumps(row[:2], sort_keys=True): row[2] for row in single}
    for requirement, parameters, worst in alone:
        assert found[json.dumps((requirement, parameters), sort_keys=True)] == pytest.approx(
            worst, abs=1e-6
        )


def test_a_release_is_certified_with_earlier_ones(visits: Connection) -> None:
    with visits.transaction(force_rollback=True):
        state_policy(visits, "jointly", {"max_disclosure": {"tau": 0.8}, "k_anonymity": {"k": 3}})
        release = publish(visits, "visits", "jointly", "public.again")
        rows = visits.execute(
            "SELECT parameters FROM bkpriv.audits WHERE release = %s "
            "AND parameters ? 'together' AND requirement = 'max_disclosure'",
            [release],
        ).fetchall()
        assert {row[0]["sensitive"] for row in rows} == set(COLUMNS)
        left_out = visits.execute(
            "SELECT records, parameters, value FROM bkpriv.explain_suppressed(%s)", [release]
        ).fetchall()
        suppressed = one(
            visits, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release]
        )
        assert sum(row[0] for row in left_out) <= suppressed
        for _, parameters, value in left_out:
            if "sensitive" in parameters and value is not None:
                assert list(json.loads(value)) == [parameters["sensitive"]]


def test_who_is_exposed_of_which_column(visits: Connection) -> None:
    rows = visits.execute(
        "SELECT parameters, respondent, sensitive, figure FROM "
        'bkpriv.explain_together(ARRAY[1, 2], \'{"max_disclosure": {"tau": 0.6}}\')'
    ).fetchall()
    assert rows
    truth = {
        str(row[0]): dict(zip(COLUMNS, row[1:], strict=True))
        for row in visits.execute("SELECT id, disease, treatment FROM clinic.visit").fetchall()
    }
    for parameters, respondent, sensitive, figure in rows:
        ((column, value),) = json.loads(sensitive).items()
        assert parameters["sensitive"] == column
        if figure > 1 - 1e-9:
            assert truth[respondent][column] == value


def test_beliefs_from_outside_are_about_combinations(visits: Connection) -> None:
    with visits.transaction(force_rollback=True):
        visits.execute(
            "CREATE TABLE clinic.outside AS SELECT (qi->>'age')::int AS age, qi->>'sex' AS sex, "
            "qi->>'city' AS city, sensitive AS value, probability "
            "FROM bkpriv.prior('visits', '0.3')"
        )
        stated = {"table": "clinic.outside"}
        audit = "SELECT worst FROM bkpriv.audit(2, %s::jsonb)"
        figures = [
            visits.execute(
                audit, [json.dumps({"bt_privacy": {"bandwidth": known, "t": 0.2}})]
            ).fetchall()
            for known in (0.3, stated)
        ]
        assert [row[0] for row in figures[1]] == pytest.approx([row[0] for row in figures[0]])


@pytest.mark.parametrize("given", range(4, 8))
def test_plain_texts_mean_one_sensitive_column(visits: Connection, given: int) -> None:
    # Of unknown type, which either function of that name might take.
    asked = [f"'plain{given}'", "'clinic.visit'", "'{age}'", "'disease'", "'id'", "NULL", "'{}'"]
    visits.execute(f"SELECT bkpriv.register_dataset({', '.join(asked[:given])})")
    told = visits.execute(
        "SELECT sensitive, respondent FROM bkpriv.dataset WHERE name = %s", [f"plain{given}"]
    )
    assert told.fetchall() == [(["disease"], "id" if given > 4 else None)]


def test_each_column_may_have_a_bound_of_its_own(visits: Connection) -> None:
    bounds = {"disease": 3, "treatment": 2}
    listed = [{"l": least, "sensitive": column} for column, least in bounds.items()]
    state_policy(visits, "each", {"l_diversity": listed, "overlap": "warn"})
    release = publish(visits, "visits", "each", "public.each", method="bucketize")
    groups = visits.execute(
        "SELECT count(DISTINCT disease), count(DISTINCT treatment) FROM public.each "
        "GROUP BY group_id"
    ).fetchall()
    least = {"disease": min(n for n, _ in groups), "treatment": min(n for _, n in groups)}
    assert all(least[column] >= bound for column, bound in bounds.items())
    assert least["treatment"] == 2
    audited = visits.execute(
        "SELECT parameters ->> 'sensitive', threshold, worst, satisfied FROM bkpriv.audit(%s)",
        [release],
    ).fetchall()
    assert audited == [(column, bounds[column], least[column], True) for column in bounds]
    # What does not hold is found by its column.
    asked = Jsonb(
        {"l_diversity": [{"l": 1, "sensitive": "disease"}, {"l": 5, "sensitive": "treatment"}]}
    )
    broken = visits.execute(
        "SELECT parameters ->> 'sensitive', satisfied FROM bkpriv.audit(%s, %s)", [release, asked]
    ).fetchall()
    assert broken == [("disease", True), ("treatment", False)]
