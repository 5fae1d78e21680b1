"""History: append-only, and enough to measure a release by, whatever became of its source."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.conftest import Connection
from tests.db.clinic import declare_people, one, publish, state_policy

pytestmark = pytest.mark.pooled

HISTORY = (
    *("release", "release_attribute", "release_content", "release_draw", "release_respondent"),
    *("release_base", "release_notice", "release_belief", "release_event", "audit_record"),
    *("attack_record", "verdict_record"),
)


@pytest.fixture(scope="module")
def history(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a database whose history has rows of every kind."""
    publish(shared_clinic)
    publish(shared_clinic)
    declare_people(shared_clinic)
    release = publish(shared_clinic, "people", view="public.people")
    state_policy(shared_clinic, "drawn", {"max_disclosure": {"tau": 0.5}})
    options = {"scheme": "rr-both"}
    publish(shared_clinic, policy="drawn", view="drawn", method="randomize", options=options)
    shared_clinic.execute("SELECT bkpriv.attack(1, 'majority', '{\"model\": \"bayes\"}')")
    shared_clinic.execute(
        "INSERT INTO bkpriv.release_belief VALUES (%s, repeat('0', 64), 'months', '{1}')", [release]
    )
    return shared_clinic


@pytest.mark.parametrize("table", HISTORY)
@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET release = release", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
)
def test_history_refuses_to_change_even_for_a_superuser(
    history: Connection, table: str, statement: str
) -> None:
    change = sql.SQL(statement).format(sql.Identifier("bkpriv", table))
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as caught:
        history.execute(change)
    assert "is refused" in str(caught.value)
    assert caught.value.diag.message_detail == "The history of releases is append-only."
    assert caught.value.diag.message_hint


def test_history_refuses_to_change_for_a_publisher(
    clinic: Connection, make_publisher: Callable[..., Connection]
) -> None:
    publisher = make_publisher()
    for table in HISTORY:
        for statement in ("UPDATE {} SET release = 1", "DELETE FROM {}", "TRUNCATE {}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                publisher.execute(sql.SQL(statement).format(sql.Identifier("bkpriv", table)))


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("release", "version", "0"),
        ("release", "records", "0"),
        ("release", "suppressed", "records + 1"),
        ("release", "suppressed", "-1"),
        ("release", "groups", "-1"),
        ("release", "requirements", "NULL"),
        ("release_attribute", "place", "-1"),
        ("release_attribute", "positions", "'{1}'"),
        ("release_attribute", "retention", "0"),
        ("release_attribute", "retention", "1.01"),
        ("release_attribute", "retention", "'NaN'"),
        ("release_content", "sensitive_codes", "sensitive_codes || 0"),
        ("release_content", "counts", "counts || 1::bigint"),
        ("release_content", "codes", "codes || 0"),
        ("release_content", "false_cells", "'{0}'"),
        ("release", "counterfeited", "records + 1"),
        ("release", "respondent_column", "repeat('x', 64)"),
        ("release_draw", "codes", "codes || 0"),
        ("release_draw", "counts", "NULL"),
        ("release_content", "made_from", "NULL"),
        ("release_respondent", "group_ids", "group_ids || 0"),
        ("release_respondent", "parts", "NULL"),
        ("release_respondent", "sensitive_codes", "NULL"),
        ("release_base", "base", "repeat('x', 258)"),
        ("release_notice", "severity", "'ERROR'"),
        ("release_notice", "message", "''"),
        ("release_notice", "detail", "repeat('x', 40001)"),
        ("release_notice", "place", "1001"),
        ("release_belief", "digest", "'abc'"),
        ("release_belief", "knowledge", "repeat('x', 20000)"),
        ("release_belief", "probabilities", "NULL"),
        ("release_event", "kind", "'forgiven'"),
        ("release_event", "reason", "''"),
        ("release_event", "readers", "array_fill('x'::text, ARRAY[1001])"),
        ("release_event", "readers", "ARRAY[repeat('x', 300000)]"),
        ("audit_record", "vulnerable", "-1"),
        ("audit_record", "vulnerable", "1"),
        ("audit_record", "place", "-1"),
        ("attack_record", "place", "-1"),
        ("attack_record", "value", "NULL"),
        ("attack_record", "attacker", "repeat('x', 64)"),
        ("attack_record", "metric", "repeat('x', 64)"),
        ("attack_record", "sensitive", "repeat('x', 64)"),
        ("attack_record", "options", "'[]'"),
        ("attack_record", "options", "jsonb_build_object('x', repeat('x', 1000000))"),
        ("verdict_record", "state", "'fine'"),
        ("verdict_record", "place", "-1"),
        ("verdict_record", "count", "-1"),
        ("verdict_record", "key", "CASE WHEN key IS NULL THEN 'known' END"),
        ("verdict_record", "what", "repeat('x', 100001)"),
    ],
)
def test_history_refuses_rows_that_make_no_sense(
    history: Connection, table: str, column: str, value: str
) -> None:
    constraint = (psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation)
    # A copy of a row that is there, wrong in one column, under keys that are free.
    columns = [
        name
        for (name,) in history.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
            [f"bkpriv.{table}"],
        ).fetchall()
    ]
    free = {
        "release": {"release": "release + 1000"},
        "release_content": {"release": "release"},
        "release_draw": {"release": "release + 1000"},
        "release_respondent": {"release": "release"},
        "release_base": {"release": "release + 1000"},
        "release_notice": {"release": "release + 1000"},
        "release_belief": {"release": "release + 1000"},
        "release_attribute": {"place": "place + 1000"},
        "release_event": {"event": "event + 1000"},
        "audit_record": {"audit": "audit + 1000"},
        "attack_record": {"attack": "attack + 1000"},
        "verdict_record": {"verdict": "verdict + 1000"},
    }[table]
    chosen = {name: sql.Identifier(name) for name in columns} | {
        name: sql.SQL(text) for name, text in (free | {column: value}).items()
    }
    insert = "INSERT INTO {table} ({names}) SELECT {values} FROM {table} LIMIT 1"
    statement = sql.SQL(insert).format(
        table=sql.Identifier("bkpriv", table),
        names=sql.SQL(", ").join(map(sql.Identifier, chosen)),
        values=sql.SQL(", ").join(chosen.values()),
    )
    with pytest.raises(constraint):
        history.execute(statement)


