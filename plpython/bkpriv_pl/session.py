"""Start of a session: one interpreter, one version of the packages, from one directory.

The directory comes from the extension's SQL, where it was written when the extension was built. It
goes first on the module path, the user's own site-packages leave it, and every package that counts
must have come from it: a server process is no place to run modules of uncertain origin. What has
been started is loaded as it is called: a session waits for what it uses.
"""

from __future__ import annotations

import importlib
import os
import site
import sys
from types import ModuleType

import plpy

__all__ = ["PACKAGES", "Topics", "check_origin", "start"]

PACKAGES = ("numpy", "scipy", "bkpriv_core", "bkpriv_pl")
"""Packages that must come from the extension's own directory."""

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Topics:
    """The modules whose functions the SQL calls, by name; each is imported when first asked for.

    If the packages were replaced since the session began, what it has not yet loaded is gone.
    """

    def __getattr__(self, topic: str) -> ModuleType:
        try:
            module = importlib.import_module(f"bkpriv_pl.{topic}")
        except ModuleNotFoundError as error:
            plpy.error(
                "Python packages of this session are not there any more",
                detail=f"{error}. Another version may have been installed in their place.",
                hint="Reconnect.",
                sqlstate="55000",
            )
        setattr(self, topic, module)
        return module


def start(path: str) -> Topics:
    """Prepare the interpreter, and hand out the topics.

    Parameters
    ----------
    path : str
        The extension's own directory of packages.

    Raises
    ------
    plpy.Error
        If a package was loaded from elsewhere, or has another version than the extension.
    """
    if "numpy" not in sys.modules:
        # A backend is one process of many; numpy would start a thread per core.
        for variable in _THREADS:
            os.environ.setdefault(variable, "1")
    strange = {path, site.getusersitepackages()}
    sys.path[:] = [path, *(entry for entry in sys.path if entry not in strange)]
    for package in PACKAGES:
        importlib.import_module(package)
        check_origin(package, path)
    expected = plpy.execute("SELECT bkpriv.version() AS version")[0]["version"]
    for package in ("bkpriv_core", "bkpriv_pl"):
        version = sys.modules[package].__version__
        if version != expected:
            plpy.error(
                f"Python package {package} has version {version}, the extension {expected}",
                detail=f"It was loaded from {path}.",
                hint="Reconnect; if that does not help, install both from the same source.",
                sqlstate="55000",
            )
    return Topics()


def check_origin(package: str, path: str) -> None:
    """Refuse a package that was loaded from elsewhere than the extension's own directory."""
    origin = os.path.realpath(sys.modules[package].__file__ or "")
    if not origin.startswith(os.path.realpath(path) + os.sep):
        plpy.error(
            f"Python package {package} was loaded from another place in this session",
            detail=f"It came from {origin}, not from {path}.",
            hint="Reconnect, and call bkpriv before other PL/Python functions.",
            sqlstate="55000",
        )
