"""``make study``: the studies of the papers and our own, on data at hand, through SQL.

Each study is a package that says what is measured and how it is drawn; `Laboratory` measures,
`Figure` keeps what was measured and draws it, and `Study` is the way all of them go. They are run
from a checkout, with the client, and are part of no package.
"""

from __future__ import annotations

from bkpriv_client.program import program
from studies.again.command import again
from studies.amiri2016.command import amiri2016
from studies.attacks.command import attacks
from studies.compare.command import compare
from studies.guo2011.command import guo2011
from studies.li2009.command import li2009
from studies.martin2007.command import martin2007
from studies.riboni2012.command import riboni2012

__all__ = ["app"]

app = program("study")


@app.callback()
def _about() -> None:
    """Repeat a paper's study, or make our own, and write its figures, as data and as pictures."""


app.command()(again)
app.command()(amiri2016)
app.command()(attacks)
app.command()(compare)
app.command()(guo2011)
app.command()(li2009)
app.command()(martin2007)
app.command()(riboni2012)
