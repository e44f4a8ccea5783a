"""The process environment: read here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches

from kebab_config.keys import ConfigKey, config_keys

PREFIX = "KEBAB_"
SWITCHES = ("KEBAB_PROGRESS", "KEBAB_READONLY")
"""Variables that faces read and that are not settings."""


def read_environment() -> Mapping[str, str]:
    """Return a copy of the variables of this process."""
    return dict(os.environ)


def settings_variables() -> dict[str, ConfigKey]:
    """Return the variables that override a key, by name."""
    return {key.env_name: key for key in config_keys() if key.env_name is not None}


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning for each `KEBAB_*` variable that nothing reads, by name."""
    known = [*settings_variables(), *SWITCHES]
    return tuple(
        f"the variable {name} is not known and has no effect{_suggestion(name, known)}"
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in known
    )


def _suggestion(name: str, known: list[str]) -> str:
    nearest = get_close_matches(name, known, n=1)
    return f"; did you mean {nearest[0]}?" if nearest else ""
