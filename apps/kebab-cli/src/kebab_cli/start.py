"""Entry point of the process: imports next to nothing, so that Ctrl-C is handled before the rest is loaded."""

from __future__ import annotations

import gc
import sys

from kebab_cli.exit_codes import INTERRUPTED, print_interrupted

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
