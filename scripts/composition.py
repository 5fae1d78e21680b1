"""Write docs/reference/composition.md: what does not compose, from the rules that refuse it.

Usage: ``python -m scripts.composition > docs/reference/composition.md``.
"""

from __future__ import annotations

import re

from bkpriv_core.compatibility import RULES

__all__ = ["page"]

_HEAD = """# What composes

Methods, requirements, kinds of adversaries, several sensitive columns, several records of a person,
attributes that pass through, releases that [grow](../explanation/again.md#growing) and releases
that are [certified together](../explanation/again.md#certified-together) go with one another, but
for the pairs below. bkpriv refuses each of these before it does any work; the reason is the DETAIL
of the error, and the way out its HINT. Method `randomize` forms no groups, and does not grow.

| | does not go with | because | instead |
|---|---|---|---|
"""


def _quoted(text: str) -> str:
    """Mark JSON as code."""
    return re.sub(r'(\{"[^}]*\})', r"`\1`", text)


def page() -> str:
    """Write the page."""
    rules = (
        f"| {rule.one} | {rule.other} | {rule.reason} | {_quoted(rule.instead)} |\n"
        for rule in RULES
    )
    return "".join((_HEAD, *rules))


if __name__ == "__main__":
    print(page(), end="")
