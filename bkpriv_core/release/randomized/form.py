"""The randomized form: records that were drawn, and how each attribute was distorted.

There are no groups. A reader sees single values of the attributes' types, any of which may be
another than the true one, and estimates counts by what the channels are; both stand in views.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from bkpriv_core.progress import SILENT, Progress
from bkpriv_core.query.grouping import Query
from bkpriv_core.randomization.channel import Channel
from bkpriv_core.randomization.drawn import Drawn
from bkpriv_core.release.randomized.joint import RandomizedJoint
from bkpriv_core.release.randomized.tally import RandomizedTally
from bkpriv_core.release.release import Exhibit, Field, Form, Release

if TYPE_CHECKING:
    from bkpriv_core.release.rewriting.fragment import ShownColumn

__all__ = ["Randomized"]


@dataclass(frozen=True, eq=False)
class Randomized(Form):
    """Records that were drawn through a channel for each attribute."""

    channels: tuple[Channel, ...] | None = None
    """Channels, one for each attribute, the sensitive one last. A form in which nothing is shown
    yet has none.
    """
    drawn: Drawn | None = None
    name = "randomized"
    exhibits: ClassVar[Mapping[Exhibit, Mapping[Field, str]]] = {
        "records": {
            "quasi_identifiers": "Quasi-identifier, the row's own or another drawn in its place",
            "sensitive": "Sensitive value, the row's own or another drawn in its place",
        },
        "randomization": {
            "attribute": "Name of an attribute",
            "value": "A value of it, as the records show it",
            "retention": "Probability that a record with this value shows it",
            "flip_probability": "Probability that a record with another value shows this one",
        },
    }
    about: ClassVar[Mapping[Exhibit, str]] = {
        "records": "One row for each record. Any value may be another than the record's own; a "
        "second view tells by what chance. Counts are to be estimated, not read off.",
        "randomization": "One row for each value of each attribute, with the chances by which "
        "records show another than their own.",
    }

    @property
    def shown(self) -> tuple[tuple[Channel, ...], Drawn]:
        """Return the distortion of each attribute, and the records."""
        assert self.channels is not None
        assert self.drawn is not None
        return self.channels, self.drawn

    def with_drawn(self, channels: tuple[Channel, ...], drawn: Drawn) -> Randomized:
        """See `Form`."""
        return replace(self, channels=channels, drawn=drawn)

    def tally(self, release: Release) -> RandomizedTally:
        """See `Form`."""
        return RandomizedTally(release.domains, *self.shown)

    def joint(self, release: Release, progress: Progress = SILENT) -> RandomizedJoint:
        """See `Form`."""
        return RandomizedJoint(release.domains, *self.shown, progress)

    def rewrite(
        self,
        release: Release,
        query: Query,
        views: Mapping[Exhibit, str],
        columns: Sequence[ShownColumn],
        progress: Progress = SILENT,
    ) -> str:
        """See `Form`."""
        channels, _ = self.shown
        from bkpriv_core.release.randomized.rewriting import rewrite_randomized

        return rewrite_randomized(
            release.domains, channels, query, views["records"], columns=columns, progress=progress
        )
