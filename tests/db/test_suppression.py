"""Explanations of what a release left out, to roles that may measure it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from bkpriv_core.method import GROUP_METHODS
from tests.conftest import Connection
from tests.db.clinic import (
    PLAIN,
    REGIONS,
    create_clinic,
    declare_clinic,
    fill,
    one,
    publish,
    sentence,
    state_policy,
)
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

EXPLAIN = "SELECT * FROM bkpriv.explain_suppressed(%s)"


def left_out(db: Connection, release: int) -> int:
    return int(one(db, "SELECT suppressed FROM bkpriv.releases WHERE release = %s", [release]))


def leave_out(db: Connection, group: int, requirements: Any) -> int:
    """Append a copy of release 1 without one of its groups and with other requirements."""
    made = one(
        db,
        "INSERT INTO bkpriv.release (dataset, owner, version, source_schema, source_name, "
        "view_schema, view_name, method, policy, requirements, options, records, suppressed, "
        "groups, created_by) SELECT dataset, owner, 99, source_schema, source_name, view_schema, "
        "view_name, method, policy, %s, options, records, (SELECT sum(r.records) FROM "
        "bkpriv.disclosure(1, '0.3') AS r WHERE group_id = %s), groups - 1, created_by "
        "FROM bkpriv.release WHERE release = 1 RETURNING release",
        [Jsonb(requirements), group],
    )
    db.execute(
        "INSERT INTO bkpriv.release_attribute SELECT (jsonb_populate_record(a, %s)).* "
        "FROM bkpriv.release_attribute a WHERE release = 1",
        [Jsonb({"release": made})],
    )
    db.execute(
        "INSERT INTO bkpriv.release_content (release, codes, group_ids, cells, sensitive_codes, "
        "counts, made_from) SELECT %(made)s, codes, ARRAY(SELECT CASE WHEN g = %(group)s THEN -1 "
        "WHEN g > %(group)s THEN g - 1 ELSE g END FROM unnest(group_ids) WITH ORDINALITY "
        "AS t (g, place) ORDER BY place), cells, sensitive_codes, counts, made_from "
        "FROM bkpriv.release_content WHERE release = 1",
        {"made": made, "group": group},
    )
    return int(made)


def inside(qi: dict[str, Any], box: dict[str, Any]) -> bool:
    """Whether a cell lies in an extent."""
    first, last = box["age"] if isinstance(box["age"], list) else (box["age"], box["age"])
    return (
        first <= qi["age"] <= last
        and box["sex"] in ("*", qi["sex"])
        and (box["city"] in ("*", qi["city"]) or qi["city"] in REGIONS.get(box["city"], ()))
    )


@pytest.fixture
def published(clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with release 1."""
    assert publish(clinic) == 1
    return clinic


@pytest.mark.parametrize("group", [0, 3, 7])
def test_records_that_were_left_out_are_told_by_kinds(published: Connection, group: int) -> None:
    cells = published.execute(
        "SELECT qi, records FROM bkpriv.disclosure(1, '0.3') WHERE group_id = %s", [group]
    ).fetchall()
    sizes: Counter[int] = Counter(
        dict(
            published.execute(
                "SELECT group_id, sum(records)::int FROM bkpriv.disclosure(1, '0.3') "
                "WHERE group_id <> %s GROUP BY 1",
                [group],
            ).fetchall()
        )
    )
    release = leave_out(published, group, {"k_anonymity": {"k": 60}, "l_diversity": {"l": 2}})
    assert left_out(published, release) == sum(records for _, records in cells)
    rows = published.execute(EXPLAIN, [release]).fetchall()
    assert sum(row[1] for row in rows) == left_out(published, release)
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
    # With no group is any of them among 60.
    for box, records, *bound, attained, _, _, _, _, estimator in rows:
        mine = [size for qi, size in cells if inside(qi, box)]
        assert sum(mine) == records
        assert bound == ["k_anonymity", {"k": 60}, 60.0]
        assert {attained - size for size in mine} & set(sizes.values())
        assert estimator == "exact"
    # All of them together: the box around them, and the best that any of them attains.
    ((box, records, _, _, _, attained, *fault, _),) = published.execute(
        'SELECT * FROM bkpriv.explain_suppressed(%s, "limit" => 1)', [release]
    ).fetchall()
    assert records == sum(records for _, records in cells)
    assert attained == max(row[5] for row in rows)
    assert fault == [None] * 4
    ages = [qi["age"] for qi, _ in cells]
    assert box["age"] == ([min(ages), max(ages)] if len(set(ages)) > 1 else ages[0])
    for name, labels in (("sex", "fm*"), ("city", ["Aln", "Brix", "Corve", "Dunn", "*"])):
        assert box[name] in (*labels, "north", "south")
        if len({qi[name] for qi, _ in cells}) == 1:
            assert box[name] == cells[0][0][name]


def test_the_value_at_fault_is_named(published: Connection) -> None:
    beliefs = {"k_anonymity": {"k": 4}, "bt_privacy": {"bandwidth": 0.3, "t": 0.00001}}
    release = leave_out(published, 2, beliefs)
    rows = published.execute(EXPLAIN, [release]).fetchall()
    assert rows
    for _, _, requirement, parameters, threshold, attained, qi, value, before, after, _ in rows:
        assert requirement == "bt_privacy"
        assert parameters == {"bandwidth": 0.3, "t": 0.00001}
        assert attained > threshold == 0.00001
        # The adversary's prior is what prior() says.
        assert before == pytest.approx(
            one(
                published,
                "SELECT probability FROM bkpriv.prior('patients', '0.3') "
                "WHERE qi = %s AND sensitive = %s",
                [Jsonb(qi), value],
            )
        )
        assert 0 <= after <= 1


