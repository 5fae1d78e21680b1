"""Write docs/reference/composition.md: what does not compose, from the rules that refuse it.

Usage: ``python -m scripts.composition > docs/reference/composition.md``.
"""

from __future__ import annotations

from bkpriv_core.composition import RULES
from bkpriv_core.method import METHODS

__all__ = ["page"]

_HEAD = """# What composes

Methods, requirements, kinds of adversaries, several sensitive columns, several records of a person,
attributes that pass through, releases that [grow](../explanation/again.md#growing) and releases
that are [certified together](../explanation/again.md#certified-together) go with one another, but
for the pairs below. Each of these is refused before any work is done, with the reason as DETAIL.

| method | groups | several columns or records | grows |
|---|---|---|---|
"""

_RULES = """
| | does not go with | because |
|---|---|---|
"""


def page() -> str:
    """Write the page."""
    methods = (
        f"| `{name}` | {_yes(not method.form.randomized)} | {_yes(method.combines)} "
        f"| {_yes(method.grows)} |\n"
        for name, method in METHODS.items()
    )
    rules = (f"| {rule.one} | {rule.other} | {rule.reason} |\n" for rule in RULES)
    return "".join((_HEAD, *methods, _RULES, *rules))


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


if __name__ == "__main__":
    print(page(), end="")
