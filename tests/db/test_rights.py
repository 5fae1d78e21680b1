"""Rights: every function as every role, as the table of docs/explanation/security.md says.

Each is called about what the owner has: a dataset, its releases, a relation. What is refused for
whose relation it is says what to type. The relation runs code of its owner when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from string import Template

import psycopg
import pytest

from bkpriv_pl.server.access import Access
from scripts.rights import ROLES, answer, functions
from tests.conftest import Connection, Database
from tests.db.clinic import overhear, publish, state_policy

FUNCTIONS = functions()

CALLS = {
    "additive_posterior": "'{{.5,.5}}', '{1,0}'",
    "association": "1",
    "attack": "1, 'majority', '{\"model\": \"bayes\"}'",
    "attack_table": "$own, 'mine', '{\"id\": \"id\"}', 'majority'",
    "audit": "1",
    "audit_readers": "'mine', '{\"r\": [1]}'",
    "audit_table": "$own, 'mine', '{}', '{\"k_anonymity\": {\"k\": 1}}'",
    "audit_together": "'{1,2}'",
    "bethe_posterior": "'{{.5,.5}}', '{1,0}'",
    "compare_releases": "'{1}'",
    "disclosure": "1, '0.3'",
    "doctor": "",
    "drop_dataset": "'unused'",
    "emd": "'{1,0}', '{0,1}', '{{0,1},{1,0}}'",
    "exact_posterior": "'{{.5,.5}}', '{1,0}'",
    "explain_attack": "1, 'majority', '{\"model\": \"bayes\"}'",
    "explain_disclosure": "1, '0.3'",
    "explain_publication": "'mine', 'p', 'shown', 'mondrian'",
    "explain_suppressed": "1",
    "explain_together": "'{1,2}'",
    "explore": "'mine', '[{\"k_anonymity\": {\"k\": 4}}]'",
    "grant_auditor": "$role",
    "grant_publisher": "$role",
    "grant_watcher": "$role",
    "inspect_columns": "$relation",
    "js_divergence": "'{1,0}', '{0,1}'",
    "lattice": "'mine', 'p'",
    "max_disclosure": "1, 1",
    "omega_posterior": "'{{.5,.5}}', '{1,0}'",
    "open_views": "2",
    "optimize_randomization": "'plain', 'rr-s', 0.9",
    "posterior": "1, '0.3'",
    "prior": "'mine', '0.3'",
    "publish": "'mine', 'p', 'again', 'mondrian'",
    "purge": "3, 'test', true",
    "query_accuracy": "1, 'SELECT count(*) FROM mine'",
    "query_workload": "1, 2, 1, 0.5",
    "randomization_risk": "'{{.5,.5}}', '{.5,.5}', 'rr-s'",
    "reassign": "'$owner', '$heir'",
    "reconstruct": "4, '{b}'",
    "recount": "1",
    "register_dataset": "'new', $relation, '{a}', 'b'",
    "report_html": "1",
    "revised_belief": "'mine', NULL, '1', NULL",
    "revoke_jobs": "$role",
    "rewrite_query": "2, 'SELECT count(*) FROM mine'",
    "sequential_audit": "'mine', NULL",
    "sequential_knowledge": "'mine', 'k'",
    "set_date_hierarchy": "'mine', 'd'",
    "set_hierarchy": "'mine', 'c', $levels",
    "set_interval_hierarchy": "'mine', 'a', '{2,4}'",
    "set_list_hierarchy": "'mine', 'c', '{\"all\": [\"a\", \"b\"]}', 'rest'",
    "set_policy": "'new', '{\"k_anonymity\": {\"k\": 3}}'",
    "set_prefix_hierarchy": "'mine', 'c', '{1}'",
    "set_sequential_knowledge": "'mine', 'k2', 'constant'",
    "smoothed_distance": "'{1,0}', '{0,1}', '{{0,1},{1,0}}', 0.5",
    "suggest_hierarchy": "'mine', 'c'",
    "unset_hierarchy": "'mine', 'c'",
    "unset_sequential_knowledge": "'mine', 'k'",
    "unwatch": "$relation",
    "utility": "1",
    "verdict": "1",
    "utility_table": "$own, 'mine', '{}'",
    "version": "",
    "watch": "$relation",
    "withdraw": "1, 'test'",
    "worst_case": "'{{1,1}}', 1",
}
"""Arguments; `$relation` is the owner's or the role's own, `$own` and `$levels` the role's own."""


JOBS = {
    "owner": "publisher",
    "member": "publisher",
    "other publisher": "publisher",
    "auditor": "auditor",
    "watcher": "watcher",
}
"""Jobs; the member has it by being a member of the owner."""

TABLES = """
    CREATE TABLE own AS SELECT i::text AS id, i % 12 AS a, chr(97 + i % 12) AS c,
        date '2020-01-01' + i % 5 AS d, i * i % 7 AS b FROM generate_series(1, 120) AS i;
    CREATE TABLE levels AS SELECT chr(97 + i) AS c, '*' AS root FROM generate_series(0, 11) AS i;
"""

DECLARED = """
    SELECT bkpriv.register_dataset('mine', 'own', '{a,c,d}', 'b', 'id'),
        bkpriv.register_dataset('plain', 'own', '{a,c}', 'b'),
        bkpriv.register_dataset('unused', 'own', '{a}', 'b'),
        bkpriv.set_hierarchy('mine', 'c', 'levels'),
        bkpriv.set_interval_hierarchy('mine', 'a', '{4}'),
        bkpriv.set_date_hierarchy('mine', 'd'),
        bkpriv.set_sequential_knowledge('mine', 'k', 'constant');
"""

