"""The documents as a site: built without a warning, whole, searchable, and loading nothing."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import DOCUMENTS, ROOT

pytestmark = pytest.mark.extended


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it: that fails where a link, an anchor or the list of pages is wrong."""
    pg_config = (ROOT / ".pg" / "pg_config").read_text().strip()
    done = subprocess.run(
        [ROOT / "scripts" / "docs.sh", pg_config, tmp_path_factory.mktemp("site")],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()).parent


def test_every_document_is_a_page_that_can_be_searched(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())
    pages = {entry["location"].partition("#")[0] for entry in found["docs"]}
    for path in DOCUMENTS:
        page = str(path.relative_to(ROOT).with_suffix(".html")).replace("README", "index")
        assert (site / page).is_file(), page
        assert page in pages or page == "index.html"


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text()
        loaded = re.findall(r"<(?:link|script|img|iframe)\b[^>]*?(?:src|href)=\"([^\"]+)\"", text)
        assert not [place for place in loaded if re.match(r"(\w+:)?//", place)], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//|@import", sheet.read_text()), sheet


def test_a_search_finds_definitions_first(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    terms = re.findall(r"^## (.+)$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    boosts = {
        entry["title"]: entry["boost"]
        for entry in found
        if entry["location"].startswith("docs/glossary.html#")
    }
    assert set(terms) == set(boosts)
    others = [entry for entry in found if not entry["location"].startswith("docs/glossary.html")]
    assert min(boosts.values()) > max(entry.get("boost", 1) for entry in others)


def test_headings_and_dialogs_have_names(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert not re.search(r"<th[^>]*></th>", text), page
        dialogs = re.findall(r"<[^>]*role=\"dialog\"[^>]*>", text)
        assert all("aria-label=" in dialog for dialog in dialogs), page


def test_colours_follow_the_system(site: Path) -> None:
    text = (site / "index.html").read_text()
    assert 'data-md-color-media="(prefers-color-scheme: dark)"' in text
