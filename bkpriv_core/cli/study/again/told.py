"""Whom all releases together expose, month by month, and what each loses."""

from __future__ import annotations

from collections.abc import Callable

from bkpriv_core.cli.study.again.course import Course, Measured
from bkpriv_core.cli.study.again.design import BOUNDS, Design
from bkpriv_core.cli.study.figure import Figure, Lines, Row
from bkpriv_core.cli.terminal import Advance

__all__ = ["FIGURES"]

_Measure = Callable[[Course, Design, Advance], list[Measured]]
_OfCourse = Figure[Course, Design]


def _exposed(name: str, title: str, measure: _Measure) -> _OfCourse:
    """Whom all releases up to each month's expose, by each bound."""

    def rows(course: Course, design: Design, advance: Advance) -> list[Row]:
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
            for month in measure(course, design, advance)
            for requirement, told in month.told.items()
        ]

    picture = Lines(
        x="month",
        y="share",
        x_label="month",
        y_label="share of all people",
        series="way",
        panel="bound",
    )
    return Figure(name, title, rows, picture)


def _lost(name: str, title: str, measure: _Measure) -> _OfCourse:
    """What each month's release costs; the naive one is the table published afresh."""

    def rows(course: Course, design: Design, advance: Advance) -> list[Row]:
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
            for month in measure(course, design, advance)
        ]

    picture = Lines(
        x="month",
        y="gcp",
        x_label="month",
        y_label="global certainty penalty",
        series="way",
    )
    return Figure(name, title, rows, picture)


FIGURES = (
    _exposed("exposed", "People whom all releases so far expose", Course.everybody),
    _lost("detail", "Loss of detail of each month's release", Course.everybody),
    _exposed(
        "sample_exposed", "People whom all releases so far expose, of few people", Course.sample
    ),
    _lost("sample_detail", "Loss of detail of each month's release, of few people", Course.sample),
)
