"""Bracket expressions of gitignore patterns (`[a-z]`, `[!x]`, `[[:digit:]]`) as regular expressions.

pathspec hands brackets to `re` nearly as they stand, which warns about nested sets, fails on reversed ranges, knows
neither POSIX classes nor escapes inside brackets, and lets `[!x]` match a slash. Reference: `wildmatch.c` of git.
"""

from __future__ import annotations

import re

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_NEVER = "(?!)"
_ITEM = re.compile(
    r"\[:(?P<cls>[a-z]*):\]"
    r"|(?P<low>\\.|[^\\])-(?P<high>\\.|[^\\\]])"
    r"|(?P<one>\\.|[^\\])",
    re.DOTALL,
)


def translate_bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """Translate the bracket expression that begins at `start`.

    Args:
        pattern: A gitignore pattern.
        start: Index of the opening `[`.

    Returns:
        The regular expression of one character, never a slash, and the index after the closing `]`; None if the
        bracket is not closed or names an unknown class, which in git makes the whole pattern match nothing.
    """
    position = start + 1
    negated = pattern[position : position + 1] in {"!", "^"}
    first = position = position + negated
    items: list[str] = []
    while position == first or pattern[position : position + 1] != "]":
        match = _ITEM.match(pattern, position)
        item = _item(match) if match else None
        if match is None or item is None:
            return None
        items.append(item)
        position = match.end()
    return _one_character("".join(items), negated=negated), position + 1


def _item(match: re.Match[str]) -> str | None:
    if match["cls"] is not None:
        return _CLASSES.get(match["cls"])
    if match["one"] is not None:
        return re.escape(match["one"][-1])
    low, high = match["low"][-1], match["high"][-1]
    return f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""


def _one_character(items: str, *, negated: bool) -> str:
    if negated:
        return f"[^/{items}]"
    return f"(?!/)[{items}]" if items else _NEVER
