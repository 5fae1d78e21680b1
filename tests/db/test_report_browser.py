"""Reports as a browser shows them: whole, without running or loading anything."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from psycopg import sql

from tests.conftest import Connection
from tests.db.clinic import BELIEFS, one, publish, state_policy

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, _BROWSERS)), None)

needs_browser = pytest.mark.skipif(
    BROWSER is None, reason=f"none of {', '.join(_BROWSERS)} is installed"
)

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def browse(profile: Path, *arguments: str) -> str:
    """Run the browser, which reaches nobody."""
    assert BROWSER is not None
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-sync"),
            *("--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}", *arguments),
        ],
        text=True,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return done.stdout


@pytest.fixture(scope="module")
def page(shared_clinic: Connection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Report on a release of a dataset with a hostile name, in a file."""
    shared_clinic.execute(
        sql.SQL(
            "SELECT bkpriv.register_dataset({}, 'clinic.patient', '{{age,sex,city}}', 'disease')"
        ).format(sql.Literal(HOSTILE))
    )
    state_policy(shared_clinic, "beliefs", BELIEFS | {"l_diversity": {"l": 3}})
    release = publish(shared_clinic, HOSTILE, "beliefs", "public.shown")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(one(shared_clinic, "SELECT bkpriv.report_html(%s)", [release]))
    return path


@needs_browser
def test_a_browser_shows_it_and_runs_nothing(page: Path, tmp_path: Path) -> None:
    shown = browse(tmp_path / "profile", "--dump-dom", page.as_uri())
    assert "<title>Release " in shown
    assert "owned</title>" not in shown
    # What a browser makes of it is what was written: nothing was moved, dropped or added.
    tags = re.findall(r"</?(\w+)", page.read_text())
    assert re.findall(r"</?(\w+)", shown) == tags
    assert "<script" not in shown
    assert "<img" not in shown


@needs_browser
@pytest.mark.parametrize("width", [1100, 390])
def test_it_fills_the_window_and_no_more(page: Path, tmp_path: Path, width: int) -> None:
    picture = tmp_path / "picture.png"
    browse(
        tmp_path / "profile",
        f"--screenshot={picture}",
        f"--window-size={max(width, 500)},5600",
        page.as_uri(),
    )
    from matplotlib.image import imread

    image = imread(picture)[..., :3]
    paper = image[-1, -1]
    inked = (abs(image - paper) > 0.02).any(axis=2)
    rows = inked.any(axis=1)
    assert rows[:1500].mean() > 0.3  # There is something to see, all the way down.
    # The chart has bars: a good part of a line in one strong colour that no text has.
    blue = (image[..., 2] - image[..., 0] > 0.15) & (image[..., 2] > 0.3)
    assert blue.sum(axis=1).max() > 60


@needs_browser
def test_it_prints(page: Path, tmp_path: Path) -> None:
    paper = tmp_path / "page.pdf"
    browse(tmp_path / "profile", f"--print-to-pdf={paper}", "--no-pdf-header-footer", page.as_uri())
    assert paper.read_bytes().startswith(b"%PDF-")
    pages = len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))
    assert 1 <= pages <= 8


_TALLEST = (
    "<script>document.body.style.width = '390px'; "
    "document.title = Math.max(...[...document.querySelectorAll('#worst tbody tr')]"
    ".map(row => row.offsetHeight))</script></body>"
)


@needs_browser
def test_no_column_is_squeezed_on_a_phone(page: Path, tmp_path: Path) -> None:
    # Lines of a worst case, of a table that is as narrow as it may be.
    text = page.read_text().replace("</body>", _TALLEST)
    measured = tmp_path / "measured.html"
    measured.write_text(re.sub(r'<meta http-equiv="[^>]*>', "", text))
    shown = browse(tmp_path / "profile", "--dump-dom", measured.as_uri())
    height = re.search(r"<title>(\d+)</title>", shown)
    assert height is not None
    assert 20 < int(height[1]) < 180
