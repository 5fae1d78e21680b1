"""Forms by the method that publishes in them, for who reads a release and makes none."""

from __future__ import annotations

from importlib import import_module

from bkpriv_core.release.release import Form

__all__ = ["form_of"]

_OTHERS = {
    "anatomy": ("bucketized", "Anatomized"),
    "bucketize": ("bucketized", "Bucketized"),
    "randomize": ("randomized", "Randomized"),
}
"""Rooms and forms of methods that do not generalize."""


def form_of(method: str) -> Form:
    """Return the form in which a method publishes, which is imported alone."""
    room, name = _OTHERS.get(method, ("generalized", "Generalized"))
    form: Form = getattr(import_module(f"bkpriv_core.release.{room}.form"), name)()
    return form
