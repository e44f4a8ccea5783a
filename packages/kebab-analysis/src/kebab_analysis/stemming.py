"""Snowball's English stemmer, loaded at the first word and remembered."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from kebab_core import DependencyMissingError

if TYPE_CHECKING:
    from collections.abc import Callable

_CACHED_WORDS = 1 << 16


class EnglishStemmer:
    """The Snowball ("Porter 2") stemmer. Safe to share between threads."""

    def __init__(self) -> None:
        # A stemmer of the library works in a buffer of its own, so that two threads must not use it at once.
        self._lock = Lock()
        self._stem_word: Callable[[str], str] | None = None
        self._stems: dict[str, str] = {}

    def stem(self, word: str) -> str:
        """Return the stem of a lower-case English word.

        Raises:
            DependencyMissingError: The stemmer is not installed.
        """
        known = self._stems.get(word)
        return known if known is not None else self._learn(word)

    def _learn(self, word: str) -> str:
        with self._lock:
            if self._stem_word is None:
                self._stem_word = _load_stemmer()
            stem = self._stem_word(word)
            if len(self._stems) >= _CACHED_WORDS:
                self._stems = {}
            self._stems[word] = stem
        return stem


def _load_stemmer() -> Callable[[str], str]:
    try:
        from Stemmer import Stemmer
    except ModuleNotFoundError as error:
        raise DependencyMissingError(
            "English text cannot be stemmed: PyStemmer is not installed", hint="pip install PyStemmer"
        ) from error
    stem_word: Callable[[str], str] = Stemmer("english").stemWord
    return stem_word
