"""Run the command line: ``python -m bkpriv_core.cli``."""

from bkpriv_core.cli import main

main()
