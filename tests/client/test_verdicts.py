"""Verdicts of ``bkpriv apply``: said every night, and judged by what the file accepts."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.verdicts import Matter, unaccepted
from bkpriv_core.verdict import KEYS
from tests.client.command import run
from tests.client.test_apply import NOTHING
from tests.conftest import Connection, Database
from tests.db.clinic import one
from tests.db.refusal import unchanged

pytestmark = pytest.mark.pooled

FILE = """
[dataset.people]
source = "public.person"
quasi_identifiers = ["age", "sex"]
sensitive = "disease"
respondent = "id"

[policy.large]
{bound}

[publish."public.shown"]
dataset = "people"
policy = "large"
method = "mondrian"
options = {{ grow = true, seed = 7 }}
accept = {accept}
"""

BOUND = "k_anonymity = { k = 10 }"
EVERYTHING = f"{{ {', '.join(f'{key} = true' for key in KEYS)} }}"


class Nightly:
    """People of four kinds, twenty of each; and a file that is applied to them each night."""

    def __init__(self, db: Connection, uri: str, path: Path) -> None:
        self.db, self.uri, self.path = db, uri, path
        db.execute(
            "CREATE TABLE public.person AS SELECT i AS id, 30 + 20 * (i % 2) AS age, "
            "(ARRAY['f', 'm'])[1 + i / 2 % 2] AS sex, "
            "(ARRAY['flu', 'ulcer', 'asthma', 'gout'])[1 + i / 4 % 4] AS disease "
            "FROM generate_series(0, 79) AS i"
        )
        self.write(BOUND)

    def admit(self, count: int) -> None:
        """Add so many people of another kind."""
        self.db.execute(
            "INSERT INTO public.person SELECT n + i, 70, 'f', 'flu' "
            "FROM (SELECT count(*) FROM public.person) AS p (n), generate_series(1, %s) AS i",
            [count],
        )

    def write(self, bound: str, accept: str = "{}") -> None:
        """Write the file, with a bound and with what is accepted."""
        self.path.write_text(FILE.format(bound=bound, accept=accept))

    def apply(self, *options: str) -> tuple[int, list[str]]:
        """Apply the file; return the exit code, and the lines of the output."""
        code, output, _ = run("apply", str(self.path), *options, "--uri", self.uri)
        return code, [line.strip() for line in output.splitlines()]


@pytest.fixture
def nightly(db: Connection, database: Database, tmp_path: Path) -> Nightly:
    """People and a file that nothing was published from yet."""
    return Nightly(db, database.uri(), tmp_path / "privacy.toml")


@pytest.mark.always
def test_what_is_to_be_judged_ends_with_3_until_it_is_accepted(nightly: Nightly) -> None:
    assert nightly.apply()[0] == 0
    nightly.admit(3)
    code, said = nightly.apply()
    assert code == 3
    assert (
        "Notice: release 2 grows from release 1: 80 records stay as they were published, 0 came, "
        "and 3 wait"
    ) in said
    state = [
        "public.shown, release 2: satisfied, 1 thing to judge",
        "left_out: 3 of 83 records are not published",
        "bkpriv.explain_suppressed(release) says which, and why.",
        "Hint: If you accept this, state it with the publication:",
        "accept = { left_out = 3 }",
    ]
    assert said[-5:] == state
    with unchanged(nightly.db):
        assert nightly.apply() == (3, [NOTHING, *state])
        assert nightly.apply("--plan") == (0, [NOTHING])
        nightly.write(BOUND, "{ left_out = 2 }")
        assert nightly.apply() == (3, [NOTHING, *state])
        for accepted, limit in (("3", "at most 3"), ("true", "any number")):
            nightly.write(BOUND, f"{{ left_out = {accepted} }}")
            assert nightly.apply() == (
                0,
                [
                    NOTHING,
                    "public.shown, release 2: satisfied, 1 thing to judge, 1 accepted",
                    f"left_out: 3 of 83 records are not published (accepted: {limit})",
                ],
            )
    # More people than were accepted are to be judged again.
    nightly.write(BOUND, "{ left_out = 3 }")
    nightly.admit(1)
    code, said = nightly.apply()
    assert (code, said[-1]) == (3, "accept = { left_out = 4 }")


def test_a_violation_is_said_and_never_accepted(nightly: Nightly) -> None:
    nightly.apply()
    nightly.write("k_anonymity = { k = 30 }", EVERYTHING)
    nightly.admit(5)
    code, said = nightly.apply()
    assert code == 3
    for notice in (
        "80 people are exposed by what was published before release 2",
        "release 2 grows from release 1: 80 records stay as they were published, 0 came, and "
        "5 wait",
    ):
        assert f"Notice: {notice}" in said
    state = [
        "public.shown, release 2: violated, 1 thing to judge, 1 accepted",
        "k_anonymity: broken for 80 records, 20 instead of 30",
        "Withdraw the release, and publish without the options grow and unfit; or change the "
        "policy.",
        "together: k_anonymity with earlier releases is broken for 80 persons, 20 instead of 30",
        "bkpriv.explain_together names them. What earlier releases disclose cannot be undone.",
        "left_out: 5 of 85 records are not published (accepted: any number)",
    ]
    assert said[-6:] == state
    assert nightly.apply() == (3, [NOTHING, *state])


def test_what_is_accepted_of_one_publication_is_of_no_other(nightly: Nightly) -> None:
    nightly.admit(3)
    nightly.write(BOUND, EVERYTHING)
    text = nightly.path.read_text()
    shown = text[text.index("[publish") :]
    unaccepted_ = shown.replace("shown", "also").replace(EVERYTHING, "{}")
    for first, second in ((shown, unaccepted_), (unaccepted_, shown)):
        nightly.path.write_text(text.replace(shown, first + "\n" + second))
        code, said = nightly.apply()
        assert code == 3
        states = [line for line in said if line.startswith("public.") and ", release " in line]
        assert [line.endswith("accepted") for line in states] == [first == shown, second == shown]


def test_a_release_that_was_never_judged_ends_with_3(nightly: Nightly) -> None:
    nightly.apply()
    nightly.db.execute("SET session_replication_role = replica")
    nightly.db.execute("DELETE FROM bkpriv.verdict_record")
    nightly.db.execute("RESET session_replication_role")
    assert nightly.apply() == (
        3,
        [
            NOTHING,
            "public.shown, release 1: not judged yet",
            "Hint: SELECT * FROM bkpriv.audit(1) judges it.",
        ],
    )
    one(nightly.db, "SELECT count(*) FROM bkpriv.audit(1)")
    assert nightly.apply() == (0, [NOTHING, "public.shown, release 1: satisfied"])


# --- What is accepted, without a server -----------------------------------------------------------

COUNTS = st.none() | st.integers(0, 9)
MATTERS = st.lists(
    st.builds(
        lambda state, key, count: Matter(state, f"{key}: text", count, 9, "advice"),
        st.sampled_from(["judge", "judge", "violated"]),
        st.sampled_from(["linked", "scale", "together"]),
        COUNTS,
    ),
    max_size=6,
)
ACCEPTED = st.dictionaries(
    st.sampled_from(["linked", "scale", "together"]), st.integers(0, 20) | st.just(inf)
)


@given(MATTERS, ACCEPTED)
def test_all_things_of_a_key_together_are_accepted_or_none(
    matters: list[Matter], accept: dict[str, float]
) -> None:
    expected = []
    for matter in matters:
        alike = [each.number for each in matters if each[:2] == ("judge", matter.what)]
        limit = accept.get(matter.key)
        if limit is None or matter.state == "violated":
            fine = False
        else:
            fine = limit == inf or (None not in alike and sum(filter(None, alike)) <= limit)
        expected += [matter] * (not fine)
    assert unaccepted(matters, accept) == expected
