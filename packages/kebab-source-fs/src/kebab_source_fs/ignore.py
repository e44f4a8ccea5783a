"""Ordered ignore patterns and their verdict on one path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kebab_source_fs.pattern import PathPattern, compile_pattern


class PatternLine(NamedTuple):
    """A pattern as it is written, and on which line or at which place of a list, from 1."""

    text: str
    number: int
    takes_back: bool
    """Whether it begins with `!`, so that what it matches is not ignored."""


class RuleSet:
    """The patterns of one ignore file, or of one list in the configuration.

    The last matching pattern decides. A verdict is about the path itself: that everything below an ignored folder
    is ignored, and cannot be taken back, follows from the walk not entering it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        written = [
            (pattern, PatternLine(line, number, takes_back=pattern.is_negated))
            for number, line in enumerate(lines, start=1)
            if (pattern := compile_pattern(line)) is not None
        ]
        patterns = [pattern for pattern, _ in written]
        self._last_first = [
            (re.compile(pattern.expression, re.DOTALL), pattern.by_name, line)
            for pattern, line in reversed(written)
        ]
        self._any_name = _any_of([pattern for pattern in patterns if pattern.by_name])
        self._any_path = _any_of([pattern for pattern in patterns if not pattern.by_name])
        self.takes_back = any(pattern.is_negated for pattern in patterns)
        """Whether a verdict may be False."""
        self._file_heads = tuple({pattern.head for pattern in patterns if not pattern.folder_only})

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return True if the path matches, False if a later `!` takes that back, None if nothing matches."""
        line = self.deciding(path, is_folder=is_folder)
        return None if line is None else not line.takes_back

    def deciding(self, path: str, *, is_folder: bool) -> PatternLine | None:
        """Return the pattern that decides about a path, None where nothing matches.

        Args:
            path: Relative to the folder that the rules belong to; NFC, `/` between components.
            is_folder: Whether patterns that end in `/` may match.
        """
        path = f"{path}/" if is_folder else path
        name = path[path.rfind("/", 0, -1) + 1 :]
        if not (
            (self._any_name is not None and self._any_name.fullmatch(name))
            or (self._any_path is not None and self._any_path.fullmatch(path))
        ):
            return None
        for expression, by_name, line in self._last_first:
            if expression.fullmatch(name if by_name else path):
                return line
        return None

    def may_classify_files(self, prefix: str) -> bool:
        """True if there may be a verdict on a file directly in a folder.

        Args:
            prefix: Path of the folder as in `deciding`, empty or ending in `/`.
        """
        return prefix.startswith(self._file_heads)

    def __bool__(self) -> bool:
        return bool(self._last_first)


def _any_of(patterns: Sequence[PathPattern]) -> re.Pattern[str] | None:
    """Return one expression for the common case that no pattern matches; None where there is no pattern."""
    if not patterns:
        return None
    return re.compile("|".join(f"(?:{pattern.expression})" for pattern in patterns), re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleStack:
    """Nested ignore files of one name: those of outer folders first.

    A file deeper in the tree overrides those above it, as in git.
    """

    levels: tuple[tuple[str, RuleSet], ...] = ()
    """Prefix of the folder (empty, or ending in `/`) and its rules."""

    def below(self, prefix: str, rules: RuleSet | None) -> RuleStack:
        """Return the stack inside the folder of that prefix."""
        return RuleStack((*self.levels, (prefix, rules))) if rules else self

    def may_classify_files(self, prefix: str) -> bool:
        """True if a file directly in the folder of that prefix may be ignored."""
        return any(rules.may_classify_files(prefix[len(above) :]) for above, rules in self.levels)

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """True if a path, relative to the source, is ignored; folders above it must not be."""
        found = self.deciding(path, is_folder=is_folder)
        return found is not None and not found[1].takes_back

    def deciding(self, path: str, *, is_folder: bool) -> tuple[str, PatternLine] | None:
        """The prefix of the rules and the pattern that decide about a path; None where no pattern matches."""
        for prefix, rules in reversed(self.levels):
            line = rules.deciding(path[len(prefix) :], is_folder=is_folder)
            if line is not None:
                return prefix, line
        return None


NO_RULES = RuleStack()
