"""One line of an ignore file as a matcher of single paths.

pathspec compiles the pattern. Around it, three differences from git are evened out, each covered by the comparison
with `git check-ignore` in the tests:

- pathspec's expressions also match everything below a matching folder, and `x/**` matches `x` itself. A walk judges
  every folder before it enters it, so here a pattern matches exactly the paths that git says it matches.
- Only trailing spaces are trimmed; other white space belongs to the name.
- Brackets follow git (`kebab_source_fs.bracket`), and many stars cost no more than one (`kebab_source_fs.piece`).

Two things are not as in git: `?` and brackets stand for one character of the NFC name, not for one byte of it; and
`a**/b`, which git (2.39) lets match `ab` too, does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from kebab_source_fs.piece import PLACEHOLDER, Piece, cut_pieces

_ANY_DEPTH = re.compile(r"\*{2,}")
_FOLDERS = re.compile(r"\(\?:\.\+/\)\?|\(\?:/\.\+\)\?/")
"""What pathspec makes of `**/` at the beginning, and of `/**/`."""


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A compiled pattern.

    Attributes:
        expression: Source of a regular expression without named groups, to be matched in full against a relative
            path (or, with `by_name`, its last component) that ends in `/` if it is a folder.
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
    if text.startswith("#") or not body.strip("/") or PLACEHOLDER in body:
        return None
    pieces = cut_pieces(body)
    if pieces is None:
        return None
    shape = "".join(piece.shape for piece in pieces)
    by_name = "/" not in body[:-1]
    expression = _compile_shape(_exact(shape if by_name else f"/{shape.removeprefix('/')}"))
    if expression is None:
        return None
    return PathPattern(
        expression=_with_bounded_depths(_fill(expression, pieces)),
        is_negated=is_negated,
        by_name=by_name,
        folder_only=shape.endswith("/"),
        head="" if by_name else _literal_folder(pieces),
    )


def _literal_folder(pieces: Iterable[Piece]) -> str:
    """Return the folder that a pattern names before its first wildcard."""
    literal = takewhile(lambda piece: piece.text[0] not in "*?[", pieces)
    path = "".join(piece.text[-1] for piece in literal).removeprefix("/")
    head = path[: path.rfind("/") + 1]
    return "" if "//" in head or head.startswith("/") else head


def _trim(line: str) -> str:
    trimmed = line.rstrip(" ")
    backslashes = len(trimmed) - len(trimmed.rstrip("\\"))
    return line[: len(trimmed) + backslashes % 2]  # a space behind an odd one belongs to the name


def _exact(shape: str) -> str:
    """Return a pattern for which pathspec's expression, matched in full, is git's verdict on one path."""
    is_folder_only = shape.endswith("/")
    segments = (shape[:-1] if is_folder_only else shape).split("/")
    segments = ["**" if _ANY_DEPTH.fullmatch(segment) else segment for segment in segments]
    if segments[-1] == "**":
        segments.append("*")
    # A lone `*` makes pathspec take a short cut that is not anchored; `?*` means the same.
    segments = ["?*" if segment == "*" else segment for segment in segments]
    return "/".join(segments) + ("/" if is_folder_only else "")


def _compile_shape(shape: str) -> str | None:
    # The `!` keeps a leading `#` or `!` of the pattern proper from being read as a mark.
    try:
        expression, _ = GitIgnoreSpecPattern.pattern_to_regex(f"!{shape}")
    except GitIgnorePatternError:
        return None
    return None if expression is None else expression.replace("?P<ps_d>", "?:")


def _fill(expression: str, pieces: Iterable[Piece]) -> str:
    own = [piece.expression for piece in pieces if piece.expression is not None]
    head, *rest = expression.split(PLACEHOLDER)
    return head + "".join(part + after for part, after in zip(own, rest, strict=True))


def _with_bounded_depths(expression: str) -> str:
    """Return an expression in which every `**/` but the last stops at the first folder where what follows it matches.

    That finds a match if there is one, as with the stars of a name, and keeps a pattern with many `**/` from taking
    time that grows with the depth of a path to the power of their number.
    """
    first, *between = _FOLDERS.split(expression)
    if not between:
        return expression
    slash = "" if first == "^" else "/"
    *bounded, last = between
    parts = [f"(?:(?!{names}/)[^/]+/)*+{names}/" for names in bounded]
    return f"{first}{slash}{''.join(parts)}(?:[^/]+/)*{last}"
