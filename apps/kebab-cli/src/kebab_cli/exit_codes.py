"""Exit codes of every command, and the message of one that was interrupted. Imports next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

SUCCESS = 0
NO_RESULT = 1
"""No hit, a refusal, or an evaluation that got worse."""
ERROR = 2
UNHEALTHY = 3
INTERRUPTED = 130


def print_interrupted(arguments: Sequence[str], text: str = "interrupted") -> None:
    """Print that the command was interrupted; with `--json` or `--quiet` the exit code says it alone."""
    if "--quiet" not in arguments and "--json" not in arguments:
        with suppress(OSError):
            below = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C where the cursor stands
            print(f"{below}{text}", file=sys.stderr)  # noqa: T201 - click may not be loaded yet
