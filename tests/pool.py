"""Databases and sessions that tests take turns in, cleared after each.

A database costs its copy, and a session what it loads. A test that is marked ``pooled`` gets these
from those before it, if all that they made could be taken back: roles, settings and objects of the
database are compared with those of the template, row by row of every catalog. What differs is not
mended; its database is dropped and the next test gets a fresh one.

What a session has loaded is all that stays: a test of how sessions begin is no case for this.
Nor is one that ends what `SET SESSION AUTHORIZATION` began: sessions are lent to roles by that.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

__all__ = ["Lent", "State", "clear", "renewed"]

_CATALOGS = """
    SELECT string_agg(format('SELECT %L, count(*), max(xmin::text::bigint) FROM %s %s', id, id,
        CASE id::text WHEN 'pg_namespace' THEN 'WHERE nspname !~ ''^pg_(toast_)?temp_''' END),
        ' UNION ALL ' ORDER BY id::text)
    FROM (SELECT oid::regclass AS id FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace
        AND relkind = 'r' AND NOT relisshared AND relname NOT LIKE 'pg_statistic%') AS c
"""

_DATABASE = """
    SELECT (SELECT d::text FROM (SELECT datdba, datacl, datallowconn, datconnlimit) AS d),
        (SELECT array_agg(s::text) FROM pg_db_role_setting AS s WHERE setdatabase = d.oid)
    FROM pg_database AS d WHERE datname = current_database()
"""

_GRANTED = {"pg_namespace": ("nspacl", "n", "nspowner"), "pg_proc": ("proacl", "f", "proowner")}
"""Catalogs with rows that jobs are granted on, and what they hold by default."""

_CLEAR = r"""
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT DISTINCT refobjid::regrole AS role FROM pg_shdepend, pg_database AS d
        WHERE dbid = d.oid AND datname = current_database() AND refclassid = 'pg_authid'::regclass
            AND refobjid::regrole::text LIKE 'test\_%'
    LOOP
        EXECUTE format('DROP OWNED BY %s CASCADE', made.role);
    END LOOP;
    FOR made IN SELECT extname AS name FROM pg_extension
        WHERE oid >= 16384 AND extname NOT IN ('bkpriv', 'plpython3u')
    LOOP
        EXECUTE format('DROP EXTENSION %I CASCADE', made.name);
    END LOOP;
    FOR made IN SELECT oid::regnamespace AS name FROM pg_namespace
        WHERE oid >= 16384 AND nspname NOT IN ('bkpriv', 'bkpriv_internal', 'bkpriv_release')
            AND nspname !~ '^pg_'
    LOOP
        EXECUTE format('DROP SCHEMA %s CASCADE', made.name);
    END LOOP;
    FOR made IN SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
            WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind,
            oid AS id FROM pg_class
        WHERE relnamespace IN ('public'::regnamespace, 'bkpriv_release'::regnamespace)
            AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
        ORDER BY relkind = 'S'
    LOOP
        IF EXISTS (SELECT FROM pg_class WHERE oid = made.id) THEN
            EXECUTE format('DROP %s %s CASCADE', made.kind, made.id::regclass);
        END IF;
    END LOOP;
    FOR made IN SELECT oid AS id FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    LOOP
        IF EXISTS (SELECT FROM pg_proc WHERE oid = made.id) THEN
            EXECUTE format('DROP ROUTINE %s CASCADE', made.id::regprocedure);
        END IF;
    END LOOP;
    FOR made IN SELECT oid AS id FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND typtype <> 'm' AND typcategory <> 'A'
    LOOP
        IF EXISTS (SELECT FROM pg_type WHERE oid = made.id) THEN
            EXECUTE format('DROP TYPE %s CASCADE', made.id::regtype);
        END IF;
    END LOOP;
    FOR made IN SELECT oid::regclass AS id, relkind = 'S' AS counts FROM pg_class
        WHERE relnamespace = 'bkpriv'::regnamespace AND relkind IN ('r', 'S')
    LOOP
        IF made.counts THEN
            PERFORM setval(made.id, 1, false);
        ELSE
            EXECUTE format('DELETE FROM %s', made.id);
        END IF;
    END LOOP;
END $$
"""


class State:
    """State of a database, by its catalogs."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        ((query,),) = connection.execute(_CATALOGS).fetchall()
        self._query: str = query
        self._written = self._look(connection)
        self._contents = {name: self._read(connection, name) for name in _GRANTED}
        self._database = connection.execute(_DATABASE).fetchall()

    def holds(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether it is as it was; a row that was written, and reads as before, is."""
        found = self._look(connection)
        for name, rows in found.items():
            if rows != self._written[name] and (
                name not in _GRANTED or self._read(connection, name) != self._contents[name]
            ):
                return False
        self._written = found
        return connection.execute(_DATABASE).fetchall() == self._database

    def _look(self, connection: psycopg.Connection[Any]) -> dict[str, tuple[int, int]]:
        """Number of rows of each catalog, and the last writer of one of them."""
        rows = connection.execute(self._query.encode()).fetchall()
        return {name: (count, latest) for name, count, latest in rows}

    def _read(self, connection: psycopg.Connection[Any], catalog: str) -> Any:
        """Grants in a catalog, in short. A privilege held by default is held."""
        privileges, kind, owner = _GRANTED[catalog]
        query = f"""
            SELECT max(xmin::text::bigint) FILTER (WHERE oid < 16384), md5(string_agg(
                jsonb_set(to_jsonb(c), '{{{privileges}}}',
                    to_jsonb(coalesce({privileges}, acldefault('{kind}', {owner}))))::text,
                ' ' ORDER BY oid) FILTER (WHERE oid >= 16384
                    AND coalesce(to_jsonb(c) ->> 'nspname', '') !~ '^pg_(toast_)?temp_'))
            FROM {catalog} AS c
        """
        return connection.execute(query.encode()).fetchall()


class Lent(psycopg.Connection[Any]):
    """A connection as a role, by a session that a superuser began."""

    role: str

    @classmethod
    def to(cls, idle: psycopg.Connection[Any], role: str) -> Lent:
        """Lend a session that is idle to a role."""
        lent = cls(idle.pgconn)
        lent.autocommit = True
        lent.role = role
        lent.execute(sql.SQL("SET SESSION AUTHORIZATION {}").format(sql.Identifier(role)))
        return lent

    @property
    def info(self) -> psycopg.ConnectionInfo:
        """Information about the connection, by which its user is the role."""
        return _Info(self)


class _Info(psycopg.ConnectionInfo):
    """Information about a connection that was lent."""

    def __init__(self, lent: Lent) -> None:
        super().__init__(lent.pgconn)
        self._role = lent.role

    @property
    def user(self) -> str:
        """The role."""
        return self._role


def renewed(connection: psycopg.Connection[Any]) -> psycopg.Connection[Any] | None:
    """Another connection by the same session, which is as it began; none if it is of no use."""
    if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
        return None
    fresh = psycopg.Connection[Any](connection.pgconn)
    fresh.autocommit = True
    try:
        fresh.execute("RESET SESSION AUTHORIZATION")
        fresh.execute("DISCARD ALL")
    except psycopg.Error:
        return None
    return fresh


def clear(connection: psycopg.Connection[Any], before: State) -> bool:
    """Drop what a test has made; return whether all is as it was."""
    try:
        # No trigger of the extension's is to notice, and no lock waited for that somebody holds.
        connection.execute("SET session_replication_role = replica; SET lock_timeout = '2s'")
        with connection.transaction():
            connection.execute(_CLEAR)
        connection.execute("DISCARD ALL")
        return before.holds(connection)
    except psycopg.Error:
        return False
