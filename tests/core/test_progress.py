"""Names of steps: anybody who is connected to the server sees them while work is done."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from bkpriv_core.belief.knowledge import Remembered
from bkpriv_core.belief.threat_model import ThreatModel
from bkpriv_core.method import Job
from bkpriv_core.method.js_reduce import JsReduce, JsReduceOptions
from bkpriv_core.progress import Progress
from bkpriv_core.requirement import JsDivergence, KAnonymity, TCloseness
from bkpriv_core.table.chance import SeededChance
from tests.core.library import Known
from tests.core.strategies import as_parts, by_age

ROOT = Path(__file__).resolve().parents[2]

NEUTRAL = {
    *(
        "attacking",
        "certifying",
        "comparing",
        "comparing labels",
        "comparing ranges",
        "computing priors",
        "counting",
        "describing",
        "drawing",
    ),
    *(
        "improving",
        "inferring beliefs",
        "judging releases together",
        "leaving out releases",
        "measuring",
    ),
    *("optimizing", "partitioning", "reading earlier releases", "reading releases", "searching"),
    *("trying", "trying what was left out", "waiting for its turn", "waiting for writers"),
    *("weighing knowledge", "writing"),
}
"""Steps that say what work is done, and not what a policy asks for or what a release holds."""


def test_names_of_steps_say_nothing_of_what_is_published() -> None:
    names = set()
    for path in (
        path for part in ("bkpriv_core", "plpython") for path in (ROOT / part).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr != "step" or not node.args:
                continue
            (name,) = node.args
            if isinstance(name, ast.JoinedStr):
                name = name.values[0]
            assert isinstance(name, ast.Constant), ast.unparse(node)
            names.add(str(name.value).strip())
    assert names == NEUTRAL


@pytest.mark.parametrize("unfit", ["suppress", "relax", "counterfeit"])
def test_steps_are_the_same_whatever_becomes_of_what_fits_nowhere(unfit: str) -> None:
    steps: list[str] = []

    class Told(Progress):
        def step(self, name: str) -> Progress:
            steps.append(name)
            return self

    remembered = Remembered("s")
    believed = np.repeat(np.eye(3)[[0, 2, 1]], (5, 4, 6), axis=0)
    threat = ThreatModel(
        as_parts(by_age(*"ababababa", *"bababc"), range(15)), library=Known(respondents=believed)
    )
    requirements = [KAnonymity(5), TCloseness(0.4), JsDivergence(0.1, remembered)]
    options = JsReduceOptions(unfit=unfit)  # type: ignore[arg-type]
    JsReduce().certified(Job(threat, requirements, options, SeededChance(1), Told()))
    assert list(dict.fromkeys(steps)) == ["partitioning", "certifying"]
