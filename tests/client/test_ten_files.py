"""Ten files, published as the commands print it, and judged by somebody else.

A new user loads each file, runs the statements that are printed, explores, runs the statements that
are printed, and reads the first line of what ``publish`` says. `tests.client.oracle` then works out
from the file and the view what readers believe: those whom the policy lists, the one who knows only
the table's shares, and one for each quasi-identifier. Whatever they learn must stand in that line.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.client.command import succeeded
from tests.client.oracle import Floats, Row, Seen, alike, made_sure
from tests.client.ten_files import FILES, File
from tests.client.test_pasted import paste
from tests.conftest import Connection, Database

pytestmark = pytest.mark.pooled

_DEFAULT = ("skewed", "described")
"""Files that take part in ``make test``; the others take longer."""

_POINTS = 5.0
"""The most detail that what is printed may lose beyond k alone."""


@dataclass(frozen=True)
class Walk:
    """Outcome of the statements that were printed."""

    file: File
    policy: dict[str, Any]
    first: str
    """First line of what ``publish`` says in the end."""
    lost: float
    alone: float
    """Detail lost, and by k alone, in per cent."""


def _walk(file: File, psql: Path, uri: str, directory: Path) -> Walk:
    path = directory / f"{file.name}.csv"
    path.write_text(file.text)
    loaded = succeeded("load-csv", str(path), "--yes", "--uri", uri, *file.options)
    paste(loaded, psql, uri)
    printed = succeeded("explore", file.name, "--uri", uri)
    (first,) = re.findall(r"^NOTICE:  release 1: (.*)$", paste(printed, psql, uri), re.MULTILINE)
    (policy,) = re.findall(r"set_policy\('\w+', '(.*)'\);$", printed, re.MULTILINE)
    (figures,) = re.findall(
        r"It loses ([\d.]+)% of the detail, and k = 5 alone loses ([\d.]+)%",
        " ".join(printed.split()),
    )
    lost, alone = map(float, figures)
    return Walk(file, json.loads(policy), first, lost, alone)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file,
            id=file.name,
            marks=[pytest.mark.always if file.name in _DEFAULT else pytest.mark.extended],
        )
        for file in FILES
    ],
)
def test_what_readers_learn_stands_in_the_first_line(
    file: File,
    db: Connection,
    database: Database,
    server_programs: Path,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    walk = _walk(file, server_programs / "psql", database.uri(), tmp_path)
    names, person = _columns(db)
    seen = _seen(db, file, names)
    judged = _persons(file, seen, names, person) if person else _records(db, walk, seen, names)
    figures = {"lost": walk.lost, "alone": walk.alone, **judged.__dict__, "first": walk.first}
    for name, figure in figures.items():
        record_property(name, figure)
    _check(walk, judged)


@dataclass(frozen=True)
class Judged:
    """Figures of the oracle."""

    unit: str
    people: int
    one_value: int
    sure: dict[str, int]
    """People of whom each reader becomes sure."""
    known: int | None
    """People about whom the reader of the policy is sure beforehand who is so of most; None if that
    was not asked.
    """
    determined: dict[str, int]
    """People whose value follows from one column."""


def _check(walk: Walk, judged: Judged) -> None:
    first, people = walk.first, f"{judged.people} {judged.unit}"
    assert not first.startswith("violated")
    assert walk.lost - walk.alone <= _POINTS
    alone = re.findall(r"(\d+) of (\S+ \S+) are in groups of one sensitive value", first)
    assert alone == ([(str(judged.one_value), people)] if judged.one_value else [])
    named = re.findall(r"becomes sure about the sensitive value of (\d+) of (.*?)[;,]", f"{first};")
    most = max(judged.sure.values())
    assert named == ([(str(most), people)] if most else [])
    assert "estimate" not in first
    if judged.known is not None:
        before = re.findall(r" is sure about (\d+) of (.*?) beforehand", first)
        assert before == ([(str(judged.known), people)] if judged.known else [])
    for column, count in judged.determined.items():
        assert f"{column} alone determines {walk.file.header[-1]} for {count} of {people}" in first


def _columns(db: Connection) -> tuple[list[str], str | None]:
    ((names, person),) = db.execute(
        "SELECT quasi_identifiers, respondent FROM bkpriv.dataset"
    ).fetchall()
    return names, person


def _seen(db: Connection, file: File, names: list[str]) -> Seen:
    cells = db.execute(
        'SELECT group_id, qi FROM bkpriv.disclosure(1, \'{"kernel": "uniform"}\')'
    ).fetchall()
    group_of = {tuple(qi[name] for name in names): group for group, qi in cells}
    assert len(group_of) == len(cells)
    kinds = [type(value) for value in next(iter(group_of))]
    listed = ", ".join([*names, "diagnosis" if "diagnosis" in file.header else "hiv"])
    shown = db.execute(f"SELECT {listed} FROM public.{file.name}_shown".encode()).fetchall()
    told = file.header.index(listed.rpartition(", ")[2])
    places = [file.header.index(name) for name in names]
    source = [
        (*(kind(row[place]) for kind, place in zip(kinds, places, strict=True)), row[told])
        for row in file.rows
    ]
    return Seen(shown, source, group_of)


def _records(db: Connection, walk: Walk, seen: Seen, names: list[str]) -> Judged:
    sure, known = {}, 0
    for reader, prior in _readers(db, walk, seen, names):
        if reader not in names and "only" not in reader:
            beliefs = np.array([prior[row[:-1]] for rows in seen.groups.values() for row in rows])
            known = max(known, int((beliefs > 0.9).any(axis=1).sum()))
        sure[reader] = sum(
            int(made_sure(rows, seen.values, prior).sum()) for rows in seen.groups.values()
        )
    determined = {}
    for place, name in enumerate(names):
        several, agreed = alike(seen.source, place)
        if 2 * several >= len(seen.source) and agreed > 0.99 * several:
            determined[name] = agreed
    people = sum(map(len, seen.groups.values()))
    return Judged("records", people, seen.of_one_value, sure, known, determined)


def _readers(
    db: Connection, walk: Walk, seen: Seen, names: list[str]
) -> Iterator[tuple[str, dict[Row, Floats]]]:
    """Readers and their beliefs beforehand; the product's where they depend on a bandwidth."""
    yield "shares", seen.by_shares()
    listed: list[Any] = [each["bandwidth"] for each in walk.policy.get("bt_privacy", [])]
    sample = seen.source[0]
    for place, name in enumerate(names):
        if isinstance(sample[place], str):
            yield name, seen.by_shares([place])
        else:
            listed.append({"only": name})
    for bandwidth in listed:
        prior: dict[Row, dict[str, float]] = defaultdict(dict)
        rows = db.execute(
            "SELECT qi, sensitive, probability FROM bkpriv.prior(%s, %s::jsonb)",
            [walk.file.name, json.dumps(bandwidth)],
        ).fetchall()
        for qi, value, chance in rows:
            prior[tuple(qi[name] for name in names)][value] = chance
        yield (
            json.dumps(bandwidth),
            {cell: np.array([row[value] for value in seen.values]) for cell, row in prior.items()},
        )


