"""Trials: one tool publishes one sample of a table, in a process of its own, and is measured.

Rules
-----
- A process has a limit of CPU time and of memory. What becomes of a tool that exceeds one, or
  fails, is said in its own words and is a result.
- All of a process run in one thread. CPU seconds are those of publishing alone, without reading the
  table or starting Python; memory is the process's peak.
- The same sample, questions and baseline serve all tools.
- An independent judge, pyCANON, says what bounds the groups of a table's first sample keep.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bkpriv_client.adult import read_adult
from bkpriv_client.failure import ClientError
from bkpriv_client.hospital import hospital
from bkpriv_client.source import Column, Source
from bkpriv_client.terminal import Advance, step
from bkpriv_core import __version__
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.query.counting import CellCounts
from bkpriv_core.query.workload import Workload, draw_workload
from bkpriv_core.table.groups import FloatArray
from studies.cells import code_cells
from studies.census import census
from studies.compare.design import ATTACKERS, BOUNDS, Design, Extent, Tool
from studies.compare.peers.task import Answer, Task
from studies.compare.published import Data, answer_counts, breached, count_errors, loss, published
from studies.houses import houses

__all__ = ["PYTHON", "Run", "Sample", "Site", "Trial", "as_task", "enter", "run"]

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
PYTHON = _ROOT / ".build" / "compare" / "bin" / "python"
"""Python of the environment that holds the other tools."""

_DRAWN = {"hospital": hospital, "houses": houses, "census": census}
"""Functions that draw each table but Adult."""

_JUDGE = ".pycanon"
_JUDGED = ("k", "l", "t", "beta")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")
_WAIT = 30
"""Multiple of its CPU time that a process may take by the clock: machines are shared."""


@dataclass(frozen=True)
class Run:
    """Outcome of a process."""

    outcome: str
    """Outcome in words: "published", or what went wrong."""
    answer: Answer | None = None
    seconds: float | None = None
    megabytes: float | None = None


def run(module: str, task: Task, *, seconds: int, size: int) -> Run:
    """Run a module of `peers`, or our own, in a process.

    Args:
        module: The module, relative to `peers`.
        seconds, size: CPU time, and bytes of memory, that it may take.
    """
    own = module.startswith("..")
    command = [sys.executable, "-m", "studies.compare.peers"] if own else [PYTHON, "-m", "peers"]
    with tempfile.TemporaryDirectory() as directory:
        asked, answered = Path(directory, "task.json"), Path(directory, "answer.json")
        asked.write_text(json.dumps(asdict(task)), encoding="utf-8")
        try:
            ended = subprocess.run(
                [*command, module, asked, answered, str(seconds), str(size)],
                cwd=_ROOT if own else _HERE,
                env={**os.environ, **dict.fromkeys(_THREADS, "1")},
                capture_output=True,
                text=True,
                timeout=_WAIT * seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(f"waited for longer than {_WAIT * seconds} s")
        if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Run(f"took more than {seconds} s")
        if ended.returncode:
            return Run(f"failed: {_last(ended.stderr)}")
        found = json.loads(answered.read_text(encoding="utf-8"))
    return Run("published", Answer(**found["answer"]), found["seconds"], found["bytes"] / 1_000_000)


def _last(printed: str) -> str:
    """The last line that was printed: of an exception its message."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return (lines or ["without a word"])[-1][:200]


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample of a table, and what is asked about it."""

    number: int
    source: Source
    data: Data
    threat: ThreatModel
    """Setting in which attackers' beliefs are measured."""
    workload: Workload
    actual: FloatArray
    """Shape (q,). True counts."""

    @classmethod
    def of(cls, number: int, source: Source, design: Design) -> Sample:
        """Code a sample, and draw the counts."""
        data = Data(*code_cells(source))
        workload = draw_workload(
            data.table.domains,
            design.queries,
            design.dimensions,
            design.selectivity,
            np.random.default_rng(design.seed),
        )
        actual = CellCounts.of(data.table).answer(workload)
        return cls(number, source, data, ThreatModel(data.table), workload, actual)


