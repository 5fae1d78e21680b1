"""Take the picture of a report that the documents show, and write what it says beside it.

A test makes the report anew and compares that text: so a picture that is out of date is noticed.
Left out is what may vary from run to run: figures in tables, times, and which of several groups
that are equally exposed was named.

Usage: ``shoot.py REPORT.html PICTURE.png``; needs chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

__all__ = ["outline"]

_TAGS = ("h1", "h2", "p", "dt", "summary", "caption", "th", "figcaption", "li")
_FIGURE = "strong"
_SIZE = "1000,2080"


class _Outline(HTMLParser):
    """Headings, sentences, and heads of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, or a figure in it."""
        if tag in _TAGS:
            self.lines.append(f"{tag}: ")
        if tag in (*_TAGS, _FIGURE):
            self._within = tag != _FIGURE

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if tag in (*_TAGS, _FIGURE):
            self._within = tag == _FIGURE

    def handle_data(self, data: str) -> None:
        """Add to it."""
        if self._within:
            self.lines[-1] += data


def outline(page: str) -> str:
    """Outline of a report, line by line, but for what varies."""
    parser = _Outline()
    parser.feed(page[: page.index("<footer>")])
    return "".join(f"{' '.join(line.split())}\n" for line in parser.lines)


def main(page: str, picture: str) -> int:
    """Run the command."""
    source, target = Path(page).resolve(), Path(picture).resolve()
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}"),
                *(f"--window-size={_SIZE}", f"--screenshot={target}", source.as_uri()),
            ],
            check=True,
            timeout=120,
        )
    text = outline(source.read_text(encoding="utf-8"))
    target.with_suffix(".txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
