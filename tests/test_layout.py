"""The project's own rules: one version, imports that go down, small modules, lint of files."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import bkpriv_core
from scripts import lint_python
from scripts.lint_sql import lint

ROOT = Path(__file__).resolve().parent.parent
CODE = ["bench", "bkpriv_client", "bkpriv_core", "plpython", "scripts", "studies", "tests"]


def control() -> dict[str, str]:
    """Read the extension's control file."""
    text = (ROOT / "bkpriv.control").read_text()
    return dict(re.findall(r"^(\w+) = '?(.*?)'?$", text, re.MULTILINE))


def test_control_file_is_what_security_rests_on() -> None:
    settings = control()
    assert settings["schema"] == "bkpriv"
    assert settings["relocatable"] == "false"
    assert settings["superuser"] == "true"
    assert settings["trusted"] == "false"
    assert settings["requires"] == "plpython3u"


def test_every_statement_of_the_version_agrees() -> None:
    version = control()["default_version"]
    meta = json.loads((ROOT / "META.json").read_text())
    in_server = (ROOT / "plpython" / "bkpriv_pl" / "__init__.py").read_text()
    assert meta["version"] == version
    assert meta["provides"]["bkpriv"]["version"] == version
    assert importlib.metadata.version("bkpriv") == version
    assert bkpriv_core.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    # Not imported: the package needs the server around it.
    assert f'__version__ = "{version}"' in in_server


def test_imports_go_down_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True, no_logo=True) == 0


def test_modules_stay_small_and_are_named_for_a_topic() -> None:
    for path in (path for part in CODE for path in (ROOT / part).rglob("*.py")):
        assert len(path.read_text().splitlines()) <= 500, path
        assert path.stem not in {"utils", "util", "helpers", "common", "misc"}, path


