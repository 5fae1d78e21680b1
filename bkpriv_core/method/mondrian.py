"""Mondrian: the table is cut top-down, and shown as the extents of groups or as buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from bkpriv_core.belief.setting import Setting
from bkpriv_core.method.base import Method, Options
from bkpriv_core.partition.mondrian import mondrian
from bkpriv_core.progress import Progress
from bkpriv_core.release.bucketized.form import Bucketized
from bkpriv_core.release.form import Form
from bkpriv_core.release.generalized.form import Generalized
from bkpriv_core.requirement import Requirement
from bkpriv_core.table.groups import Groups
from bkpriv_core.table.shuffle import Shuffle

__all__ = ["Bucketize", "Mondrian"]


class Mondrian(Method[Options]):
    """Groups by `mondrian`, generalized."""

    name = "mondrian"
    form: ClassVar[Form] = Generalized()
    options = Options
    improving = True

    def partition(
        self,
        setting: Setting,
        requirements: Sequence[Requirement],
        options: Options,
        shuffle: Shuffle,
        progress: Progress,
    ) -> tuple[Setting, Groups, Form]:
        """Form groups; see `Method.partition`."""
        return setting, mondrian(setting, requirements, progress=progress), self.form


class Bucketize(Mondrian):
    """The same groups, bucketized."""

    name = "bucketize"
    form = Bucketized()
