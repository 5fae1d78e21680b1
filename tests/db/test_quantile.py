"""Hierarchies by quantiles: intervals of about as many people, frozen as they were found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

CUT = "SELECT bkpriv.set_quantile_hierarchy(%s, %s, %s)"


@pytest.fixture
def paid(db: Connection) -> Connection:
    """A dataset of 400 people: what they are paid, in a column that tests give other types."""
    db.execute(
        """
        CREATE TABLE public.paid AS SELECT i AS id, i * i % 1999 AS amount, 'k' || i % 3 AS kind
        FROM generate_series(1, 400) AS i;
        SELECT bkpriv.register_dataset('paid', 'public.paid', '{amount}', 'kind');
        SELECT bkpriv.set_policy('crowds', '{"k_anonymity": {"k": 30}}');
        """
    )
    return db


def bounds(connection: Connection) -> list[list[str]]:
    rule: dict[str, Any] = one(connection, "SELECT rule FROM bkpriv.hierarchy")
    found: list[list[str]] = rule["bounds"]
    return found


def publish_by_levels(connection: Connection, options: str = "{}") -> set[str]:
    """Publish whole columns at one level; return what is shown of amounts."""
    connection.execute(
        "SELECT bkpriv.publish('paid', 'crowds', 'public.shown', 'incognito', options => %s)",
        [options],
    )
    rows = connection.execute("SELECT DISTINCT amount FROM public.shown").fetchall()
    return {amount for (amount,) in rows}


def test_bounds_are_quantiles_and_whole_columns_go_up_to_them(paid: Connection) -> None:
    told: list[str] = []
    paid.add_notice_handler(
        lambda said: told.append(f"{said.message_primary}: {said.message_detail}")
    )
    paid.execute(CUT, ["paid", "amount", [8, 4, 2]])
    fine, middle, coarse = bounds(paid)
    assert set(coarse) < set(middle) < set(fine)
    assert [len(fine), len(middle), len(coarse)] == [7, 3, 1]
    for level, parts in ((fine, 8), (middle, 4), (coarse, 2)):
        for place, bound in enumerate(level, start=1):
            below = one(paid, "SELECT count(*) FROM public.paid WHERE amount < %s", [int(bound)])
            # Rounding moves a tenth of an interval of the finest level.
            assert abs(below - 400 * place / parts) <= 400 / 8 / 10
    (said,) = told
    assert said.startswith('attribute "amount" is cut into 8 intervals: Bounds, level by level: ')
    low, high = fine[0], fine[-1]
    shown = publish_by_levels(paid)
    assert len(shown) == 8
    assert {f"<{low}", f">={high}", f"[{low},{fine[1]})"} < shown
    # Later values have a place, and bounds stay.
    paid.execute(
        "INSERT INTO public.paid SELECT i, 1000000 + i, 'k1' FROM generate_series(1, 50) i"
    )
    paid.execute("INSERT INTO public.paid SELECT i, -i, 'k2' FROM generate_series(1, 50) i")
    assert publish_by_levels(paid) == shown
    assert bounds(paid) == [fine, middle, coarse]
    assert one(paid, "SELECT count(*) FROM public.shown WHERE amount = %s", [f">={high}"]) >= 95
    assert one(paid, "SELECT count(*) FROM bkpriv.audit(2) WHERE NOT satisfied") == 0


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("numeric(8,2)", "amount / 8.0"),
        ("float8", "amount / 8.0"),
        ("float4", "amount / 8.0::float4"),
        ("date", "date '2000-01-01' + amount"),
        ("timestamp", "timestamp '2000-01-01 10:30' + amount * interval '1 hour'"),
        ("timestamptz", "timestamptz '2000-01-01 10:30+05' + amount * interval '1 s'"),
        ("bigint", "amount::bigint * 1000000000000"),
        ("bounded", "amount::smallint"),
    ],
)
def test_types_of_numbers_and_times_are_cut(paid: Connection, type_: str, values: str) -> None:
    paid.execute("CREATE DOMAIN bounded AS smallint CHECK (VALUE < 2000)")
    paid.execute(f"ALTER TABLE public.paid ALTER amount TYPE {type_} USING {values}")
    paid.execute("SET timezone = 'Asia/Kolkata'; SET datestyle = 'German'")
    paid.execute("SET extra_float_digits = -3")
    paid.execute(CUT, ["paid", "amount", [4, 2]])
    fine, coarse = bounds(paid)
    paid.execute("RESET timezone; RESET datestyle; RESET extra_float_digits")
    assert (len(fine), len(coarse)) == (3, 1)
    zone = "+00" if type_ == "timestamptz" else ""
    for place, bound in enumerate(fine, start=1):
        below = one(
            paid, f"SELECT count(*) FROM public.paid WHERE amount < (%s)::{type_}", [bound + zone]
        )
        assert abs(below - 100 * place) <= 10
    between = {f"[{low},{high})" for low, high in pairwise(fine)}
    assert publish_by_levels(paid) == {f"<{fine[0]}", *between, f">={fine[-1]}"}


def test_infinities_nan_and_null_have_their_places(paid: Connection) -> None:
    paid.execute(
        "ALTER TABLE public.paid ALTER amount TYPE float8;"
        "INSERT INTO public.paid SELECT i, v, 'k1' FROM generate_series(1, 40) AS i, "
        "unnest('{NaN,Infinity,-Infinity,NULL}'::float8[]) AS v"
    )
    paid.execute(CUT, ["paid", "amount", [4, 2]])
    fine, _ = bounds(paid)
    assert all(abs(float(bound)) < 2000 for bound in fine)
    shown = publish_by_levels(paid, '{"nulls": "category"}')
    assert {None, "NaN", f"<{fine[0]}", f">={fine[-1]}"} < shown
    rows = paid.execute("SELECT amount, count(*) FROM public.shown GROUP BY 1").fetchall()
    people: dict[str | None, int] = dict(rows)
    assert people["NaN"] == people[None] == 40
    # As many as are below the quarter, and the infinite ones.
    assert 130 <= people[f"<{fine[0]}"] <= 150


def test_dates_without_end_lie_in_the_last_interval(paid: Connection) -> None:
    paid.execute(
        "ALTER TABLE public.paid ALTER amount TYPE date USING date '1990-01-01' + amount;"
        "INSERT INTO public.paid SELECT i, v, 'k1' FROM generate_series(1, 40) AS i, "
        "unnest('{infinity,-infinity,0044-03-15 BC,12024-01-01}'::date[]) AS v"
    )
    paid.execute(CUT, ["paid", "amount", [4]])
    ((low, *_, high),) = bounds(paid)
    assert publish_by_levels(paid) >= {f"<{low}", f">={high}"}
    # Each of the four stands 40 times, two of them in each of these.
    for label in (f"<{low}", f">={high}"):
        assert one(paid, "SELECT count(*) FROM public.shown WHERE amount = %s", [label]) >= 80


def test_values_that_recur_make_fewer_intervals(paid: Connection) -> None:
    told: list[str] = []
    paid.add_notice_handler(lambda said: told.append(f"{said.message_detail}"))
    paid.execute("UPDATE public.paid SET amount = 0 WHERE id > 80")
    paid.execute(CUT, ["paid", "amount", [4, 2]])
    (level,) = bounds(paid)
    assert len(level) == 1
    assert "There are fewer than were asked for, since values recur." in told[0]
    paid.execute("UPDATE public.paid SET amount = 7")
    with unchanged(paid):
        refused(paid, CUT, ["paid", "amount", [2]], sqlstate="22000", names=["amount"])


def test_intervals_of_few_people_are_refused(paid: Connection) -> None:
    with unchanged(paid):
        said = refused(paid, CUT, ["paid", "amount", [50]], sqlstate="22023", names=["amount"])
    assert "at least 20" in f"{said.message_detail}"
    # People are counted, and not their records.
    paid.execute(
        "CREATE TABLE public.visits AS SELECT id % 60 AS person, amount, kind FROM public.paid;"
        "SELECT bkpriv.register_dataset('visits', 'public.visits', '{amount}', 'kind', 'person')"
    )
    paid.execute(CUT, ["visits", "amount", [4]])
    paid.execute("UPDATE public.visits SET person = person % 19")
    said = refused(paid, CUT, ["visits", "amount", [2]], sqlstate="22023", names=["amount"])
    assert "(19)" in f"{said.message_detail}"


def test_bins_are_cut_by_their_starts(paid: Connection) -> None:
    paid.execute(
        "SELECT bkpriv.register_dataset('binned', 'public.paid', '{amount}', 'kind', "
        """bins => '{"amount": 100}')"""
    )
    paid.execute(CUT, ["binned", "amount", [4, 2]])
    assert all(not int(bound) % 100 for level in bounds(paid) for bound in level)
    paid.execute("SELECT bkpriv.publish('binned', 'crowds', 'public.shown')")
    assert one(paid, "SELECT count(*) FROM public.shown") == 400


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (("paid", "amount", None), "22023", ["amount"]),
        (("paid", "amount", []), "22023", ["amount"]),
        (("paid", "amount", [2, 4]), "22023", ["amount", "2, 4"]),
        (("paid", "amount", [9, 6]), "22023", ["amount", "9, 6"]),
        (("paid", "amount", [4, None]), "22023", ["amount"]),
        (("paid", "amount", [[4], [2]]), "22023", ["amount"]),
        (("paid", "amount", [1]), "22023", ["amount"]),
        (("paid", "kind", [4, 2]), "22023", ["kind"]),
        (("paid", "id", [4, 2]), "42703", ["id"]),
        (("nobody", "amount", [4, 2]), "42704", ["nobody"]),
        ((None, "amount", [4, 2]), "22023", ["dataset"]),
        (("paid", None, [4, 2]), "22023", ["attribute"]),
    ],
    ids=str,
)
def test_what_cannot_be_cut_is_refused(
    paid: Connection, arguments: Sequence[Any], sqlstate: str, names: Sequence[str]
) -> None:
    with unchanged(paid):
        refused(
            paid,
            "SELECT bkpriv.set_quantile_hierarchy(%s, %s, %s::int[])",
            arguments,
            sqlstate=sqlstate,
            names=names,
        )


def test_numbers_that_are_codes_are_not_cut(paid: Connection) -> None:
    paid.execute(
        "SELECT bkpriv.register_dataset('coded', 'public.paid', '{amount}', 'kind', "
        """bins => '{"amount": "label"}')"""
    )
    refused(paid, CUT, ["coded", "amount", [2]], sqlstate="22023", names=["amount"])
