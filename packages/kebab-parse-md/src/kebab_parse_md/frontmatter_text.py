"""Lines of front matter that are indexed as text, since no metadata that is searched holds their words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby

from pydantic import JsonValue

from kebab_parse_md.frontmatter import FrontMatter
from kebab_parse_md.parsed import Lines, ParsedParagraph

_COMMENT = re.compile(r"[ \t]*#")
_KEY = re.compile(r"""\[*["']?([^\s"'\[\]#{-][^"':=\]]*+)""")
"""The key that a line at the left margin begins with, in YAML or TOML, or the name of a TOML table."""
_ADDRESSES = frozenset({"source_uri"})
"""Keys that kebab itself writes into documents that are given to it: an address, even with blanks in it."""
_LEAST_WORDS = 2
"""Fewer words are a value such as `draft`, not a text."""


def read_all_lines(text: str, front: FrontMatter) -> tuple[ParsedParagraph, ...]:
    """Return the lines between the fences as one block, none where they are blank."""
    lines = _inner_lines(text, front)
    inner = "\n".join(lines)
    return (ParsedParagraph(Lines(2, 1 + len(lines)), inner),) if inner.strip() else ()


def read_prose_lines(
    text: str, front: FrontMatter, user: Mapping[str, JsonValue]
) -> tuple[ParsedParagraph, ...]:
    """Return runs of comments, and of keys without a meaning whose values hold several words, as blocks.

    Args:
        text: The document.
        front: Its front matter.
        user: The keys without a meaning.

    Returns:
        A block for each run; all lines as one where a key with prose is not found among them.
    """
    wanted = {key.strip() for key, value in user.items() if key not in _ADDRESSES and _holds_prose(value)}
    lines = _inner_lines(text, front)
    marked = list(_mark(lines, wanted))
    if wanted - {key for _, key in marked}:
        return read_all_lines(text, front)
    blocks, number = [], 2
    for is_kept, run in groupby(marked, key=lambda each: each[0]):
        count = len(list(run))
        kept = "\n".join(lines[number - 2 : number - 2 + count]).rstrip()
        if is_kept and kept.strip():
            blocks.append(ParsedParagraph(Lines(number, number + kept.count("\n")), kept))
        number += count
    return tuple(blocks)


def _inner_lines(text: str, front: FrontMatter) -> list[str]:
    return text.split("\n", front.line_count)[1 : front.line_count - 1]


def _mark(lines: list[str], wanted: Collection[str]) -> Iterator[tuple[bool, str]]:
    """Yield whether a line is kept, and the key that it belongs to."""
    key, table = "", ""
    for line in lines:
        if found := _KEY.match(line):
            if line.startswith("["):
                table = found[1].partition(".")[0]
            key = (table or found[1]).strip()
        yield key in wanted or _COMMENT.match(line) is not None, key


def _holds_prose(value: JsonValue) -> bool:
    if isinstance(value, str):
        return sum(any(map(str.isalpha, word)) for word in value.split()) >= _LEAST_WORDS
    if isinstance(value, list):
        return any(map(_holds_prose, value))
    return isinstance(value, dict) and any(map(_holds_prose, value.values()))
