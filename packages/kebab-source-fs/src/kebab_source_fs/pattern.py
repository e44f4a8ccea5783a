"""One line of an ignore file as a regular expression for single paths. Reference: `wildmatch.c` and `dir.c` of git.

A walk judges every folder before it enters it, so a pattern matches exactly the paths that git says it matches, not
what lies below them. Every star and every `**/` but the last is possessive: it stops at the first place where what
follows matches, which finds a match if there is one, and many of them cost no more than one.

Two things are not as in git: `?` and brackets stand for one character of the NFC name, not for one byte of it; and
`a**/b`, which git (2.39) lets match `ab` too, does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

_STAR, _SLASH = "*", "/"
_NEVER = "(?!)"
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
_BRACKET_ITEM = re.compile(
    r"\[:(?P<cls>[a-z]*):\]"
    r"|(?P<low>\\.|[^\\])-(?P<high>\\.|[^\\\]])"
    r"|(?P<one>\\.|[^\\])",
    re.DOTALL,
)
_FIRST_WILDCARD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A compiled pattern.

    Attributes:
        expression: Source of a regular expression without groups, to be matched in full against a relative path (or,
            with `by_name`, its last component) that ends in `/` if it is a folder.
        is_negated: The line began with `!`.
        by_name: The pattern has no inner slash, so it looks at the last component only.
        folder_only: It ends in a slash and matches no file.
        head: A folder, empty or ending in `/`, below which everything lies that the pattern matches.
    """

    expression: str
    is_negated: bool
    by_name: bool
    folder_only: bool
    head: str


def compile_pattern(line: str) -> PathPattern | None:
    """Compile one line without its line end.

    Args:
        line: As it stands in the file.

    Returns:
        The pattern; None for comments, blank lines, and lines that git lets match nothing.
    """
    text = _trim(unicodedata.normalize("NFC", line))
    is_negated = text.startswith("!")
    body = text[is_negated:]
    if text.startswith("#") or not body.strip("/"):
        return None
    atoms = _atoms(body)
    if atoms is None:
        return None
    folder_only = atoms[-1] == _SLASH
    by_name = "/" not in body[:-1]
    segments = _segments(atoms[: -1 if folder_only else None], is_anchored=not by_name)
    if not all(segments):
        return None  # two slashes in a row are in no path
    expression = _segment(segments[0]) if by_name else _path(segments)
    return PathPattern(
        expression=f"{expression}{'/' if folder_only else '/?'}",
        is_negated=is_negated,
        by_name=by_name,
        folder_only=folder_only,
        head="" if by_name else _literal_folder(body),
    )


def _trim(line: str) -> str:
    trimmed = line.rstrip(" ")
    backslashes = len(trimmed) - len(trimmed.rstrip("\\"))
    return line[: len(trimmed) + backslashes % 2]  # a space behind an odd one belongs to the name


def _atoms(body: str) -> list[str] | None:
    """The pattern as stars, slashes and expressions of one character; None if it matches nothing."""
    atoms: list[str] = []
    position = 0
    while position < len(body):
        char = body[position]
        if char == "[":
            bracket = _bracket(body, position)
            if bracket is None:
                return None
            atom, position = bracket
        elif char == "\\":
            if body[position + 1 :] in {"", "/"}:
                return None
            char, position = body[position + 1], position + 2
            atom = _SLASH if char == "/" else re.escape(char)
        else:
            atom = char if char in {_STAR, _SLASH} else "[^/]" if char == "?" else re.escape(char)
            position += 1
        atoms.append(atom)
    return atoms


def _segments(atoms: Sequence[str], *, is_anchored: bool) -> list[list[str]]:
    segments: list[list[str]] = [[]]
    for atom in atoms:
        if atom == _SLASH:
            segments.append([])
        else:
            segments[-1].append(atom)
    return segments[1:] if is_anchored and not segments[0] else segments


def _path(segments: Sequence[Sequence[str]]) -> str:
    """The expression of a path; a segment of two or more stars stands for any number of folders."""
    if _is_any_depth(segments[-1]):
        segments = [*segments, [_STAR]]
    runs = [(deep, list(run)) for deep, run in groupby(segments, key=_is_any_depth)]
    last_deep = max((index for index, (deep, _) in enumerate(runs) if deep), default=-1)
    parts = []
    for index, (deep, run) in enumerate(runs):
        if not deep:
            slash = "/" if index < len(runs) - 1 else ""
            parts.append("/".join(_segment(segment) for segment in run) + slash)
        elif index == last_deep:
            parts.append("(?:[^/]+/)*")
        else:
            following = "/".join(_segment(segment) for segment in runs[index + 1][1])
            parts.append(f"(?:(?!{following}/)[^/]+/)*+")
    return "".join(parts)


def _is_any_depth(segment: Sequence[str]) -> bool:
    return len(segment) > 1 and set(segment) == {_STAR}


def _segment(segment: Sequence[str]) -> str:
    """The expression of one component of a path."""
    if set(segment) == {_STAR}:
        return "[^/]+"
    runs = [(star, "".join(run)) for star, run in groupby(segment, key=lambda atom: atom == _STAR)]
    last_star = max((index for index, (star, _) in enumerate(runs) if star), default=-1)
    return "".join(
        expression if not star else "[^/]*" if index == last_star else f"(?:(?!{runs[index + 1][1]})[^/])*+"
        for index, (star, expression) in enumerate(runs)
    )


def _literal_folder(body: str) -> str:
    """The folder that a pattern names before its first wildcard."""
    literal = "".join(
        takewhile(lambda part: not _FIRST_WILDCARD.match(part), re.findall(r"\\.|.", body, re.DOTALL))
    )
    path = re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL).removeprefix("/")
    head = path[: path.rfind("/") + 1]
    return "" if "//" in head or head.startswith("/") else head


def _bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """Translate the bracket expression that begins at `start`, the index of its `[`.

    Returns:
        The expression of one character, never a slash, and the index after the closing `]`; None if the bracket is
        not closed or names an unknown class, which in git makes the whole pattern match nothing.
    """
    position = start + 1
    negated = pattern[position : position + 1] in {"!", "^"}
    first = position = position + negated
    items: list[str] = []
    while position == first or pattern[position : position + 1] != "]":
        match = _BRACKET_ITEM.match(pattern, position)
        item = _bracket_item(match) if match else None
        if match is None or item is None:
            return None
        items.append(item)
        position = match.end()
    allowed = "".join(items)
    if negated:
        return f"[^/{allowed}]", position + 1
    return f"(?!/)[{allowed}]" if allowed else _NEVER, position + 1


def _bracket_item(match: re.Match[str]) -> str | None:
    if match["cls"] is not None:
        return _CLASSES.get(match["cls"])
    if match["one"] is not None:
        return re.escape(match["one"][-1])
    low, high = match["low"][-1], match["high"][-1]
    return f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
