"""People whom all releases together expose, month by month, and the loss of each release."""

from __future__ import annotations

from bkpriv_client.terminal import Advance
from studies.again.course import Course
from studies.again.design import BOUNDS, Design
from studies.figure import Figure, Lines, Row

__all__ = ["FIGURES"]


def _exposed(course: Course, design: Design, advance: Advance) -> list[Row]:
    """Count the people whom all releases up to each month's expose, by each bound."""
    return [
        {
            "way": month.way,
            "bound": BOUNDS[requirement],
            "month": month.month,
            "people": month.people,
            "exposed": told.exposed,
            "share": told.exposed / month.people,
            "worst": told.worst,
            "estimator": told.estimator,
        }
        for month in course.measured(design, advance)
        for requirement, told in month.told.items()
    ]


def _lost(course: Course, design: Design, advance: Advance) -> list[Row]:
    """Measure the loss of each month's release; the naive one is the table published afresh."""
    return [
        {
            "way": month.way,
            "month": month.month,
            "people": month.people,
            "gcp": month.utility["gcp"],
            "average_class_size": month.utility["average_class_size"],
            "groups": month.groups,
            "suppressed": month.suppressed,
        }
        for month in course.measured(design, advance)
    ]


FIGURES = (
    Figure(
        "exposed",
        "People whom all releases so far expose",
        _exposed,
        Lines(
            x="month",
            y="share",
            x_label="month",
            y_label="share of all people",
            series="way",
            panel="bound",
        ),
    ),
    Figure(
        "detail",
        "Loss of detail of each month's release",
        _lost,
        Lines(
            x="month",
            y="gcp",
            x_label="month",
            y_label="global certainty penalty",
            series="way",
        ),
    ),
)
