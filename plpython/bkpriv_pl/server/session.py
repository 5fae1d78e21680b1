"""Start of a session: one interpreter, one version of the packages, from one directory.

The directory goes first on the module path, the user's own site-packages leave it, and every
package that counts must have come from it: a server process is no place to run modules of uncertain
origin. What has been started is loaded as it is called: a session waits for what it uses.

Two things cannot wait. The linear algebra of numpy and that of scipy take memory when they are
loaded and when they first multiply, and do not bear to be refused: the one ends the process, the
other tries again for ever, deaf to cancellation. So both do that here. And a package of which only
a part was loaded may not load again: none is begun without room for the whole.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import site
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape, glob
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import plpy

from bkpriv_pl.server.memory import lifted, require_room
from bkpriv_pl.server.reporting import Refusal, reported, untraced

__all__ = ["PACKAGES", "Topics", "check_origin"]

PACKAGES = ("numpy", "scipy", "bkpriv_core", "bkpriv_pl")
"""Packages that must come from the extension's own directory."""

_ROOMS = ("asking", "publishing", "past", "tables", "server")
"""Rooms whose functions SQL calls."""

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_START = 256 * 2**20
"""Bytes that must be free for a session to start; it takes some 160 million."""

_IMPORT = 64 * 2**20
"""Bytes that must be free for an import to begin; the largest takes some 30 million."""

_FACTOR = 64
"""Rows of a matrix whose product is no longer made without memory."""


class Topics:
    """The modules whose functions the SQL calls, by name; each is imported when first asked for.

    The first starts the session. A start that fails leaves nothing, and the next call tries again.
    If the packages were replaced since the session began, what it has not yet loaded is gone.

    Args:
        path: The extension's own directory of packages.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._started = False

    @untraced
    def __getattr__(self, topic: str) -> ModuleType:
        with reported(), _uncollected():
            if not self._started:
                _start(self._path)
                self._started = True
            module = importlib.import_module(_find(topic))
        setattr(self, topic, module)
        return module


def _find(topic: str) -> str:
    """Full name of the module of a topic, which is in one of the rooms.

    Raises:
        ModuleNotFoundError: If there is none, or none any more.
    """
    for room in _ROOMS:
        name = f"bkpriv_pl.{room}.{topic}"
        if importlib.util.find_spec(name) is not None:
            return name
    raise ModuleNotFoundError(f"No module named {topic!r} in a room of bkpriv_pl")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spare what is loaded the collector: it stays, and looking through it costs a fifth more."""
    at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if at_work:
            gc.freeze()
            gc.enable()


class _Room(MetaPathFinder):
    """Finds nothing, and lets no import of the packages begin that there may not be room for."""

    roots = frozenset((*PACKAGES, "jinja2", "sqlglot"))

    def __init__(self) -> None:
        self._begun = ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # What is imported by an import has been allowed with it, and must not be stopped.
        if fullname.partition(".")[0] in self.roots and not self._at_work():
            require_room(_IMPORT, f"Loading {fullname}")
            self._begun = fullname
        return None

    def _at_work(self) -> bool:
        """Whether the module that was begun last is still on its way."""
        spec = getattr(sys.modules.get(self._begun), "__spec__", None)
        return bool(getattr(spec, "_initializing", False))


def _start(path: str) -> None:
    """Prepare the interpreter.

    Raises:
        Refusal: If a package was loaded from elsewhere, or has another version than the extension.
        NoRoom: If there may be too little memory for what is loaded.
    """
    require_room(_START, "The start of a session")
    if "numpy" not in sys.modules:
        # A backend is one process of many. A further thread would take memory of its own whenever
        # it is first used.
        os.environ.update(dict.fromkeys(_THREADS, "1"))
    strange = {path, site.getusersitepackages()}
    sys.path[:] = [path, *(entry for entry in sys.path if entry not in strange)]
    for package in PACKAGES:
        _load(package, path)
    with lifted():
        expected = plpy.execute("SELECT bkpriv.version() AS version")[0]["version"]
    for package in ("bkpriv_core", "bkpriv_pl"):
        version = sys.modules[package].__version__
        if version != expected:
            raise Refusal(
                "55000",
                f"Python package {package} has version {version}, the extension {expected}",
                detail=f"It was loaded from {path}.",
                hint="Reconnect; if that does not help, install both from the same source.",
            )
    _multiply(path)
    if not any(isinstance(finder, _Room) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Room())


def _load(package: str, path: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise Refusal(
            "55000",
            f"Python package {package} of bkpriv cannot be loaded",
            detail=f"From {path}, by Python {sys.version.split()[0]}: {error}",
            hint="Install bkpriv for this server: make install PG_CONFIG=its own pg_config.",
        ) from None
    check_origin(package, path)


def _multiply(path: str) -> None:
    """Have every library of linear algebra take the memory that it keeps."""
    import numpy as np  # not before the number of threads is settled

    factor = np.ones((_FACTOR, _FACTOR))
    product = factor @ factor
    # What comes with scipy is its own; the modules that load it are slow to import.
    for library in glob(os.path.join(escape(path), "scipy.libs", "libscipy_openblas*")):
        multiply = ctypes.CDLL(library).scipy_cblas_dgemm
        multiply.restype = None
        rows_first, as_it_is = 101, 111
        one, size = ctypes.c_double(1.0), _FACTOR
        left, result = (ctypes.c_void_p(each.ctypes.data) for each in (factor, product))
        shape = (rows_first, as_it_is, as_it_is, size, size, size)
        multiply(*shape, one, left, size, left, size, one, result, size)


def check_origin(package: str, path: str) -> None:
    """Refuse a package that was loaded from elsewhere than the extension's own directory."""
    origin = os.path.realpath(sys.modules[package].__file__ or "")
    if not origin.startswith(os.path.realpath(path) + os.sep):
        raise Refusal(
            "55000",
            f"Python package {package} was loaded from another place in this session",
            detail=f"It came from {origin}, not from {path}.",
            hint="Reconnect, and call bkpriv before other PL/Python functions.",
        )
