"""Figure 2: how far estimates of what an adversary learns are from what exact inference says.

Groups of N records are drawn at random from the whole table, as in the paper. The error of a group
is the average over its records of the difference between the disclosure by the estimate and the
exact one (the paper's ρ). One statement per adversary infers all groups.
"""

from __future__ import annotations

import random

from psycopg import sql

from bkpriv_client.terminal import Advance
from studies.blending import SMOOTHING
from studies.figure import Figure, Lines, Row
from studies.laboratory import Laboratory, paced
from studies.li2009.design import Design

__all__ = ["FIGURES", "create_values"]

_PAPERS_BOUND = 0.1

# Distance of two values: height of their lowest common ancestor over that of the hierarchy. Their
# ancestors are the same from that one up to the root.
_VALUES = sql.SQL(
    """
    CREATE TABLE {value} AS
    WITH path AS (
        SELECT h.levels[i][1] AS sensitive, ARRAY(SELECT unnest(h.levels[i:i])) AS labels
        FROM bkpriv.hierarchy AS h, generate_subscripts(h.levels, 1) AS i
        WHERE h.dataset = {dataset} AND h.attribute = {attribute}
            AND h.levels[i][1] IN (SELECT {sensitive} FROM {table})
    ), pair AS (
        SELECT a.sensitive, b.sensitive AS other, (
            SELECT min(level) - 1 FROM generate_subscripts(a.labels, 1) AS level
            WHERE a.labels[level:] = b.labels[level:]
        )::float8 / (cardinality(a.labels) - 1) AS distance
        FROM path AS a CROSS JOIN path AS b
    )
    SELECT sensitive, array_agg(distance ORDER BY other) AS distances
    FROM pair GROUP BY sensitive
    """
)

# Belief propagation may not converge, which is an error; such a group is counted and left out.
_BETHE = sql.SQL(
    """
    CREATE FUNCTION {bethe}(prior float8[], counts int[]) RETURNS float8[] LANGUAGE plpgsql AS $$
    BEGIN
        RETURN bkpriv.bethe_posterior(prior, counts);
    EXCEPTION WHEN program_limit_exceeded THEN
        RETURN NULL;
    END $$
    """
)

_ERRORS = sql.SQL(
    """
    WITH belief AS MATERIALIZED (
        SELECT qi, array_agg(probability ORDER BY sensitive) AS chances
        FROM bkpriv.prior({dataset}, to_jsonb({bandwidth}::float8))
        GROUP BY qi
    ), member AS MATERIALIZED (
        SELECT size, repetition, record, {sensitive} AS sensitive, chances
        FROM {draw} JOIN {table} USING (record) JOIN belief ON qi = jsonb_build_object({qi})
    ), tally AS (
        SELECT size, repetition, sensitive, count(record)::int AS occurring
        FROM (SELECT DISTINCT size, repetition FROM {draw}) AS crowd
        CROSS JOIN {value} LEFT JOIN member USING (size, repetition, sensitive)
        GROUP BY size, repetition, sensitive
    ), crowd AS MATERIALIZED (
        SELECT * FROM (
            SELECT size, repetition, array_agg(chances ORDER BY record) AS prior
            FROM member GROUP BY size, repetition
        ) AS before JOIN (
            SELECT size, repetition, array_agg(occurring ORDER BY sensitive) AS counts
            FROM tally GROUP BY size, repetition
        ) AS published USING (size, repetition)
    ), inferred AS MATERIALIZED (
        SELECT size, repetition, prior, 'exact' AS estimator,
            bkpriv.exact_posterior(prior, counts) AS posterior FROM crowd
        UNION ALL
        SELECT size, repetition, prior, 'omega', bkpriv.omega_posterior(prior, counts) FROM crowd
        UNION ALL
        SELECT size, repetition, prior, 'bethe', {bethe}(prior, counts) FROM crowd
    ), disclosed AS MATERIALIZED (
        SELECT size, repetition, estimator, place, bkpriv.smoothed_distance(
            ARRAY(SELECT unnest(prior[place:place])), ARRAY(SELECT unnest(posterior[place:place])),
            ground, {smoothing}) AS disclosure
        FROM inferred, generate_subscripts(prior, 1) AS place,
            (SELECT array_agg(distances ORDER BY sensitive) AS ground FROM {value}) AS hierarchy
        WHERE posterior IS NOT NULL
    ), error AS (
        SELECT size, repetition, estimate.estimator,
            avg(abs(estimate.disclosure - truth.disclosure)) AS rho,
            avg(estimate.disclosure - truth.disclosure) AS bias
        FROM disclosed AS estimate JOIN disclosed AS truth USING (size, repetition, place)
        WHERE truth.estimator = 'exact' AND estimate.estimator <> 'exact'
        GROUP BY size, repetition, estimate.estimator
    )
    SELECT estimator, size, avg(rho), stddev_samp(rho) / sqrt(count(*)), max(rho), avg(bias),
        count(*)
    FROM error GROUP BY estimator, size ORDER BY estimator DESC, size
    """
)


