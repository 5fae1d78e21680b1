"""The first call of a session: what it takes is loaded, and nothing that few calls want."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection, Database
from tests.db.clinic import one, publish, state_policy
from tests.db.queries import answer

LOADED = """
CREATE FUNCTION loaded() RETURNS text[] LANGUAGE plpython3u AS $$
import sys
slow = ("scipy.optimize", "scipy.sparse", "scipy.spatial", "scipy.special", "sqlglot")
return [module for module in slow if module in sys.modules]
$$
"""

SLOW = """
DO $$
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        time.sleep(1.3 * (name == "numpy"))
sys.meta_path.insert(0, Slow())
$$ LANGUAGE plpython3u
"""
"""Statement that makes the start of a session take longer than a timeout."""

GONE = """
DO $$
import sys
for name, module in sys.modules.items():
    if name.startswith("bkpriv_pl") and hasattr(module, "__path__"):
        module.__path__ = ["/none"]
$$ LANGUAGE plpython3u
"""
"""Statement after which no further module of the server's part can be found."""

JS = "SELECT bkpriv.js_divergence('{0.5, 0.5}', '{1, 0}')"


@pytest.mark.always
def test_publishing_and_auditing_load_nothing_slow(clinic: Connection) -> None:
    clinic.execute(LOADED)
    requirements = {"k_anonymity": {"k": 4}, "t_closeness": {"t": 0.9}}
    state_policy(clinic, "known", {**requirements, "bt_privacy": {"bandwidth": 0.3, "t": 0.99}})
    release = publish(clinic, policy="known")
    # Only where ranges overlap it is looked who can be in another group.
    assert one(clinic, "SELECT loaded()") in ([], ["scipy.sparse"])
    assert clinic.execute("SELECT FROM bkpriv.audit(%s)", [release]).fetchall()
    assert one(clinic, "SELECT loaded()") in ([], ["scipy.sparse"])
    answer(clinic, release, "SELECT count(*) FROM patients WHERE city = 'Aln'")
    assert one(clinic, "SELECT loaded()") == ["scipy.sparse", "sqlglot"]


def test_a_call_loads_what_it_takes_alone(db: Connection) -> None:
    db.execute(
        "CREATE FUNCTION loaded() RETURNS text[] LANGUAGE plpython3u AS "
        "$$ import sys; return [name for name in sys.modules if name.startswith('bkpriv')] $$"
    )
    assert one(db, "SELECT bkpriv.emd('{0.5, 0.5}', '{1, 0}', '{{0, 1}, {1, 0}}')") == 0.5
    loaded = one(db, "SELECT loaded()")
    assert "bkpriv_pl.asking.calculator" in loaded
    assert "bkpriv_pl.publishing.publication" not in loaded


@pytest.mark.parametrize("method", ["agglomerate", "bucketize", "randomize"])
def test_reading_a_release_loads_no_other_way_to_make_one(
    clinic: Connection, database: Database, method: str
) -> None:
    clinic.execute(
        "CREATE FUNCTION loaded() RETURNS text[] LANGUAGE plpython3u AS "
        "$$ import sys; return [name for name in sys.modules if name.startswith('bkpriv_')] $$"
    )
    state_policy(clinic, "drawn", {"max_disclosure": {"tau": 0.6}})
    if method == "randomize":
        release = publish(clinic, policy="drawn", method=method, options={"scheme": "rr-both"})
    else:
        release = publish(clinic, method=method)
    session = database.connect()
    assert session.execute("SELECT * FROM bkpriv.utility(%s)", [release]).fetchall()
    loaded = one(session, "SELECT loaded()")
    assert len(loaded) <= 120
    assert not {"bkpriv_pl.publishing", "bkpriv_core.composition", "bkpriv_core.audit"} & {*loaded}


@pytest.mark.parametrize("works", [True, False])
def test_the_collector_is_spared_what_is_loaded_and_left_as_it_was(
    db: Connection, works: bool
) -> None:
    db.execute(
        "CREATE FUNCTION collector() RETURNS int[] LANGUAGE plpython3u AS "
        "$$ import gc; return [int(gc.isenabled()), gc.get_freeze_count()] $$"
    )
    db.execute(
        f"DO $$ import gc; (gc.enable if {works} else gc.disable)() $$ LANGUAGE plpython3u".encode()
    )
    db.execute(JS)
    enabled, frozen = one(db, "SELECT collector()")
    assert (enabled == 1, frozen > 10_000) == (works, works)


def test_a_timeout_while_a_session_starts_is_an_ordinary_one(database: Database) -> None:
    # It comes while packages are loaded, and is noticed by the first statement after that.
    session = database.connect()
    session.execute(SLOW.encode())
    session.execute("SET statement_timeout = '1s'")
    with pytest.raises(psycopg.errors.QueryCanceled) as caught:
        session.execute(JS.encode())
    said = caught.value.diag.message_primary
    assert said == "bkpriv: canceling statement due to statement timeout"
    session.execute("RESET statement_timeout")
    assert one(session, JS) > 0


@pytest.mark.parametrize("milliseconds", [5, 10, 20])
def test_so_is_one_before_anything_is_loaded(database: Database, milliseconds: int) -> None:
    # The interpreter takes longer to start, and the first statement from it notices.
    session = database.connect()
    session.execute(f"SET statement_timeout = {milliseconds}".encode())
    with pytest.raises(psycopg.errors.QueryCanceled) as caught:
        session.execute(JS.encode())
    said = caught.value.diag.message_primary or ""
    assert said.removeprefix("bkpriv: ") == "canceling statement due to statement timeout"
    session.execute("RESET statement_timeout")
    assert one(session, JS) > 0


def test_a_session_whose_packages_were_replaced_is_told_to_reconnect(db: Connection) -> None:
    assert one(db, "SELECT bkpriv.emd('{0.5, 0.5}', '{1, 0}', '{{0, 1}, {1, 0}}')") == 0.5
    db.execute(GONE)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as caught:
        db.execute("SELECT * FROM bkpriv.audit(1)")
    assert caught.value.diag.message_hint == "Reconnect."
    assert one(db, "SELECT bkpriv.emd('{0.5, 0.5}', '{1, 0}', '{{0, 1}, {1, 0}}')") == 0.5


def test_the_server_compiles_queries_as_installed_ones_do(shared_db: Connection) -> None:
    assert shared_db.execute("SHOW jit").fetchall() == [("on",)]
    assert shared_db.execute("SHOW plan_cache_mode").fetchall() == [("auto",)]
