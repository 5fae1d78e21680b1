"""Ten files about people, drawn from seeds, each with one thing that makes publishing hard.

What is sensitive depends on age, sex and place, as it does in life. Nobody in them exists.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["FILES", "File"]

_ILLNESSES = (
    *("asthma", "diabetes", "emphysema", "fracture", "gastritis"),
    *("heart disease", "influenza", "migraine"),
)
_DISTRICTS = tuple(f"{name} {side}" for name in ("Elm", "Oak", "Pine") for side in "NESW")


@dataclass(frozen=True)
class File:
    """A file, and what a user says of its columns."""

    name: str
    header: tuple[str, ...]
    rows: list[tuple[object, ...]]
    options: tuple[str, ...] = ()
    """Roles of columns, where those that are proposed would not show what the file is for."""

    @property
    def text(self) -> str:
        """The file as CSV."""
        lines = [",".join(map(str, row)) for row in (self.header, *self.rows)]
        return "\n".join(lines) + "\n"


def _person(draw: random.Random) -> tuple[int, str, str]:
    """Age, sex and district; the young live in the west."""
    age = min(int(draw.triangular(18, 95, 40)), 90)
    west = 3 if age < 35 else 1
    place = draw.choices(_DISTRICTS, [west if name.endswith("W") else 1 for name in _DISTRICTS])[0]
    return age, draw.choice(("female", "male")), place


def _illness(draw: random.Random, age: int, sex: str, district: str) -> str:
    old, man, oak = max(age - 50, 0), sex == "male", district.startswith("Oak")
    return draw.choices(
        _ILLNESSES,
        (
            *(8 + 8 * oak, 4 + old / 3, 1 + (2 * old / 3 if man else old / 10)),
            *(10 + 6 * (age < 30), 9, 2 + old * (1 + man) / 2, 12, 3 if man else 9),
        ),
    )[0]


def _plain(people: int) -> File:
    draw = random.Random(1)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        person = _person(draw)
        rows.append((*person, _illness(draw, *person)))
    return File("plain", ("age", "sex", "district", "diagnosis"), rows)


def _wide(people: int) -> File:
    draw = random.Random(2)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        age, sex, district = _person(draw)
        school = draw.choices(("basic", "middle", "high", "university"), (1, 3, 3, 2 + (age < 50)))[
            0
        ]
        university = school == "university"
        rows.append(
            (
                *(age, sex, district, school),
                draw.choices(
                    ("single", "married", "divorced", "widowed"), (60 - age / 2, age, 10, age / 8)
                )[0],
                draw.choices(
                    ("office", "trade", "care", "craft", "farm", "none"),
                    (3 + 6 * university, 3, 3, 3, 1, 2 + age // 60 * 9),
                )[0],
                draw.choices(("here", "east", "south", "overseas"), (70, 12, 10, 8))[0],
                min(int(draw.expovariate(0.7)), 6),
                draw.choices(("rented", "owned", "shared"), (50, age, 60 - age / 2))[0],
                draw.choices((20, 30, 38, 40, 50), (1, 2, 3, 6, 1 + 2 * university))[0],
                draw.choices(("none", "one", "two"), (2, 6, 2 + (age > 40)))[0],
                draw.choices(("public", "private"), (7, 2 + 3 * university))[0],
                _illness(draw, age, sex, district),
            )
        )
    header = (
        *("age", "sex", "district", "school", "marital", "work", "origin", "children", "housing"),
        *("hours", "cars", "insurance", "diagnosis"),
    )
    return File("wide", header, rows)


def _skewed(people: int) -> File:
    draw = random.Random(3)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        age, sex, district = _person(draw)
        risk = 0.02 + 0.05 * (25 <= age < 45) * (sex == "male") + 0.03 * district.startswith("Pine")
        rows.append((age, sex, district, "positive" if draw.random() < risk else "negative"))
    return File("skewed", ("age", "sex", "district", "hiv"), rows)


def _codes(people: int) -> File:
    draw = random.Random(4)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        age, sex, district = _person(draw)
        unknown = draw.choices((0, 98, 99), (90, 4, 6))[0]
        children = draw.choices((min(int(draw.expovariate(0.6)), 8), 98, 99), (94, 2, 4))[0]
        rows.append(
            (unknown or min(age, 85), sex, children, district, _illness(draw, age, sex, district))
        )
    return File("codes", ("age", "sex", "children", "district", "diagnosis"), rows)


def _households(people: int) -> File:
    draw = random.Random(5)
    rows: list[tuple[object, ...]] = []
    household = 70_000
    while len(rows) < people:
        household += draw.randint(1, 9)
        size = draw.choices((1, 2, 3, 4, 5, 6), (30, 30, 15, 15, 7, 3))[0]
        age, _, district = _person(draw)
        shared = _illness(draw, age, "female", district)
        for member in range(size):
            own = max(age + draw.randint(-5, 5) - 28 * (member > 1), 0)
            sex = draw.choice(("female", "male"))
            illness = shared if draw.random() < 0.3 else _illness(draw, own, sex, district)
            rows.append((household, size, own, sex, district, illness))
    draw.shuffle(rows)
    header = ("household", "household_size", "age", "sex", "district", "diagnosis")
    return File("households", header, rows[:people], ("--attributes", "household"))


def _outliers(people: int) -> File:
    draw = random.Random(6)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        age, sex, district = _person(draw)
        income = round(draw.lognormvariate(10 + min(age, 55) / 100, 0.5), -2)
        illness = _illness(draw, age, sex, district)
        if draw.random() < 0.004:
            age = 999
        if draw.random() < 0.003:
            income = 1_000_000 * draw.randint(1, 3)
        rows.append((age, sex, int(income), district, illness))
    header = ("age", "sex", "income", "district", "diagnosis")
    return File(
        "outliers",
        header,
        rows,
        ("--quasi-identifiers", "age,sex,income,district", "--sensitive", "diagnosis"),
    )


def _visits(people: int) -> File:
    draw = random.Random(7)
    rows: list[tuple[object, ...]] = []
    for patient in range(people):
        person = _person(draw)
        usual = _illness(draw, *person)
        for _ in range(draw.choices((1, 2, 3, 4), (45, 30, 15, 10))[0]):
            illness = usual if draw.random() < 0.4 else _illness(draw, *person)
            rows.append((40_000 + 3 * patient, *person, illness))
    draw.shuffle(rows)
    header = ("patient", "age", "sex", "district", "diagnosis")
    return File("visits", header, rows, ("--respondent", "patient"))


def _described(people: int) -> File:
    draw = random.Random(8)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        age, sex, district = _person(draw)
        illness = _illness(draw, age, sex, district)
        code = 110 + 7 * _ILLNESSES.index(illness) + draw.randint(0, 1)
        rows.append((age, sex, district, code, illness))
    header = ("age", "sex", "district", "ward", "diagnosis")
    return File(
        "described",
        header,
        rows,
        ("--quasi-identifiers", "age,sex,district,ward", "--sensitive", "diagnosis"),
    )


def _attribute(people: int) -> File:
    draw = random.Random(9)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        person = _person(draw)
        illness = _illness(draw, *person)
        cost = draw.lognormvariate(6 + 0.2 * _ILLNESSES.index(illness), 0.7)
        rows.append((*person, illness, f"{cost:.2f}"))
    header = ("age", "sex", "district", "diagnosis", "cost")
    return File("attribute", header, rows, ("--sensitive", "diagnosis", "--attributes", "cost"))


def _small(people: int) -> File:
    draw = random.Random(10)
    rows: list[tuple[object, ...]] = []
    for _ in range(people):
        person = _person(draw)
        kind = _ILLNESSES.index(_illness(draw, *person))
        number = (4 * kind + draw.choices(range(5), (8, 4, 2, 1, 1))[0]) % 30
        rows.append((*person, f"D{number:02}"))
    return File("small", ("age", "sex", "district", "diagnosis"), rows)


FILES: Sequence[File] = (
    _plain(4_000), _wide(3_000), _skewed(6_000), _codes(3_000), _households(5_000),
    _outliers(3_000), _visits(2_000), _described(2_000), _attribute(3_000), _small(300),
)  # fmt: skip