TRAP = """
    CREATE FUNCTION tell(int) RETURNS int IMMUTABLE COST 1000 LANGUAGE plpgsql AS $$
    BEGIN RAISE NOTICE 'the relation was read'; RETURN $1; END $$;
    CREATE INDEX trap ON own ((a + tell(1)));
"""


@pytest.fixture(scope="module")
def named(
    shared_database: Database, shared_db: Connection, make_role: Callable[..., str]
) -> dict[str, str]:
    """Roles by what they are, each with a table `own`; the owner has published four releases."""
    named = {role: make_role(role.replace(" ", "_")) for role in (*ROLES, "heir")}
    for role, job in JOBS.items() - {("member", "publisher")}:
        shared_db.execute(f"SELECT bkpriv.grant_{job}(%s)", [named[role]])
    shared_db.execute(f"GRANT {named['owner']} TO {named['member']}")
    shared_db.execute(f"ALTER ROLE {named['superuser']} SUPERUSER")
    for role in ROLES:
        shared_db.execute(f"CREATE SCHEMA AUTHORIZATION {named[role]}")
        shared_database.connect(named[role]).execute(TABLES)
    # What an auditor may read is not read for them either, where the owner has named it.
    shared_db.execute(f"GRANT USAGE ON SCHEMA {named['owner']} TO {named['auditor']}")
    shared_db.execute(f"GRANT SELECT ON {named['owner']}.own TO {named['auditor']}")
    owner = shared_database.connect(named["owner"])
    owner.execute(DECLARED)
    state_policy(owner, "p", {"k_anonymity": {"k": 3}})
    for view in ("shown", "shown", "gone"):
        publish(owner, "mine", "p", view, method="mondrian")
    owner.execute("SELECT bkpriv.withdraw(3, 'test')")
    state_policy(owner, "drawn", {"max_disclosure": {"tau": 0.9}})
    assert publish(owner, "plain", "drawn", "drawn", {"scheme": "rr-s"}, method="randomize") == 4
    owner.execute(TRAP)
    return named


def call(connection: Connection, function: str, named: dict[str, str], whose: str) -> str:
    """Answer to a call, which is taken back; relations are those of `whose`."""
    values = {
        "relation": f"'{named[whose]}.own'",
        "own": f"'{connection.info.user}.own'",
        "levels": f"'{connection.info.user}.levels'",
        "role": f"'{named['nobody']}'",
        "owner": named["owner"],
        "heir": named["heir"],
    }
    schema = "bkpriv_internal" if function == "open_views" else "bkpriv"
    arguments = Template(CALLS[function]).substitute(values)
    before = f"SELECT bkpriv.watch({values['relation']});" if function == "unwatch" else ""
    statement = f"{before} SELECT * FROM {schema}.{function}({arguments})"
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement.encode())
    except psycopg.Error as error:
        said = error.diag
        if said.message_hint and said.message_hint.startswith("SET ROLE"):
            assert all(
                named["owner"] in text for text in (said.message_hint, said.message_detail or "")
            )
            assert connection.info.user in (said.message_primary or "")
            return f"{said.sqlstate} SET ROLE"
        return said.sqlstate or str(error)
    return "yes"


def expected(function: str, role: str, *, owner_is_superuser: bool = False) -> str:
    access, jobs = FUNCTIONS[function]
    cell = answer((access, jobs), role, owner_is_superuser=owner_is_superuser)
    told = access is Access.SOURCE and (role == "superuser" or role in jobs)
    return f"{cell} SET ROLE" if cell == "42501" and told else cell


def test_every_function_has_a_call() -> None:
    assert set(CALLS) == set(FUNCTIONS)


@pytest.mark.parametrize("role", ROLES)
def test_of_the_owners_relations_and_releases(
    shared_database: Database, shared_db: Connection, named: dict[str, str], role: str
) -> None:
    connection = shared_database.connect(named[role])
    heard = overhear(connection)
    found, reading = {}, set()
    for function in CALLS:
        heard.clear()
        # A session that has computed it once does so again.
        shared_db.execute(f"ALTER INDEX {named['owner']}.trap SET (fillfactor = 90)")
        found[function] = call(connection, function, named, "owner")
        if any("the relation was read" in text for text in heard):
            reading.add(function)
    assert found == {function: expected(function, role) for function in CALLS}
    assert ({"prior", "explore", "publish"} <= reading) is (role in ("owner", "member"))
    assert reading <= {
        function
        for function, (access, _) in FUNCTIONS.items()
        if access in (Access.SOURCE, Access.NAMED) and found[function] == "yes"
    }


@pytest.mark.parametrize("role", ROLES)
def test_of_relations_of_their_own(
    shared_database: Database, named: dict[str, str], role: str
) -> None:
    connection = shared_database.connect(named[role])
    reading = [name for name, (access, _) in FUNCTIONS.items() if access is Access.NAMED]
    assert {function: call(connection, function, named, role) for function in reading} == {
        function: "yes"
        if role == "superuser" or JOBS.get(role) in FUNCTIONS[function][1]
        else "42501"
        for function in reading
    }


def test_of_a_superusers_relations_for_superusers(
    shared_database: Database, shared_db: Connection, named: dict[str, str]
) -> None:
    connection = shared_database.connect(named["superuser"])
    shared_db.execute(f"ALTER ROLE {named['owner']} SUPERUSER")
    try:
        for function in CALLS:
            found = call(connection, function, named, "owner")
            assert found == expected(function, "superuser", owner_is_superuser=True), function
    finally:
        shared_db.execute(f"ALTER ROLE {named['owner']} NOSUPERUSER")
