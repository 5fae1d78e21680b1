"""Run a study: ``python -m studies li2009 --help``."""

from studies import app

app(prog_name="python -m studies")
