"""Synthetic blocks of houses: eight numeric quasi-identifiers, and hardly two records alike.

The shape is that of census blocks as the housing data of California has them: 20,640 of them, by
place, age, size, people and income, with the typical value of a house to protect. No figure here is
a statistic, and no block exists.

Rules
-----
- Place: two in three blocks lie about fourteen towns along a coast that runs north-west to
  south-east, the denser the nearer to the centre; the others anywhere inland of the coast. Degrees,
  to the hundredth.
- Age: 1 to 52 years, mean 30, the older the nearer to a town's centre; 52 stands for more.
- Counts hang together and have long tails: people (median 1,170, the most 30 times that),
  households of 2.8 of them, bedrooms of 1.07 a household and rooms of 5.2, more where incomes are
  high.
- Income: median 3.5, between 0.5 and 15, alike among neighbours: quarters are rich or poor.
- Value, in 11 bands of 50 thousand, mean 200, the last for 500 and more, which one in 25 reaches:
  grows with income, with nearness to the coast and to the centre of a dear town; a quarter in
  demand is dear whatever its people earn. A fifth of it is chance. Bands are labels: it matters
  which, and not how far from another.
- The same seed gives the same table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bkpriv_client.source import Column, Source

__all__ = ["HOUSES", "houses"]

_Floats = npt.NDArray[np.float64]

HOUSES = 20_640
"""Blocks of the housing data of California."""

_TOWNS = 14
_QUARTERS = 60
_QUARTER_DEGREES = 0.25
_STEP, _MOST = 50, 500
_NORTH_WEST, _SOUTH_EAST = (-124.2, 41.8), (-116.8, 32.6)


def houses(records: int, seed: int) -> Source:
    """Draw a table.

    Args:
        records: Number of records, at least 1.
        seed: Seed of the random numbers, not negative.

    Returns:
        Table ``houses`` with quasi-identifiers longitude, latitude, age, rooms, bedrooms,
        population, households and income, and the sensitive attribute value.
    """
    random = np.random.default_rng(seed)
    along, inland, centre, town = _place(random, records)
    wealth, demand = _quarters(random, along, inland)

    age = np.clip(np.rint(38 - 5 * np.minimum(centre, 4) + random.normal(0, 11, records)), 1, 52)
    income = np.clip(3.3 * np.exp(0.25 * wealth + random.normal(0, 0.38, records)), 0.5, 15)
    population = np.ceil(1_170 * np.exp(0.53 * random.standard_t(9, records)))
    households = np.ceil(population / (1.6 + random.lognormal(0.15, 0.35, records)))
    bedrooms = np.ceil(households * random.lognormal(0.06, 0.07, records))
    per_household = 5.2 * (income / 3.5) ** 0.35 * random.lognormal(0, 0.12, records)
    rooms = np.ceil(np.maximum(households * per_household, bedrooms))

    dear = random.normal(0, 0.25, _TOWNS)[town]
    worth = (
        np.log(215)
        + 0.75 * np.log(income / 3.5)
        + 0.8 * (np.exp(-inland / 0.6) - 0.5)
        + dear * np.exp(-centre)
        + 0.20 * demand
        + random.normal(0, 0.2, records)
    )
    band = np.minimum(np.exp(worth) // _STEP, _MOST // _STEP).astype(np.int64)

    longitude, latitude = _degrees(along, inland)
    whole = {
        "age": age,
        "rooms": rooms,
        "bedrooms": bedrooms,
        "population": population,
        "households": households,
    }
    columns = {
        "longitude": Column("numeric", np.round(longitude, 2).tolist()),
        "latitude": Column("numeric", np.round(latitude, 2).tolist()),
        **{
            name: Column("integer", column.astype(np.int64).tolist())
            for name, column in whole.items()
        },
        "income": Column("numeric", np.round(income, 4).tolist()),
        "value": Column("text", [f"from {start:03}" for start in (_STEP * band).tolist()]),
    }
    *quasi_identifiers, sensitive = columns
    return Source(
        name="houses",
        title="synthetic blocks of houses",
        columns=columns,
        quasi_identifiers=tuple(quasi_identifiers),
        sensitive=sensitive,
    )


def _place(
    random: np.random.Generator, records: int
) -> tuple[_Floats, _Floats, _Floats, npt.NDArray[np.int64]]:
    """Draw the places of blocks.

    Returns:
        along: Shape (records,). Share of the way down the coast, 0 to 1.
        inland: Shape (records,). Degrees from the coast.
        centre: Shape (records,). Distance from the centre of the nearest town, in its radii.
        town: Shape (records,). Nearest town.
    """
    length = float(np.hypot(*np.subtract(_SOUTH_EAST, _NORTH_WEST)))
    at = np.sort(random.uniform(0.05, 0.98, _TOWNS))
    off = random.gamma(1.2, 0.45, _TOWNS)
    radius = random.uniform(0.08, 0.35, _TOWNS)
    size = random.dirichlet(np.full(_TOWNS, 0.8))

    urban = random.random(records) < 2 / 3
    home = random.choice(_TOWNS, records, p=size)
    bearing = random.uniform(0, 2 * np.pi, records)
    away = radius[home] * random.gamma(1.5, 0.7, records)
    along = np.where(
        urban, at[home] + away * np.cos(bearing) / length, random.uniform(0, 1, records)
    )
    inland = np.where(
        urban, np.abs(off[home] + away * np.sin(bearing)), random.gamma(1.5, 1.0, records)
    )
    along, inland = np.clip(along, 0, 1), np.clip(inland, 0, 4)
    gaps = np.hypot((along[:, None] - at) * length, inland[:, None] - off) / radius
    nearest = gaps.argmin(axis=1)
    return along, inland, gaps.min(axis=1), nearest


def _quarters(
    random: np.random.Generator, along: _Floats, inland: _Floats
) -> tuple[_Floats, _Floats]:
    """Draw wealth and demand of quarters: smooth over the map, about unit variance."""
    length = float(np.hypot(*np.subtract(_SOUTH_EAST, _NORTH_WEST)))
    where = np.column_stack((along * length, inland)) / _QUARTER_DEGREES
    waves = where @ random.normal(size=(2, _QUARTERS)) + random.uniform(0, 2 * np.pi, _QUARTERS)
    heights = np.sqrt(2 / _QUARTERS) * random.normal(size=(_QUARTERS, 2))
    wealth, demand = (np.cos(waves) @ heights).T
    return wealth, demand


def _degrees(along: _Floats, inland: _Floats) -> tuple[_Floats, _Floats]:
    """Longitude and latitude of places along the coast and inland of it, to the north-east."""
    west, north = _NORTH_WEST
    east, south = _SOUTH_EAST
    length = float(np.hypot(east - west, south - north))
    longitude = west + along * (east - west) + inland * (north - south) / length
    latitude = north + along * (south - north) + inland * (east - west) / length
    return longitude, latitude
