"""A synthetic census shaped like the UCI Adult data, at any size, for figures of speed.

Domains are as large as Adult's (age 74, workclass 7, education 16, marital status 7, race 5, sex 2,
occupation 14), hierarchies as high, marginals as skewed, and attributes depend on one another
through two hidden traits of a person, so that about as many cells are occupied (12,500 by 45,222
records) and the occupation is about as uncertain for one who knows all but the age (2.5 bits).
Nothing else is like Adult.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bkpriv_client.source import Column, Hierarchy, Source

__all__ = ["ADULT_RECORDS", "census"]

_Floats = npt.NDArray[np.float64]

ADULT_RECORDS = 45_222
"""Records of the Adult data without missing values."""

# Attribute: size, how fast values get rarer, pull of the traits, sizes of nodes above each level.
_CATEGORICAL: dict[str, tuple[int, float, tuple[float, float], tuple[int, ...]]] = {
    "workclass": (7, 1.25, (0.2, 0.5), (3,)),
    "education": (16, 0.32, (0.2, 1.6), (3, 6)),
    "marital_status": (7, 0.8, (1.6, 0.2), (3,)),
    "race": (5, 1.7, (0.0, 0.5), ()),
    "sex": (2, 0.7, (0.3, 0.3), ()),
    "occupation": (14, 0.3, (0.8, 4.0), (4,)),
}


def census(records: int, seed: int) -> Source:
    """Draw a table.

    Args:
        records: Number of records, at least 1.
        seed: Seed of the random numbers, not negative.

    Returns:
        Table ``census`` with Adult's six quasi-identifiers and its sensitive attribute.
    """
    random = np.random.default_rng(seed)
    age = np.clip(17 + random.gamma(2.9, 7.5, records), 17, 90).astype(np.int64)
    traits = np.column_stack(((age - 38.5) / 13.2, random.normal(size=records)))
    columns = {"age": Column("integer", age.tolist())}
    hierarchies: dict[str, Hierarchy] = {}
    for name, (size, rarity, pull, nodes) in _CATEGORICAL.items():
        codes = _draw(random, traits, size, rarity, pull)
        labels = [f"{name} {code:02}" for code in range(size)]
        values: list[str] = np.array(labels, dtype=object)[codes].tolist()
        columns[name] = Column("text", values)
        hierarchies[name] = [
            (label, *(f"{name} {code // node:02} of {node}" for node in nodes), "*")
            for code, label in enumerate(labels)
        ]
    *quasi_identifiers, sensitive = columns
    return Source(
        name="census",
        title="synthetic census records",
        columns=columns,
        quasi_identifiers=tuple(quasi_identifiers),
        sensitive=sensitive,
        hierarchies=hierarchies,
        intervals={"age": (5, 10, 20, 40)},
    )


def _draw(
    random: np.random.Generator,
    traits: _Floats,
    size: int,
    rarity: float,
    pull: tuple[float, float],
) -> npt.NDArray[np.int64]:
    """Draw a value per record: value j is rarer than the one before, and drawn to some traits."""
    values = np.arange(size)
    # Each value leans its own way: an angle in the plane of the two traits.
    leaning = np.vstack((np.cos(2.4 * values), np.sin(2.4 * values)))
    score = (traits * pull) @ leaning - rarity * values
    # The largest of scores with Gumbel noise is a draw from their softmax.
    chosen: npt.NDArray[np.int64] = (score + random.gumbel(size=score.shape)).argmax(axis=1)
    return chosen