@dataclass(frozen=True)
class Trial:
    """Trial of a tool with a sample."""

    table: str
    records: int
    sample: int
    bounds: str
    tool: Tool
    outcome: str
    """Outcome in words; see `Run`."""
    seconds: float | None = None
    megabytes: float | None = None
    """CPU time and memory that it took."""
    figures: Mapping[str, float | None] = field(default_factory=dict)


class Site:
    """Samples that all tools publish; figures share what was tried once."""

    def __init__(self, adult: Source, design: Design, versions: Mapping[str, str]) -> None:
        self._adult = adult
        self._design = design
        self._tried: list[Trial] = []
        self.versions = versions

    def tried(self, advance: Advance) -> Sequence[Trial]:
        """Have all tools publish all samples, unless that has been done."""
        if not self._tried:
            self._tried = list(self._trials(advance))
        return self._tried

    def _trials(self, advance: Advance) -> Iterator[Trial]:
        """Have each tool publish each sample, some of them abreast."""
        design = self._design
        asked = [
            (extent, number, tool)
            for extent in design.extents
            for number in range(extent.samples)
            for tool in design.tools
        ]
        with ProcessPoolExecutor(design.abreast) as pool:
            for done, trials in enumerate(pool.map(self._tried_by, *zip(*asked, strict=True))):
                advance(done / len(asked), asked[done][0].table)
                yield from trials

    def _tried_by(self, extent: Extent, number: int, tool: Tool) -> list[Trial]:
        """Have a tool publish a sample in all ways."""
        bounds = [name for name in tool.bounds if name in extent.bounds]
        source = self._source(extent, number)
        if not bounds or not applies(tool, source):
            return []
        sample = Sample.of(number, source, self._design)
        return [try_tool(tool, name, sample, extent, self._design) for name in bounds]

    def _source(self, extent: Extent, number: int) -> Source:
        """Draw a sample."""
        seed = self._design.seed + number
        if extent.table == "Adult":
            return _part(self._adult, extent.records, seed)
        assert extent.records is not None
        return _DRAWN[extent.table](extent.records, seed)


def _part(source: Source, records: int | None, seed: int) -> Source:
    """Random records of a table."""
    if records is None:
        return source
    chosen = np.random.default_rng(seed).choice(source.records, records, replace=False)
    return replace(
        source,
        columns={
            name: Column(column.type, [column.values[record] for record in chosen.tolist()])
            for name, column in source.columns.items()
        },
    )


def applies(tool: Tool, source: Source) -> bool:
    """Whether a tool has the hierarchies that it needs."""
    numbers = [name for name in source.quasi_identifiers if source.columns[name].type != "text"]
    return not tool.by_levels or all(name in source.intervals for name in numbers)


def as_task(
    source: Source,
    bounds: Mapping[str, Any],
    options: Mapping[str, Any],
    questions: Sequence[Mapping[str, Sequence[Any]]] = (),
) -> Task:
    """Write a sample as a task."""
    columns: dict[str, list[Any]] = {}
    hierarchies: dict[str, list[list[Any]]] = {}
    for name in (*source.quasi_identifiers, source.sensitive):
        column = source.columns[name]
        read = {"integer": int, "text": str}.get(column.type, float)
        columns[name] = [read(value) for value in column.values]
        if name in source.hierarchies:
            hierarchies[name] = [list(row) for row in source.hierarchies[name]]
        elif name in source.intervals:
            hierarchies[name] = _interval_rows(columns[name], source.intervals[name])
        elif column.type == "text":
            hierarchies[name] = [[value, "*"] for value in sorted(set(columns[name]))]
    return Task(
        columns=columns,
        quasi_identifiers=list(source.quasi_identifiers),
        sensitive=source.sensitive,
        hierarchies=hierarchies,
        intervals={name: list(widths) for name, widths in source.intervals.items()},
        policy=dict(bounds),
        options=dict(options),
        questions=[{name: list(values) for name, values in each.items()} for each in questions],
    )


def _interval_rows(values: Sequence[int], widths: Sequence[int]) -> list[list[Any]]:
    """Rows of nested half-open intervals, counted from 0."""
    return [
        [value, *(f"[{value // w * w}, {value // w * w + w}[" for w in widths), "*"]
        for value in sorted(set(values))
    ]


