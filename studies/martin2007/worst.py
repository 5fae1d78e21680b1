"""Figures 5 and 6, maximum disclosure, and how much more implications disclose than negations.

In figure 6 a point stands for the nodes of one entropy: the least maximum disclosure among them.
The entropy of a node is that of the sensitive values in its bucket of least entropy.
"""

from __future__ import annotations

from psycopg import sql

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory
from studies.martin2007.design import Design
from studies.martin2007.nodes import ask

__all__ = ["FIGURES"]

_ONE_NODE = sql.SQL(
    "SELECT language, k, disclosure FROM {worst} WHERE node = %(node)s::int[] ORDER BY language, k"
)

# Entropies of the same histogram are the same to the last digit; rounding is for others.
_BY_ENTROPY = sql.SQL(
    """
    SELECT DISTINCT ON (language, k, entropy) language, k, round(entropy::numeric, 9)::float8
        AS entropy, disclosure, count(*) OVER (PARTITION BY language, k, entropy) AS nodes,
        node[1] AS age, node[2] AS marital_status, node[3] AS race, node[4] AS sex
    FROM (SELECT node, round(entropy::numeric, 9) AS entropy, discernibility FROM {node}) AS n
    JOIN {worst} USING (node)
    WHERE k = ANY(%(pieces)s::int[])
    ORDER BY language, k, entropy, disclosure, discernibility, node
    """
)

_DIFFERENCES = sql.SQL(
    """
    WITH difference AS (
        SELECT node, k, round((i.disclosure - n.disclosure)::numeric, 9)::float8 AS difference
        FROM {worst} AS i JOIN {worst} AS n USING (node, k)
        WHERE i.language = 'implications' AND n.language = 'negations'
    )
    SELECT k, 'largest of all nodes' AS nodes, max(difference) AS difference
    FROM difference GROUP BY k
    UNION ALL
    SELECT k, 'mean of all nodes', avg(difference) FROM difference GROUP BY k
    UNION ALL
    SELECT k, 'the node of figure 5', difference FROM difference WHERE node = %(node)s::int[]
    ORDER BY nodes, k
    """
)


def _one_node(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    return ask(laboratory, design, advance, _ONE_NODE, node=_levels(laboratory, design))


def _by_entropy(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    return ask(laboratory, design, advance, _BY_ENTROPY, pieces=list(design.pieces))


def _differences(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    return ask(laboratory, design, advance, _DIFFERENCES, node=_levels(laboratory, design))


def _levels(laboratory: Laboratory, design: Design) -> list[int]:
    """The node of figure 5."""
    return [design.node[name] for name in laboratory.source.quasi_identifiers]


FIGURES = (
    Figure(
        "figure_5",
        "Figure 5: age in intervals of 20 years, all else suppressed",
        _one_node,
        Lines(
            x="k",
            y="disclosure",
            x_label="pieces of knowledge (k)",
            y_label="maximum disclosure (probability)",
            series="language",
        ),
    ),
    Figure(
        "figure_6",
        "Figure 6: entropy and the least maximum disclosure of nodes that have it",
        _by_entropy,
        Lines(
            x="entropy",
            y="disclosure",
            x_label="least entropy of a bucket (bits)",
            y_label="maximum disclosure (probability)",
            series="k",
            series_label="pieces of knowledge (k)",
            panel="language",
        ),
    ),
    Figure(
        "extra_difference",
        "How much more implications disclose than negations",
        _differences,
        Lines(
            x="k",
            y="difference",
            x_label="pieces of knowledge (k)",
            y_label="difference of maximum disclosure",
            series="nodes",
        ),
    ),
)
