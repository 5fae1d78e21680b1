"""META.json keeps the rules of PGXN, and what it names is there."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.docs.documents import ROOT
from tests.packages.pgxn import faults

META = json.loads((ROOT / "META.json").read_text())


def test_meta_keeps_the_rules_and_names_files_that_are_there() -> None:
    assert faults(META) == []
    for extension in META["provides"].values():
        assert (ROOT / extension["file"]).is_file()
        assert (ROOT / extension["docfile"]).is_file()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["name"], "two words"),
        (["name"], None),
        (["version"], "0.3"),
        (["version"], "0.03.0"),
        (["abstract"], ""),
        (["maintainer"], []),
        (["license"], "PostgreSQL License"),
        (["license"], {"own": "no address"}),
        (["release_status"], "alpha"),
        (["tags"], ["a/b"]),
        (["tags"], ["x" * 257]),
        (["unheard"], "of"),
        (["provides"], {}),
        (["provides", "bkpriv", "file"], None),
        (["provides", "bkpriv", "version"], "1"),
        (["provides", "bkpriv", "unheard"], "of"),
        (["prereqs", "running"], {}),
        (["prereqs", "runtime", "needs"], {}),
        (["prereqs", "runtime", "requires", "PostgreSQL"], "14"),
        (["prereqs", "runtime", "requires", "PostgreSQL"], ">= 14.0.0 < 18.0.0"),
        (["meta-spec", "version"], "2.0.0"),
        (["meta-spec", "url"], "pgxn.org"),
    ],
)
def test_what_breaks_a_rule_is_found(path: list[str], value: Any) -> None:
    meta = copy.deepcopy(META)
    *above, key = path
    place = meta
    for name in above:
        place = place[name]
    if value is None:
        del place[key]
    else:
        place[key] = value
    (fault,) = faults(meta)
    assert fault.startswith(path[0])


@pytest.mark.parametrize(
    "versions", [0, "14.0.0", ">= 14.0.0", ">= 14.0.0, < 19.0.0, != 15.0.1", "1.0.0-rc1"]
)
def test_versions_may_be_bounds(versions: str | int) -> None:
    meta = copy.deepcopy(META)
    meta["prereqs"]["runtime"]["requires"]["PostgreSQL"] = versions
    assert faults(meta) == []
