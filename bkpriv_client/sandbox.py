"""Schemas that belong to a command, which may replace them with all that was made from them."""

from __future__ import annotations

from psycopg import sql

from bkpriv_client.failure import ClientError
from bkpriv_client.server import Connection

__all__ = ["drop_sandbox", "renew_sandbox"]


def renew_sandbox(connection: Connection, schema: str, mark: str) -> None:
    """Create a schema anew, as `drop_sandbox` drops it, marked by a comment as a command's own."""
    with connection.transaction():
        drop_sandbox(connection, schema, mark)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        connection.execute(
            sql.SQL("COMMENT ON SCHEMA {} IS {}").format(sql.Identifier(schema), sql.Literal(mark))
        )


def drop_sandbox(connection: Connection, schema: str, mark: str) -> None:
    """Drop a command's own schema, if it exists, with the datasets registered from its tables.

    Their releases are withdrawn first; as always, the history of them stays.

    Args:
        mark: Comment by which the schema is known to be the command's own.

    Raises:
        ClientError: If the schema exists without the mark. Nothing is changed then.
    """
    comment = connection.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s",
        [schema],
    ).fetchone()
    if comment is None:
        return
    if comment[0] != mark:
        raise ClientError(
            f'the schema "{schema}" was not made by this command',
            detail="It is left as it is.",
            hint="Rename it, or work in another database.",
        )
    with connection.transaction():
        datasets = connection.execute(
            "SELECT name FROM bkpriv.dataset WHERE source_schema = %s", [schema]
        ).fetchall()
        for (dataset,) in datasets:
            releases = connection.execute(
                "SELECT release FROM bkpriv.releases "
                "WHERE dataset = %s AND status NOT IN ('withdrawn', 'purged')",
                [dataset],
            ).fetchall()
            for (release,) in releases:
                connection.execute(
                    "SELECT bkpriv.withdraw(%s, %s)", [release, f"schema {schema} is replaced"]
                )
            connection.execute("SELECT bkpriv.drop_dataset(%s)", [dataset])
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
