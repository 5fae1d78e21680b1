"""A frozen release stays as it is, whatever becomes of the types that its source had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection, Database
from tests.db.clinic import one, overhear, publish, state_policy
from tests.db.queries import asked, estimates, rewritten, run, run_by_key
from tests.db.refusal import refused

CONDITIONS = ("m < 'mid'", "m BETWEEN 'mid' AND 'high'", "b >= 'mid'", "b = 'low' OR m <> 'high'")
GROUPED = "SELECT count(*) FROM moods WHERE m > 'low' GROUP BY CUBE (m, b)"


def told(connection: Connection, release: int, views: list[str]) -> list[Any]:
    """Words about a release, and in its views."""
    said: list[Any] = []
    for view in views:
        shown = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(view)))
        said += [(column.name, column.type_code) for column in shown.description or ()]
        said += shown.fetchall()
    for measure in ("audit(%s)", "audit(%s, estimator => 'omega')", "disclosure(%s, '0.4')"):
        said.append(connection.execute(f"SELECT * FROM bkpriv.{measure}", [release]).fetchall())
    for condition in CONDITIONS:
        query = f"SELECT count(*) FROM moods WHERE {condition}"
        statement = rewritten(connection, release, query)
        said += [asked(connection, release, query), statement, run(connection, statement)]
    return [*said, run_by_key(connection, rewritten(connection, release, GROUPED))]


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy"])
def test_a_type_that_is_renamed_and_dropped(
    make_publisher: Callable[..., Connection], method: str
) -> None:
    owner = make_publisher("owner")
    owner.execute(
        """
        CREATE TYPE mood AS ENUM ('low', 'mid', 'high', 'never');
        CREATE TABLE own AS SELECT i % 12 AS a, (enum_range(NULL::mood))[1 + i % 3] AS m,
            (enum_range(NULL::mood))[1 + i / 7 % 3] AS b FROM generate_series(1, 120) AS i;
        SELECT bkpriv.register_dataset('moods', 'own', '{a,m}', 'b');
        """
    )
    state_policy(owner, "k", {"k_anonymity": {"k": 4}, "l_diversity": {"l": 2}})
    release = publish(owner, "moods", "k", "shown", method=method)
    views = ["shown"] if method == "mondrian" else ["shown", "shown_sensitive"]
    counts = [one(owner, f"SELECT count(*) FROM own WHERE {some}") for some in CONDITIONS]
    before = told(owner, release, views)
    for sabotage in (
        "ALTER TYPE mood RENAME VALUE 'low' TO 'lowest'",
        "ALTER TYPE mood RENAME TO other; CREATE TYPE mood AS ENUM ('high', 'mid', 'low')",
        "DROP TYPE other CASCADE; DROP TYPE mood CASCADE",
        "CREATE DOMAIN mood AS int",
    ):
        owner.execute(sabotage)
        assert told(owner, release, views) == before, sabotage
        for condition, count in zip(CONDITIONS, counts, strict=True):
            query = f"SELECT count(*) FROM moods WHERE {condition}"
            ((_, actual, estimate, _),) = asked(owner, release, query)
            assert actual == count
            assert run(owner, rewritten(owner, release, query)) == pytest.approx(estimate)
    found = run_by_key(owner, rewritten(owner, release, GROUPED))
    assert dict(found) == pytest.approx(dict(estimates(owner, release, GROUPED)))


def test_a_release_table_takes_built_in_types_only(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    owner = make_publisher("owner")
    owner.execute("CREATE TYPE mood AS ENUM ('low', 'mid'); CREATE TABLE own (m mood, n mood)")
    owner.execute("SELECT bkpriv.register_dataset('moods', 'own', '{m}', 'n')")
    state_policy(owner, "p", {"k_anonymity": {"k": 2}})
    owner.execute("INSERT INTO own SELECT 'low', 'mid' FROM generate_series(1, 9)")
    release = publish(owner, "moods", "p", "shown")
    create = (
        "SELECT bkpriv_internal.create_release_table("
        "%s, '{m}', ARRAY[format('%%I.%%I', %s::text, %s::text)]::regtype[], 'sensitive')"
    )
    for type_ in ("mood", "_mood", "own"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="built-in types only"):
            db.execute(create, [release, owner.info.user, type_])


@pytest.mark.pooled
def test_a_query_runs_no_cast_of_an_enumeration(
    make_publisher: Callable[..., Connection],
    db: Connection,
    database: Database,
    make_role: Callable[..., str],
) -> None:
    attacker, role = make_publisher("attacker"), make_role("auditor")
    db.execute("SELECT bkpriv.grant_auditor(%s)", [role])
    auditor = database.connect(role)
    attacker.execute(
        """
        CREATE TYPE mood AS ENUM ('low', 'mid', 'high', 'never');
        CREATE TABLE own AS SELECT i % 12 AS a, (enum_range(NULL::mood))[1 + i % 3] AS m,
            (enum_range(NULL::mood))[1 + i * i % 3] AS b FROM generate_series(1, 120) AS i;
        SELECT bkpriv.register_dataset('bait', 'own', '{a,m}', 'b');
        """
    )
    state_policy(attacker, "k", {"k_anonymity": {"k": 2}})
    release = publish(attacker, "bait", "k", "shown")
    attacker.execute(
        """
        CREATE FUNCTION trojan(text) RETURNS mood LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN 'low'; END $$;
        CREATE FUNCTION trojan(mood) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'trojan ran as %', current_user; RETURN 'low'; END $$;
        CREATE CAST (text AS mood) WITH FUNCTION trojan(text) AS IMPLICIT;
        CREATE CAST (mood AS text) WITH FUNCTION trojan(mood) AS IMPLICIT;
        """
    )
    query = "SELECT actual FROM bkpriv.query_accuracy(%s, %s)"
    # The type's schema may be out of the auditor's reach.
    assert one(auditor, query, [release, "SELECT count(*) FROM bait WHERE b < 'mid'"]) == 40
    schema = sql.Identifier(attacker.info.user)
    attacker.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(schema))
    for reader in (auditor, db):
        said = overhear(reader)
        for condition, count in (
            ("b <> 'high'", 120), ("b < 'mid'", 40), ("b <= 'mid'", 120), ("b <> 'never'", 120),
            ("m >= 'mid'", 80), ("m = 'high'", 40), ("m = 'never'", 0), ("m IN ('low','x')", 40),
        ):  # fmt: skip
            text = f"SELECT count(*) FROM bait WHERE {condition}"
            assert one(reader, query, [release, text]) == count, condition
            reader.execute("SELECT bkpriv.query_workload(%s, 3, 1, 0.3)", [release])
        rewritten = (
            "SELECT bkpriv.rewrite_query(%s, 'SELECT count(*) FROM bait WHERE m < ''high''')"
        )
        assert one(reader, rewritten, [release])
        for label in ("none of them", "never"):
            text = f"SELECT count(*) FROM bait WHERE m < '{label}'"
            names = [label, "'mid', 'high'"]
            refused(reader, query, [release, text], sqlstate="22023", names=names)
        for measure in ("utility(%s)", "association(%s)", "disclosure(%s, '0.4')", "audit(%s)"):
            reader.execute(f"SELECT * FROM bkpriv.{measure}", [release])
        assert said == []