def _persons(file: File, seen: Seen, names: list[str], respondent: str) -> Judged:
    """Figures of persons: each has some of the values, and about each it is asked by itself."""
    seen.groups  # noqa: B018 - that the view shows them
    number = file.header.index(respondent)
    held: dict[Any, set[Any]] = defaultdict(set)
    kind: dict[Any, Row] = {}
    for row, own in zip(file.rows, seen.source, strict=True):
        held[row[number]].add(own[-1])
        kind[row[number]] = own[:-1]
    alike_in = [
        (),
        *((place,) for place, one in enumerate(seen.source[0][:-1]) if isinstance(one, str)),
    ]
    sure = {}
    one_value: set[Any] = set()
    for columns in alike_in:
        found: set[Any] = set()
        for value in seen.values:
            people = [(*kind[one], value in values) for one, values in held.items()]
            asked = Seen([], people, seen.group_of)
            prior = asked.by_shares(columns)
            groups: dict[int, list[Any]] = defaultdict(list)
            for one in held:
                groups[seen.group_of[kind[one]]].append(one)
            for members in groups.values():
                rows = [(*kind[one], value in held[one]) for one in members]
                found |= {*compress(members, made_sure(rows, asked.values, prior))}
                one_value |= set(members) if all(row[-1] for row in rows) else set()
        sure[", ".join(names[place] for place in columns) or "shares"] = len(found)
    return Judged("persons", len(held), len(one_value), sure, None, {})
