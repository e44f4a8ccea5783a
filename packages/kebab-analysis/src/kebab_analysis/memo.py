"""A bounded memo of a function of a text: texts repeat few words very often."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Value = TypeVar("_Value")


class Memo(dict[str, _Value]):
    """Results of `read` by its argument: `memo[key]` is `read(key)`. Safe to share between threads.

    Twice as fast as `functools.lru_cache` where nearly all keys are known, and half as large. When it is half full, its
    entries become the former ones, which are forgotten when it is half full again, unless they are asked for before.

    Args:
        read: The function; its result is never None.
        count: Maximum number of results.
        longest: Code points of the longest key; a longer one is data that will not come again.
    """

    def __init__(self, read: Callable[[str], _Value], count: int, *, longest: int = 500) -> None:
        super().__init__()
        self._read = read
        self._half = count // 2
        self._longest = longest
        self._former: dict[str, _Value] = {}

    def __missing__(self, key: str) -> _Value:
        """Return the result for a key that is not among the newer ones."""
        value = self._former.get(key)
        if value is None:
            value = self._read(key)
        if len(key) <= self._longest:
            if len(self) >= self._half:
                self._former = dict(self)
                self.clear()
            self[key] = value
        return value
