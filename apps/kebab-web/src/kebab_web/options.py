"""Options of the process, from its command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 8420


@dataclass(frozen=True, kw_only=True)
class Options:
    """One knowledge base, and how its page is served."""

    config: Path | None = None
    """Configuration file; None takes the default one."""
    readonly: bool = False
    """Refuse every write."""
    debug: bool = False
    """Log everything."""
    port: int | None = None
    """None takes `DEFAULT_PORT`, or the next that is free; 0 a free one."""
    opens_browser: bool = True
    link: str = ""
    """Link to the first page that is shown, as `links.parse_link` reads it; empty for the home page."""
    watches: bool = False
    """Read files as they are saved."""
    is_demo: bool = False
    """Serve kebab's own guides, in a temporary folder."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the flags of a command line; an unknown one ends the process with 2.

    Args:
        arguments: Without the program's name.
    """
    parser = argparse.ArgumentParser(
        prog="python -m kebab_web", description="Serve the local page of a knowledge base."
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration file instead of the default one"
    )
    parser.add_argument("--readonly", action="store_true", help="refuse every write (also KEBAB_READONLY=1)")
    parser.add_argument("--debug", action="store_true", help="log everything")
    parser.add_argument("--port", type=int, help=f"port of this machine; 0 takes a free one [{DEFAULT_PORT}]")
    parser.add_argument("--no-open", action="store_true", help="open no browser; print the address alone")
    parser.add_argument("--open", default="", metavar="LINK", help="kebab: link that the browser shows first")
    parser.add_argument("--watch", action="store_true", help="read files as they are saved")
    parser.add_argument("--demo", action="store_true", help="serve kebab's own guides, in a temporary folder")
    given = parser.parse_args(arguments)
    return Options(
        config=given.config,
        readonly=given.readonly,
        debug=given.debug,
        port=given.port,
        opens_browser=not given.no_open,
        link=given.open,
        watches=given.watch,
        is_demo=given.demo,
    )
