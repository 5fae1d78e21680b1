"""The anonymised tables: every node of the full-domain generalization lattice, by plain SQL.

A node is a level for each quasi-identifier. Its buckets are the combinations of labels that occur
at these levels; the persons of a bucket are all the same to an adversary, who knows their
quasi-identifiers and the bucket's sensitive values. The levels are those that the dataset's
hierarchies declare to the extension; the worst case over what adversaries may know comes from its
calculator ``bkpriv.worst_case``, given the histograms of all buckets of a node.

Tables made, in the schema of the source:

- ``node_level``: the label of each value of an attribute at each level, and its number;
- ``node_bucket``: the histogram of each bucket of each node;
- ``node``: each node's buckets, smallest bucket, entropy and discernibility;
- ``node_worst``: its maximum disclosure against 0, 1, ..., k pieces of knowledge of each language.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from psycopg import sql
from psycopg.rows import dict_row

from bkpriv_client.server import Connection
from bkpriv_client.source import Source
from bkpriv_client.terminal import Advance
from studies.figure import Row
from studies.laboratory import Laboratory
from studies.martin2007.design import Design

__all__ = ["LANGUAGES", "ask", "create_nodes", "narrowed"]

LANGUAGES = ("implications", "negations")

_ATTRIBUTES = ("age", "marital_status", "race", "sex")
"""The paper's, in the order of a node's levels."""

_OCCURRING = sql.SQL("SELECT DISTINCT {name} AS attribute, {column}::text AS value FROM {source}")

# Level 0 is exact. Intervals [origin + i width, origin + (i + 1) width) are named by i.
_LEVELS = sql.SQL(
    """
    CREATE TABLE {schema}.node_level AS
    SELECT o.attribute, l.level::int, o.value, l.label,
        dense_rank() OVER (PARTITION BY o.attribute, l.level ORDER BY l.label)::int AS code
    FROM ({occurring}) AS o
    JOIN bkpriv.hierarchy AS h ON h.dataset = {dataset} AND h.attribute = o.attribute
    CROSS JOIN LATERAL (
        SELECT step - 1, h.levels[leaf][step]
        FROM generate_subscripts(h.levels, 1) AS leaf, generate_subscripts(h.levels, 2) AS step
        WHERE h.levels[leaf][1] = o.value
        UNION ALL
        SELECT 0, o.value WHERE h.widths IS NOT NULL
        UNION ALL
        SELECT place, floor((o.value::numeric - h.origin) / width)::text
        FROM unnest(h.widths) WITH ORDINALITY AS w(width, place)
        UNION ALL
        SELECT cardinality(h.widths) + 1, '*' WHERE h.widths IS NOT NULL
    ) AS l(level, label)
    """
)

_ANALYZED = sql.SQL("ANALYZE {schema}.node_level")

# Generalizes one attribute to each of its levels, after others. Records are counted once and added
# up at each step, so that later steps have less to do.
_STEP = sql.SQL(
    """
    {after} AS (
        SELECT node || l.level AS node, bucket || l.code AS bucket, {rest} b.value,
            sum(records)::int AS records
        FROM {before} AS b JOIN {schema}.node_level AS l
            ON l.attribute = {name} AND l.value = b.{column}::text
        GROUP BY node || l.level, bucket || l.code, {rest} b.value
    )
    """
)

# Which sensitive value a count belongs to makes no difference here: counts are in falling order.
_BUCKETS = sql.SQL(
    """
    CREATE TABLE {schema}.node_bucket AS
    WITH cell AS (
        SELECT '{{}}'::int[] AS node, '{{}}'::int[] AS bucket, {columns}, {sensitive} AS value,
            count(*)::int AS records
        FROM {source} GROUP BY {columns}, {sensitive}
    ), {steps}
    SELECT node, bucket, array_agg(records ORDER BY records DESC)
        || array_fill(0, ARRAY[(SELECT count(DISTINCT value) FROM cell) - count(*)]::int[])
        AS counts
    FROM {last} GROUP BY node, bucket
    """
)

# Entropy: sum over values of n/N log2 (N/n).
_NODES = sql.SQL(
    """
    CREATE TABLE {schema}.node AS
    SELECT node, count(*) AS buckets, min(records) AS smallest, min(entropy) AS entropy,
        sum(records * records) AS discernibility
    FROM {schema}.node_bucket
    CROSS JOIN LATERAL (SELECT sum(n) AS records FROM unnest(counts) AS n) AS size
    CROSS JOIN LATERAL (
        SELECT sum(n * ln(records / n::float8)) / records / ln(2::float8) AS entropy
        FROM unnest(counts) AS n WHERE n > 0
    ) AS skew
    GROUP BY node
    """
)

_WORST = sql.SQL(
    """
    CREATE TABLE {schema}.node_worst AS
    SELECT node, language, (place - 1)::int AS k, disclosure
    FROM (
        SELECT node, array_agg(counts ORDER BY bucket) AS histograms
        FROM {schema}.node_bucket GROUP BY node
    ) AS n
    CROSS JOIN unnest({languages}::text[]) AS language
    CROSS JOIN LATERAL unnest(bkpriv.worst_case(histograms, {k}, language))
        WITH ORDINALITY AS w(disclosure, place)
    """
)


def narrowed(source: Source) -> Source:
    """Return the paper's projection of the Adult data: four attributes and the occupation."""
    kept = (*_ATTRIBUTES, source.sensitive)
    return replace(
        source,
        columns={name: source.columns[name] for name in kept},
        quasi_identifiers=_ATTRIBUTES,
        hierarchies={name: source.hierarchies[name] for name in kept if name in source.hierarchies},
    )


