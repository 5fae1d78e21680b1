"""Rows that publishers append by hand: bounded, and shaped as the functions write them."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

DATASET = (
    "INSERT INTO bkpriv.dataset (name, source_schema, source_name, quasi_identifiers, sensitive, "
    "respondent, bins, attributes) VALUES ({name}, {schema}, 'patient', {known}, "
    "{told}, {respondent}, {bins}, {attributes})"
)
PLAIN = {
    "name": "'appended'",
    "schema": "'clinic'",
    "known": "'{age}'",
    "told": "'{disease}'",
    "respondent": "NULL",
    "bins": "'{}'",
    "attributes": "'{}'",
}
HIERARCHY = "INSERT INTO bkpriv.hierarchy (dataset, attribute, {}) VALUES ('patients', 'age', {})"
POLICY = "INSERT INTO bkpriv.policy (name, requirements) VALUES ({}, {})"
KNOWLEDGE = (
    "INSERT INTO bkpriv.sequential_knowledge (dataset, name, kind, labels, parents, oldest, "
    "offsets, following, probabilities) "
    "VALUES ('patients', 'appended', 'domain', {}, {}, {}, {}, {}, {})"
)
LONG = "repeat('x', 2000000)"

UNSOUND = {
    "dataset: long name": DATASET.format(**PLAIN | {"name": "repeat(md5('x'), 300)"}),
    "dataset: long schema": DATASET.format(**PLAIN | {"schema": "repeat('x', 64)"}),
    "dataset: long respondent": DATASET.format(**PLAIN | {"respondent": LONG}),
    "dataset: long bins": DATASET.format(**PLAIN | {"bins": f"jsonb_build_object('age', {LONG})"}),
    "dataset: long quasi-identifier": DATASET.format(**PLAIN | {"known": f"ARRAY[{LONG}]"}),
    "dataset: quasi-identifier NULL": DATASET.format(**PLAIN | {"known": "'{age,NULL}'"}),
    "dataset: nested quasi-identifiers": DATASET.format(**PLAIN | {"known": "'{{age,sex}}'"}),
    "dataset: sensitive NULL": DATASET.format(**PLAIN | {"told": "'{NULL}'"}),
    "dataset: nested sensitive": DATASET.format(**PLAIN | {"told": "'{{disease}}'"}),
    "dataset: attribute NULL": DATASET.format(**PLAIN | {"attributes": "'{NULL}'"}),
    "dataset: nested attributes": DATASET.format(**PLAIN | {"attributes": "'{{city}}'"}),
    "hierarchy: flat levels": HIERARCHY.format("levels", "'{a,*}'"),
    "hierarchy: label NULL": HIERARCHY.format("levels", "'{{a,*},{NULL,*}}'"),
    "hierarchy: deep levels": HIERARCHY.format("levels", "'{{{a,*}}}'"),
    "hierarchy: many labels": HIERARCHY.format("levels", "array_fill('a'::text, '{2000001,2}')"),
    "hierarchy: width NULL": HIERARCHY.format("widths, origin", "'{5,NULL}', 0"),
    "hierarchy: nested widths": HIERARCHY.format("widths, origin", "'{{5,10}}', 0"),
    "hierarchy: many widths": HIERARCHY.format(
        "widths, origin", "array_fill(1::numeric, '{2101}'), 0"
    ),
    "policy: long name": POLICY.format("repeat(md5('x'), 300)", "'{}'"),
    "policy: long requirements": POLICY.format("'a'", f"jsonb_build_object('x', {LONG})"),
    "knowledge: label NULL": KNOWLEDGE.format(
        "'{NULL}'", "'{-1}'", "'{-1}'", "'{0,1}'", "'{0}'", "'{1}'"
    ),
    "knowledge: nested labels": KNOWLEDGE.format(
        "'{{a}}'", "'{-1}'", "'{-1}'", "'{0,1}'", "'{0}'", "'{1}'"
    ),
    "knowledge: parent NULL": KNOWLEDGE.format(
        "'{a}'", "'{NULL}'", "'{-1}'", "'{0,1}'", "'{0}'", "'{1}'"
    ),
    "knowledge: nested probabilities": KNOWLEDGE.format(
        "'{a}'", "'{-1}'", "'{-1}'", "'{0,1}'", "'{0}'", "'{{1}}'"
    ),
}


def test_rows_as_the_functions_write_them_are_taken(shared_clinic: Connection) -> None:
    shared_clinic.execute(DATASET.format(**PLAIN).encode())
    shared_clinic.execute(HIERARCHY.format("widths, origin", "'{5,10}', 0").encode())
    shared_clinic.execute(POLICY.format("'a'", "'{}'").encode())
    shared_clinic.execute(
        KNOWLEDGE.format("'{a}'", "'{-1}'", "'{-1}'", "'{0,1}'", "'{0}'", "'{1}'").encode()
    )


@pytest.mark.parametrize("statement", UNSOUND.values(), ids=UNSOUND)
def test_rows_beyond_the_bounds_or_of_another_shape_are_refused(
    shared_clinic: Connection, statement: str
) -> None:
    # One of the constraints joins arrays, which PostgreSQL refuses by itself for nested ones.
    refusals = psycopg.errors.CheckViolation, psycopg.errors.ArraySubscriptError
    with pytest.raises(refusals), shared_clinic.transaction():
        shared_clinic.execute(statement.encode())
