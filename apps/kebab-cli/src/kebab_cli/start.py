"""Where the process of `kebab` begins: light, so that Ctrl-C is heard before anything else is loaded."""

from __future__ import annotations

import sys

from kebab_cli.exit_codes import INTERRUPTED


def start() -> None:
    """Load and run the command line; an interrupt, however early, ends the process with one word at most."""
    try:
        from kebab_cli.main import main

        main()
    except KeyboardInterrupt:
        from kebab_cli.last_word import say_interrupted

        say_interrupted(sys.argv[1:])
        sys.exit(INTERRUPTED)
