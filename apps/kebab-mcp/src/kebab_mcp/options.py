"""What the server is told when it starts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """One knowledge base, and how it is served."""

    config: Path | None = None
    """Configuration file; None takes the default one."""
    readonly: bool = False
    """Refuse every write; the tools that write are not offered."""
    debug: bool = False
    """Log everything."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Return the flags of a command line; one that is not understood ends the process with 2.

    Args:
        arguments: Without the program's name.
    """
    parser = argparse.ArgumentParser(
        prog="python -m kebab_mcp",
        description="Serve a knowledge base to agents over stdin and stdout (MCP).",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration file instead of the default one"
    )
    parser.add_argument("--readonly", action="store_true", help="refuse every write (also KEBAB_READONLY=1)")
    parser.add_argument("--debug", action="store_true", help="log everything")
    given = parser.parse_args(arguments)
    return Options(config=given.config, readonly=given.readonly, debug=given.debug)
