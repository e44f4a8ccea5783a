"""Where the process of `kebab` begins: light, so that Ctrl-C is heard before anything else is loaded."""

from __future__ import annotations

import gc
import sys

from kebab_cli.exit_codes import INTERRUPTED

_NEW_OBJECTS = 100_000
"""How many new objects make Python look for cycles; what is loaded for a search is twice that, and lasts."""


def start() -> None:
    """Load and run the command line; an interrupt, however early, ends the process with one word at most."""
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    try:
        from kebab_cli.main import main

        main()
    except KeyboardInterrupt:
        from kebab_cli.last_word import say_interrupted

        say_interrupted(sys.argv[1:])
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()  # Python looks for cycles once more as it ends: over everything, and for nothing
