"""History that no publication recorded is refused, before what it claims is allocated."""

from __future__ import annotations

import psycopg
import pytest

from tests.conftest import Connection
from tests.db.clinic import declare_people, one, publish
from tests.db.refusal import refused
from tests.db.waiting import works_at_most

COLUMNS = {
    "release": "owner, source_schema, source_name, view_schema, view_name, method, policy, "
    "requirements, options, period, records, suppressed, groups, period_type, period_column, "
    "period_bin, counterfeited, grown_from, respondent_column, attributes, unique_rows",
    "release_attribute": "place, attribute, labels, positions, levels, type, widths, origin, "
    "level, ends, retention",
    "release_content": "codes, group_ids, cells, sensitive_codes, counts, "
    "false_cells, false_codes, false_counts, combinations, combination_offsets, made_from",
    "release_base": "base",
    "release_draw": "codes, counts",
    "release_respondent": "respondents, group_ids, parts, sensitive_codes, shown_codes",
}

CALLS = (
    "SELECT * FROM bkpriv.audit(%s)",
    "SELECT * FROM bkpriv.utility(%s)",
    "SELECT metric, value FROM bkpriv.compare_releases(ARRAY[%s])",
    "SELECT * FROM bkpriv.explain_suppressed(%s)",
    "SELECT * FROM bkpriv.disclosure(%s, '0.3')",
    "SELECT * FROM bkpriv.explain_disclosure(%s, '0.3')",
    "SELECT * FROM bkpriv.association(%s)",
    "SELECT * FROM bkpriv.posterior(%s, '0.3')",
    "SELECT * FROM bkpriv.max_disclosure(%s, 2)",
    "SELECT * FROM bkpriv.query_workload(%s, 5, 2, 0.1, 1)",
    "SELECT * FROM bkpriv.query_accuracy(%s, 'SELECT count(*) FROM people')",
    "SELECT bkpriv.rewrite_query(%s, 'SELECT count(*) FROM people')",
)

TOGETHER = (
    "SELECT worst, mean, vulnerable FROM bkpriv.audit_together(ARRAY[%s])",
    "SELECT respondent, figure FROM bkpriv.explain_together(ARRAY[%s, 1])",
    "SELECT worst FROM bkpriv.audit_readers('people', jsonb_build_object('press', ARRAY[1, %s]))",
)
"""Questions about a release by itself, or with the one that was copied."""


