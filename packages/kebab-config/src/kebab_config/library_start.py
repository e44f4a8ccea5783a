"""What libraries do when they are loaded, and a short command can do without."""

from __future__ import annotations

import os

_DEFAULTS = {
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Pydantic looks through every installed distribution for plugins. OpenBLAS, which numpy loads, starts a thread for
each further core and lets it spin; kebab gives it no product that a second one would be worth."""


def lighten_libraries() -> None:
    """Let libraries start with less work; what the user has set stays. Call it before they are imported.

    For a process of kebab's own: it concerns all of the process, and its children.
    """
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
