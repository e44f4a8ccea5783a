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
_KEY_LINE = re.compile(r"""[ \t]*(?:#.*|["']?\w[\w .-]{0,80}+["']?\s*[:=](?:\s.*)?)""")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands above a document."""

    values: Mapping[str, JsonValue] = field(default_factory=dict)
    """Keys as written, values as JSON can say them."""
    line_count: int = 0
    """Lines of the file it takes, fences included; 0 where there is none."""
    stray_fences: tuple[int, ...] = ()
    """Lines, from 0, of the two fences around text that looks like front matter and is not."""
    warnings: tuple[str, ...] = ()

    @property
    def blank_lines(self) -> tuple[range, ...]:
        """Lines of the file, from 0, that are no part of the body."""
        return range(self.line_count), *(range(line, line + 1) for line in self.stray_fences)


def split_front_matter(text: str) -> FrontMatter:
    r"""Read the YAML (`---`) or TOML (`+++`) front matter of a text whose lines end in `\n`.

    Front matter is a mapping that begins on the line after its fence (Pandoc's rule: a blank line there makes the
    fence a thematic break). Anything else is part of the body, with a warning where there is a fence.

    Args:
        text: The whole document, its first line being line 1.

    Returns:
        The values and the lines that the body does not have.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing_pattern, parse = _FENCES[opening[1]]
    closing = closing_pattern.search(text, opening.end(), opening.end() + MAX_FRONT_MATTER_CHARS)
    if closing is None:
        return FrontMatter(warnings=(_warning(opening[1], "no line closes it"),))
    inner = text[opening.end() : closing.start()]
    first_line = inner.partition("\n")[0]
    if inner.strip() and not first_line.strip():
        return FrontMatter(warnings=(_warning(opening[1], "a blank line follows"),))
    last = text.count("\n", 0, closing.start())
    reason = "it is not a mapping of keys to values"
    try:
        values = parse(inner)
    except FrontMatterSyntaxError as error:
        values, reason = None, str(error)
    if values is not None:
        return FrontMatter(values, last + 1)
    # Else a Markdown parser would take the last lines and their closing fence for a heading.
    fences = (0, last) if _KEY_LINE.fullmatch(first_line) else ()
    return FrontMatter(stray_fences=fences, warnings=(_warning(opening[1], reason),))


def _warning(fence: str, reason: str) -> str:
    return f"the text after the first line `{fence}` is not front matter and is indexed as text: {reason}"
