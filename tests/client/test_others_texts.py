"""Names and values of others are shown as they are: to a shell, a terminal and a page of text."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bkpriv_client.dictionary import _plain
from bkpriv_client.stating import read_nulls, said_null
from bkpriv_client.terminal import make_console, make_table, step
from tests.client.command import succeeded
from tests.conftest import Connection, Database
from tests.db.clinic import publish, state_policy

MARKED = ["[/x]", "[link=http://evil.example]a[/link]", "[bold]b", ":skull:", "a[/]"]


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])), min_size=1),
    st.sampled_from(["", "a"]),
)
def test_a_proposed_option_is_one_word_that_means_its_values(values: list[str], name: str) -> None:
    values = [value.strip() for value in values if value.strip()] or ["?"]
    said = said_null(values, name)
    if said == "--null with that value":
        assert sum(map(len, values)) > 60
        return
    option, stated = shlex.split(said)
    assert option == "--null"
    assert read_nulls([stated], ["a"] if name else []) == {name: frozenset(values)}


def test_a_value_ends_no_quotes_in_a_hint(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    for value in ("';touch pwned;'", "$(touch pwned)", '";`touch pwned`', "a'b, c"):
        rows = "".join(f"{i},flu\n" for i in range(40))
        quoted = value.replace('"', '""')
        path.write_text(f'age,dx\n{rows}"{quoted}",flu\n')
        said = " ".join(
            succeeded("load-csv", str(path), "--table", "t", "--replace", "--uri", database.uri())
            .replace("\n", " ")
            .split()
        )
        assert "say --null" in said
        words = said.partition("say --null ")[2]
        assert shlex.split(said_null([value]))[1] in (value, f'"{quoted}"')
        assert words.startswith(said_null([value]).removeprefix("--null "))


@pytest.mark.parametrize("text", MARKED)
def test_a_console_takes_no_text_for_markup(text: str) -> None:
    console = make_console()
    console.file = out = io.StringIO()
    console.print(text)
    table = make_table(text)
    table.add_row(text)
    console.print(table)
    with step(console, text) as advance:
        advance(0.5, text)
    assert out.getvalue().count(text) == 4


def test_columns_that_look_like_markup_are_shown(db: Connection, database: Database) -> None:
    db.execute(
        "CREATE TABLE mk AS SELECT 20 + i % 20 AS age, (ARRAY['a', '[/b]', ':skull:'])[1 + i % 3] "
        'AS "[/x]" FROM generate_series(1, 200) AS i'
    )
    db.execute("SELECT bkpriv.register_dataset('mk', 'public.mk', '{age}', '[/x]')")
    state_policy(db, "mk", {"k_anonymity": {"k": 5}})
    release = publish(db, "mk", policy="mk", view="mk_shown")
    said = succeeded("attack", str(release), "--uri", database.uri())
    assert "[/x]" in said
    assert ":skull:" in succeeded("attack", str(release), "--uri", database.uri())


def test_a_type_is_escaped_in_a_dictionary(
    db: Connection, database: Database, tmp_path: Path
) -> None:
    name = "x | <img src=x> | [click](http://evil.example)"
    db.execute(f'CREATE DOMAIN public."{name}" AS int'.encode())
    db.execute(f'CREATE VIEW public.dict AS SELECT 1::public."{name}" AS a'.encode())
    db.execute("COMMENT ON VIEW public.dict IS '1. www.evil.example &lt; a@b.example'")
    succeeded("export", "public.dict", "--out", str(tmp_path), "--uri", database.uri())
    text = (tmp_path / "dictionary.md").read_text()
    assert r"x \| \<img src=x\> \| \[click\](http\://evil.example)" in text
    assert r"1\. www\.evil.example \&lt; a\@b.example" in text


def test_what_begins_a_line_is_no_list() -> None:
    assert [_plain(text) for text in ("- a", "+", "12) b", "=", "a - b")] == [
        r"\- a",
        r"\+",
        r"12\) b",
        r"\=",
        "a - b",
    ]
