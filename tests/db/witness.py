"""The disclosure that a witness attains, from who is in which group."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.core.worlds import failing

__all__ = ["given_witness"]

Atom = dict[str, Any]


def given_witness(
    held: Mapping[int, Counter[Any]],
    group_of: Callable[[Atom], int],
    target: Atom,
    witness: Sequence[dict[str, Any]],
) -> float:
    """Probability of the target given the implications or negations of a witness.

    Args:
        held: People of each group with each value.
    """
    groups = list(held)
    values = list({value: None for counted in held.values() for value in counted})
    buckets = [[held[group][value] for value in values] for group in groups]
    people: dict[str, int] = {}

    def place(atom: Atom) -> tuple[int, int, int]:
        who = json.dumps([atom[key] for key in sorted(atom.keys() - {"value"})])
        person = people.setdefault(who, len(people))
        return groups.index(group_of(atom)), person, values.index(atom["value"])

    bucket, person, value = place(target)
    share = Fraction(buckets[bucket][value], sum(buckets[bucket]))
    if witness and all(set(item) == {"not"} for item in witness):
        denied = [place(item["not"]) for item in witness]
        assert {atom[:2] for atom in denied} == {(bucket, person)}
        return float(share / failing(buckets, denied))
    assert all(item["then"] == [target] for item in witness)
    antecedents = [place(atom) for item in witness for atom in item["if"]]
    assert len(antecedents) == len(witness)
    return float(share / (share + failing(buckets, [(bucket, person, value), *antecedents])))
