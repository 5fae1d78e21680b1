"""Periods of every type: read and compared as the column's type does, and recorded one way."""

from __future__ import annotations

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.monthly import MONTHS, alone, create_visits, declare_visits, publish_period
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

PUBLISH = "SELECT bkpriv.publish('visits', 'plain', 'public.visits', period => %s)"

TYPES: dict[str, tuple[str, list[str], str, str, str | None]] = {
    # SQL type: months, what is asked for, how it is recorded, and its type
    "text": ("text", MONTHS, "2024-02", "2024-02", "text"),
    "varchar": ("varchar(7)", MONTHS, "2024-02", "2024-02", "character varying"),
    "char": ("char(9)", MONTHS, "2024-02  ", "2024-02", "bpchar"),
    "date": ("date", ["2024-03-01", "2024-03-02"], "2024-3-1", "2024-03-01", "date"),
    "time": (
        "timestamp(0)",
        ["2024-03-01 10:00", "2024-03-01 11:00"],
        "2024-03-01T11:00",
        "2024-03-01 11:00:00",
        "timestamp without time zone",
    ),
    "zone": (
        "timestamptz",
        ["2024-03-01 10:00+00", "2024-03-01 11:00+00"],
        "2024-03-01 12:00+01",
        "2024-03-01 11:00:00+00",
        "timestamp with time zone",
    ),
    "smallint": ("smallint", ["7", "-8"], " -8 ", "-8", "smallint"),
    "bigint": ("bigint", ["7", str(2**53 + 1)], str(2**53 + 1), str(2**53 + 1), "bigint"),
    "numeric": ("numeric(8,2)", ["2024.25", "2024.5"], "2024.5000", "2024.5", "numeric"),
    "float": ("float8", ["0.1", "-0"], "0.0", "0", "double precision"),
    "boolean": ("boolean", ["t", "f"], "no", "false", "boolean"),
    "interval": ("interval", ["P1M", "P2M"], "2 months", "P2M", "interval"),
    "range": ("daterange", ["[2024-01-01,2024-02-01)", "empty"], "[2024-01-01,2024-01-31]",
              "[2024-01-01,2024-02-01)", "daterange"),
    "array": ("int[]", ["{2024,3}", "{2024,4}"], "{2024, 4}", "{2024,4}", "integer[]"),
    "uuid": ("uuid", [f"{0:032}", f"{1:032}"], f"{{{1:032}}}",
             "00000000-0000-0000-0000-000000000001", "uuid"),
    "enumeration": ("clinic.season", ["winter", "spring"], "spring", "spring", "text"),
    "domain": ("clinic.month", MONTHS, "2024-03", "2024-03", "text"),
    "domain of an enumeration": ("clinic.half", ["winter"], "winter", "winter", "text"),
    "of no schema in reach": ("clinic.word", ["May", "June"], "may", "may", None),
    "no two texts alike": ('text COLLATE clinic.free', ["May", "June"], "may", "may", None),
}  # fmt: skip

OWN_TYPES = """
CREATE TYPE clinic.season AS ENUM ('winter', 'spring');
CREATE DOMAIN clinic.half AS clinic.season CHECK (VALUE = 'winter');
CREATE DOMAIN clinic.month AS text CHECK (VALUE ~ '^\\d{4}-\\d\\d$');
CREATE COLLATION clinic.free (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE clinic.word;
CREATE FUNCTION clinic.word_in(cstring) RETURNS clinic.word
    LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION clinic.word_out(clinic.word) RETURNS cstring
    LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE clinic.word (INPUT = clinic.word_in, OUTPUT = clinic.word_out, LIKE = text);
CREATE CAST (clinic.word AS text) WITHOUT FUNCTION;
"""


def create_types(db: Connection) -> None:
    """Create types of the schema ``clinic``; a word is told from another but for case."""
    db.execute(OWN_TYPES)
    for name, operator in (("lt", "<"), ("le", "<="), ("eq", "="), ("ge", ">="), ("gt", ">")):
        db.execute(
            f"CREATE FUNCTION clinic.word_{name}(clinic.word, clinic.word) RETURNS boolean "
            'LANGUAGE sql IMMUTABLE AS $$ SELECT lower($1::text) COLLATE "C" '
            f"{operator} lower($2::text) $$;"
            f"CREATE OPERATOR clinic.{operator} (FUNCTION = clinic.word_{name}, "
            "LEFTARG = clinic.word, RIGHTARG = clinic.word)".encode()
        )
    db.execute(
        """
        CREATE FUNCTION clinic.word_cmp(clinic.word, clinic.word) RETURNS int LANGUAGE sql IMMUTABLE
            AS $$ SELECT bttextcmp(lower($1::text) COLLATE "C", lower($2::text)) $$;
        CREATE OPERATOR CLASS clinic.word_ops DEFAULT FOR TYPE clinic.word USING btree AS
            OPERATOR 1 clinic.<, OPERATOR 2 clinic.<=, OPERATOR 3 clinic.=, OPERATOR 4 clinic.>=,
            OPERATOR 5 clinic.>, FUNCTION 1 clinic.word_cmp(clinic.word, clinic.word);
        """
    )


