"""Files like those that anybody may download, drawn from a seed, and untidy as these are.

In the manner of a health survey (NHANES), of a file of codes without names (cmc), of a census of
blocks of houses (California), and of a shop's receipts. What is sensitive depends on who one is, as
it does there. Their people are drawn; nothing of a file was found anywhere.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable

__all__ = ["blocks", "choices", "receipts", "survey"]


def _lines(rows: Iterable[Iterable[object]], delimiter: str, end: str = "\n") -> str:
    return "".join(delimiter.join(map(str, row)) + end for row in rows)


def survey(records: int, seed: int = 1) -> bytes:
    """Health survey: codes, refused (7, 77) and unknown (9, 99) among them, weights, ``.``."""
    draw = random.Random(seed)
    rows: list[list[object]] = [
        [
            "SEQN",
            "RIDAGEYR",
            "RIAGENDR",
            "RIDRETH3",
            "DMDEDUC2",
            "INDFMPIR",
            "WTMEC2YR",
            "SMD650",
            "BMXBMI",
            "DIQ010",
        ]
    ]
    for number in range(records):
        age = min(draw.randint(20, 85), 80)
        sex = draw.randint(1, 2)
        origin = draw.choices((1, 2, 3, 4, 6, 7), (12, 10, 36, 24, 13, 5))[0]
        school = draw.choices((1, 2, 3, 4, 5, 7, 9), (70, 100, 220, 310, 290, 2, 5))[0]
        income = min(draw.lognormvariate(0.7 + 0.1 * min(school, 5), 0.6), 5.0)
        mass = draw.gauss(25 + age / 20 + (origin == 4), 5)
        smoked = draw.choices((0, draw.randint(1, 40), 777, 999), (670, 280, 20, 30))[0]
        risk = max(0.0, 0.002 * (age - 25) + 0.012 * (mass - 25) + 0.05 * (origin in (1, 2, 4)))
        sick = draw.choices((1, 2, 3, 7, 9), (risk, 1 - risk, 0.15 * risk, 0.001, 0.002))[0]
        rows.append(
            [
                109263 + number,
                age,
                sex,
                origin,
                school,
                "." if draw.random() < 0.1 else f"{income:.2f}",
                f"{draw.lognormvariate(10, 0.8):.6f}",
                smoked,
                "" if draw.random() < 0.05 else f"{max(mass, 14):.1f}",
                sick,
            ]
        )
    return _lines(rows, ",").encode("ascii")


def choices(records: int, seed: int = 1) -> bytes:
    """Codes without names of columns: age, schooling, children, faith, work, living, choice."""
    draw = random.Random(seed)
    rows: list[list[object]] = []
    for _ in range(records):
        age = draw.randint(16, 49)
        school = draw.choices((1, 2, 3, 4), (10, 22, 28, 40))[0]
        his = min(4, max(1, school + draw.choice((-1, 0, 0, 1))))
        children = min(int(draw.expovariate(1 / max(0.2, (age - 16) / 6))), 12)
        chosen = draw.choices(
            (1, 2, 3),
            (
                30 + 4 * max(age - 35, 0) + 30 * (children == 0),
                4 + 8 * school * (children > 0),
                20 + 2 * max(35 - age, 0) + 6 * children,
            ),
        )[0]
        rows.append(
            [
                age,
                school,
                his,
                children,
                int(draw.random() < 0.85),
                int(draw.random() < 0.75),
                draw.randint(1, 4),
                draw.choices((1, 2, 3, 4), (9, 16, 29, 46))[0],
                int(draw.random() < 0.07),
                chosen,
            ]
        )
    return _lines(rows, ", ").encode("ascii")


def blocks(records: int, seed: int = 1) -> bytes:
    """Blocks of houses: coordinates, whole numbers as floats, values capped at 500001."""
    draw = random.Random(seed)
    rows: list[list[object]] = [
        [
            "longitude",
            "latitude",
            "housing_median_age",
            "total_rooms",
            "population",
            "households",
            "median_income",
            "median_house_value",
            "ocean_proximity",
        ]
    ]
    towns = ((-122.2, 37.8, 1.4), (-118.3, 34.0, 1.2), (-117.1, 32.8, 1.1), (-119.8, 36.7, 0.6))
    for _ in range(records):
        x, y, price = draw.choices(towns, (25, 45, 15, 15))[0]
        longitude, latitude = draw.gauss(x, 0.3), draw.gauss(y, 0.3)
        households = int(draw.lognormvariate(6, 0.6)) + 2
        income = min(max(draw.lognormvariate(1.2 + 0.3 * (price - 1), 0.45), 0.4999), 15.0001)
        value = 45000 * price * income * draw.lognormvariate(0.1, 0.25)
        near = "INLAND" if price < 1 else draw.choice(("NEAR BAY", "<1H OCEAN", "NEAR OCEAN"))
        rows.append(
            [
                f"{longitude:.2f}",
                f"{latitude:.2f}",
                f"{min(draw.randint(2, 60), 52)}.0",
                f"{int(households * draw.uniform(4, 7))}.0",
                f"{int(households * draw.uniform(2, 4))}.0",
                f"{households}.0",
                f"{income:.4f}",
                f"{min(round(value, -2), 500001)}",
                near,
            ]
        )
    return _lines(rows, ",").encode("ascii")


_SHOPS = ("Orléans", "Besançon", "Nîmes", "Saint-Étienne", "Lyon 3ᵉ".replace("ᵉ", "e"))
_GOODS = ("Épicerie", "Pharmacie", "Vêtements", "Boissons alcoolisées", "Bébé", "Jardin & été")


def receipts(people: int, seed: int = 1) -> bytes:
    """Receipts of customers who come several times: DD/MM/YYYY, ``1 234,50 €``, cp1252, CRLF."""
    draw = random.Random(seed)
    rows: list[list[object]] = []
    for person in range(people):
        born = draw.randint(1935, 2006)
        sex = draw.choice("FH")
        shop = draw.choices(_SHOPS, (30, 25, 20, 15, 10))[0]
        for _ in range(draw.choices((1, 2, 3, 4), (40, 30, 20, 10))[0]):
            goods = draw.choices(
                _GOODS,
                (
                    30,
                    5 + max(1985 - born, 0) * 0.6,
                    18 if sex == "F" else 9,
                    6 if sex == "F" else 14,
                    20 if 1980 <= born <= 2000 else 1,
                    2 + max(1975 - born, 0) * 0.3,
                ),
            )[0]
            day = datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randrange(366))
            paid = f"{draw.lognormvariate(3.6, 1.1):,.2f}".replace(",", "\xa0").replace(".", ",")
            rows.append(
                [
                    f"C{10000 + person}",
                    day.strftime("%d/%m/%Y"),
                    shop,
                    born,
                    sex,
                    goods,
                    f"{paid} €",
                ]
            )
    draw.shuffle(rows)
    head = ["N° client", "Date", "Magasin", "Année de naissance", "Sexe", "Rayon", "Montant"]
    return _lines([head, *rows], ";", "\r\n").encode("cp1252")
