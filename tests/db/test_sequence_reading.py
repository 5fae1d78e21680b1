"""Reading of earlier releases: as much as is needed, and to the same effect as all of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Connection, sample
from tests.db.clinic import one, state_policy
from tests.db.months import MONTHS, SERIAL, publish_month

KNOWN = {"sequence": "course", "bandwidth": 0.5}
POLICIES = {
    "plain": {"k_anonymity": {"k": 3}},
    "wary": {"k_anonymity": {"k": 3}, "bt_privacy": {"bandwidth": KNOWN, "t": 0.6}},
    "close": {"k_anonymity": {"k": 2}, "js_divergence": {"j": 0.9, "bandwidth": KNOWN}},
    "varied": {"k_anonymity": {"k": 2}, "m_invariance": {"m": 2}, "js_divergence": {"j": 1.5}},
}
KNOWLEDGE = [("domain", "clinic.course"), ("constant", None), ("incremental", None)]

# Reads every release whole, and holds what a chain has of it against that.
COMPARE = """
DO LANGUAGE plpython3u $$
    from bkpriv_pl.past.chain import read_chain, tell_apart
    from bkpriv_pl.past.course import find_steps
    from bkpriv_pl.past.history import find_release
    from bkpriv_pl.past.selection import FOLLOWING, Like

    like = Like('months', 'postgres', 'disease')
    chain = read_chain(like, find_steps('months', 'postgres'), None, FOLLOWING)
    names = {number: name for name, number in chain.names.items()}
    whole = []
    for shown, step in zip(chain.history.steps, chain.held, strict=True):
        recorded = find_release(step.release)
        told, respondents = tell_apart(recorded)
        whole.append((step.release, step.when))
        assert (shown.release, shown.when) == whole[-1]
        assert shown.labels == told.table.sensitive.labels
        assert [names[number] for number in shown.persons.tolist()] == list(respondents.names)
        assert (shown.counts == told.parts.counts).all()
        assert (shown.actual == told.parts.counts.argmax(axis=1)).all()
        assert (shown.histograms == told.parts.histograms(told.groups)).all()
        assert (shown.histograms == recorded.parts.histograms(recorded.groups)).all()
        labels = [groups.labels(len(told.parts)) for groups in (shown.groups, told.groups)]
        assert (labels[0] == labels[1]).all()
    kept = plpy.execute("SELECT count(*) AS n FROM bkpriv.release_respondent")[0]["n"]
    assert len(whole) == kept
$$
"""


@pytest.fixture(scope="module")
def serial(shared_db: Connection) -> Connection:
    """Superuser's connection to a database with the months, some policies and knowledge."""
    shared_db.execute(SERIAL)
    for name, requirements in POLICIES.items():
        state_policy(shared_db, name, requirements)
    know(shared_db, 0)
    return shared_db


def know(db: Connection, which: int) -> None:
    call = "SELECT bkpriv.set_sequential_knowledge('months', 'course', %s, %s)"
    db.execute(call, KNOWLEDGE[which])


def forget(db: Connection, every: int) -> None:
    """Lose the beliefs stored of some releases."""
    db.execute("ALTER TABLE bkpriv.release_belief DISABLE TRIGGER USER")
    db.execute("DELETE FROM bkpriv.release_belief WHERE release %% %s = 0", [every])
    db.execute("ALTER TABLE bkpriv.release_belief ENABLE TRIGGER USER")


def end(db: Connection, how: str, which: int) -> bool:
    """Withdraw a release, if there is one yet, and perhaps purge it; return whether it was."""
    query = (
        "SELECT release FROM bkpriv.releases WHERE status NOT IN ('withdrawn', 'purged') "
        "ORDER BY release OFFSET %s LIMIT 1"
    )
    found = db.execute(query, [which]).fetchone()
    if found is not None:
        db.execute("SELECT bkpriv.withdraw(%s, 'a mistake')", found)
        if how == "purge":
            db.execute("SELECT bkpriv.purge(%s, 'the law', force => true)", found)
    return found is not None


def made(db: Connection, month: str, policy: str) -> tuple[dict[int, Any], tuple[Any, ...]]:
    """Publish; return what is then stored under this knowledge, by version, and what was made."""
    release = publish_month(db, month, policy)
    groups = one(db, f"SELECT group_ids FROM bkpriv.release_respondent WHERE release = {release}")
    beliefs = db.execute(
        "SELECT version, probabilities FROM bkpriv.release_belief JOIN bkpriv.release "
        "USING (release) WHERE digest IN "
        "(SELECT digest FROM bkpriv.release_belief WHERE release = %s)",
        [release],
    ).fetchall()
    audited = db.execute(
        "SELECT requirement, worst, mean, vulnerable, estimator FROM bkpriv.audits "
        "WHERE release = %s ORDER BY requirement",
        [release],
    ).fetchall()
    return dict(beliefs), (groups, audited)


months = st.sampled_from(MONTHS)
policies = st.sampled_from(sorted(POLICIES))
deeds = st.one_of(
    st.tuples(st.just("publish"), months, policies),
    st.tuples(st.just("publish"), months, policies),
    st.tuples(st.sampled_from(["withdraw", "purge"]), st.integers(0, 2)),
    st.tuples(st.just("know"), st.integers(0, len(KNOWLEDGE) - 1)),
    st.tuples(st.just("forget"), st.integers(1, 3)),
)


@settings(
    max_examples=sample(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    first=st.tuples(st.just("publish"), months, policies),
    course=st.lists(deeds, max_size=4),
    month=months,
    policy=st.sampled_from(["wary", "close", "varied"]),
)
def test_stored_beliefs_are_as_good_as_the_whole_history(
    serial: Connection, first: Any, course: list[Any], month: str, policy: str
) -> None:
    with serial.transaction(force_rollback=True):
        purged = False
        for deed, *how in (first, *course):
            if deed == "publish":
                publish_month(serial, *how)
            elif deed == "know":
                know(serial, *how)
            elif deed == "forget":
                forget(serial, *how)
            else:
                purged |= end(serial, deed, *how) and deed == "purge"
        serial.execute(COMPARE)
        with serial.transaction(force_rollback=True):
            stored, first_made = made(serial, month, policy)
        # Beliefs after a release that was purged since cannot be inferred again.
        if not purged:
            forget(serial, 1)
            again, made_again = made(serial, month, policy)
            assert made_again == first_made
            # Of fewer releases, if some are too old to tell anything.
            assert again == {version: stored[version] for version in again}
            assert max(again) == max(stored)
