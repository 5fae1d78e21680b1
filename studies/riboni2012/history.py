"""Histories: all weeks published under one defence, and what adversaries learn from them.

Each defence publishes a dataset of its own, since a dataset's releases are one history; all are of
one table. A history is published and measured when it is first asked about. Tables made beside the
source, in its schema:

- ``transitions_n``: the model's chances of the next result after n results and fewer;
- ``beliefs``: its chances of first results;
- ``corpus_n``: a register of other patients, so many a week;
- ``finding``: what adversaries learnt from histories.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row

from bkpriv_client.declaration import call, declare_source
from bkpriv_client.loading import TableName, load_source
from bkpriv_client.server import scalar
from bkpriv_client.terminal import Advance
from studies.clinic.register import draw_register
from studies.clinic.tables import load_first_beliefs, load_transitions
from studies.laboratory import Laboratory
from studies.riboni2012.design import (
    BELIEFS,
    NOTHING,
    STEPS,
    Adversary,
    Defence,
    Design,
)

__all__ = ["Finding", "Released", "learn", "published"]

_MINED = sql.SQL(
    "CREATE VIEW {mined} AS SELECT patient AS respondent, week AS period, result AS value"
    " FROM {corpus}"
)

_FINDING = sql.SQL(
    """
    CREATE TABLE {finding} (
        dataset text, knowledge text, estimator text, week int,
        gain float8, confidence float8, worst float8
    )
    """
)

_LEARN = sql.SQL(
    """
    INSERT INTO {finding}
    SELECT %(dataset)s, %(knowledge)s, %(estimator)s, period::int, gain, confidence, worst
    FROM bkpriv.sequential_audit(
        %(dataset)s, nullif(%(knowledge)s, %(nothing)s), %(estimator)s, bandwidth => %(beliefs)s
    )
    """
)

_LEARNT = sql.SQL(
    """
    SELECT week, gain, confidence, worst FROM {finding}
    WHERE dataset = %(dataset)s AND knowledge = %(knowledge)s AND estimator = %(estimator)s
    ORDER BY week
    """
)


@dataclass(frozen=True)
class Released:
    """A week's release: its number, and the records left out."""

    week: int
    release: int
    suppressed: int


@dataclass(frozen=True)
class Finding:
    """Knowledge gained by an adversary from a week's release, given those before it."""

    week: int
    gain: float
    """Excess of an actual result's probability for the adversary over its share in the group, in
    parts of what lacks to certainty; the average over records.
    """
    confidence: float
    """Probability of actual results, on average."""
    worst: float
    """Probability of the actual result of which the adversary is surest."""


def published(
    laboratory: Laboratory, design: Design, defence: Defence, advance: Advance
) -> list[Released]:
    """Return the releases of a defence, by week; publish them if that has not been done."""
    connection = laboratory.connection
    _prepare(laboratory, design, advance)
    query = (
        "SELECT period::int AS week, release, suppressed FROM bkpriv.releases"
        " WHERE dataset = %s ORDER BY release"
    )
    with connection.cursor(row_factory=class_row(Released)) as cursor:
        done = cursor.execute(query, [defence.name]).fetchall()
        if done:
            return done
        source = laboratory.source
        for statement in declare_source(connection, defence.name, laboratory.schema, source):
            connection.execute(statement)
        _state(laboratory, defence, defence.knowledge)
        connection.execute(call("set_policy", defence.name, json.dumps(defence.requirements)))
        for week in range(1, design.weeks + 1):
            advance(None, f"publishing {defence.name}, week {week}")
            scalar(
                connection,
                sql.SQL("SELECT bkpriv.publish(%s, %s, %s, %s, %s, %s::jsonb, view_schema => %s)"),
                defence.name,
                defence.name,
                sql.Identifier(f"{defence.name}, week {week}").as_string(connection),
                defence.method,
                str(week),
                json.dumps(defence.options),
                laboratory.schema,
            )
        return cursor.execute(query, [defence.name]).fetchall()


def learn(
    laboratory: Laboratory,
    design: Design,
    defence: Defence,
    adversary: Adversary,
    estimator: str,
    advance: Advance,
) -> list[Finding]:
    """Return what an adversary learns from the releases of a defence, by week."""
    published(laboratory, design, defence, advance)
    connection = laboratory.connection
    finding = laboratory.name("finding")
    asked = {
        "dataset": defence.name,
        "knowledge": adversary.name,
        "nothing": NOTHING.name,
        "estimator": estimator,
        "beliefs": json.dumps({"table": f"{laboratory.schema}.{BELIEFS}"}),
    }
    query = _LEARNT.format(finding=finding)
    with connection.cursor(row_factory=class_row(Finding)) as cursor:
        learnt = cursor.execute(query, asked).fetchall()
        if not learnt:
            _state(laboratory, defence, adversary)
            advance(None, f"{adversary.name}, by {estimator}, against {defence.name}")
            connection.execute(_LEARN.format(finding=finding), asked)
            learnt = cursor.execute(query, asked).fetchall()
        return learnt


def _state(laboratory: Laboratory, defence: Defence, adversary: Adversary) -> None:
    """State an adversary's knowledge to the dataset of a defence, unless that has been done."""
    connection = laboratory.connection
    known = connection.execute(
        "SELECT FROM bkpriv.sequential_knowledge WHERE dataset = %s AND name = %s",
        [defence.name, adversary.name],
    ).fetchone()
    if adversary.kind is None or known is not None:
        return
    table = adversary.source and laboratory.name(adversary.source).as_string(connection)
    connection.execute(
        call("set_sequential_knowledge", defence.name, adversary.name, adversary.kind, table)
    )


def _prepare(laboratory: Laboratory, design: Design, advance: Advance) -> None:
    """Make the tables beside the source, unless that has been done."""
    connection = laboratory.connection
    finding = laboratory.name("finding")
    if scalar(connection, sql.SQL("SELECT to_regclass(%s)::text"), finding.as_string(connection)):
        return
    advance(None, "making tables of knowledge")
    for order, steps in zip((3, 2, 1), STEPS, strict=True):
        assert steps.source is not None
        table = TableName(laboratory.schema, steps.source)
        load_transitions(connection, table, order, design.weeks)
    load_first_beliefs(connection, TableName(laboratory.schema, BELIEFS))
    for place, patients in enumerate(design.corpora, start=1):
        corpus = draw_register(patients, design.weeks, design.seed + place, f"others_{patients}")
        load_source(connection, laboratory.schema, corpus)
        connection.execute(
            _MINED.format(
                mined=laboratory.name(f"corpus_{patients}"), corpus=laboratory.name(corpus.name)
            )
        )
    connection.execute(_FINDING.format(finding=finding))
