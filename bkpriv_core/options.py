"""Options of a publication: how beliefs are judged and what becomes of awkward records."""

from __future__ import annotations

from dataclasses import dataclass

from bkpriv_core.belief.distance import DEFAULT_SMOOTHING
from bkpriv_core.belief.kernels import check_bandwidth
from bkpriv_core.belief.posterior import Estimator, check_estimator
from bkpriv_core.errors import InvalidParameter, as_json
from bkpriv_core.partition.incognito import COSTS

__all__ = ["Options", "parse_options"]


@dataclass(frozen=True)
class Options:
    """Options of a publication.

    Parameters
    ----------
    estimator : {"auto", "exact", "bethe", "omega"}
        How posteriors are inferred when the release is certified.
    smoothing : float
        Bandwidth of the belief distance over the sensitive domain, at most 1.
    materialized : bool
        Publish a materialized view instead of a view.
    nulls : {"error", "category"}
        Whether NULL is refused, or a value of its own.
    unfit : {"suppress"}
        What becomes of groups that no merger mends.
    utility : {"discernibility", "average_class_size", "gcp", "kl"}
        What method incognito chooses among minimal nodes by.
    suppression : float
        Largest share of the records that method incognito may suppress.
    seed : int, optional
        Makes the order of published rows repeatable, which gives away how they were grouped: for
        tests only.
    """

    estimator: Estimator = "auto"
    smoothing: float = DEFAULT_SMOOTHING
    materialized: bool = False
    nulls: str = "error"
    unfit: str = "suppress"
    utility: str = "discernibility"
    suppression: float = 0.0
    seed: int | None = None


_CHOICES = {
    "nulls": ("error", "category"),
    "unfit": ("suppress",),
    "utility": (*COSTS, "kl"),
}


def parse_options(options: object) -> Options:
    """Read options from decoded JSON.

    Raises
    ------
    InvalidParameter
        If it is not an object, or has an unknown key or an invalid value.
    """
    if not isinstance(options, dict):
        raise InvalidParameter(
            "options must be a JSON object",
            detail=f"They are {as_json(options)}.",
            hint="Write {} for none.",
        )
    known = tuple(Options.__dataclass_fields__)
    for key, value in options.items():
        if key not in known:
            raise InvalidParameter(
                f'there is no option "{key}"',
                detail=f"Its value is {as_json(value)}.",
                hint=f"Options are {', '.join(known)}.",
            )
        if key in _CHOICES and value not in _CHOICES[key]:
            raise InvalidParameter(
                f"option {key} is {as_json(value)}",
                detail="There is no such choice.",
                hint=f"It must be one of {', '.join(_CHOICES[key])}.",
            )
    materialized = options.get("materialized", False)
    if not isinstance(materialized, bool):
        raise InvalidParameter(
            f"option materialized must be true or false, not {as_json(materialized)}",
            detail="It is not a boolean.",
            hint="Write true for a materialized view, or leave it out.",
        )
    seed = options.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise InvalidParameter(
            f"option seed is {as_json(seed)}, which is not a whole number of at least 0",
            detail="It makes the order of published rows repeatable, for tests.",
            hint="Leave it out.",
        )
    suppression = options.get("suppression", 0.0)
    if isinstance(suppression, bool) or not isinstance(suppression, int | float):
        raise InvalidParameter(
            f"option suppression is {as_json(suppression)}, which is not a number",
            detail="It is the largest share of the records that method incognito may suppress.",
            hint="Write for example 0.01.",
        )
    if not 0.0 <= suppression < 1.0:
        raise InvalidParameter(
            f"option suppression is {suppression:g}",
            detail="It is the largest share of the records that method incognito may suppress.",
            hint="It must be at least 0 and below 1.",
        )
    check_estimator(options.get("estimator", "auto"))
    smoothing = check_bandwidth(options.get("smoothing", DEFAULT_SMOOTHING), "option smoothing")
    if smoothing > 1.0:
        raise InvalidParameter(
            f"option smoothing is {smoothing:g}",
            detail="Above 1 all values blend, and whatever an adversary learns seems little.",
            hint=f"It must be at most 1; {DEFAULT_SMOOTHING:g} is usual.",
        )
    return Options(**options)
