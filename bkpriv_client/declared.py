"""Declarations of a database, as far as a privacy file speaks of them.

Whether something is declared as a file wants it, the server tells: it is declared anew in a
transaction that is taken back, and what is on record before and after is compared. So a file is
tried as a whole before anything is changed, and nothing here knows what makes two declarations the
same. Publications are asked about in the same transaction, and not made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from bkpriv_client.declaration import ask, call
from bkpriv_client.loading import TableName
from bkpriv_client.plan import Declared, DeclaredDataset, check_references
from bkpriv_client.server import Connection, scalar
from bkpriv_client.wanted import Call, Publication, Wanted, WantedDataset, written
from bkpriv_core.method import find_method

__all__ = [
    "called",
    "grant_job",
    "published",
    "read_declared",
    "set_policy",
    "views_of",
]

_HAS_JOB = {
    "publishers": "pg_has_role(%(role)s, 'bkpriv_publisher', 'MEMBER') "
    "AND has_schema_privilege(%(role)s, 'bkpriv', 'USAGE') "
    "AND has_schema_privilege(%(role)s, 'bkpriv_release', 'USAGE')",
    "auditors": "pg_has_role(%(role)s, 'bkpriv_auditor', 'MEMBER') "
    "AND has_function_privilege(%(role)s, 'bkpriv_internal.auditor()', 'EXECUTE')",
    "watchers": "pg_has_role(%(role)s, 'bkpriv_watcher', 'MEMBER') "
    "AND has_schema_privilege(%(role)s, 'bkpriv', 'USAGE')",
}
"""SQL for whether a role has a job."""


def read_declared(connection: Connection, wanted: Wanted) -> Declared:
    """Read what a database declares, and try in it what a file wants.

    Raises:
        psycopg.Error: If the server refuses something of it.
        ClientError: See `check_references`.
    """
    with connection.transaction(force_rollback=True):
        jobs = _try_jobs(connection, wanted)
        policies: dict[str, Any] = dict(
            connection.execute("SELECT name, requirements FROM bkpriv.policies").fetchall()
        )
        there = connection.execute(
            "SELECT name, owner = current_user FROM bkpriv.dataset"
        ).fetchall()
        names = dict.fromkeys((name for name, _ in there), DeclaredDataset())
        declared = Declared(names, jobs=jobs, policies=policies)
        check_references(declared, wanted)
        owned = frozenset(name for name, own in there if own)
        datasets = _try_datasets(connection, wanted, [*names], owned)
        for name, requirements in wanted.policies.items():
            if policies.get(name) != requirements:
                connection.execute(set_policy(name, requirements))
        readers = {
            view: _readers(connection, view, publication)
            for view, publication in wanted.publications.items()
        }
        return replace(
            declared,
            datasets=datasets,
            owned=owned,
            shown=_shown(connection),
            reasons={
                view: _reasons(connection, view, publication)
                for view, publication in wanted.publications.items()
                if datasets.get(publication.dataset, DeclaredDataset()).differs is None
            },
            readers={view: whole for view, (whole, _) in readers.items()},
            glancing={view: some for view, (_, some) in readers.items()},
        )


def _try_datasets(
    connection: Connection, wanted: Wanted, there: Sequence[str], owned: Collection[str]
) -> dict[str, DeclaredDataset]:
    """Declare what is wanted; return how what was there differs from it.

    What is not `owned` is never made anew: it would change its owner.
    """
    tried = {
        name: _try_dataset(connection, name, dataset, owned=name in owned)
        for name, dataset in wanted.datasets.items()
    }
    return {
        name: replace(
            tried.get(name, DeclaredDataset()),
            releases=_releases(connection, name) if name in owned else {},
        )
        for name in there
    }


def _try_jobs(connection: Connection, wanted: Wanted) -> frozenset[tuple[str, str]]:
    """Give roles the jobs that they lack; return which they had."""
    had = set()
    for job, roles in wanted.jobs.items():
        for role in roles:
            ((has,),) = connection.execute(f"SELECT {_HAS_JOB[job]}".encode(), {"role": role})
            if has:
                had.add((job, role))
            else:
                connection.execute(grant_job(job, role))
    return frozenset(had)


def grant_job(job: str, role: str) -> sql.Composed:
    """Statement that gives a role a job."""
    return sql.SQL("SELECT bkpriv.{}(pg_catalog.quote_ident({})::pg_catalog.regrole)").format(
        sql.Identifier(f"grant_{job.removesuffix('s')}"), sql.Literal(role)
    )


def set_policy(name: str, requirements: Mapping[str, Any]) -> sql.Composed:
    """Statement that sets a policy."""
    return call("set_policy", name, Jsonb(requirements))


def called(stated: Call) -> sql.Composed:
    """Statement that calls what a file states."""
    given = {
        name: Jsonb(value) if isinstance(value, Mapping) else value
        for name, value in stated.arguments.items()
        if value is not None and value != []
    }
    if stated.arguments.get("sensitive") == []:
        given["sensitive"] = "{}"  # It has no default.
    return call(stated.function, **given)


def published(function: str, view: str, publication: Publication, **options: Any) -> sql.Composed:
    """Call of a function that takes the arguments of ``bkpriv.publish``."""
    arguments = [publication.dataset, publication.policy, view, publication.method]
    stated = Jsonb({**publication.options, **options})
    return ask(function, *arguments, publication.period, stated)


def _try_dataset(
    connection: Connection, name: str, dataset: WantedDataset, *, owned: bool
) -> DeclaredDataset:
    """Declare a dataset; return how it differs from what was declared."""
    before = _declarations(connection, name)
    try:
        with connection.transaction():
            connection.execute(called(dataset.register))
    except psycopg.errors.DuplicateObject as error:
        if not owned:
            raise
        detail = error.diag.message_detail or ""
        return DeclaredDataset(detail.partition("It is declared with ")[2] or detail, *before)
    for stated in (*dataset.hierarchies.values(), *dataset.knowledge.values()):
        connection.execute(called(stated))
    after = _declarations(connection, name)
    hierarchies, knowledge = (
        {item: was[item] == now.get(item) for item in was}
        for was, now in zip(before, after, strict=True)
    )
    return DeclaredDataset(None, hierarchies, knowledge)


def _declarations(connection: Connection, dataset: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Hierarchies and knowledge of a dataset, as they are on record."""
    hierarchies = {}
    for attribute, stated in connection.execute(
        "SELECT attribute, to_jsonb(h) FROM bkpriv.hierarchy AS h WHERE dataset = %s", [dataset]
    ):
        if stated.get("levels") is not None:  # The order of a table's rows means nothing.
            stated["levels"].sort()
        hierarchies[attribute] = stated
    knowledge = connection.execute(
        "SELECT name, to_jsonb(k) - 'set_at' FROM bkpriv.sequential_knowledge AS k "
        "WHERE dataset = %s",
        [dataset],
    )
    return hierarchies, dict(knowledge)