@pytest.mark.always
def test_docstrings_name_the_thing_first_and_calls_spread_no_literals() -> None:
    findings = [
        f"{path}:{line}: {message}"
        for part in CODE
        for path in (ROOT / part).rglob("*.py")
        for line, message in lint_python.lint(path.read_text())
    ]
    assert findings == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Whose beliefs."""', [1]),
        ('"""Beliefs of people."""', []),
        ('"""Whether it holds."""', []),
        ('A = 1\n"""Of all."""', [2]),
        ('"""F.\n\nArgs:\n    a, b: Its a.\n"""', [4]),
        ('"""F.\n\nArgs:\n    a: Shape (c,). Of\n        what.\n"""', [4]),
        ('"""F.\n\nReturns:\n    What f is.\n"""', [4]),
        ('"""F.\n\nReturns:\n    The f, of\n        what.\n"""', []),
        ('"""F.\n\nRaises:\n    What: Of it.\n"""', []),
        ("f(*(a, b), c)", [1]),
        ("f(*[a])", [1]),
        ("f(*a, *(b for b in c))", []),
    ],
)
def test_lint_finds_how_docstrings_open_and_what_calls_spread(
    source: str, lines: list[int]
) -> None:
    assert [line for line, _ in lint_python.lint(source)] == lines


@pytest.mark.parametrize("lock", ["server", "client", "docs", "pycanon", "compare"])
def test_locks_have_hashes_and_name_no_index(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    assert "://" not in text
    for requirement in re.split(r"\n(?=\w)", text.strip()):
        assert "--hash=sha256:" in requirement, requirement


def test_what_the_server_imports_is_locked_alike_for_the_client() -> None:
    def pins(lock: str) -> set[str]:
        text = (ROOT / "requirements" / f"{lock}.lock").read_text()
        return set(re.findall(r"^(\w\S*==.*?) \\$", text, re.MULTILINE))

    assert pins("server") <= pins("client")


GOOD = """
-- A comment; with a semicolon.
CREATE OR REPLACE FUNCTION bkpriv.good(a int, b text) RETURNS text LANGUAGE plpython3u
SET search_path = pg_catalog, pg_temp
AS $python$
from bkpriv_pl import version
return version.version(';')
$python$;
COMMENT ON FUNCTION bkpriv.good(int, text) IS 'It''s good; really';
GRANT EXECUTE ON FUNCTION bkpriv.good(int, text) TO bkpriv_publisher;
"""

NOBODY = GOOD.replace("GRANT EXECUTE", "-- Granted to nobody: a trigger. GRANT EXECUTE")


def test_lint_accepts_a_function_that_keeps_the_rules() -> None:
    assert list(lint(GOOD)) == list(lint(NOBODY)) == []


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("SET search_path = pg_catalog, pg_temp\n", "", "does not pin search_path"),
        (
            "COMMENT ON FUNCTION bkpriv.good",
            "COMMENT ON FUNCTION bkpriv.other",
            "not followed by its COMMENT",
        ),
        (
            "GRANT EXECUTE ON FUNCTION bkpriv.good",
            "GRANT EXECUTE ON FUNCTION bkpriv.other",
            "GRANT",
        ),
        ("GRANT EXECUTE", "-- Granted to nobody: \nGRANT EXECUTE", "GRANT"),
        ("GRANT EXECUTE ON FUNCTION bkpriv.good(int, text) TO bkpriv_publisher;", "", "GRANT"),
        (" OR REPLACE", "", "not CREATE OR REPLACE"),
        ("return version", "a = 1\nb = 2\nreturn version", "has 4 lines"),
        ("SET search_path", "SECURITY DEFINER SET search_path", "SECURITY DEFINER"),
    ],
)
def test_lint_finds_what_breaks_a_rule(old: str, new: str, finding: str) -> None:
    assert old in GOOD
    found = list(lint(GOOD.replace(old, new)))
    assert any(finding in message for _, message in found)
    assert {line for line, _ in found} <= {3, 9, 10}


@pytest.mark.parametrize(
    ("directory", "statement", "finding"),
    [
        ("tables", "CREATE FUNCTION bkpriv.f() RETURNS int AS 'SELECT 1'", "belongs in functions/"),
        ("tables", "GRANT SELECT ON bkpriv.t TO bkpriv_auditor", "belongs in ties/ or functions/"),
        ("ties", "CREATE VIEW bkpriv.v AS SELECT 1", "belongs in functions/"),
        ("ties", "CREATE UNIQUE INDEX ON bkpriv.t (a)", "belongs in tables/"),
        ("upgrades", "CREATE OR REPLACE FUNCTION bkpriv.f() RETURNS int AS ''", "in functions/"),
        ("functions", "CREATE TABLE bkpriv.t (a int)", "belongs in ties/ or tables/"),
        ("functions", "GRANT EXECUTE ON FUNCTION bkpriv.f() TO PUBLIC; REVOKE x FROM y", "belongs"),
    ],
)
def test_lint_finds_what_lies_in_a_wrong_directory(
    directory: str, statement: str, finding: str
) -> None:
    messages = [message for _, message in lint(f"{statement};\n", directory)]
    assert any(finding in message for message in messages)


def test_a_topic_that_sql_calls_is_one_module_of_one_room() -> None:
    files = (path.read_text() for path in (ROOT / "sql" / "functions").glob("*.sql"))
    topics = {topic for text in files for topic in re.findall(r'GD\["bkpriv"\]\.(\w+)\.', text)}
    assert "publication" in topics
    for topic in topics:
        found = [*(ROOT / "plpython" / "bkpriv_pl").glob(f"*/{topic}.py")]
        assert len(found) == 1, (topic, found)


def test_what_is_told_is_told_in_one_place() -> None:
    # Else a publication would tell what is not kept with the release.
    for path in (ROOT / "plpython").rglob("*.py"):
        if path.name != "notices.py":
            assert not re.search(r"plpy\.(notice|warning|info)\(", path.read_text()), path


def test_statements_are_executed_outside_the_limit_of_memory_alone() -> None:
    # A value of a row that PL/Python cannot make for want of memory ends the server.
    calls = re.compile(r"plpy\.(execute|prepare|cursor)\(|\.cursor\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "plpython").rglob("*.py")
        if calls.search(path.read_text())
    }
    doors = ("server/boundary.py", "server/pinned.py", "server/session.py", "server/writing.py")
    assert found == {f"plpython/bkpriv_pl/{door}" for door in doors}
