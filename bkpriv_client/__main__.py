"""Run the command line: ``python -m bkpriv_client``."""

from bkpriv_client import main

main()
