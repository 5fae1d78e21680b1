"""People who are breached, guesses and claims of attackers, and the price of protection."""

from __future__ import annotations

from bkpriv_client.terminal import Advance
from studies.attacks.design import Design
from studies.attacks.trial import Played, Site
from studies.figure import Figure, Lines, Row

__all__ = ["BASELINE", "FIGURES"]

BASELINE = "the baseline, without the release"
"""Name of the baseline beside attackers."""


def _named(played: Played) -> dict[str, str]:
    """Columns that tell releases apart."""
    kind = played.kind
    return {
        "table": played.table,
        "policy": kind.policy,
        "method": kind.method,
        "release": kind.name,
    }


def _breached(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Count the people whom each attacker breaches."""
    return [
        {
            **_named(played),
            "attacker": played.attack.name,
            "people": int(played.found["people"]),
            "not_inferred": int(played.found.get("not_inferred", 0)),
            "breached": int(played.found["breached"]),
            "worst": played.found["worst"],
        }
        for played in site.played(advance)
    ]


def _guesses(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Measure how often the most likely value is right, without the release and with it."""
    rows: list[Row] = []
    for played in site.played(advance):
        found, named = played.found, _named(played)
        if played.attack.attacker == "majority":
            rows.append(
                {
                    **named,
                    "attacker": BASELINE,
                    "accuracy": found["baseline_accuracy"],
                    "log_loss": found["baseline_log_loss"],
                }
            )
        rows.append(
            {
                **named,
                "attacker": played.attack.name,
                "accuracy": found["accuracy"],
                "log_loss": found["log_loss"],
            }
        )
    return rows


def _claims(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Count what attackers are sure of, and how much of it is true."""
    rows: list[Row] = []
    for played in site.played(advance):
        claimed, right = (int(played.found[name]) for name in ("claimed", "claimed_right"))
        rows.append(
            {
                **_named(played),
                "attacker": played.attack.name,
                "claimed": claimed,
                "right": right,
                "share": right / claimed if claimed else None,
            }
        )
    return rows


def _price(site: Site, design: Design, advance: Advance) -> list[Row]:
    """Set the loss of each release beside the most people whom one attacker breaches."""
    worst: dict[tuple[str, str], Played] = {}
    for played in site.played(advance):
        place = played.table, played.kind.name
        if place not in worst or played.found["breached"] > worst[place].found["breached"]:
            worst[place] = played
    return [
        {
            **_named(played),
            "gcp": played.lost["gcp"],
            "average_class_size": played.lost["average_class_size"],
            "suppressed_share": played.lost["suppressed_share"],
            "attacker": played.attack.name,
            "breached": int(played.found["breached"]),
        }
        for played in worst.values()
    ]


FIGURES = (
    Figure(
        "breached",
        "People breached: the attacker is sure and right, the baseline was not sure",
        _breached,
        Lines(
            x="breached",
            y="release",
            x_label="people breached",
            y_label="release",
            series="attacker",
            panel="table",
            across="symlog",
            joined=False,
        ),
    ),
    Figure(
        "guesses",
        "Values that are guessed right",
        _guesses,
        Lines(
            x="accuracy",
            y="release",
            x_label="share of people whose value is guessed",
            y_label="release",
            series="attacker",
            panel="table",
            joined=False,
        ),
    ),
    Figure(
        "claims",
        "Claims that are right, of those of which an attacker is more than 90 % sure",
        _claims,
        Lines(
            x="share",
            y="release",
            x_label="share of claims that are right",
            y_label="release",
            series="attacker",
            panel="table",
            joined=False,
        ),
    ),
    Figure(
        "price",
        "Loss of detail, and people breached by the most successful attacker",
        _price,
        Lines(
            x="gcp",
            y="breached",
            x_label="global certainty penalty",
            y_label="people breached",
            series="policy",
            panel="table",
            scale="symlog",
            joined=False,
        ),
    ),
)
