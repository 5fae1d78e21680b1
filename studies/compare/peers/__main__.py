"""Run one tool once: ``python -m peers MODULE TASK ANSWER SECONDS BYTES``.

MODULE is a module of this package, with a dot before its name. TASK is a file with a task in JSON,
ANSWER one that is written: the answer, CPU seconds, and bytes of memory at most. A tool that takes
more of either than it may is ended by the system.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import cast

from .task import Peer, Task


def main(module: str, task: str, answer: str, seconds: str, size: str) -> None:
    """Run a tool; the arguments are those of the program."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (int(size), int(size)))
    stated = Task(**json.loads(Path(task).read_text(encoding="utf-8")))
    with redirect_stdout(sys.stderr):
        peer = cast(Peer, import_module(module, __package__))
        prepared = peer.prepare(stated)
        began = time.process_time()
        made = peer.make(prepared)
        taken = time.process_time() - began
        peak = _peak()
        found = peer.read(stated, made).as_json()
    written = json.dumps({"answer": found, "seconds": taken, "bytes": peak})
    Path(answer).write_text(written, encoding="utf-8")


def _peak() -> int:
    """Bytes of memory at most, of this program alone: what ``getrusage`` says is inherited."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


main(*sys.argv[1:])