def create_values(laboratory: Laboratory) -> sql.Identifier:
    """Create a table of the sensitive values and their distances; return its name."""
    value = laboratory.name("value")
    sensitive = laboratory.source.sensitive
    laboratory.connection.execute(
        _VALUES.format(
            value=value,
            dataset=sql.Literal(laboratory.dataset),
            attribute=sql.Literal(sensitive),
            sensitive=sql.Identifier(sensitive),
            table=laboratory.table,
        )
    )
    return value


def _draw(laboratory: Laboratory, design: Design) -> sql.Identifier:
    """Draw random groups of records into a table; return its name."""
    draw = laboratory.name("draw")
    source = random.Random(design.seed)
    records = range(1, laboratory.source.records + 1)
    rows = [
        (size, repetition, record)
        for size in design.group_sizes
        for repetition in range(design.repetitions)
        for record in source.sample(records, size)
    ]
    laboratory.connection.execute(
        sql.SQL("CREATE TABLE {} (size int, repetition int, record int)").format(draw)
    )
    laboratory.connection.execute(
        sql.SQL("INSERT INTO {} SELECT * FROM unnest(%s::int[], %s::int[], %s::int[])").format(
            draw
        ),
        [list(column) for column in zip(*rows, strict=True)],
    )
    return draw


def _errors(laboratory: Laboratory, design: Design, advance: Advance) -> list[Row]:
    source = laboratory.source
    value = create_values(laboratory)
    draw = _draw(laboratory, design)
    bethe = laboratory.name("bethe")
    laboratory.connection.execute(_BETHE.format(bethe=bethe))
    qi = [
        part
        for name in source.quasi_identifiers
        for part in (sql.Literal(name), sql.Identifier(name))
    ]
    rows: list[Row] = []
    for bandwidth in paced(design.adversaries, advance, lambda known: f"b = {known}"):
        accuracies = laboratory.connection.execute(
            _ERRORS.format(
                dataset=sql.Literal(laboratory.dataset),
                bandwidth=sql.Literal(bandwidth),
                sensitive=sql.Identifier(source.sensitive),
                draw=draw,
                table=laboratory.table,
                qi=sql.SQL(", ").join(qi),
                value=value,
                bethe=bethe,
                smoothing=sql.Literal(SMOOTHING),
            )
        )
        rows += [
            {
                "estimator": estimator,
                "b": bandwidth,
                "records": size,
                "error": rho,
                "standard_error": uncertainty,
                "largest_error": largest,
                "bias": bias,
                "groups": inferred,
                "not_converged": design.repetitions - inferred,
            }
            for estimator, size, rho, uncertainty, largest, bias, inferred in accuracies
        ]
    return rows


FIGURES = (
    Figure(
        "figure_2",
        "Figure 2: error of estimates of disclosure, random groups",
        _errors,
        Lines(
            x="records",
            y="error",
            x_label="records in the group, N",
            y_label="average distance error ρ (bits)",
            series="b",
            series_label="bandwidth b of the adversary; bars: standard error of the mean",
            panel="estimator",
            panel_label="{} against exact inference",
            spread="standard_error",
            bound=_PAPERS_BOUND,
            bound_label="the paper's bound",
        ),
    ),
)
