"""Globs over workspace paths, matched in time proportional to glob times path.

There is no backtracking: the set of positions in the path that the glob can reach is advanced token by token. The set is
an integer; bit i is the position before character i of the path.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial

_TOKEN = re.compile(
    r"""
      (?P<any_folders>(?<![^/])\*{2,}/) | (?P<anything>\*{2,}) | (?P<any_of_name>\*) | (?P<one_character>\?)
    | \\(?P<escaped>.) | (?P<bracket>\[[!^]?\]?[^\]]*\]) | (?P<character>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_MEMBER = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_CACHED_GLOBS = 256
"""More globs than one search can have."""


class _Path:
    """A path, with the cached positions of texts and character classes."""

    __slots__ = ("_found", "_text", "end")

    def __init__(self, text: str) -> None:
        self.end = 1 << len(text)
        self._text = text
        self._found: dict[str | re.Pattern[str], int] = {}

    def positions(self, wanted: str | re.Pattern[str]) -> int:
        """Return the set of positions where a text starts or a character class matches."""
        found = self._found.get(wanted)
        if found is None:
            found = 0
            if isinstance(wanted, str):
                at = self._text.find(wanted)
                while at >= 0:
                    found |= 1 << at
                    at = self._text.find(wanted, at + 1)
            else:
                for match in wanted.finditer(self._text):
                    found |= 1 << match.start()
            self._found[wanted] = found
        return found

    def name_positions(self) -> int:
        """Return the set of positions before a character other than a slash."""
        return (self.end - 1) & ~self.positions("/")


_Step = Callable[[int, _Path], int]
"""Advances a set of positions by one token of the glob."""


def path_matches(glob: str, path: str) -> bool:
    """True if a whole path matches a gitignore-style glob.

    `*` and `?` match within one name, `**` across names (also none), `[a-z]` and `[!a-z]` one character, a
    backslash takes the next character as it is. A final `/` means everything below. Both are compared in NFC.

    Args:
        glob: As the user wrote it; a leading `/` is ignored. An unclosed bracket stands for itself.
        path: A workspace path, in NFC.

    Returns:
        True if the glob matches from the first to the last character.
    """
    beginning, steps = _compiled(glob)
    if not path.startswith(beginning):
        return False
    rest = _Path(path[len(beginning) :])
    reached = 1
    for step in steps:
        reached = step(reached, rest)
        if not reached:
            return False
    return bool(reached & rest.end)


@lru_cache(maxsize=_CACHED_GLOBS)
def _compiled(glob: str) -> tuple[str, tuple[_Step, ...]]:
    """Return the literal text at the start of a glob, and the steps after it."""
    pattern = unicodedata.normalize("NFC", glob).removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    tokens: list[str | _Step] = []
    for token in map(_token_of, _TOKEN.finditer(pattern)):
        if isinstance(token, str) and tokens and isinstance(tokens[-1], str):
            tokens[-1] += token
        else:
            tokens.append(token)
    beginning = tokens.pop(0) if tokens and isinstance(tokens[0], str) else ""
    steps = (partial(_literal, token) if isinstance(token, str) else token for token in tokens)
    return str(beginning), tuple(steps)


def _token_of(match: re.Match[str]) -> str | _Step:
    """Return the literal text or the step that a token stands for."""
    kind = str(match.lastgroup)
    if kind == "bracket":
        return _bracket(match[kind][1:-1])
    return _STEPS.get(kind, match[kind])


def _bracket(body: str) -> str | _Step:
    if not body:
        return "[]"
    negated = body[0] in "!^"
    members = "".join(_member(match) for match in _MEMBER.finditer(body, int(negated)))
    if not members:
        return _one_character if negated else _nothing
    return partial(_one_of, re.compile(f"(?!/)[{'^' if negated else ''}{members}]"))


def _member(match: re.Match[str]) -> str:
    low, high, char = match.groups()
    if char is not None:
        return re.escape(char)
    return f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""


def _literal(text: str, reached: int, path: _Path) -> int:
    return (reached & path.positions(text)) << len(text)


def _one_of(members: re.Pattern[str], reached: int, path: _Path) -> int:
    return (reached & path.positions(members)) << 1


def _one_character(reached: int, path: _Path) -> int:
    return (reached & path.name_positions()) << 1


def _nothing(_reached: int, _path: _Path) -> int:
    return 0


def _any_of_name(reached: int, path: _Path) -> int:
    # The carry of the sum runs to the end of each name that has a place in it.
    names = path.name_positions()
    return reached | (((reached & names) + names) ^ names)


def _anything(reached: int, path: _Path) -> int:
    first = reached & -reached
    return -first & (2 * path.end - 1)


def _any_folders(reached: int, path: _Path) -> int:
    first = reached & -reached
    return reached | (-first & path.positions("/") << 1)


_STEPS: dict[str, _Step] = {
    "any_folders": _any_folders,
    "anything": _anything,
    "any_of_name": _any_of_name,
    "one_character": _one_character,
}
