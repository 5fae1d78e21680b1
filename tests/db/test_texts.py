"""Values that differ and read alike, and equal ones that read differently, in every role.

The oracle is the server: which values of a column are equal, its type says, and how many records
have each is counted by it. A view shows as many of each, by one of its texts and no other's, or the
column is refused by its name. Types of which every value has one text are never refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.conftest import Connection, RolledBack
from tests.db.clinic import fill, one, publish, state_policy
from tests.db.refusal import refused, unchanged

pytestmark = pytest.mark.rolled_back

PLAIN = {
    "text": "a b A ä",
    "integer": "7 -3 1000000000",
    "bigint": "9007199254740993 9007199254740992",
    "boolean": "t f",
    "date": "2024-03-01 0001-01-01",
    "timestamptz": "2024-03-01T00:00Z 2024-03-01T00:00:00.000001Z",
    "uuid": f"{0:032} {1:032}",
    "bytea": "\\x00 \\x0000",
    "inet": "10.0.0.1 10.0.0.0/8",
    "bit(2)": "01 11",
    "money": "1 2.5",
    "shop.colour": "red green",
    "int[]": "{1} {1,2}",
}
"""Types by values, no two of which are equal or read alike."""

SEVERAL = {
    "numeric": "1.0 1.00 1 2",
    "double precision": "-0 0 1",
    "real": "-0 0 0.1",
    "interval": "PT24H P1D P30D P1M",
    "char(3)": "a b",
    "jsonb": '{"a":1.0} {"a":1.00} []',
    "numrange": "[1.0,2) [1.00,2) empty",
    "numeric[]": "{1.0} {1.00} {2}",
    "shop.citext": "North NORTH north south",
    "shop.citext[]": "{North} {NORTH} {south}",
    "text COLLATE shop.anycase": "North NORTH south",
}
"""Types of which equal values have several texts."""

ALIKE = {
    "shop.seg": "1.0000001 1.0000002 2",
    "shop.seg[]": "{1.0000001} {1.0000002} {2}",
    "shop.length": "1.0000001 1.0000002 2",
    "shop.pair": "(1.0000001,1) (1.0000002,1) (2,2)",
    "regproc": "1397 1395 1299",
    "shop.grade": "good better best",
    "shop.mark": "none some all",
}
"""Types of which values that differ may have one text."""

TYPES = PLAIN | SEVERAL | ALIKE

SHOP = """
CREATE SCHEMA shop;
CREATE EXTENSION citext SCHEMA shop;
CREATE EXTENSION seg SCHEMA shop;
CREATE COLLATION shop.anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN shop.length AS shop.seg;
CREATE TYPE shop.pair AS (length shop.seg, number int);
CREATE TYPE shop.colour AS ENUM ('red', 'green');
CREATE TYPE shop.grade AS ENUM ('good', 'better', 'best');
CREATE FUNCTION shop.read(shop.grade) RETURNS text IMMUTABLE LANGUAGE sql
    AS $$ SELECT CASE $1 WHEN 'best' THEN 'best' ELSE 'good' END $$;
CREATE CAST (shop.grade AS text) WITH FUNCTION shop.read(shop.grade);
CREATE TYPE shop.mark AS ENUM ('none', 'some', 'all');
CREATE FUNCTION shop.read(shop.mark) RETURNS text IMMUTABLE LANGUAGE sql
    AS $$ SELECT CASE WHEN $1 > 'none' THEN enum_out($1)::text END $$;
CREATE CAST (shop.mark AS text) WITH FUNCTION shop.read(shop.mark);
"""


@pytest.fixture(scope="module")
def shop(rolled_back: RolledBack) -> Iterator[None]:
    """Types of a schema ``shop``, while the module's tests are run."""
    with rolled_back.transaction(force_rollback=True):
        rolled_back.execute(SHOP)
        state_policy(rolled_back, "two", {"k_anonymity": {"k": 2}})
        yield


