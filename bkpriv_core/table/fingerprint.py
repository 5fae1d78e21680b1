"""Fingerprints: whether two readings of a source gave the same, without keeping either.

A fingerprint is a digest of what was read: the cells, the number of records of each with each
sensitive value, whose they are, and what passes through. Values count by their texts and their
order, so it depends neither on the order of rows nor on values that a domain has and no record. Two
readings that differ have different fingerprints, but for a collision of SHA-256. The reverse need
not hold: the same values written otherwise, as 1.0 and 1.00, may have another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

import numpy as np

from bkpriv_core.table.domain import Domain
from bkpriv_core.table.groups import IntArray
from bkpriv_core.table.payload import Payload
from bkpriv_core.table.respondent import Respondents
from bkpriv_core.table.table import Table

__all__ = ["fingerprint"]


def fingerprint(table: Table, respondents: Respondents, passed: Payload) -> str:
    """Digest of a reading: 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for piece in _pieces(table, respondents, passed):
        digest.update(len(piece).to_bytes(8, "little"))
        digest.update(piece)
    return digest.hexdigest()


def _pieces(table: Table, respondents: Respondents, passed: Payload) -> Iterator[bytes]:
    """Contents of a reading, in a fixed order."""
    for domain, codes in zip(table.quasi_identifiers, table.codes.T, strict=True):
        yield from _coded(domain, codes)
    cells, values = np.nonzero(table.counts)
    yield _packed(cells)
    yield from _coded(table.sensitive, values)
    yield _packed(table.counts[cells, values])
    recode = _recoding(table.sensitive, values)
    yield _texts(respondents.names)
    yield _packed(respondents.cells)
    yield _packed(recode[respondents.values])
    yield _texts(passed.names)
    for labels in passed.labels:
        yield _texts(labels)
    for codes in (passed.tuples, passed.cells, recode[passed.values], passed.which):
        yield _packed(codes)


def _coded(domain: Domain, codes: IntArray) -> Iterator[bytes]:
    """Name of an attribute, its values that occur, and codes by these alone."""
    recode = _recoding(domain, codes)
    yield _texts([domain.name, *(domain.labels[code] for code in np.flatnonzero(recode >= 0))])
    yield _packed(recode[codes])


def _recoding(domain: Domain, codes: IntArray) -> IntArray:
    """Place of each value among those that occur, shape (size,); -1 for those that do not."""
    occurs = np.zeros(domain.size, dtype=bool)
    occurs[codes] = True
    return np.where(occurs, np.cumsum(occurs) - 1, -1)


def _texts(texts: Iterable[str | None]) -> bytes:
    return json.dumps(list(texts)).encode()


def _packed(numbers: IntArray) -> bytes:
    return np.ascontiguousarray(numbers, dtype="<i8").tobytes()
