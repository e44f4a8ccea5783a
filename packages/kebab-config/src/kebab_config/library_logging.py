"""What libraries read of the environment by themselves."""

from __future__ import annotations

import os

_DEFAULTS = {"LANCEDB_LOG": "off"}
"""LanceDB writes its warnings to stderr, past Python's logging, unless this is set when it is imported."""


def quiet_libraries() -> None:
    """Keep libraries from writing to stderr; what the user has set stays. Call it before they are imported."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
