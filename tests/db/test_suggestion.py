"""Suggestions: statements that run as printed, by what is not sensitive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import one
from tests.db.refusal import refused, unchanged

pytestmark = [pytest.mark.rolled_back, pytest.mark.pooled]

SUGGEST = "SELECT levels, gcp, gcp_now, statement, reason FROM bkpriv.suggest_hierarchy(%s, %s)"

TOWNS = """
    CREATE TABLE public.living AS SELECT
        (ARRAY['O''Brien', 'a, b', '"quoted"', 'back\\slash', 'Zürich', 'Łódź', '東京', '{x}',
            'e'';--', '', 'Kiel', '$1', E'line\\nbreak', '%s', 'null'])[1 + i * 7 % 15] AS town,
        20 + 12 * (i * 7 % 15 % 3) + i / 15 % 9 AS age, 'job ' || i / 7 % 4 AS job,
        (ARRAY['flu', 'gout', 'ulcer'])[1 + i % 11 % 3] AS illness
    FROM generate_series(1, 600) AS i;
    SELECT bkpriv.register_dataset('it''s', 'public.living', '{town,age,job}', 'illness');
    SELECT bkpriv.set_policy('ten', '{"k_anonymity": {"k": 10}}');
"""


@pytest.fixture
def living(db: Connection) -> Connection:
    """A dataset of 600 people in towns of odd names, in three regions that ages tell."""
    db.execute(TOWNS)
    return db


def suggestions(connection: Connection, attribute: str = "town") -> list[tuple[Any, ...]]:
    return connection.execute(SUGGEST, ["it's", attribute]).fetchall()


def test_statements_run_as_printed_and_lose_less(living: Connection) -> None:
    with unchanged(living):
        found = suggestions(living)
    assert sorted(levels for levels, *_ in found) == list(range(1, len(found) + 1))
    assert [gcp for _, gcp, *_ in found] == sorted(gcp for _, gcp, *_ in found)
    said: list[str] = []
    living.add_notice_handler(lambda notice: said.append(f"{notice.message_primary}"))
    for levels, gcp, now, statement, reason in found:
        assert gcp < now
        assert '"age", "job"' in reason
        # Without parameters, so that nothing in it is one.
        living.execute(statement)
        kept = one(living, "SELECT rule FROM bkpriv.hierarchy WHERE attribute = 'town'")
        assert _depth(kept["list"]) == levels
        assert sorted(_leaves(kept["list"])) == sorted(
            town for (town,) in living.execute("SELECT DISTINCT town FROM public.living")
        )
    assert said == []
    living.execute("SELECT bkpriv.unset_hierarchy('it''s', 'town')")
    gcps = []
    for statement in (None, found[0][3]):
        if statement is not None:
            living.execute(statement)
        release = one(living, "SELECT bkpriv.publish('it''s', 'ten', 'public.shown')")
        gcps.append(
            one(living, "SELECT value FROM bkpriv.utility(%s) WHERE metric = 'gcp'", [release])
        )
    assert gcps[1] < gcps[0]


def _depth(branches: Any) -> int:
    return 0 if isinstance(branches, list) else 1 + _depth(next(iter(branches.values())))


def _leaves(branches: Any) -> list[str]:
    if isinstance(branches, list):
        return branches
    return [leaf for under in branches.values() for leaf in _leaves(under)]


def test_what_is_sensitive_and_the_order_of_rows_do_not_matter(living: Connection) -> None:
    before = suggestions(living)
    living.execute(
        "CREATE TABLE public.others AS SELECT town, age, job FROM public.living ORDER BY md5(job);"
        "ALTER TABLE public.others ADD illness text;"
        "UPDATE public.others SET illness = town; TRUNCATE public.living;"
        "INSERT INTO public.living TABLE public.others"
    )
    assert suggestions(living) == before


def test_codes_have_prefixes_and_a_hierarchy_is_compared_with(living: Connection) -> None:
    living.execute("ALTER TABLE public.living ALTER job TYPE text USING "
                   "(24100 + ascii(md5(town)) + age * 7)::text")  # fmt: skip
    found = suggestions(living, "job")
    for _, gcp, now, statement, reason in found:
        assert statement.startswith("SELECT bkpriv.set_prefix_hierarchy('it''s', 'job', ARRAY[")
        assert gcp < now
        assert "codes" in reason
        living.execute(statement)
    again = suggestions(living, "job")
    assert {row[2] for row in again} == {row[1] for row in found if row[3] == found[-1][3]}


def test_days_that_are_texts_are_for_a_view(living: Connection) -> None:
    living.execute("UPDATE public.living SET job = to_char(date '1980-01-01' + age, 'DD.MM.YYYY')")
    ((levels, gcp, _, statement, reason),) = suggestions(living, "job")
    assert (levels, gcp, statement) == (0, None, None)
    assert "set_date_hierarchy" in reason


def test_who_may_not_read_what_is_sensitive_may_ask(
    make_publisher: Callable[..., Connection], db: Connection
) -> None:
    db.execute(TOWNS)
    owner = make_publisher("owner")
    role = sql.Identifier(owner.info.user)
    db.execute(
        sql.SQL(
            "SELECT bkpriv.drop_dataset('it''s'); ALTER TABLE public.living OWNER TO {}"
        ).format(role)
    )
    owner.execute(
        sql.SQL(
            "SELECT bkpriv.register_dataset("
            "'it''s', 'public.living', '{{town,age,job}}', 'illness');"
            "REVOKE ALL ON public.living FROM {0};"
            "GRANT SELECT (town, age, job) ON public.living TO {0}"
        ).format(role)
    )
    assert suggestions(owner)
    owner.execute(sql.SQL("REVOKE SELECT (job) ON public.living FROM {}").format(role))
    refused(owner, SUGGEST, ["it's", "town"], sqlstate="42501", names=["living", "job"])


def test_too_many_labels_are_refused_before_they_are_read(living: Connection) -> None:
    living.execute(
        "INSERT INTO public.living SELECT 'town ' || i, 20, 'job', 'flu' "
        "FROM generate_series(1, 2000) AS i"
    )
    refused(living, SUGGEST, ["it's", "town"], sqlstate="54000", names=["town", "2000"])
    living.execute("UPDATE public.living SET town = 'a'")
    refused(living, SUGGEST, ["it's", "town"], sqlstate="22023", names=["town"])
    living.execute("TRUNCATE public.living")
    refused(living, SUGGEST, ["it's", "town"], sqlstate="22023", names=["town"])


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "names"),
    [
        (("it's", "illness"), "22023", ["illness"]),
        (("it's", "age"), "22023", ["age", "integer"]),
        (("it's", "nothing"), "42703", ["nothing"]),
        (("it's", None), "22023", ["attribute"]),
        (("nobody", "town"), "42704", ["nobody"]),
        ((None, "town"), "22023", ["dataset"]),
    ],
    ids=str,
)
def test_what_has_no_labels_to_bring_together_is_refused(
    living: Connection, arguments: tuple[Any, ...], sqlstate: str, names: list[str]
) -> None:
    with unchanged(living):
        refused(living, SUGGEST, arguments, sqlstate=sqlstate, names=names)


def test_notices_of_labels_name_the_call(living: Connection) -> None:
    said: list[str] = []
    living.add_notice_handler(lambda notice: said.append(f"{notice.message_hint}"))
    living.execute(
        "UPDATE public.living SET town = town || age % 4;"
        "SELECT bkpriv.register_dataset('anew', 'public.living', '{town,age}', 'illness')"
    )
    assert any("bkpriv.suggest_hierarchy" in hint for hint in said)


def test_a_sensitive_column_has_what_its_labels_say(living: Connection) -> None:
    living.execute(
        "ALTER TABLE public.living ADD code text;"
        "UPDATE public.living SET code = chr(65 + age % 3) || lpad((age % 7)::text, 2, '0');"
        "SELECT bkpriv.register_dataset('coded', 'public.living', '{town,age}', 'code')"
    )
    found = living.execute(SUGGEST, ["coded", "code"]).fetchall()
    assert [row[:4] for row in found] == [
        (1, None, None, "SELECT bkpriv.set_prefix_hierarchy('coded', 'code', ARRAY[1]);")
    ]
    living.execute(found[0][3])
    # Nothing but labels is looked at: one record of each says the same.
    living.execute(
        "DELETE FROM public.living WHERE ctid NOT IN (SELECT min(ctid) FROM public.living "
        "GROUP BY code)"
    )
    assert living.execute(SUGGEST, ["coded", "code"]).fetchall() == found
