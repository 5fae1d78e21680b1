"""Sequences: what adversaries remember of releases, and what it tells them of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from bkpriv_core.errors import InvalidParameter
from bkpriv_core.sequence.mining import check_memory
from bkpriv_core.stated import About, read
from bkpriv_pl.boundary import Refusal, entry, require
from bkpriv_pl.dataset import Dataset, find_dataset
from bkpriv_pl.transitions import (
    READERS,
    Kind,
    find_knowledge,
    forget_knowledge,
    keep_knowledge,
)

__all__ = ["knowledge", "set_knowledge", "unset_knowledge"]


@entry
def set_knowledge(
    dataset: str | None, name: str | None, kind: str | None, source: str | None, memory: int | None
) -> None:
    """See ``bkpriv.set_sequential_knowledge``."""
    declared = _serial(find_dataset(dataset))
    name = require(name, "name of the knowledge")
    kind = read(Annotated[Kind, About("It says where the knowledge comes from.")], kind, "kind")
    check_memory(memory)
    if (source is None) == (kind in READERS):
        raise InvalidParameter(
            f"{kind} knowledge is read from {'a' if source is None else 'no'} table",
            detail="The source is NULL." if source is None else f"The source is {source}.",
            hint=f"The kinds {' and '.join(READERS)} need a source, the others take none.",
        )
    if kind == "constant" and memory is not None:
        raise InvalidParameter(
            "values that never change need no memory",
            detail=f"The memory is {memory}, but the latest value tells the next one.",
            hint="Leave the memory out.",
        )
    transitions = None if source is None else READERS[kind](declared, source, memory)
    keep_knowledge(declared, name, kind, memory, transitions)


@entry
def unset_knowledge(dataset: str | None, name: str | None) -> None:
    """See ``bkpriv.unset_sequential_knowledge``."""
    declared = find_dataset(dataset)
    found = find_knowledge(declared, require(name, "name of the knowledge"))
    forget_knowledge(declared, found.name)


@entry
def knowledge(dataset: str | None, name: str | None) -> Iterator[tuple[Any, ...]]:
    """See ``bkpriv.sequential_knowledge``."""
    declared = find_dataset(dataset, to_change=False)
    found = find_knowledge(declared, require(name, "name of the knowledge"))
    listed = found.memory.listed()
    support = listed.support or [None] * len(listed.following)
    rows = zip(listed.histories, listed.following, listed.probabilities, support, strict=True)
    return ((list(history), *rest) for history, *rest in rows)


def _serial(dataset: Dataset) -> Dataset:
    """Return a dataset that tells respondents apart, and refuse others."""
    if dataset.respondent is None:
        raise Refusal(
            "42703",
            f'dataset "{dataset.name}" has no respondent column',
            detail="Nobody could tell whose values follow each other.",
            hint="Register it with the column that names the respondents.",
        )
    return dataset
