"""Exit codes of every command, flags before they are parsed, and the message of an interrupted command.

Imports next to nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SUCCESS = 0
NO_RESULT = 1
"""No hit, a refusal, or an evaluation that got worse."""
ERROR = 2
UNHEALTHY = 3
INTERRUPTED = 130


def has_flag(arguments: Sequence[str], flag: str) -> bool:
    """Whether a flag without a value is on a command line that is not parsed yet; after `--` there are none."""
    return flag in (arguments[: arguments.index("--")] if "--" in arguments else arguments)


def print_interrupted(arguments: Sequence[str], text: str = "interrupted") -> None:
    """Print that the command was interrupted; with `--json` or `--quiet` the exit code says it alone."""
    if not has_flag(arguments, "--quiet") and not has_flag(arguments, "--json"):
        try:
            below = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C where the cursor stands
            print(f"{below}{text}", file=sys.stderr)  # noqa: T201 - click may not be loaded yet
        except OSError:
            pass
