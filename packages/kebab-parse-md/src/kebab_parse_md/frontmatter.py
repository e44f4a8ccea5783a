"""Where front matter ends and the document begins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from kebab_parse_md.frontmatter_syntax import FrontMatterSyntaxError, parse_toml, parse_yaml

MAX_FRONT_MATTER_CHARS = 128 * 1024
"""Anything longer is not meant as front matter."""

_FENCES = {
    "---": (re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE), parse_yaml),
    "+++": (re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE), parse_toml),
}
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\n")
_KEY_LINE = re.compile(r"""\s*(?:#.*|["']?[\w][\w .-]*["']?\s*[:=](?:\s.*|$))""")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands above a document."""

    values: Mapping[str, JsonValue] = field(default_factory=dict)
    """Keys as written, values as JSON can say them."""
    line_count: int = 0
    """Lines of the file it takes, fences included; 0 where there is none."""
    warnings: tuple[str, ...] = ()


def split_front_matter(text: str) -> FrontMatter:
    r"""Read the YAML (`---`) or TOML (`+++`) front matter of a text whose lines end in `\n`.

    A fenced block that cannot be read but looks like keys and values is front matter with a warning and no
    values. One that is prose between two thematic breaks is no front matter.

    Args:
        text: The whole document, its first line being line 1.

    Returns:
        The values and how many lines they take.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing_pattern, parse = _FENCES[opening[1]]
    closing = closing_pattern.search(text, opening.end(), opening.end() + MAX_FRONT_MATTER_CHARS)
    if closing is None:
        return FrontMatter()
    inner = text[opening.end() : closing.start()]
    line_count = text.count("\n", 0, closing.start()) + 1
    try:
        values = parse(inner)
    except FrontMatterSyntaxError as error:
        if not _looks_like_keys(inner):
            return FrontMatter()
        return FrontMatter({}, line_count, (f"front matter could not be read: {error}",))
    return FrontMatter(values, line_count) if values is not None else FrontMatter()


def _looks_like_keys(inner: str) -> bool:
    lines = [line for line in inner.split("\n") if line.strip()]
    return bool(lines) and _KEY_LINE.fullmatch(lines[0]) is not None