@pytest.mark.parametrize(
    ("type_", "months", "asked", "text", "recorded"), TYPES.values(), ids=TYPES
)
def test_a_period_is_compared_as_its_column_s_type(
    ward: Connection, type_: str, months: list[str], asked: str, text: str, recorded: str | None
) -> None:
    create_types(ward)
    create_visits(ward, type_, months)
    ward.execute(
        "SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Tokyo'; SET intervalstyle = sql_standard"
    )
    declare_visits(ward)
    ward.execute("SET datestyle = 'ISO'; SET timezone = 'UTC'")
    release = publish_period(ward, asked, seed=1)
    ward.execute("SET search_path = clinic, public")
    found = ward.execute("SELECT period, period_type FROM bkpriv.release").fetchone()
    assert found == (text, recorded)
    # As the server itself compares them; but a domain over an enumeration it does not.
    base = type_.partition(" COLLATE")[0].replace("half", "season")
    condition = sql.SQL("month::{0} = {1}::{0}" if base != "clinic.word" else "month = {1}::{0}")
    alone(ward, condition.format(sql.SQL(base), sql.Literal(asked)).as_string(ward), release)


def test_names_are_quoted(ward: Connection) -> None:
    create_visits(ward, "date", ["2024-03-01", "2024-04-01"], 'Month" of')
    declare_visits(ward, column='Month" of')
    release = publish_period(ward, "2024-04-01", seed=1)
    assert one(ward, "SELECT period_column FROM bkpriv.release") == 'Month" of'
    alone(ward, '"Month"" of" = \'2024-04-01\'', release)


@pytest.mark.parametrize(
    ("type_", "months", "bin_", "asked", "text", "recorded", "condition"),
    [
        ("date", ["2024-02-29", "2024-03-01"], "month", "2024-03-17", "2024-03-01", "date",
         "date_trunc('month', month) = '2024-03-01'"),
        ("timestamptz", ["2024-02-29 23:30+00", "2024-03-01 00:30+01", "2024-03-01 01:30+01"],
         "month", "2024-03-09 00:00+00", "2024-03-01 00:00:00+00", "timestamp with time zone",
         "month >= '2024-03-01 00:00+00'"),
        ("int", ["5", "9", "10"], 5, "7", "5", "numeric", "month < 10"),
        ("float8", ["0.25", "0.5", "0.6"], 0.25, "0.7", "0.5", "numeric", "month >= 0.5"),
    ],
)  # fmt: skip
def test_periods_are_binned(
    ward: Connection,
    type_: str,
    months: list[str],
    bin_: object,
    asked: str,
    text: str,
    recorded: str,
    condition: str,
) -> None:
    create_visits(ward, type_, months)
    ward.execute(
        "UPDATE clinic.visit SET person = person + 1000 * (SELECT count(DISTINCT o.month) "
        "FROM clinic.visit o WHERE o.month < visit.month)"
    )
    ward.execute("SET timezone = 'UTC'")
    declare_visits(ward, bins={"month": bin_})
    release = publish_period(ward, asked, seed=1)
    found = ward.execute("SELECT period, period_type, period_bin FROM bkpriv.release").fetchone()
    assert found == (text, recorded, str(bin_))
    alone(ward, condition, release)


def test_types_without_an_order_tell_no_periods_apart(ward: Connection) -> None:
    create_visits(ward)
    ward.execute("ALTER TABLE clinic.visit ALTER month TYPE json USING to_json(month)")
    with unchanged(ward):
        refused(
            ward,
            "SELECT bkpriv.register_dataset('visits', 'clinic.visit', '{age}', 'disease', "
            "period => 'month')",
            sqlstate="42883",
            names=["month"],
        )


@pytest.mark.parametrize(
    ("type_", "months", "asked", "named"),
    [
        ("date", ["2024-03-01"], "March", "date"),
        ("date", ["2024-03-01"], "2024-03-01'::date OR true --", "date"),
        ("int", ["3"], "3.5", "integer"),
        ("smallint", ["3"], "99999", "smallint"),
        ("clinic.season", ["winter"], "summer", "clinic.season"),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(
    ward: Connection, type_: str, months: list[str], asked: str, named: str
) -> None:
    create_types(ward)
    create_visits(ward, type_, months)
    declare_visits(ward)
    with unchanged(ward):
        refused(ward, PUBLISH, [asked], sqlstate="22023", names=["month", named, asked])