class BaseRelease:
    """The table ``shop.stock``, whose column ``v`` is of a type, and ``w`` a number.

    Each text is written so many times as its place says, from 2, so that no two counts are equal.
    """

    def __init__(self, db: Connection, kind: str) -> None:
        self.db, self.kind = db, kind
        self.texts = TYPES[kind].split()
        db.execute("SET LOCAL search_path = public, shop; SET LOCAL intervalstyle = iso_8601")
        db.execute(f"CREATE TABLE shop.stock (v {kind}, w int, id int)")
        rows = [text for n, text in enumerate(self.texts, 2) for _ in range(n)]
        self.rows = len(rows)
        fill(db, "shop.stock", [(text, i % 2, i) for i, text in enumerate(rows)])

    def register(self, known: str, told: str, **others: str) -> None:
        """Register it as dataset ``stock``."""
        more = "".join(f", {name} => '{column}'" for name, column in others.items())
        self.db.execute(
            f"SELECT bkpriv.register_dataset('stock', 'shop.stock', '{{{known}}}', '{told}'{more})"
        )

    def counts(self) -> list[tuple[list[str], int]]:
        """Texts of each of the values that the type tells apart, and how many records have it."""
        return self.db.execute(
            'SELECT array_agg(DISTINCT v::text COLLATE "C"), count(*) FROM shop.stock GROUP BY v'
        ).fetchall()

    def written(self, relation: str) -> Counter[str | None]:
        """Texts of a relation, and how often they stand there."""
        query = f'SELECT v::text COLLATE "C", count(*) FROM {relation} GROUP BY 1'
        return Counter(dict(self.db.execute(query.encode()).fetchall()))

    def shown(self, view: str = "shop.shown") -> None:
        """Assert that a view shows as many of each value, by one text of this and no other's."""
        shown, counts = self.written(view), self.counts()
        for texts, count in counts:
            assert [shown[text] for text in texts if text in shown] == [count], (shown, counts)
        assert len(shown) == len(counts)


def as_quasi_identifier(stock: BaseRelease) -> None:
    """Publish by boxes and by exact values."""
    stock.register("v", "w")
    publish(stock.db, "stock", "two", "shop.boxes")
    assert one(stock.db, "SELECT count(*) FROM shop.boxes") == stock.rows
    publish(stock.db, "stock", "two", "shop.shown", method="bucketize")
    stock.shown()


def as_sensitive(stock: BaseRelease) -> None:
    """Publish it alone and with another sensitive column."""
    stock.register("w", "v")
    publish(stock.db, "stock", "two", "shop.shown")
    stock.shown()
    stock.db.execute(
        "SELECT bkpriv.register_dataset('both', 'shop.stock', '{w}', '{v,id}'::text[])"
    )
    publish(stock.db, "both", "two", "shop.both")
    stock.shown("shop.both")


def as_attribute(stock: BaseRelease) -> None:
    """Publish it beside the sensitive column; what passes through is its texts."""
    stock.db.execute(
        "SELECT bkpriv.register_dataset('stock', 'shop.stock', '{w}', '{id}'::text[], "
        "attributes => '{v}'::text[])"
    )
    publish(stock.db, "stock", "two", "shop.shown")
    assert stock.written("shop.shown") == stock.written("shop.stock")


def as_respondent(stock: BaseRelease) -> None:
    """Publish persons of several records, of any number and of one."""
    stock.register("w", "id", respondent="v")
    stock.db.execute("UPDATE shop.stock SET w = 0")
    persons = len(stock.counts())
    options = {"max_records_per_person": "all"}
    release = publish(stock.db, "stock", "two", "shop.shown", options)
    counted = "SELECT records FROM bkpriv.releases WHERE release = %s"
    assert one(stock.db, counted, [release]) == persons
    assert one(stock.db, "SELECT count(*) FROM shop.shown") == stock.rows
    publish(stock.db, "stock", "two", "shop.one", {"max_records_per_person": 1})
    assert one(stock.db, "SELECT count(*) FROM shop.one") == persons


