"""Fresh examples of every property, for a given time: ``make fuzz [TIME=seconds] [SEED=number]``.

Rounds follow each other until the time is over, each of all properties, in an order and with
examples that follow from its seed, which is printed: the one that is given or drawn, then the
numbers after it. An example that fails is printed, with what its test needs to try it again; it is
kept in ``.hypothesis``, tried first by the next round, and to be committed as ``@example``.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time


def main() -> int:
    """Run rounds until the time is over; 1 if an example failed in one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=float, default=600.0, help="seconds; the default is 600")
    parser.add_argument("--seed", type=int, default=None, help="of the first round")
    given, arguments = parser.parse_known_args()
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    end = time.time() + given.time
    failed: list[int] = []
    while (left := end - time.time()) > 0:
        print(f"fuzz: seed {seed}, {left:.0f} s left", flush=True)
        if not _round(seed, end, arguments):
            failed.append(seed)
        seed += 1
    print(f"fuzz: examples failed with seeds {failed}" if failed else "fuzz: no example failed")
    return int(bool(failed))


def _round(seed: int, end: float, arguments: list[str]) -> bool:
    """Try every property once, or those that begin before the end; whether none failed."""
    command = [sys.executable, "-m", "pytest", f"--hypothesis-seed={seed}", "-q", *arguments]
    environment = {**os.environ, "BKPRIV_FUZZ_UNTIL": repr(end)}
    return subprocess.run(command, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