def create_nodes(connection: Connection, schema: str, source: Source, dataset: str, k: int) -> None:
    """Make all nodes and measure them.

    Args:
        source: A source that was loaded; its quasi-identifiers are generalized.
    """
    table = sql.Identifier(schema, source.name)
    names = source.quasi_identifiers
    columns = list(map(sql.Identifier, names))
    places = {"schema": sql.Identifier(schema), "source": table}
    occurring = (
        _OCCURRING.format(name=sql.Literal(name), column=column, source=table)
        for name, column in zip(names, columns, strict=True)
    )
    stages = [sql.Identifier("cell"), *(sql.Identifier(f"by_{name}") for name in names)]
    steps = (
        _STEP.format(
            **places,
            after=stages[place + 1],
            before=stages[place],
            name=sql.Literal(name),
            column=columns[place],
            rest=sql.Composed([sql.SQL("b.{}, ").format(other) for other in columns[place + 1 :]]),
        )
        for place, name in enumerate(names)
    )
    parts = {
        **places,
        "dataset": sql.Literal(dataset),
        "sensitive": sql.Identifier(source.sensitive),
        "columns": sql.SQL(", ").join(columns),
        "occurring": sql.SQL(" UNION ALL ").join(occurring),
        "steps": sql.SQL(", ").join(steps),
        "last": stages[-1],
        "languages": sql.Literal(list(LANGUAGES)),
        "k": sql.Literal(k),
    }
    for statement in (_LEVELS, _ANALYZED, _BUCKETS, _NODES, _WORST):
        connection.execute(statement.format(**parts))


def ask(
    laboratory: Laboratory, design: Design, advance: Advance, question: sql.SQL, **settings: Any
) -> list[Row]:
    """Query the tables of nodes, which the first query makes.

    Args:
        design: Extent of the knowledge that nodes are measured against.
        question: A query in which ``{node}`` and ``{worst}`` stand for the tables.
    """
    connection = laboratory.connection
    node, worst = laboratory.name("node"), laboratory.name("node_worst")
    table = connection.execute("SELECT to_regclass(%s)", [worst.as_string(connection)])
    if table.fetchone() == (None,):
        advance(None, "generalizing")
        create_nodes(connection, laboratory.schema, laboratory.source, laboratory.dataset, design.k)
    with connection.cursor(row_factory=dict_row) as cursor:
        return list(cursor.execute(question.format(node=node, worst=worst), settings))