@pytest.mark.parametrize("method", GROUP_METHODS)
def test_every_method_accounts_for_what_it_left_out(clinic: Connection, method: str) -> None:
    fill(clinic, "clinic.patient", [(95, "f", "Aln", "ulcer"), (99, "m", "Dunn", "asthma")])
    options = {"suppression": 0.3} if method == "incognito" else {}
    state_policy(clinic, "likeness", {**PLAIN, "beta_likeness": {"beta": 4}})
    policy = "likeness" if method.endswith("primacy") else "plain"
    release = publish(clinic, policy=policy, view="public.v", method=method, options=options)
    count = one(clinic, "SELECT count(*) FROM clinic.patient")
    suppressed = left_out(clinic, release)
    told = clinic.execute(
        "SELECT what, count, \"of\", advice FROM bkpriv.verdict(%s) WHERE what LIKE 'left_out:%%'",
        [release],
    ).fetchall()
    said = f"left_out: {suppressed} of {count} records are not published"
    why = "bkpriv.explain_suppressed(release) says which, and why."
    assert told == ([(said, suppressed, count, why)] if suppressed else [])
    rows = clinic.execute("SELECT * FROM bkpriv.explain_suppressed(%s, 1000)", [release]).fetchall()
    assert sum(row[1] for row in rows) == left_out(clinic, release)
    if method == "incognito":
        assert rows


def test_what_is_relaxed_is_told(db: Connection) -> None:
    create_clinic(db, 300)
    declare_clinic(db)
    state_policy(
        db, "strict", {"k_anonymity": {"k": 6}, "js_divergence": {"j": 0.02, "bandwidth": 0.25}}
    )
    release = publish(db, policy="strict", view="public.v", method="js_reduce")
    suppressed = left_out(db, release)
    assert suppressed > 1
    assert "violated" not in sentence(db, release)
    options = {"unfit": "relax"}
    relaxed = publish(db, policy="strict", view="public.w", method="js_reduce", options=options)
    assert left_out(db, relaxed) <= 1
    rows = db.execute(
        "SELECT requirement, vulnerable, worst, threshold FROM bkpriv.audits WHERE release = %s "
        "AND NOT satisfied ORDER BY audit",
        [relaxed],
    ).fetchall()
    assert rows
    broken = "; ".join(
        f"{requirement}: broken for {vulnerable} records, {worst:.4g} instead of {threshold:g}"
        for requirement, vulnerable, worst, threshold in rows
    )
    assert sentence(db, relaxed).startswith(f"violated: {broken}")
    # An audit of the release comes to the same.
    audited = db.execute(
        "SELECT requirement, vulnerable FROM bkpriv.audit(%s) WHERE NOT satisfied", [relaxed]
    ).fetchall()
    assert sorted(audited) == sorted(row[:2] for row in rows)
    # Who knows the table finds nobody missing, and the view has everybody once.
    count = one(db, "SELECT count(*) FROM clinic.patient") - left_out(db, relaxed)
    assert one(db, "SELECT count(*) FROM public.w") == count


def test_whole_columns_leave_out_classes(db: Connection) -> None:
    create_clinic(db, 300)
    declare_clinic(db)
    state_policy(db, "four", {"k_anonymity": {"k": 4}})
    release = publish(
        db, policy="four", view="public.v", method="incognito", options={"suppression": 0.2}
    )
    assert left_out(db, release) > 0
    levels = "SELECT attribute, level FROM bkpriv.release_attribute WHERE release = %s"
    level: dict[str, int] = dict(db.execute(levels, [release]).fetchall())
    shown = {
        "age": "*" if level["age"] else "age::text",
        "sex": "*" if level["sex"] else "sex",
        "city": ("city", "CASE WHEN city IN ('Aln', 'Brix') THEN 'north' ELSE 'south' END", "*")[
            level["city"]
        ],
    }
    classes = ", ".join("'*'" if text == "*" else text for text in shown.values())
    sizes = db.execute(
        f"SELECT count(*), {classes} FROM clinic.patient GROUP BY 2, 3, 4 HAVING count(*) < 4"
    ).fetchall()
    rows = db.execute("SELECT * FROM bkpriv.explain_suppressed(%s, 1000)", [release]).fetchall()
    assert sum(size for size, *_ in sizes) == sum(row[1] for row in rows)
    for _, records, requirement, _, threshold, attained, *_ in rows:
        assert (requirement, threshold) == ("k_anonymity", 4.0)
        assert records <= attained < 4
    assert {row[5] for row in rows} <= {float(size) for size, *_ in sizes}


def test_nothing_is_said_where_nothing_was_left_out(published: Connection) -> None:
    assert left_out(published, 1) == 0
    assert published.execute(EXPLAIN, [1]).fetchall() == []


@pytest.mark.parametrize("limit", [0, -1, None])
def test_limits_that_are_none_are_refused(published: Connection, limit: int | None) -> None:
    with unchanged(published):
        said = refused(
            published,
            "SELECT * FROM bkpriv.explain_suppressed(1, %s)",
            [limit],
            sqlstate="22023",
            names=["limit", "NULL" if limit is None else str(limit)],
        )
    assert "at least 1" in (said.message_hint or "")
