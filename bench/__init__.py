"""Benchmarks, run by ``make bench``: every figure beside a baseline measured in the same run.

What is measured in this process, rather than through SQL, runs on one thread, as it does in the
server; that has to be said before numpy is imported.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
