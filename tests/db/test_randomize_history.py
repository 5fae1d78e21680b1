"""The history of randomized releases: what no publication recorded is refused."""

from __future__ import annotations

import pytest

from tests.conftest import Connection
from tests.db.clinic import declare_people, publish
from tests.db.refusal import refused
from tests.db.test_forged_history import ATTRIBUTES, FORGERIES, changed_first, forge
from tests.db.test_randomize import draw

CALLS = (
    "SELECT * FROM bkpriv.audit(%s)",
    "SELECT * FROM bkpriv.explain_disclosure(%s, NULL)",
    "SELECT * FROM bkpriv.utility(%s)",
    "SELECT * FROM bkpriv.association(%s)",
    "SELECT * FROM bkpriv.reconstruct(%s, '{sex}')",
    "SELECT * FROM bkpriv.query_workload(%s, 5, 2, 0.1, 1)",
    "SELECT * FROM bkpriv.query_accuracy(%s, 'SELECT count(*) FROM people')",
    "SELECT bkpriv.rewrite_query(%s, 'SELECT count(*) FROM people')",
)


@pytest.fixture(scope="module")
def drawn(shared_clinic: Connection) -> Connection:
    """Superuser's connection to a clinic with one randomized release; only values are drawn."""
    declare_people(shared_clinic)
    shared_clinic.execute("UPDATE clinic.person SET age = age / 25 * 25, city = 'Aln'")
    release = draw(shared_clinic, 0.6, dataset="people", view="public.people", scheme="rr-s")
    assert release == 1
    return shared_clinic


DRAWS = {
    "a code beyond the domain": {"codes": changed_first("codes", "2000000000")},
    "a negative code": {"codes": changed_first("codes", "-1")},
    "a code NULL": {"codes": changed_first("codes", "NULL::int")},
    "codes of two dimensions": {"codes": "ARRAY[codes]"},
    "no codes": {"codes": "'{}'"},
    "codes of too few columns": {"codes": "codes[:cardinality(counts)]"},
    "codes of too many columns": {"codes": "codes || codes[:cardinality(counts)]"},
    "a record twice": {"codes": "codes || codes[:4]", "counts": "counts || 1::bigint"},
    "a count of 0": {"counts": changed_first("counts", "0")},
    "a negative count": {"counts": changed_first("counts", "-5")},
    "a count of 1e18": {"counts": changed_first("counts", "1000000000000000000")},
    "counts that overflow": {
        "counts": "array_fill(9223372036854775807, ARRAY[cardinality(counts)])"
    },
    "a count NULL": {"counts": changed_first("counts", "NULL::bigint")},
    "counts of two dimensions": {"counts": "ARRAY[counts]"},
    "one record more": {"counts": changed_first("counts", "counts[1] + 1")},
    "a kind of record left out": {"codes": "codes[5:]", "counts": "counts[2:]"},
    # Only diseases were drawn: sexes are as they were.
    "values that were kept": {"codes": "codes[:1] || ARRAY[1 - codes[2]] || codes[3:]"},
}

RETENTIONS = {
    "none": {"retention": "NULL::float8"},
    "none of one": {"row": "place = 1", "retention": "NULL::float8"},
    "of a guess": {"row": "place = 3", "retention": "1 / cardinality(labels)::float8"},
    "of less than a guess": {"row": "place = 3", "retention": "0.01"},
    "of hardly more than a guess": {
        "row": "place = 3",
        "retention": "1 / cardinality(labels)::float8 + 1e-12",
    },
    "of the least float": {"row": "place = 3", "retention": "1e-300"},
}

PLAIN = ("a cell beyond", "a negative cell", "a value beyond", "a count of 0", "counts NULL")
GROUPS = {
    "a group": {"group_ids": changed_first("group_ids", "0")},
    "groups of all": {"group_ids": "array_fill(0, ARRAY[cardinality(group_ids)])"},
    "a group below -1": {"group_ids": changed_first("group_ids", "-2")},
}

ALL = [
    pytest.param(table, forgery, id=f"{table}: {name}")
    for table, forgeries in (
        ("release_draw", DRAWS),
        ("release_attribute", RETENTIONS | {name: ATTRIBUTES[name] for name in ("no labels",)}),
        ("release_content", GROUPS | {name: FORGERIES[name] for name in PLAIN}),
        ("release", {"groups": {"groups": "1"}, "suppressed": {"suppressed": "1"}}),
        ("release", {"a method of groups": {"method": "'mondrian'"}}),
        ("release", {"options of none": {"options": "'{}'"}}),
    )
    for name, forgery in forgeries.items()
]


@pytest.mark.parametrize(("table", "forgery"), ALL)
def test_what_no_publication_recorded_is_refused(
    drawn: Connection, table: str, forgery: dict[str, str]
) -> None:
    with drawn.transaction(force_rollback=True):
        forged = forge(drawn, table, **forgery)
        # Options are read by those only who ask about them.
        for call in CALLS[:1] if "options" in forgery else CALLS:
            with drawn.transaction(force_rollback=True):
                refused(drawn, call, [forged], sqlstate="22000", names=[f"release {forged} "])


@pytest.mark.parametrize("lost", ["release_draw", "release_content", "release_attribute"])
def test_what_was_lost_is_missed(drawn: Connection, lost: str) -> None:
    with drawn.transaction(force_rollback=True):
        drawn.execute(f"ALTER TABLE bkpriv.{lost} DISABLE TRIGGER USER".encode())
        drawn.execute(f"DELETE FROM bkpriv.{lost}".encode())
        for call in CALLS:
            with drawn.transaction(force_rollback=True):
                refused(drawn, call, [1], sqlstate="22000", names=["release 1 "])


def test_a_draw_of_a_release_with_groups_is_refused(drawn: Connection) -> None:
    with drawn.transaction(force_rollback=True):
        release = publish(drawn, "people", view="public.groups")
        row = "INSERT INTO bkpriv.release_draw VALUES (%s, '{0,0,0,0}', '{300}')"
        drawn.execute(row, [release])
        refused(drawn, CALLS[0], [release], sqlstate="22000", names=[f"release {release} "])


def test_a_faithful_copy_is_read_like_the_original(drawn: Connection) -> None:
    with drawn.transaction(force_rollback=True):
        copied = forge(drawn)
        for call in CALLS[:-1]:
            copies = drawn.execute(call, [copied]).fetchall()
            assert copies == drawn.execute(call, [1]).fetchall(), call