def questions_of(workload: Workload) -> list[dict[str, list[Any]]]:
    """Counts as the values that each column may have."""
    asked: list[dict[str, list[Any]]] = []
    for query in range(len(workload)):
        question: dict[str, list[Any]] = {}
        for attribute in np.flatnonzero(workload.queried[query]).tolist():
            domain = workload.domains[attribute]
            codes = np.flatnonzero(workload.chosen[attribute][query])
            question[domain.name] = (
                [domain.labels[code] for code in codes.tolist()]
                if domain.positions is None
                else domain.positions[codes].tolist()
            )
        asked.append(question)
    return asked


def try_tool(tool: Tool, bounds: str, sample: Sample, extent: Extent, design: Design) -> Trial:
    """Have a tool publish a sample, and measure what it published."""
    questions = questions_of(sample.workload) if "epsilon" in BOUNDS[bounds] else ()
    task = as_task(sample.source, BOUNDS[bounds], tool.options, questions)
    done = run(tool.module, task, seconds=extent.seconds, size=design.bytes)
    trial = Trial(
        extent.table,
        sample.source.records,
        sample.number,
        bounds,
        tool,
        done.outcome,
        done.seconds,
        done.megabytes,
    )
    if done.answer is None:
        return trial
    if done.answer.counts:
        error = count_errors(sample.actual, np.array(done.answer.counts))
        return replace(trial, figures={"error": error})
    try:
        release = published(sample.data, done.answer)
    except ValueError as error:
        return replace(trial, outcome=f"published what is not true: {error}")
    if not release.published:
        return replace(trial, outcome="published nothing", figures={"loss": 1.0, "left_out": 1.0})
    attackers = ATTACKERS if extent.attacked else {}
    figures: dict[str, float | None] = {
        "loss": loss(release),
        "left_out": 1 - release.published / sample.source.records,
        "groups": len(release.groups),
        "error": count_errors(sample.actual, answer_counts(release, sample.workload)),
        **judged(sample, done.answer, extent, design),
        **breached(release, sample.threat, attackers),
    }
    return replace(trial, figures=figures)


def judged(
    sample: Sample, answer: Answer, extent: Extent, design: Design
) -> dict[str, float | None]:
    """Bounds that the groups of published records keep, as pyCANON finds; of the first sample."""
    if sample.number or not extent.judged:
        return dict.fromkeys(_JUDGED)
    source = sample.source
    rows = [json.dumps(row, sort_keys=True) for row in answer.shown]
    kept = [record for record, group in enumerate(answer.groups) if group >= 0]
    values = source.columns[source.sensitive].values
    task = Task(
        columns={
            "shown": [rows[answer.groups[record]] for record in kept],
            source.sensitive: [values[record] for record in kept],
        },
        quasi_identifiers=["shown"],
        sensitive=source.sensitive,
        hierarchies={},
        intervals={},
        policy={},
    )
    found = run(_JUDGE, task, seconds=extent.seconds, size=design.bytes)
    if found.answer is None:
        return dict.fromkeys(_JUDGED)
    return dict(zip(_JUDGED, found.answer.counts, strict=True))


def enter(path: Path, design: Design) -> Callable[[Console], AbstractContextManager[Site]]:
    """Return what enters the site, with the Adult data read."""

    @contextmanager
    def entered(console: Console) -> Iterator[Site]:
        if not PYTHON.is_file():
            raise ClientError(
                f"{PYTHON} is missing",
                detail="It is the environment of the tools that are compared.",
                hint="Run make compare, which makes it.",
            )
        with step(console, f"Reading {path}"):
            source = read_adult(path)
        yield Site(source, design, _versions(design.tools))

    return entered


def _versions(tools: Sequence[Tool]) -> dict[str, str]:
    """Versions of the tools' packages."""
    packages = sorted({tool.package for tool in tools} - {"bkpriv"})
    program = (
        "import json, sys; from importlib.metadata import distributions; "
        "found = {each.name: each.version for each in distributions()}; "
        "print(json.dumps({name: found.get(name, 'none') for name in sys.argv[1:]}))"
    )
    printed = subprocess.run(
        [PYTHON, "-c", program, *packages], capture_output=True, text=True, check=True
    )
    return {"bkpriv": __version__, **json.loads(printed.stdout)}
