"""Ordered ignore patterns and their verdict on one path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kebab_source_fs.pattern import PathPattern, compile_pattern


class RuleSet:
    """The patterns of one ignore file, or of one list in the configuration.

    The last matching pattern decides. A verdict is about the path itself: that everything below an ignored folder
    is ignored, and cannot be taken back, follows from the walk not entering it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        patterns = [pattern for line in lines if (pattern := compile_pattern(line)) is not None]
        self._last_first = [
            (re.compile(pattern.expression, re.DOTALL), pattern.by_name, not pattern.is_negated)
            for pattern in reversed(patterns)
        ]
        self._any_name = _any_of(pattern for pattern in patterns if pattern.by_name)
        self._any_path = _any_of(pattern for pattern in patterns if not pattern.by_name)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return True if the path matches, False if a later `!` takes that back, None if nothing matches.

        Args:
            path: Relative to the folder that the rules belong to; NFC, `/` between components.
            is_folder: Whether patterns that end in `/` may match.
        """
        path = f"{path}/" if is_folder else path
        name = path[path.rfind("/", 0, -1) + 1 :]
        if not (self._any_name.fullmatch(name) or self._any_path.fullmatch(path)):
            return None
        for expression, by_name, verdict in self._last_first:
            if expression.fullmatch(name if by_name else path):
                return verdict
        return None

    def __bool__(self) -> bool:
        return bool(self._last_first)


def _any_of(patterns: Iterable[PathPattern]) -> re.Pattern[str]:
    """Return one expression for the common case that no pattern matches."""
    return re.compile("|".join(f"(?:{pattern.expression})" for pattern in patterns) or "(?!)", re.DOTALL)


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

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Return whether a path, relative to the source, is ignored; folders above it must not be."""
        for prefix, rules in reversed(self.levels):
            verdict = rules.verdict(path[len(prefix) :], is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False


NO_RULES = RuleStack()


def split_lines(text: str) -> list[str]:
    """Return the lines of an ignore file as git cuts them: at line feeds, dropping one carriage return."""
    return [line.removesuffix("\r") for line in text.split("\n")]
