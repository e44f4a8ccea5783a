"""Where the process of `kebab` begins: light, so that Ctrl-C is heard before anything else is loaded."""

from __future__ import annotations

import sys

from kebab_cli.exit_codes import INTERRUPTED


def start() -> None:
    """Load and run the command line; an interrupt, however early, ends the process without a word."""
    try:
        from kebab_cli.main import main

        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
