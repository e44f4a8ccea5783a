"""Globs over workspace paths."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BRACKET = re.compile(r"\[[!^]?\]?[^\]]*\]")
_WITHIN_NAME = {"*": "[^/]*", "?": "[^/]"}
_DOUBLE_STAR = re.compile(r"\*{2,}")


def path_matches(glob: str, path: str) -> bool:
    """Tell whether a whole path matches a gitignore-style glob.

    `*` and `?` match within one name, `**` across names (also none), `[a-z]` and `[!a-z]` one character, a
    backslash takes the next character as it is. A final `/` means everything below. Both are compared in NFC.

    Args:
        glob: As the user wrote it; a leading `/` is ignored. An unclosed bracket stands for itself.
        path: A workspace path, in NFC.

    Returns:
        Whether the glob matches from the first to the last character.
    """
    return _compiled(glob).fullmatch(path) is not None


@lru_cache(maxsize=64)
def _compiled(glob: str) -> re.Pattern[str]:
    pattern = unicodedata.normalize("NFC", glob).removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        piece, position = _translate_at(pattern, position)
        parts.append(piece)
    return re.compile("".join(parts), re.DOTALL)


def _translate_at(pattern: str, at: int) -> tuple[str, int]:
    """Return the expression for what stands at a position, and the position after it."""
    char = pattern[at]
    if match := _DOUBLE_STAR.match(pattern, at):
        starts_name = at == 0 or pattern[at - 1] == "/"
        if starts_name and pattern.startswith("/", match.end()):
            return "(?:.*/)?", match.end() + 1
        return ".*", match.end()
    if char in _WITHIN_NAME:
        return _WITHIN_NAME[char], at + 1
    if char == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2
    if match := _BRACKET.match(pattern, at):
        return _translate_bracket(match[0][1:-1]), match.end()
    return re.escape(char), at + 1


def _translate_bracket(body: str) -> str:
    if not body:
        return re.escape("[]")
    negated = body[0] in "!^"
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[negated:])
    members = _without_reversed_ranges(members)
    if not members:
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{members}]"


def _without_reversed_ranges(members: str) -> str:
    # Such as `z-a`: they match nothing, and `re` refuses them.
    return re.sub(r"(?s)([^\\])-([^\\])", lambda m: "" if m[1] > m[2] else m[0], members)
