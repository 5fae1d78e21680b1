"""Published views as other programs read them: through psycopg, pandas and SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import psycopg
import pyarrow as pa
import pytest
import sqlalchemy as sa
from psycopg.types.json import Jsonb

from tests.conftest import Connection, Database
from tests.db.clinic import fill, one, publish, state_policy


@pytest.fixture(scope="module")
def engine(shared_database: Database, shared_db: Connection) -> Iterator[sa.Engine]:
    """Engine of a database with ages and days shown as bounds in one view, as text in another."""
    shared_db.execute("CREATE TABLE visit (age int, came date, paid numeric, ward text, code text)")
    rows = [
        (20 + i * i % 50, date(2020, 1 + i % 12, 1 + i % 28), i % 70 / 4, "ab"[i % 2], f"c{i % 4}")
        for i in range(200)
    ]
    fill(shared_db, "visit", rows)
    shared_db.execute(
        "SELECT bkpriv.register_dataset('visits', 'visit', '{age,came,paid,ward}', 'code', "
        "bins => %s)",
        [Jsonb({"came": "month", "paid": 5})],
    )
    state_policy(shared_db, "plain", {"k_anonymity": {"k": 5}})
    for view, ranges in (("plainly", "bounds"), ("written", "text"), ("ranged", "range")):
        publish(shared_db, "visits", view=f"public.{view}", options={"ranges": ranges})
    engine = sa.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(shared_database.uri())
    )
    yield engine
    engine.dispose()


def test_bounds_are_plain_columns_to_a_database_library(engine: sa.Engine) -> None:
    view = sa.Table("plainly", sa.MetaData(), autoload_with=engine)
    types = {column.name: type(column.type) for column in view.columns}
    assert types == {
        **{"age_from": sa.INTEGER, "age_to": sa.INTEGER, "came_from": sa.DATE, "came_to": sa.DATE},
        **{"paid_from": sa.NUMERIC, "paid_below": sa.NUMERIC, "ward": sa.TEXT, "code": sa.TEXT},
    }
    assert all(column.comment for column in view.columns)
    assert view.comment is not None
    with engine.connect() as connection:
        # Whoever may be forty, by ward: an ordinary query of ordinary comparisons.
        counted = connection.execute(
            sa.select(view.c.ward, sa.func.count())
            .where(view.c.age_from <= 40, view.c.age_to >= 40)
            .where(view.c.came_from >= date(2020, 1, 1), view.c.paid_below <= 20)
            .group_by(view.c.ward)
        ).all()
    assert sum(count for _, count in counted) > 0


def test_bounds_are_numbers_and_days_in_a_data_frame(engine: sa.Engine) -> None:
    frame = pd.read_sql("SELECT * FROM plainly", engine)
    assert len(frame) == 200
    assert (frame.age_from <= frame.age_to).all()
    assert pd.api.types.is_integer_dtype(frame.age_from)
    assert (pd.to_datetime(frame.came_to) - pd.to_datetime(frame.came_from)).min().days >= 27
    # Midpoints, which ranges would take a parser for.
    mean = ((frame.age_from + frame.age_to) / 2).mean()
    assert 30 < mean < 60
    groups = frame.groupby(["age_from", "age_to", "came_from", "came_to", "paid_from", "ward"])
    assert groups.size().min() >= 5


def test_text_is_text(engine: sa.Engine) -> None:
    frame = pd.read_sql_table("written", engine)
    for column in ("age", "came", "paid"):
        assert frame[column].map(type).eq(str).all()
    assert frame.age.str.fullmatch(r"\d+(–\d+)?").all()
    assert frame.came.str.fullmatch(r"2020-\d\d-01–2020-\d\d-\d\d").all()
    assert frame.paid.str.fullmatch(r"\d+–<\d+").all()
    assert frame.groupby(["age", "came", "paid", "ward"]).size().min() >= 5


def test_the_driver_reads_bounds_as_what_they_are(shared_db: Connection, engine: sa.Engine) -> None:
    row: Any = shared_db.execute("SELECT * FROM plainly LIMIT 1").fetchone()
    kinds = [type(value).__name__ for value in row]
    assert kinds == ["int", "int", "date", "date", "Decimal", "Decimal", "str", "str"]
    assert one(shared_db, "SELECT count(*) FROM plainly WHERE 30 BETWEEN age_from AND age_to") > 0


def test_ranges_are_objects_to_pandas_and_bounds_are_numbers(
    engine: sa.Engine, tmp_path: Path
) -> None:
    # What the documents say where a release is first published.
    ranged, plain = (pd.read_sql_table(view, engine) for view in ("ranged", "plainly"))
    assert type(ranged["age"][0]).__name__ == "Range"
    with pytest.raises(TypeError):
        ranged["age"].mean()
    with pytest.raises(pa.ArrowInvalid, match="Range"):
        ranged[["age"]].to_parquet(tmp_path / "ranged")
    bounds = plain[["age_from", "age_to"]]
    assert 20 <= bounds.mean().min() <= bounds.mean().max() < 70
    bounds.to_parquet(tmp_path / "plain")
    assert pd.read_parquet(tmp_path / "plain").equals(bounds)
