"""Options of the process, from its command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kebab_config import FaceFlags, build_flag_parser


@dataclass(frozen=True, kw_only=True)
class Options(FaceFlags):
    """One knowledge base, and what its screens are for."""

    query: str = ""
    """Text that stands in the box at first."""
    picks: bool = False
    """Enter ends the screens, and the chosen address is printed."""
    prints_path: bool = False
    """Print the path of the file in place of the address."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the flags of a command line, without the program's name; an unknown one ends the process with 2."""
    parser = build_flag_parser("kebab_tui", "Show a knowledge base in the terminal.")
    parser.add_argument("query", nargs="?", default="", help="text that stands in the box at first")
    parser.add_argument("--pick", action="store_true", dest="picks", help="print the address that is chosen")
    parser.add_argument(
        "--path", action="store_true", dest="prints_path", help="with --pick: print the path of its file"
    )
    return Options(**vars(parser.parse_args(arguments)))