def test_a_release_records_what_it_was_made_from_and_under(clinic: Connection) -> None:
    release = publish(clinic, options={"estimator": "exact"})
    ((*row,),) = clinic.execute(
        "SELECT dataset, version, view_name, method, policy, records, status, stale, created_by, "
        "requirements, options FROM bkpriv.releases WHERE release = %s",
        [release],
    ).fetchall()
    assert row == [
        *("patients", 1, "public.patients", "mondrian", "plain", 300, "published", False),
        "postgres",
        {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}},
        {"estimator": "exact"},
    ]
    names = clinic.execute(
        "SELECT attribute, levels IS NOT NULL, positions IS NOT NULL "
        "FROM bkpriv.release_attribute WHERE release = %s ORDER BY place",
        [release],
    ).fetchall()
    assert names == [
        ("age", False, True),
        ("city", True, False),
        ("sex", False, False),
        ("disease", True, False),
    ]


def test_a_release_keeps_its_requirements_when_the_policy_changes(clinic: Connection) -> None:
    release = publish(clinic)
    state_policy(clinic, "plain", {"k_anonymity": {"k": 50}})
    rows = clinic.execute("SELECT requirement, satisfied FROM bkpriv.audit(%s)", [release])
    assert rows.fetchall() == [("k_anonymity", True), ("l_diversity", True)]


def test_a_release_is_measured_as_it_was_when_source_and_hierarchies_have_changed(
    clinic: Connection,
) -> None:
    release = publish(clinic, policy="beliefs")
    query = "SELECT * FROM bkpriv.disclosure(%s, '0.3') ORDER BY group_id, qi::text"
    before = clinic.execute(query, [release]).fetchall()
    clinic.execute("DELETE FROM clinic.patient WHERE age > 30")
    clinic.execute("UPDATE clinic.city_levels SET region = 'all'")
    clinic.execute("SELECT bkpriv.set_hierarchy('patients', 'city', 'clinic.city_levels')")
    clinic.execute("DROP TABLE clinic.patient CASCADE")
    assert clinic.execute(query, [release]).fetchall() == before


def test_every_audit_is_kept_with_who_made_it(clinic: Connection) -> None:
    release = publish(clinic, policy="beliefs")
    found = clinic.execute(
        "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied, "
        "estimator_used FROM bkpriv.audit(%s, %s)",
        [release, Jsonb({"bt_privacy": {"bandwidth": 0.2, "t": 0.05}})],
    ).fetchall()
    kept = clinic.execute(
        "SELECT requirement, parameters, threshold, worst, mean, vulnerable, satisfied, estimator, "
        "audited_by, dataset FROM bkpriv.audits WHERE release = %s ORDER BY audit, requirement",
        [release],
    ).fetchall()
    # First the certification, then this audit.
    assert [row[0] for row in kept] == ["bt_privacy", "k_anonymity", "bt_privacy"]
    assert kept[-1] == (*found[0], "postgres", "patients")
    assert kept[0][6]
    assert not kept[-1][6]


def test_every_attack_is_kept_with_who_played_it_and_names_nobody(clinic: Connection) -> None:
    release = publish(clinic)
    asked = [release, Jsonb({"model": "bayes", "sure": 0.6})]
    found = clinic.execute("SELECT * FROM bkpriv.attack(%s, 'majority', %s)", asked).fetchall()
    assert len(found) > 8
    clinic.execute("SELECT * FROM bkpriv.explain_attack(%s, 'majority', %s)", asked)
    kept = clinic.execute(
        "SELECT metric, value, sensitive FROM bkpriv.attack_record ORDER BY place"
    )
    assert kept.fetchall() == found
    told = "SELECT DISTINCT attacker, options, attacked_by, dataset, release FROM bkpriv.attacks"
    meant = {"model": "bayes", "sure": 0.6, "unsure": 0.5, "folds": 5, "seed": 0}
    assert clinic.execute(told).fetchall() == [("majority", meant, "postgres", "patients", release)]
    clinic.execute("SELECT * FROM bkpriv.attack(%s, 'majority', %s)", asked)
    clinic.execute("SELECT * FROM bkpriv.audit(%s)", [release])
    assert one(clinic, "SELECT count(DISTINCT attack) FROM bkpriv.attacks") == 2
    # The certificate, its verdict, two attacks, an audit.
    assert one(clinic, "SELECT max(audit) FROM bkpriv.audits") == 5


@pytest.mark.parametrize(
    ("call", "view"),
    [
        ("audit(%s)", "audits"),
        ("attack(%s, 'majority', '{\"model\": \"bayes\"}')", "attacks"),
    ],
)
def test_what_measures_in_a_read_only_transaction_tells_but_does_not_record(
    clinic: Connection, call: str, view: str
) -> None:
    release = publish(clinic)
    before = one(clinic, f"SELECT count(*) FROM bkpriv.{view}")
    with clinic.transaction():
        clinic.execute("SET TRANSACTION READ ONLY")
        assert clinic.execute(f"SELECT * FROM bkpriv.{call}".encode(), [release]).fetchall()
    assert one(clinic, f"SELECT count(*) FROM bkpriv.{view}") == before
