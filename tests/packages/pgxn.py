"""The rules of PGXN for META.json, by its specification 1.0.0 (pgxn.org/meta/spec.txt)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["faults"]

LICENSES = {
    *("agpl_3", "apache_1_1", "apache_2_0", "artistic_1", "artistic_2", "bsd", "freebsd"),
    *("gfdl_1_2", "gfdl_1_3", "gpl_1", "gpl_2", "gpl_3", "lgpl_2_1", "lgpl_3_0", "mit"),
    *("mozilla_1_0", "mozilla_1_1", "openssl", "perl_5", "postgresql", "qpl_1_0", "ssleay"),
    *("sun", "zlib", "open_source", "restricted", "unrestricted", "unknown"),
}
PHASES = {"configure", "build", "test", "runtime", "develop"}
RELATIONS = {"requires", "recommends", "suggests", "conflicts"}
NUMBER = r"(?:0|[1-9]\d*)"
VERSION = rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:-?[A-Za-z][0-9A-Za-z-]*)?"
BOUND = rf"(?:(?:<|<=|>|>=|==|!=) *)?{VERSION}"

Rule = Callable[[Any], bool]


def _matches(pattern: str) -> Rule:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


text = _matches(r"(?s).+")
term = _matches(r"[^\s/\\\x00-\x1f\x7f]{2,}")
tag = _matches(r"[^/\\\x00-\x1f\x7f]{1,256}")
file = _matches(r"(?!/)[^\\]+")
version = _matches(VERSION)
url = _matches(r"[a-z][a-z0-9+.-]*://[^\s/?#]+\S*")
_range = _matches(rf"{BOUND}(?: *, *{BOUND})*")


def needed(value: Any) -> bool:
    """Whether a prerequisite's versions are stated right: any, or bounds."""
    return value == 0 or value == "0" or _range(value)


def one_or_more(rule: Rule) -> Rule:
    """Whether a value, or every value of a list, keeps a rule."""
    return lambda value: (
        bool(value) and all(map(rule, value if isinstance(value, list) else [value]))
    )


def license_(value: Any) -> bool:
    """Whether licenses are of those listed, or have a URL each."""
    if isinstance(value, dict):
        return bool(value) and all(map(url, value.values()))
    return one_or_more(lambda one: one in LICENSES)(value)


EXTENSION: dict[str, tuple[bool, Rule]] = {
    "file": (True, file),
    "version": (True, version),
    "abstract": (False, text),
    "docfile": (False, file),
}
SPECIFICATION: dict[str, tuple[bool, Rule]] = {
    "version": (True, _matches(r"1\.0\.\d+")),
    "url": (False, url),
}


def _map(keys: dict[str, tuple[bool, Rule]]) -> Rule:
    return lambda value: isinstance(value, dict) and not list(_faults(value, keys))


def _provides(value: Any) -> bool:
    return bool(value) and all(term(name) and _map(EXTENSION)(one) for name, one in value.items())


def _prereqs(value: Any) -> bool:
    return set(value) <= PHASES and all(
        set(phase) <= RELATIONS
        and all(
            term(name) and needed(one) for names in phase.values() for name, one in names.items()
        )
        for phase in value.values()
    )


KEYS: dict[str, tuple[bool, Rule]] = {
    "name": (True, term),
    "version": (True, version),
    "abstract": (True, text),
    "maintainer": (True, one_or_more(text)),
    "license": (True, license_),
    "provides": (True, _provides),
    "meta-spec": (True, _map(SPECIFICATION)),
    "description": (False, text),
    "generated_by": (False, text),
    "tags": (False, one_or_more(tag)),
    "release_status": (False, lambda value: value in ("stable", "testing", "unstable")),
    "prereqs": (False, _prereqs),
    "resources": (False, lambda value: isinstance(value, dict)),
    "no_index": (False, lambda value: set(value) <= {"file", "directory"}),
}
"""Rule of each key: whether it must be there, and what holds of its value."""


def faults(meta: dict[str, Any]) -> list[str]:
    """Name the keys of a META.json that are missing, unknown or break their rule."""
    return list(_faults(meta, KEYS))


def _faults(value: dict[str, Any], keys: dict[str, tuple[bool, Rule]]) -> Iterator[str]:
    for key, (mandatory, _) in keys.items():
        if mandatory and key not in value:
            yield f"{key} is missing"
    for key, one in value.items():
        if key in keys:
            if not keys[key][1](one):
                yield f"{key} is wrong: {one!r}"
        elif not re.fullmatch(r"[xX]_[-\w]+", key):
            yield f"{key} is unknown"
