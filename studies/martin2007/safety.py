"""Safe nodes: the price of guarding against implications rather than negations.

A node is safe for c and k if its maximum disclosure against k pieces of knowledge is below c; for
implications that is (c,k)-safety. The paper says that a table that tolerates k negations need not
be anonymized much further to tolerate k implications. Here is how many nodes do either, and how
fine the finest of them is.
"""

from __future__ import annotations

from psycopg import sql

from bkpriv_client.terminal import Advance
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory
from studies.martin2007.design import Design
from studies.martin2007.nodes import ask

__all__ = ["FIGURES"]

# Below c by more than rounding, as a policy of `ck_safety` has it.
_SAFE = sql.SQL(
    """
    SELECT language, k, c, count(*) FILTER (WHERE safe) AS safe,
        min(discernibility) FILTER (WHERE safe)::float8 AS least_discernibility
    FROM (
        SELECT language, k, c, disclosure < c - 1e-9 AS safe, discernibility
        FROM {worst} JOIN {node} USING (node), unnest(%(thresholds)s::float8[]) AS c
        WHERE k = ANY(%(pieces)s::int[])
    ) AS judged
    GROUP BY language, k, c ORDER BY k, language, c
    """
)


def _safe(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    return ask(
        laboratory,
        design,
        advance,
        _SAFE,
        thresholds=list(design.thresholds),
        pieces=list(design.pieces_of_safety),
    )


FIGURES = (
    Figure(
        "extra_safe",
        "Nodes whose maximum disclosure is below c",
        _safe,
        Lines(
            x="c",
            y="safe",
            x_label="bound on disclosure (c)",
            y_label="safe nodes (of all)",
            series="language",
            panel="k",
            panel_label="k = {}",
        ),
    ),
    Figure(
        "extra_discernibility",
        "The finest node whose maximum disclosure is below c",
        _safe,
        Lines(
            x="c",
            y="least_discernibility",
            x_label="bound on disclosure (c)",
            y_label="discernibility (squared records)",
            series="language",
            panel="k",
            panel_label="k = {}",
            scale="log",
        ),
    ),
)