def _releases(connection: Connection, dataset: str) -> dict[int, str]:
    """Releases of a dataset that are not withdrawn, by the name of their view."""
    rows = connection.execute(
        "SELECT r.release, r.view_schema, r.view_name FROM bkpriv.release AS r "
        "JOIN bkpriv.dataset AS d ON (d.name, d.owner) = (r.dataset, r.owner) "
        "WHERE d.name = %s AND NOT EXISTS (SELECT FROM bkpriv.release_event AS e "
        "WHERE e.release = r.release AND e.kind = 'withdrawn')",
        [dataset],
    )
    return {release: written(schema, name) for release, schema, name in rows}


def _shown(connection: Connection) -> dict[str, int]:
    """Releases that views show, of datasets that the caller owns, by the name of the view."""
    rows = connection.execute(
        "SELECT r.view_schema, r.view_name, r.release FROM bkpriv.releases AS s "
        "JOIN bkpriv.release AS r USING (release) "
        "JOIN bkpriv.dataset AS d ON (d.name, d.owner) = (r.dataset, r.owner) "
        "WHERE s.status = 'published' AND d.owner = current_user ORDER BY r.release"
    )
    return {written(schema, name): release for schema, name, release in rows}


def _reasons(connection: Connection, view: str, publication: Publication) -> tuple[str, ...]:
    """Reasons why a release would be made anew."""
    rows = connection.execute(published("explain_publication", view, publication))
    return tuple(f"{reason}: {detail}" for _, reason, detail in rows if reason is not None)


def views_of(connection: Connection, view: str, publication: Publication) -> list[TableName]:
    """Views that a publication has."""
    split = sql.SQL("SELECT parse_ident(%s)")
    schema, name = scalar(connection, split, view)
    return [
        TableName(schema, name if exhibit == "records" else f"{name}_{exhibit}")
        for exhibit in find_method(publication.method).form.exhibits
    ]


def _readers(
    connection: Connection, view: str, publication: Publication
) -> tuple[frozenset[str], frozenset[str]]:
    """Roles that may read all views of a publication, and any column of one; not their owners."""
    whole: list[set[str]] = []
    some: set[str] = set()
    for each in views_of(connection, view, publication):
        rows = connection.execute(
            "SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE r.rolname END, a.whole, "
            "a.grantee = c.relowner FROM pg_class AS c JOIN pg_namespace AS n "
            "ON n.oid = c.relnamespace CROSS JOIN LATERAL (SELECT grantee, privilege_type, true "
            "FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) UNION ALL "
            "SELECT x.grantee, x.privilege_type, false FROM pg_attribute AS t, "
            "aclexplode(t.attacl) AS x WHERE t.attrelid = c.oid AND NOT t.attisdropped) "
            "AS a (grantee, privilege_type, whole) LEFT JOIN pg_roles AS r ON r.oid = a.grantee "
            "WHERE a.privilege_type = 'SELECT' AND (n.nspname, c.relname) = (%s, %s)",
            [each.schema, each.name],
        ).fetchall()
        if rows:
            whole.append({role for role, all_, owner in rows if all_ and not owner})
            some.update(role for role, _, owner in rows if role is not None and not owner)
    return frozenset(set.intersection(*whole)) if whole else frozenset(), frozenset(some)