def as_period(stock: BaseRelease) -> None:
    """Publish the period that each text states: the records that the type calls equal to it."""
    stock.register("w", "id", period="v")
    for text in stock.texts[:2]:
        asked = text.ljust(3) if stock.kind == "char(3)" else text
        texts = one(
            stock.db,
            f"SELECT count(*) FROM shop.stock WHERE v = %s::{stock.kind.partition(' COLL')[0]}",
            [asked],
        )
        stock.db.execute(
            "SELECT bkpriv.publish('stock', 'two', 'shop.shown', period => %s)", [asked]
        )
        assert one(stock.db, "SELECT count(*) FROM shop.shown") == texts
    equal = one(
        stock.db,
        "SELECT count(DISTINCT v) = 1 FROM shop.stock WHERE id < 5",  # of the two first texts
    )
    recorded, told_apart = stock.db.execute(
        "SELECT count(DISTINCT period), bool_and(period_type IS NOT NULL) FROM bkpriv.release"
    ).fetchall()[0]
    # Releases of equal periods are known to be, or of no two is it said that they are not.
    assert not equal or recorded == 1 or not told_apart


def as_prior(stock: BaseRelease) -> None:
    """Read beliefs about each value, in a table that writes it by its last text."""
    stock.register("v", "w")
    stock.db.execute(
        "CREATE TABLE shop.beliefs AS SELECT v, w, CASE w WHEN 0 THEN p ELSE 1 - p END "
        "AS probability FROM (SELECT v, dense_rank() OVER (ORDER BY v) * 0.125 AS p "
        "FROM (SELECT DISTINCT ON (v) v FROM shop.stock ORDER BY v, v::text DESC) AS x) AS y, "
        "(VALUES (0), (1)) AS z (w)"
    )
    found: dict[str, float] = dict(
        stock.db.execute(
            "SELECT qi ->> 'v', probability FROM "
            "bkpriv.prior('stock', '{\"table\": \"shop.beliefs\"}') WHERE sensitive = '0'"
        ).fetchall()
    )
    said = stock.db.execute(
        """
        SELECT array_agg(DISTINCT s.v::text COLLATE "C"), b.probability::float8
        FROM shop.stock AS s JOIN shop.beliefs AS b ON s.v = b.v AND b.w = 0
        GROUP BY b.v, b.probability
        """
    ).fetchall()
    for texts, probability in said:
        assert [found[text] for text in texts if text in found] == [probability]
    assert len(found) == len(said)


def as_hierarchy(stock: BaseRelease) -> None:
    """Publish under a hierarchy, in whose table values are of that type."""
    stock.register("v", "w")
    stock.db.execute("CREATE TABLE shop.levels AS SELECT DISTINCT v, 'any' AS a FROM shop.stock")
    stock.db.execute("SELECT bkpriv.set_hierarchy('stock', 'v', 'shop.levels')")
    publish(stock.db, "stock", "two", "shop.shown", method="bucketize")
    stock.shown()


