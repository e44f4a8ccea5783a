"""Options of the process, from its command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """One knowledge base, and what is to come of its screens."""

    config: Path | None = None
    """Configuration file; None takes the default one."""
    readonly: bool = False
    """Refuse every write."""
    debug: bool = False
    """Log everything."""
    query: str = ""
    """Text that stands in the box at first."""
    picks: bool = False
    """Enter ends the screens, and the chosen address is printed."""
    prints_path: bool = False
    """Print the path of the file in place of the address."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the flags of a command line; an unknown one ends the process with 2.

    Args:
        arguments: Without the program's name.
    """
    parser = argparse.ArgumentParser(
        prog="python -m kebab_tui", description="Show a knowledge base in the terminal."
    )
    parser.add_argument("query", nargs="?", default="", help="text that stands in the box at first")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration file instead of the default one"
    )
    parser.add_argument("--readonly", action="store_true", help="refuse every write (also KEBAB_READONLY=1)")
    parser.add_argument("--debug", action="store_true", help="log everything")
    parser.add_argument("--pick", action="store_true", help="print the address that is chosen")
    parser.add_argument("--path", action="store_true", help="with --pick: print the path of its file")
    given = parser.parse_args(arguments)
    return Options(
        config=given.config,
        readonly=given.readonly,
        debug=given.debug,
        query=given.query,
        picks=given.pick,
        prints_path=given.path,
    )
