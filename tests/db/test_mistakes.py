"""Mistakes in SQL that people make: the error names the fix, in words that can be pasted."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one, publish

ORDER = "bkpriv.publish(dataset, policy, view_name, method)"

MISTAKES = {
    "withdraw(1)": ("22023", "SELECT bkpriv.withdraw(1, 'published too early');"),
    "purge(1)": ("22023", "Give a non-empty reason"),
    "audit(1, 'plain')": ("22023", "bkpriv.policies WHERE name = 'plain'));"),
    "audit(1, 'plian')": ("42704", 'Perhaps you meant "plain"'),
    "audit(1, estimator => 'exakt')": ("22023", 'Perhaps you meant "exact"'),
    "audit(99)": ("42704", "See the view bkpriv.releases"),
    "publish('plain', 'patients', 'public.v')": ("42704", ORDER),
    "publish('patients', 'public.v', 'plain')": ("42704", ORDER),
    "publish('patients', 'plain', 'mondrian', 'public.v')": ("22023", ORDER),
    "publish('patients', 'plain', 'public.v', 'aglomerate')": ("22023", 'meant "agglomerate"'),
    "publish('patients', 'plane', 'public.v')": ("42704", 'Perhaps you meant "plain"'),
    "publish('clinic.patient', 'plain', 'public.v')": ("42704", 'Perhaps you meant "patients"'),
    "publish('patients', 'big', 'public.v')": ("22023", "Set k to 300 or less."),
    "publish('patients', 'idle', 'public.v')": ("22023", "Set t below 0.903333, or leave it out."),
    "publish('patients', 'plain', 'public.v', options => '{\"range\": \"bounds\"}')": (
        "22023",
        'Perhaps you meant "ranges"',
    ),
    "publish('patients', 'plain', 'clinic.patient')": ("42P07", "Choose another view name"),
    "publish('patients', 'plain', 'public.v', 'anatomy', options => '{\"nulls\": \"catgory\"}')": (
        "22023",
        'Perhaps you meant "category"',
    ),
    "register_dataset('p', 'clinic.patient', '{agee,sex}', 'disease')": ("42703", 'meant "age"'),
    "register_dataset('patients', 'clinic.patient', '{age}', 'disease')": (
        "42710",
        "Choose another name",
    ),
    "set_interval_hierarchy('patients', 'agee', '{5}')": ("42703", 'Perhaps you meant "age"'),
    "set_policy('p', '{\"k_anonimity\": {\"k\": 5}}')": ("22023", 'meant "k_anonymity"'),
    "set_policy('p', '{\"k_anonymity\": 5}')": ("22023", 'Write {"k": 5}.'),
    "set_policy('p', '{\"bt_privacy\": {\"t\": 0.2}}')": ("22023", 'lacks the key "bandwidth"'),
    # These two PostgreSQL refuses before a function of bkpriv is called.
    "set_policy('p', '{k_anonymity: {k: 5}}')": ("22P02", None),
    "nobody: audit(1)": ("42501", None),
}
"""Calls, the code with which each fails, and words that its error must have."""


@pytest.fixture(scope="module")
def published(shared_clinic: Connection) -> Connection:
    """The clinic with a release, and two policies that it cannot have."""
    publish(shared_clinic)
    shared_clinic.execute(
        """
        SELECT bkpriv.set_policy('big', '{"k_anonymity": {"k": 1000}}');
        SELECT bkpriv.set_policy('idle', '{"t_closeness": {"t": 1}}');
        """
    )
    return shared_clinic


def test_as_many_are_tried_as_are_asked_for() -> None:
    assert len(MISTAKES) == 25
    assert sum(words is not None for _, words in MISTAKES.values()) == 23


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_names_its_fix(
    published: Connection, make_role: Callable[..., str], mistake: str
) -> None:
    sqlstate, words = MISTAKES[mistake]
    call = mistake.removeprefix("nobody: ")
    if call != mistake:
        published.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(make_role("nobody"))))
    try:
        with pytest.raises(psycopg.Error) as caught:
            published.execute(f"SELECT * FROM bkpriv.{call}".encode())
    finally:
        published.execute("RESET ROLE")
    said = caught.value.diag
    text = f"{said.message_primary} / {said.message_detail} / {said.message_hint}"
    assert said.sqlstate == sqlstate, text
    assert words is None or words in text, text


@pytest.mark.parametrize(
    "bandwidth", ["0.3", "'0.3'", "0.3::float8", "'0.3'::jsonb", "'0.3'::text", "to_jsonb(0.3)"]
)
def test_a_bandwidth_needs_no_quotes(published: Connection, bandwidth: str) -> None:
    for call in (f"prior('patients', {bandwidth})", f"explain_disclosure(1, {bandwidth})"):
        assert one(published, f"SELECT count(*) FROM bkpriv.{call}") > 0
    one(published, f"SELECT count(*) FROM bkpriv.posterior(1, {bandwidth})")
    one(published, f"SELECT count(*) FROM bkpriv.disclosure(1, {bandwidth})")
