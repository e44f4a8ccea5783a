"""What a command says that was interrupted before it could say anything else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress


def say_interrupted(arguments: Sequence[str]) -> None:
    """Tell a person that the command did not come to its end; programs and who wants it quiet have the exit code."""
    if "--quiet" not in arguments and "--json" not in arguments:
        with suppress(OSError):
            below = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C where the cursor stands
            print(f"{below}interrupted", file=sys.stderr)  # noqa: T201 - click may not be loaded yet
