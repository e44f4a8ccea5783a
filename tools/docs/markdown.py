"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; `|` and line breaks in cells are made harmless."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def render_code(text: str) -> str:
    """Return `text` as an inline code span, empty text as nothing."""
    if not text:
        return ""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def join_parts(parts: Iterable[str]) -> str:
    """Return parts of a page with one empty line between them and a line break at the end."""
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