@pytest.fixture(scope="module")
def people(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with one release of named people."""
    declare_people(shared_clinic)
    assert publish(shared_clinic, "people", "plain", "public.people") == 1
    return shared_clinic


def forge(db: Connection, table: str = "", of: int = 1, /, **changed: str) -> int:
    """Append a copy of a release with columns of one table replaced by SQL; `row` picks which."""
    row = changed.pop("row", "true")
    made = one(
        db,
        "INSERT INTO bkpriv.release (dataset, version, " + COLUMNS["release"] + ") "
        "SELECT dataset, (SELECT max(version) + 1 FROM bkpriv.release), "
        + _columns("release", table, changed, row)
        + " FROM bkpriv.release WHERE release = %s RETURNING release",
        [of],
    )
    for name in list(COLUMNS)[1:]:
        db.execute(
            f"INSERT INTO bkpriv.{name} (release, {COLUMNS[name]}) "
            f"SELECT {made}, {_columns(name, table, changed, row)} "
            f"FROM bkpriv.{name} WHERE release = {of}".encode()
        )
    return int(made)


def _columns(name: str, table: str, changed: dict[str, str], row: str) -> str:
    """Columns to copy, some of them changed in the rows for which `row` holds."""
    if name != table:
        return COLUMNS[name]
    return ", ".join(
        f"CASE WHEN {row} THEN {changed[column]} ELSE {column} END" if column in changed else column
        for column in COLUMNS[name].split(", ")
    )


def changed_first(column: str, value: str) -> str:
    """Write an array whose first element is another."""
    return f"{value} || {column}[2:]"


FORGERIES: dict[str, dict[str, str]] = {
    "a group of 2e9": {"group_ids": changed_first("group_ids", "2000000000")},
    "a group beyond those recorded": {"group_ids": changed_first("group_ids", "99")},
    "a group below -1": {"group_ids": changed_first("group_ids", "-2")},
    "a group left out": {"group_ids": "array_replace(group_ids, 0, 1)"},
    "all suppressed": {"group_ids": "array_fill(-1, ARRAY[cardinality(group_ids)])"},
    "more suppressed": {"group_ids": changed_first("group_ids", "-1")},
    "fewer groups than cells": {"group_ids": "group_ids[2:]", "codes": "codes[4:]"},
    "groups NULL": {"group_ids": changed_first("group_ids", "NULL::int")},
    "groups of two dimensions": {"group_ids": "ARRAY[group_ids]"},
    "a code beyond the domain": {"codes": changed_first("codes", "2000000000")},
    "a negative code": {"codes": changed_first("codes", "-1")},
    "codes of too few columns": {"codes": "codes[:cardinality(group_ids)]"},
    "no codes": {"codes": "'{}'"},
    "cells alike": {"codes": "array_fill(0, ARRAY[cardinality(codes)])"},
    "a cell beyond": {"cells": changed_first("cells", "2000000000")},
    "a negative cell": {"cells": changed_first("cells", "-1")},
    "a value beyond": {"sensitive_codes": changed_first("sensitive_codes", "2000000000")},
    "a negative value": {"sensitive_codes": changed_first("sensitive_codes", "-1")},
    "a count twice": {
        "cells": "cells || cells[cardinality(cells)]",
        "sensitive_codes": "sensitive_codes || sensitive_codes[cardinality(sensitive_codes)]",
        "counts": "counts || 1::bigint",
    },
    "a cell without records": {
        "cells": "cells[2:]",
        "sensitive_codes": "sensitive_codes[2:]",
        "counts": "counts[2:]",
    },
    "no counts": {"cells": "'{}'", "sensitive_codes": "'{}'", "counts": "'{}'"},
    "a count of 0": {"counts": changed_first("counts", "0")},
    "a negative count": {"counts": changed_first("counts", "-5")},
    "a count of 1e18": {"counts": changed_first("counts", "1000000000000000000")},
    "counts that overflow": {
        "counts": "array_fill(9223372036854775807, ARRAY[cardinality(counts)])"
    },
    "counts NULL": {"counts": changed_first("counts", "NULL::bigint")},
}

ATTRIBUTES: dict[str, dict[str, str]] = {
    "no labels": {"row": "place = 1", "labels": "'{}'"},
    "a label twice": {"row": "place = 1", "labels": "labels[1:1] || labels[1:1]"},
    "fewer labels": {"row": "place = 1", "labels": "labels[2:]"},
    "NULL first": {"row": "place = 1", "labels": "NULL::text || labels"},
    "labels of two dimensions": {"row": "place = 1", "labels": "ARRAY[labels]"},
    "positions that fall": {
        "row": "place = 0",
        "positions": "positions[2:] || positions[1:1]",
    },
    "a position that is infinite": {
        "row": "place = 0",
        "positions": changed_first("positions", "'-infinity'::float8"),
    },
    "a position that is NaN": {
        "row": "place = 0",
        "positions": changed_first("positions", "'NaN'::float8"),
    },
    "a position that is NULL": {
        "row": "place = 0",
        "positions": changed_first("positions", "NULL::float8"),
    },
    "levels of one dimension": {"row": "place = 1", "levels": "'{a,b}'"},
    "levels of others": {"row": "place = 1", "levels": "'{{a,b}}'"},
    "levels of one column": {"row": "place = 1", "levels": "'{{f},{m}}'"},
    "levels without a root": {"row": "place = 1", "levels": "'{{f,a},{m,b}}'"},
    "levels that are NULL": {"row": "place = 1", "levels": "'{{f,*},{m,NULL}}'"},
    "no widths": {"row": "place = 0", "widths": "'{}'", "origin": "0"},
    "widths that do not nest": {"row": "place = 0", "widths": "'{5,7}'", "origin": "0"},
    "widths of NaN": {"row": "place = 0", "widths": "'{NaN}'", "origin": "0"},
    "widths that are NULL": {"row": "place = 0", "widths": "'{5,NULL}'", "origin": "0"},
    "widths of two dimensions": {"row": "place = 0", "widths": "'{{5,10}}'", "origin": "0"},
    "widths of 1e5000": {"row": "place = 0", "widths": "ARRAY[1e5000]", "origin": "0"},
    "widths without end": {
        "row": "place = 0",
        "widths": "array_fill(5::numeric, ARRAY[9000])",
        "origin": "0",
    },
    "an infinite origin": {"row": "place = 0", "widths": "'{5}'", "origin": "'infinity'"},
    "bins of NULL": {"row": "place = 0", "ends": changed_first("positions", "NULL::float8")},
    "bins of NaN": {"row": "place = 0", "ends": changed_first("positions", "'NaN'::float8")},
    "bins without end": {
        "row": "place = 0",
        "ends": "positions[2:] || 'infinity'::float8",
    },
    "bins that overlap": {
        "row": "place = 0",
        "ends": "array_fill(positions[cardinality(positions)] + 1, ARRAY[cardinality(positions)])",
    },
    "bins that end before they begin": {
        "row": "place = 0",
        "ends": changed_first("positions", "positions[1] - 1"),
    },
    "bins of two dimensions": {"row": "place = 0", "ends": "ARRAY[positions]"},
    "one level": {"row": "place = 0", "level": "0"},
    "levels too high": {"level": "2000000000"},
    "a place left out": {"row": "place = 3", "place": "4"},
    "a name twice": {"row": "place = 1", "attribute": "'age'"},
    "no name": {"row": "place = 1", "attribute": "''"},
}

RELEASES: dict[str, dict[str, str]] = {
    "other records": {"records": "records + 1"},
    "1e18 records": {"records": "1000000000000000000"},
    "other suppressed": {"suppressed": "suppressed + 1"},
    "other groups": {"groups": "groups + 1"},
    "no groups": {"groups": "0"},
    "2e9 groups": {"groups": "2000000000"},
    "an unknown method": {"method": "'x'"},
    "options of another form": {"options": "'[]'"},
    "options of NULL": {"options": "'null'"},
    "deep options": {"options": "(repeat('{\"a\":', 2000) || '1' || repeat('}', 2000))::jsonb"},
}

# What was required is read by those only who ask about it.
REQUIREMENTS: dict[str, str] = {
    "another form": "'[]'",
    "an unknown requirement": "'{\"x\": 1}'",
    "a requirement that means nothing": '\'{"k_anonymity": {"k": -1}}\'',
    "a requirement of 1e400": '\'{"k_anonymity": {"k": 1e400}}\'',
    "deep requirements": "(repeat('{\"a\":', 2000) || '1' || repeat('}', 2000))::jsonb",
}

ALL = [
    pytest.param(table, forgery, id=name)
    for table, forgeries in (
        ("release_content", FORGERIES),
        ("release_attribute", ATTRIBUTES),
        ("release", RELEASES),
    )
    for name, forgery in forgeries.items()
]


ENDLESS = [
    ("release_attribute", {"row": "place = 1", "attribute": "repeat('x', 64)"}),
    ("release", {"view_name": "repeat('\"', 64)"}),
    ("release", {"options": "jsonb_build_object('seed', repeat('x', 11000000))"}),
    ("release", {"attributes": "'{note, NULL}'::text[]"}),
    ("release", {"attributes": "'{note}'"}),
    ("release", {"unique_rows": "'{1}'"}),
    ("release", {"attributes": "'{note}'", "unique_rows": "'{1}'"}),
    ("release", {"attributes": "'{note}'", "unique_rows": "'{1, NULL}'::bigint[]"}),
    ("release", {"attributes": "'{note}'", "unique_rows": "'{1, -1}'"}),
    ("release", {"attributes": "array_fill(''::text, ARRAY[2000])"}),
    ("release_attribute", {"row": "place = 1", "type": "repeat('x', 2000)"}),
    ("release_attribute", {"row": "place = 1", "place": "1600"}),
]


@pytest.mark.parametrize(("table", "forgery"), ENDLESS)
def test_names_and_options_have_bounds(
    people: Connection, table: str, forgery: dict[str, str]
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), people.transaction():
        forge(people, table, **forgery)


@pytest.mark.parametrize(("table", "forgery"), ALL)
def test_what_no_publication_recorded_is_refused(
    people: Connection, table: str, forgery: dict[str, str]
) -> None:
    with people.transaction(force_rollback=True):
        forged = forge(people, table, **forgery)
        with people.transaction(force_rollback=True):
            with works_at_most(people.info.backend_pid, 30):
                said = refused(
                    people, CALLS[0], [forged], sqlstate="22000", names=[f"release {forged} "]
                )
            assert "unsound" in (said.message_primary or "")
    # The session is usable afterwards.
    assert people.execute(CALLS[0], [1]).fetchall()


@pytest.mark.parametrize("requirements", REQUIREMENTS.values(), ids=REQUIREMENTS.keys())
def test_requirements_that_nobody_stated_are_refused_where_they_are_used(
    people: Connection, requirements: str
) -> None:
    with people.transaction(force_rollback=True):
        forged = forge(people, "release", requirements=requirements)
        for call in (*CALLS[:6], *TOGETHER):
            with people.transaction(force_rollback=True):
                said = refused(
                    people, call, [forged], sqlstate="22000", names=[f"release {forged} "]
                )
                assert "unsound" in (said.message_primary or "")
        for call in CALLS[6:-1]:
            found = people.execute(call, [forged]).fetchall()
            assert found == people.execute(call, [1]).fetchall(), call
        stated = 'SELECT * FROM bkpriv.audit(%s, \'{"k_anonymity": {"k": 2}}\')'
        found = people.execute(stated, [forged]).fetchall()
        assert found == people.execute(stated, [1]).fetchall()


def test_every_function_refuses_it(people: Connection) -> None:
    for table, forgery in (
        ("release_content", FORGERIES["a group of 2e9"]),
        ("release_attribute", ATTRIBUTES["a label twice"]),
        ("release", RELEASES["an unknown method"]),
    ):
        for call in (*CALLS, *TOGETHER):
            with people.transaction(force_rollback=True):
                forged = forge(people, table, **forgery)
                refused(people, call, [forged], sqlstate="22000", names=[f"release {forged} "])


def test_a_faithful_copy_is_read_like_the_original(people: Connection) -> None:
    with people.transaction(force_rollback=True):
        copied = forge(people)
        for call in CALLS[:-1]:
            copies = people.execute(call, [copied]).fetchall()
            assert copies == people.execute(call, [1]).fetchall(), call
        alone, *with_original = (people.execute(call, [copied]).fetchall() for call in TOGETHER)
        assert alone == people.execute(TOGETHER[0], [1]).fetchall()
        # What shows the same people with the same values tells nothing more.
        assert with_original == [[], 2 * [(worst,) for worst, *_ in alone]]


NAMED = ("respondents", "group_ids", "parts", "sensitive_codes")

RESPONDENTS = {
    "a group of 2e9": {"group_ids": changed_first("group_ids", "2000000000")},
    "a group below -1": {"group_ids": changed_first("group_ids", "-2")},
    "NULL groups": {"group_ids": changed_first("group_ids", "NULL::int")},
    "other groups": {"group_ids": "array_replace(group_ids, 0, 1)"},
    "a name twice": {"respondents": changed_first("respondents", "respondents[2]")},
    "a name NULL": {"respondents": changed_first("respondents", "NULL::text")},
    "fewer names": {name: f"{name}[2:]" for name in NAMED},
    "no names": dict.fromkeys(NAMED, "'{}'"),
    "names of two dimensions": {"respondents": "ARRAY[respondents]"},
    "a part of 2e9": {"parts": changed_first("parts", "2000000000")},
    "a part below 0": {"parts": changed_first("parts", "-1")},
    "a part NULL": {"parts": changed_first("parts", "NULL::int")},
    "parts of other groups": {"parts": "array_replace(parts, parts[1], parts[2])"},
    "parts of two dimensions": {"parts": "ARRAY[parts]"},
    "a value of 2e9": {"sensitive_codes": changed_first("sensitive_codes", "2000000000")},
    "a value below 0": {"sensitive_codes": changed_first("sensitive_codes", "-1")},
    "a value NULL": {"sensitive_codes": changed_first("sensitive_codes", "NULL::int")},
    "another value": {
        "sensitive_codes": changed_first("sensitive_codes", "(sensitive_codes[1] + 1) % 2")
    },
}


@pytest.mark.parametrize("forgery", RESPONDENTS.values(), ids=RESPONDENTS)
def test_respondents_that_no_publication_recorded_are_refused(
    people: Connection, forgery: dict[str, str]
) -> None:
    with people.transaction(force_rollback=True):
        forged = forge(people, "release_respondent", **forgery)
        for call in (
            "max_disclosure(%s, 1)",
            *("audit_together(ARRAY[%s])", "explain_together(ARRAY[%s])"),
        ):
            statement = f"SELECT * FROM bkpriv.{call}"
            with people.transaction(force_rollback=True):
                refused(people, statement, [forged], sqlstate="22000", names=[f"release {forged} "])


def test_content_that_is_missing_is_refused(people: Connection) -> None:
    with people.transaction(force_rollback=True):
        forged = one(
            people,
            f"INSERT INTO bkpriv.release (dataset, version, {COLUMNS['release']}) "
            f"SELECT dataset, 99, {COLUMNS['release']} FROM bkpriv.release WHERE release = 1 "
            "RETURNING release",
        )
        refused(people, CALLS[0], [forged], sqlstate="22000", names=["cells are missing"])


def test_a_batch_over_all_releases_says_which_to_leave_out(people: Connection) -> None:
    batch = "SELECT release FROM bkpriv.releases CROSS JOIN LATERAL bkpriv.audit(release)"
    with people.transaction(force_rollback=True):
        forged = forge(people, "release_content", **FORGERIES["a group of 2e9"])
        with people.transaction(force_rollback=True):
            refused(people, batch, sqlstate="22000", names=[f"release {forged} "])
        rest = people.execute(f"{batch} WHERE release <> %s", [forged]).fetchall()
        assert {release for (release,) in rest} == {1}
