"""Publishers who may read some columns, or some rows, of a table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import overhear, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.pooled

REGISTER = "SELECT bkpriv.register_dataset('mine', 'clinic.patient', '{age}', 'disease')"
INSPECT = "SELECT columns[1] FROM bkpriv.inspect_columns('clinic.patient') WHERE %s"


@pytest.fixture
def nora(clinic: Connection, make_publisher: Callable[..., Connection]) -> Connection:
    """Publisher who may use the clinic's schema."""
    publisher = make_publisher("nora")
    name = sql.Identifier(publisher.info.user)
    clinic.execute(sql.SQL("GRANT USAGE ON SCHEMA clinic TO {}").format(name))
    return publisher


def grant(clinic: Connection, nora: Connection, columns: str) -> None:
    name = sql.Identifier(nora.info.user)
    statement = sql.SQL("GRANT SELECT {} ON clinic.patient TO {}")
    clinic.execute(statement.format(sql.SQL(columns), name))


def test_columns_that_may_be_read_are_inspected(clinic: Connection, nora: Connection) -> None:
    grant(clinic, nora, "(age, disease)")
    said = overhear(nora)
    rows = nora.execute(INSPECT, [True]).fetchall()
    assert {column for (column,) in rows} == {"age", "disease"}
    assert any("columns of clinic.patient are not inspected" in each for each in said)


def test_where_none_may_be_read_columns_are_asked_for(clinic: Connection, nora: Connection) -> None:
    with unchanged(clinic):
        refused(nora, INSPECT, [True], sqlstate="42501", names=["patient", nora.info.user])
    grant(clinic, nora, "(age)")
    with unchanged(clinic):
        said = refused(nora, REGISTER, sqlstate="42501", names=["disease"])
    assert "GRANT SELECT (disease) ON clinic.patient TO" in (said.message_hint or "")


@pytest.mark.parametrize("source", ["clinic.patient", "clinic.same"])
def test_rows_that_are_hidden_are_said_to_be(
    clinic: Connection, nora: Connection, source: str
) -> None:
    grant(clinic, nora, "")
    name = sql.Identifier(nora.info.user)
    clinic.execute(
        "CREATE VIEW clinic.same WITH (security_invoker) AS SELECT * FROM clinic.patient"
        if clinic.info.server_version >= 150000
        else "CREATE VIEW clinic.same AS SELECT * FROM clinic.patient"
    )
    clinic.execute(sql.SQL("GRANT SELECT ON clinic.same TO {}").format(name))
    if source == "clinic.same" and clinic.info.server_version < 150000:
        pytest.skip("views read with their owner's rights")
    register = REGISTER.replace("clinic.patient", source)
    said = overhear(nora)
    nora.execute(register)
    assert not any("row-level security" in each for each in said)
    nora.execute("SELECT bkpriv.drop_dataset('mine')")
    clinic.execute(
        "ALTER TABLE clinic.patient ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY old ON clinic.patient USING (age > 40)"
    )
    nora.execute(register)
    assert sum("row-level security" in each for each in said) == 1
    state_policy(nora, "five", {"k_anonymity": {"k": 5}})
    publish(nora, "mine", "five", "mine")
    assert sum("row-level security" in each for each in said) == 2
    nora.execute(INSPECT.replace("clinic.patient", source), [True])
    assert "What is inspected has only the rows" in said[-1]
