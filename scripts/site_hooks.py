"""Hooks of the site's builder: mend pages after their Markdown was read (`hooks` in mkdocs.yml).

Rules: assistive technology reads them. A table without headings has no heading row, a cell without
a heading is no heading, and what opens has a name.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["on_page_content", "on_post_page", "on_post_template"]

_EMPTY_HEAD = re.compile(r"<thead>\s*<tr>\s*(?:<th[^>]*></th>\s*)+</tr>\s*</thead>\s*")
_EMPTY_CELL = re.compile(r"<th([^>]*)></th>")


def on_page_content(html: str, **_: Any) -> str:
    """Take headings that say nothing out of tables."""
    return _EMPTY_CELL.sub(r"<td\1></td>", _EMPTY_HEAD.sub("", html))


def on_post_page(output: str, **_: Any) -> str:
    """Name the dialog of the search."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">')


def on_post_template(output_content: str, **_: Any) -> str:
    """Do likewise where a page is none of the documents'."""
    return on_post_page(output_content)
