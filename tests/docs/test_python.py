"""The document about Python: its code runs, and prints what the document shows."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

from tests.docs.documents import ROOT

_BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def test_python_runs_and_prints_what_the_document_shows() -> None:
    text = (ROOT / "docs" / "howto" / "python.md").read_text()
    blocks = _BLOCK.findall(text)
    assert len(blocks) == text.count("```python")
    names: dict[str, Any] = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "python.md", "exec"), names)
        assert printed.getvalue() == shown
