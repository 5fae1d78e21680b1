"""``--trust``: a superuser's client runs no code of roles that the superuser has not named."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.client.command import failed, succeeded
from tests.conftest import Connection, Database
from tests.db.waiting import until

pytestmark = pytest.mark.pooled

FILE = """
[dataset.innocent]
source = "{0}.shown"
quasi_identifiers = ["age"]
sensitive = "disease"

[dataset.innocent.hierarchy.age]
levels = "{0}.levels"
"""

POLICY = """
[policy.informed]
bt_privacy = {{ bandwidth = {{ table = "{0}.shown" }}, t = 0.2 }}
"""


@pytest.fixture
def mallory(db: Connection, make_role: Callable[..., str]) -> str:
    """A role whose view records who reads it, in a table that only superusers may write."""
    role = make_role("mallory")
    db.execute(f"CREATE SCHEMA {role} AUTHORIZATION {role}".encode())
    db.execute("CREATE TABLE public.read_by (name text); CREATE TABLE public.own (age int)")
    db.execute("CREATE VIEW public.mine AS SELECT * FROM public.own")
    db.execute(
        f"SET ROLE {role}; SET search_path = {role}; "
        "CREATE TABLE t AS SELECT i % 9 AS age, 'flu' || i % 3 AS disease "
        "FROM generate_series(1, 60) AS i; "
        "CREATE FUNCTION trap() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO public.read_by VALUES (current_user); RETURN true; END $$; "
        "CREATE VIEW shown AS SELECT age, disease FROM t WHERE trap(); "
        "CREATE VIEW levels AS SELECT DISTINCT age AS a, '*' AS b FROM t WHERE trap(); "
        "RESET ROLE; RESET search_path".encode()
    )
    return role


def read_by(db: Connection) -> list[str]:
    """Roles that have run the code."""
    return [name for (name,) in db.execute("SELECT DISTINCT name FROM public.read_by")]


COMMANDS = {
    "plan": ("apply", "{path}", "--plan"),
    "apply": ("apply", "{path}"),
    "inspect": ("inspect", "{role}.shown"),
    "export": ("export", "{role}.shown", "--out", "{path}.out"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_strangers_run_nothing(
    command: str, db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "privacy.toml"
    path.write_text(FILE.format(mallory))
    arguments = [part.format(role=mallory, path=path) for part in COMMANDS[command]]
    said = failed(*arguments, "--uri", database.uri())
    assert f"{mallory}.shown" in said
    assert f"{mallory} owns " in said
    assert f"--trust {mallory}" in said
    # The role that a session has taken on may be given up by code that it runs.
    failed(*arguments, "--uri", database.uri() + f"&options=-crole%3D{mallory}")
    failed(*arguments, "--trust", "nora", "--uri", database.uri())
    assert read_by(db) == []


@pytest.mark.parametrize("command", ["plan", "inspect"])
def test_who_is_trusted_may_run_code(
    command: str, db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "privacy.toml"
    path.write_text(FILE.format(mallory))
    arguments = [part.format(role=mallory, path=path) for part in COMMANDS[command]]
    said = succeeded(*arguments, "--trust", mallory, "--uri", database.uri())
    assert "register" in said


def test_a_table_of_beliefs_is_asked_about(
    db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "privacy.toml"
    path.write_text(POLICY.format(mallory))
    assert f"--trust {mallory}" in failed("apply", str(path), "--plan", "--uri", database.uri())
    stated = tmp_path / "policies.json"
    informed = {"bt_privacy": {"bandwidth": {"table": f"{mallory}.shown"}, "t": 1}}
    stated.write_text(json.dumps([informed]))
    arguments = ("explore", "people", "--policies", str(stated), "--uri", database.uri())
    assert f"--trust {mallory}" in failed(*arguments)
    assert read_by(db) == []


def test_what_strangers_declared_is_asked_about(
    db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "privacy.toml"
    path.write_text('[publish."public.seen"]\ndataset = "kept"\npolicy = "theirs"\n')
    informed = {"bt_privacy": {"bandwidth": {"table": f"{mallory}.levels"}, "t": 1}}
    db.execute("SELECT bkpriv.grant_publisher(%s::regrole)", [mallory])
    db.execute("GRANT INSERT ON public.read_by TO PUBLIC")
    db.execute(f"SET ROLE {mallory}".encode())
    register = "SELECT bkpriv.register_dataset(%s, %s, ARRAY['age'], 'disease')"
    db.execute(register, ["kept", f"{mallory}.shown"])
    db.execute("SELECT bkpriv.set_policy('theirs', %s)", [json.dumps(informed)])
    db.execute("RESET ROLE; TRUNCATE public.read_by")
    for mode in (("--plan",), ()):
        said = failed("apply", str(path), *mode, "--uri", database.uri())
        assert f"{mallory}.shown and {mallory}.levels may run code of {mallory}" in said
    assert read_by(db) == []


def test_what_was_looked_at_is_not_exchanged_meanwhile(
    db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "privacy.toml"
    path.write_text(
        '[dataset.kept]\nsource = "public.own"\nquasi_identifiers = ["age"]\nsensitive = "a"\n'
        "[policy.careful]\nk_anonymity = { k = 2 }\n"
        '[publish."public.seen"]\ndataset = "kept"\npolicy = "careful"\n'
    )
    db.execute("ALTER TABLE public.own ADD a int; GRANT SELECT ON public.own TO PUBLIC")
    db.execute("SELECT bkpriv.grant_publisher(%s::regrole)", [mallory])
    first, second = (database.connect(mallory) for _ in range(2))
    first.execute("SELECT bkpriv.register_dataset('kept', 'public.own', '{age}', 'a')")
    second.execute("SET lock_timeout = '100ms'")
    with ThreadPoolExecutor() as pool, first.transaction(force_rollback=True):
        # The client waits for this name, after it has looked whose code it runs.
        first.execute("""SELECT bkpriv.set_policy('careful', '{"k_anonymity": {"k": 3}}')""")
        planning = pool.submit(succeeded, "apply", str(path), "--plan", "--uri", database.uri())
        waiting = "SELECT FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        until(lambda: db.execute(waiting, [first.info.backend_pid]).fetchall() or planning.done())
        with pytest.raises(psycopg.errors.LockNotAvailable):
            second.execute("SELECT bkpriv.drop_dataset('kept')")
    assert "publish public.seen" in planning.result()


def test_a_table_is_not_made_among_a_strangers(
    db: Connection, database: Database, mallory: str, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,disease\n" + "".join(f"{i % 9},flu{i % 3}\n" for i in range(60)))
    arguments = ("load-csv", str(path), "--table", f"{mallory}.people", "--uri", database.uri())
    assert f"--trust {mallory}" in failed(*arguments)
    assert db.execute("SELECT to_regclass(%s)", [f"{mallory}.people"]).fetchone() == (None,)
    succeeded(*arguments, "--trust", mallory)


def test_only_superusers_are_asked(
    db: Connection,
    database: Database,
    mallory: str,
    make_role: Callable[..., str],
    tmp_path: Path,
) -> None:
    nora = make_role("nora")
    db.execute(f"SELECT bkpriv.grant_publisher('{nora}')".encode())
    db.execute(f"GRANT USAGE ON SCHEMA {mallory} TO {nora}".encode())
    db.execute(f"GRANT SELECT ON {mallory}.shown TO {nora}".encode())
    db.execute("GRANT INSERT ON public.read_by TO PUBLIC")
    succeeded("inspect", f"{mallory}.shown", "--uri", database.uri(nora))
    # What a superuser owns is asked of nobody.
    succeeded("export", "public.mine", "--out", str(tmp_path), "--uri", database.uri())
