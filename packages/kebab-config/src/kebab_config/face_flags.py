"""Flags of every face, which `kebab` hands to the process that takes its place."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class FaceFlags:
    """One knowledge base, and how it is opened."""

    config: Path | None = None
    """Configuration file; None takes the default one."""
    readonly: bool = False
    """Refuse every write."""
    debug: bool = False
    """Log everything."""


def build_flag_parser(module: str, description: str) -> argparse.ArgumentParser:
    """Build a parser with the flags of every face, whose values have the names of the fields of `FaceFlags`.

    Args:
        module: What is run, as by `python -m`.
        description: Of the face.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration file instead of the default one"
    )
    parser.add_argument("--readonly", action="store_true", help="refuse every write (also KEBAB_READONLY=1)")
    parser.add_argument("--debug", action="store_true", help="log everything")
    return parser
