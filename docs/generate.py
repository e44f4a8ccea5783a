"""Writes docs/reference: `python -m docs.generate`, or with `--check` says which pages are not as they should be."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from docs.generators import cli, configuration, plugins, wire

REFERENCE = Path(__file__).resolve().parent / "reference"
_MARK = "<!-- Written by `python -m docs.generate`; a change by hand is lost. -->\n\n"
PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli.render,
    "config.md": configuration.render,
    "plugins.md": plugins.render,
    "wire.md": wire.render,
}


def render_pages() -> dict[str, str]:
    """Return file name to text of every generated page."""
    return {name: _MARK + render() for name, render in PAGES.items()}


def find_outdated(pages: dict[str, str]) -> list[str]:
    """Return the names of pages that are missing, differ, or that nothing generates, sorted."""
    found = {path.name: path.read_text("utf-8") for path in REFERENCE.glob("*.md")}
    return sorted(name for name in pages.keys() | found.keys() if pages.get(name) != found.get(name))


def write_pages(pages: dict[str, str]) -> None:
    """Write every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages.items():
        (REFERENCE / name).write_text(text, "utf-8")


def main() -> None:
    """Write the pages, or check them and end with exit code 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing")
    pages = render_pages()
    if not parser.parse_args().check:
        write_pages(pages)
    elif outdated := find_outdated(pages):
        sys.exit(f"not up to date: {', '.join(outdated)} (run `python -m docs.generate`)")


if __name__ == "__main__":
    main()
