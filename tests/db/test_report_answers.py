"""Reports: what they answer, held against the source and the view."""

from __future__ import annotations

import pytest

from bkpriv_core.report.words import share
from tests.conftest import Connection
from tests.core.loss_oracles import unique_rows
from tests.db.clinic import one, publish, state_policy
from tests.db.test_report import page_of, words_of

pytestmark = pytest.mark.rolled_back


@pytest.fixture
def surveyed(db: Connection) -> Connection:
    """Superuser's connection to a database with a survey: bins, codes and a column that passes."""
    db.execute(
        "CREATE TABLE survey AS SELECT date '1940-01-01' + i * 7919 % 22000 AS born, "
        "(ARRAY['f', 'm'])[1 + i % 2] AS sex, 1 + i * 29 / 7 % 3 AS kind, "
        "i * 31 / 7 % 90 AS street, 'Ann' AS interviewer FROM generate_series(1, 300) AS i"
    )
    db.execute(
        "SELECT bkpriv.register_dataset('survey', 'survey', '{born,sex}', '{kind}', "
        'bins => \'{"born": "year", "kind": "label"}\', attributes => \'{street}\')'
    )
    state_policy(
        db, "strict", {"k_anonymity": {"k": 5}, "bt_privacy": {"bandwidth": 0.3, "t": 0.5}}
    )
    return db


@pytest.mark.parametrize("method", ["mondrian", "bucketize"])
def test_the_three_questions_are_answered_by_what_was_published(
    surveyed: Connection, method: str
) -> None:
    release = publish(surveyed, "survey", "strict", "public.shown", method=method)
    words = words_of(page_of(surveyed, release))
    kinds = "(extract(year FROM born), sex)" if method == "bucketize" else "(born, sex)"
    alone = "SELECT count(*) FROM (SELECT count(*) AS n FROM {} GROUP BY {}) AS x WHERE n = 1"
    before = one(surveyed, alone.format("survey", "(extract(year FROM born), sex)"))
    after = one(
        surveyed,
        alone.format("shown", "(born, sex)"),
    )
    assert before > 0
    assert (after == before) == (method == "bucketize"), kinds
    assert f"{before} of 300 in the source; {after} of 300 as published" in words
    group = "group_id" if method == "bucketize" else "(born, sex)"
    sizes = [size for (size,) in surveyed.execute(f"SELECT count(*) FROM shown GROUP BY {group}")]
    assert f"{min(sizes)} records, {100 / min(sizes):.3g} %" in words
    (_, apart) = unique_rows(
        surveyed.execute(f"SELECT ({group})::text, street FROM shown").fetchall()
    )
    assert f"{apart} of 300 ({100 * apart / 300:.1f} %) by street" in words
    largest = one(
        surveyed,
        "SELECT value FROM bkpriv.compare_releases(%s) WHERE metric = 'max_disclosure'",
        [[release]],
    )
    assert f"Largest share of a sensitive value in a group {share(largest)} " in words


def test_columns_codes_and_bins_are_told_as_what_they_are(surveyed: Connection) -> None:
    release = publish(surveyed, "survey", "strict", "public.shown")
    page = page_of(surveyed, release)
    words = words_of(page)
    assert "Of the source, not published interviewer" in words
    assert "kind = " in words
    (whom,) = surveyed.execute(
        "SELECT worst_qi ->> 'born' FROM bkpriv.audit(%s) WHERE requirement = 'bt_privacy'",
        [release],
    ).fetchone() or ("",)
    assert f"people with born {whom} to {whom[:4]}-12-31" in words
    outside = words_of(page_of(surveyed, release, "outsiders"))
    assert "interviewer" not in outside
    assert "Working Party" not in outside
    surveyed.execute("DROP TABLE survey CASCADE")
    assert "not published" not in words_of(page_of(surveyed, release)).split("History")[0].replace(
        "are not published, for", ""
    )
