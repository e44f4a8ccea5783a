"""Entry point of the process: imports next to nothing, so that Ctrl-C is handled before the rest is loaded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from contextlib import suppress

from kebab_cli.exit_codes import INTERRUPTED

_NEW_OBJECTS = 100_000
"""Allocations before a garbage collection; a search loads twice as many objects, which all last."""


def start() -> None:
    """Load and run the command line; an interrupt, however early, ends the process without a traceback."""
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    try:
        from kebab_cli.main import main

        main()
    except KeyboardInterrupt:
        print_interrupted(sys.argv[1:])
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()  # spares the collection at exit, which would look at every object for nothing


def print_interrupted(arguments: Sequence[str]) -> None:
    """Print `interrupted`; with `--json` or `--quiet` the exit code says it alone."""
    if "--quiet" not in arguments and "--json" not in arguments:
        with suppress(OSError):
            below = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C where the cursor stands
            print(f"{below}interrupted", file=sys.stderr)  # noqa: T201 - click may not be loaded yet
