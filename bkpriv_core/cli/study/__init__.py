"""``bkpriv bench``: the studies of the papers and our own, on data at hand, through SQL.

Each study is a package that says what is measured and how it is drawn; `Laboratory` measures,
`Figure` keeps what was measured and draws it, and `Study` is the way all of them go.
"""

from __future__ import annotations

import typer

from bkpriv_core.cli.study.again.command import again
from bkpriv_core.cli.study.amiri2016.command import amiri2016
from bkpriv_core.cli.study.guo2011.command import guo2011
from bkpriv_core.cli.study.li2009.command import li2009
from bkpriv_core.cli.study.martin2007.command import martin2007
from bkpriv_core.cli.study.riboni2012.command import riboni2012

__all__ = ["bench"]

bench = typer.Typer(no_args_is_help=True)


@bench.callback()
def _about() -> None:
    """Repeat a paper's study, or make our own, and write its figures, as data and as pictures."""


bench.command()(again)
bench.command()(amiri2016)
bench.command()(guo2011)
bench.command()(li2009)
bench.command()(martin2007)
bench.command()(riboni2012)