ROLES: dict[str, Callable[[BaseRelease], None]] = {
    "quasi-identifier": as_quasi_identifier,
    "sensitive": as_sensitive,
    "attribute": as_attribute,
    "respondent": as_respondent,
    "period": as_period,
    "prior": as_prior,
    "hierarchy": as_hierarchy,
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("role", ROLES)
def test_a_view_counts_what_the_type_tells_apart_or_the_column_is_refused(
    db: Connection, role: str, kind: str
) -> None:
    stock = BaseRelease(db, kind)
    try:
        with db.transaction():
            ROLES[role](stock)
    except psycopg.Error as error:
        said = error.diag
        message = f"{said.message_primary} / {said.message_detail}"
        assert (said.message_primary or "").startswith("bkpriv: "), message
        assert said.sqlstate in ("22000", "22023"), message
        assert '"v"' in message or "shop.beliefs" in message, message
        assert kind not in PLAIN, message


@pytest.mark.usefixtures("shop")
def test_a_certificate_counts_what_readers_tell_apart(db: Connection) -> None:
    # Six people were published as twelve, of two values that every reader took for one.
    db.execute("CREATE TABLE people (v shop.seg, w int)")
    fill(db, "people", [(["1.0000001", "1.0000002"][i % 2], i % 3) for i in range(6)])
    state_policy(db, "twelve", {"k_anonymity": {"k": 12}})
    state_policy(db, "diverse", {"l_diversity": {"l": 2}})
    db.execute("SELECT bkpriv.register_dataset('known', 'people', '{v}', 'w')")
    db.execute("SELECT bkpriv.register_dataset('told', 'people', '{w}', 'v')")
    with unchanged(db):
        for dataset, policy in (("known", "twelve"), ("told", "diverse")):
            said = refused(
                db,
                "SELECT bkpriv.publish(%s, %s, 'public.shown')",
                [dataset, policy],
                sqlstate="22000",
                names=['column "v"', "1.00000"],
            )
    # As the hint says, where they are one value they are counted as one.
    hint = said.message_hint or ""
    shown = hint[hint.index("CASE") : hint.index("END") + 3]
    db.execute(f"CREATE VIEW read AS SELECT {shown} AS v, w FROM people")
    db.execute("SELECT bkpriv.register_dataset('read', 'read', '{w}', 'v')")
    refused(db, "SELECT bkpriv.publish('read', 'diverse', 'public.shown')", sqlstate="22023")


def test_a_text_that_changes_is_not_counted(db: Connection) -> None:
    db.execute(
        """
        CREATE TYPE mood AS ENUM ('calm', 'tired');
        CREATE FUNCTION read(mood) RETURNS text VOLATILE LANGUAGE sql
            AS 'SELECT gen_random_uuid()::text';
        CREATE CAST (mood AS text) WITH FUNCTION read(mood);
        CREATE TABLE people AS SELECT 'calm'::mood AS v, i % 2 AS w FROM generate_series(1, 6) AS i;
        SELECT bkpriv.register_dataset('people', 'people', '{v}', 'w');
        """
    )
    state_policy(db, "three", {"k_anonymity": {"k": 3}})
    with unchanged(db):
        refused(
            db,
            "SELECT bkpriv.publish('people', 'three', 'public.shown')",
            sqlstate="22000",
            names=["people", "6 were counted"],
        )


@pytest.mark.parametrize("method", ["mondrian", "bucketize", "anatomy", "randomize"])
def test_a_release_shows_as_many_rows_as_were_certified(db: Connection, method: str) -> None:
    # An event trigger of a superuser's has rows of every new table left out.
    db.execute(
        """
        CREATE TABLE people AS SELECT i % 5 AS v, i % 3 AS w FROM generate_series(1, 30) AS i;
        SELECT bkpriv.register_dataset('people', 'people', '{v}', 'w');
        CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RETURN CASE WHEN random() < 0.5 THEN new END; END $$;
        CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE made record;
        BEGIN
            FOR made IN SELECT * FROM pg_event_trigger_ddl_commands()
                WHERE command_tag = 'CREATE TABLE' AND schema_name = 'bkpriv_release'
            LOOP
                EXECUTE format('CREATE TRIGGER skip BEFORE INSERT ON %s FOR EACH ROW '
                               'EXECUTE FUNCTION public.skip()', made.object_identity);
            END LOOP;
        END $$;
        CREATE EVENT TRIGGER meddle ON ddl_command_end EXECUTE FUNCTION meddle();
        """
    )
    drawn = method == "randomize"
    state_policy(
        db, "fit", {"max_disclosure": {"tau": 0.9}} if drawn else {"l_diversity": {"l": 2}}
    )
    with unchanged(db):
        refused(
            db,
            "SELECT bkpriv.publish('people', 'fit', 'public.shown', %s, options => %s)",
            [method, Jsonb({"scheme": "rr-both"} if drawn else {})],
            sqlstate="XX000",
            names=["than were certified"],
        )
