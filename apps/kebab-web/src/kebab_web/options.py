"""Options of the process, from its command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kebab_config import FaceFlags, build_flag_parser

DEFAULT_PORT = 8420


@dataclass(frozen=True, kw_only=True)
class Options(FaceFlags):
    """One knowledge base, and how its page is served."""

    port: int | None = None
    """None takes `DEFAULT_PORT`, or the next that is free; 0 a free one."""
    opens_browser: bool = True
    link: str = ""
    """Link to the first page that is shown, as `process.parse_link` reads it; empty for the home page."""
    watches: bool = False
    """Read files as they are saved."""
    is_demo: bool = False
    """Serve kebab's own guides, in a temporary folder."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the flags of a command line, without the program's name; an unknown one ends the process with 2."""
    parser = build_flag_parser("kebab_web", "Serve the local page of a knowledge base.")
    add = parser.add_argument
    add("--port", type=int, help=f"port of this machine; 0 takes a free one [{DEFAULT_PORT}]")
    add("--no-open", action="store_false", dest="opens_browser", help="print the address alone")
    add("--open", default="", dest="link", metavar="LINK", help="kebab: link that the browser shows first")
    add("--watch", action="store_true", dest="watches", help="read files as they are saved")
    add("--demo", action="store_true", dest="is_demo", help="serve kebab's own guides, in a temporary folder")
    return Options(**vars(parser.parse_args(arguments)))
