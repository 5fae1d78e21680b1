"""Elements of HTML and SVG, which escape what is put into them.

Text becomes markup only by `element`, `text` or `joined`: a name of a table cannot be taken for an
element, and what is written at all is written once. Names that others chose are set apart by
`name`, so that marks of direction in them turn nothing else around.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

__all__ = ["Markup", "element", "joined", "name", "text"]

_VOID = {"meta"}


@dataclass(frozen=True)
class Markup:
    """HTML that is written as it stands.

    Parameters
    ----------
    html : str
        Text of the HTML.
    """

    html: str


def text(words: object) -> Markup:
    """Escape what is no markup yet."""
    if isinstance(words, Markup):
        return words
    # What XML forbids a page may not have either; PostgreSQL's text may.
    plain = "".join(c if c >= " " or c in "\n\t" else "�" for c in str(words))
    return Markup(escape(plain, quote=True))


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Markup and text, one after another."""
    return Markup(escape(between).join(text(part).html for part in parts))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """An element.

    Parameters
    ----------
    tag : str
        Tag of the element.
    *children
        Markup, or text, which is escaped.
    **attributes
        Attributes of the element; ``_`` at the end of a name is dropped, elsewhere it is ``-``.
        Those that are None are left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value).html}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{joined(children).html}</{tag}>")


def name(word: object) -> Markup:
    """A name that somebody chose."""
    return element("bdi", word, class_="name")
