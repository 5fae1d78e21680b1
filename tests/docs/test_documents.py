"""Documents: their SQL prints what they show, their links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from bkpriv_core.method import METHODS
from bkpriv_core.policy import REQUIREMENTS
from scripts import rights
from scripts.commands import commands
from scripts.composition import page
from scripts.reference import reference
from tests.conftest import Connection, Database
from tests.docs.documents import DOCUMENTS, ELSEWHERE, ROLES, ROOT, check_blocks, read_blocks

PAGES = [*DOCUMENTS, *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY"))]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _runs_here(path: Path) -> bool:
    blocks = read_blocks(path)
    return bool(blocks) and not any(block.code.startswith(ELSEWHERE) for block in blocks)


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if _runs_here(path)], ids=_name)
def test_sql_runs_and_prints_what_the_document_shows(
    path: Path, database: Database, server_programs: Path, make_role: Callable[..., str]
) -> None:
    blocks = read_blocks(path)
    roles = {name: make_role(label) for name, label in ROLES.items()}
    check_blocks(blocks, server_programs / "psql", _for_psql(database.uri()), roles)


def _for_psql(uri: str) -> str:
    """Leave out settings that psycopg's libpq knows and the server's own, older one does not."""
    parts = conninfo_to_dict(uri)
    plain = {name: parts[name] for name in ("host", "port", "user", "dbname") if name in parts}
    return make_conninfo("", **plain)


def test_readme_is_short_and_has_sql() -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text().splitlines()) <= 200
    assert len(read_blocks(readme)) > 5


def test_readme_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text()
    assert not [page for path in DOCUMENTS[1:] if f"]({(page := _name(path))})" not in text]


def test_reference_is_that_of_the_catalogue(db: Connection) -> None:
    for name, text in reference(db).items():
        assert (ROOT / "docs" / "reference" / f"{name}.md").read_text() == text, (
            "make it anew: python -m scripts.reference URI"
        )


def test_what_composes_is_by_the_rules() -> None:
    assert (ROOT / "docs" / "reference" / "composition.md").read_text() == page(), (
        "make it anew: python -m scripts.composition > docs/reference/composition.md"
    )


def test_rights_are_those_of_the_code() -> None:
    assert (ROOT / "docs" / "explanation" / "security.md").read_text() == rights.page(), (
        "make it anew: python -m scripts.rights"
    )


def test_commands_are_those_of_the_client() -> None:
    assert (ROOT / "docs" / "reference" / "command-line.md").read_text() == commands(), (
        "make it anew: python -m scripts.commands > docs/reference/command-line.md"
    )


@pytest.mark.parametrize(
    ("page", "heading", "names"),
    [
        ("requirements", "Requirements", set(REQUIREMENTS)),
        (
            "options",
            "Options",
            {key.name for method in METHODS.values() for key in fields(method.options)},
        ),
    ],
)
def test_reference_lists_what_the_code_knows(page: str, heading: str, names: set[str]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text()
    section = re.split(rf"^#+ {heading}$", text, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, maxsplit=1, flags=re.MULTILINE)[0]
    assert set(re.findall(r"^\| `(\w+)` ", section, re.MULTILINE)) == names


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        page = path.parent / file if file else path
        assert page.exists(), f"{path.name} links to {target}"
        assert not anchor or anchor in _anchors(page), f"{path.name} links to {target}"


def _anchors(page: Path) -> set[str]:
    """Anchors that a forge gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_sources_are_numbered_one_by_one() -> None:
    methods = ROOT / "docs" / "explanation" / "methods.md"
    text = methods.read_text()
    listed = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
    assert listed == list(range(1, len(listed) + 1))
    cited = set()
    for name in re.findall(r"^\| \[[^]]+\]\(([\w-]+\.md)\)", text, re.MULTILINE):
        prose = re.sub(
            r"^```.*?^```$|`[^`]*`", "", (methods.parent / name).read_text(), flags=re.M | re.S
        )
        places = re.findall(r"\[(\d+(?:, \d+)*)\]", prose)
        cited |= {int(number) for place in places for number in place.split(", ")}
    assert cited == set(listed)


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_commands_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    rules = re.findall(r"^(\w[\w -]*):(?!=)", makefile, re.MULTILINE)
    targets = {target for rule in rules for target in rule.split()} | {"installcheck"}
    for target in re.findall(r"`(?:sudo )?make(?: -s)? ([a-z-]+)", path.read_text()):
        assert target in targets, f"{path.name} mentions make {target}"
