"""Snowball's English stemmer, loaded alone and remembered."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from kebab_core import DependencyMissingError

if TYPE_CHECKING:
    from collections.abc import Callable

_PRIVATE_PACKAGE = "_kebab_snowball"
_CACHED_WORDS = 1 << 16


class EnglishStemmer:
    """The Snowball ("Porter 2") stemmer, loaded at the first word. Safe to share between threads."""

    def __init__(self) -> None:
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
    # Importing `snowballstemmer` runs thirty languages, 120 ms of every first search (2026-11). The English module
    # and the two it needs take 10 ms, found in the package's folder under a name of our own.
    spec = find_spec("snowballstemmer")
    if spec is None or spec.submodule_search_locations is None:
        raise DependencyMissingError(
            "English text cannot be stemmed: snowballstemmer is not installed",
            hint="pip install snowballstemmer",
        )
    package = ModuleType(_PRIVATE_PACKAGE)
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules[_PRIVATE_PACKAGE] = package
    stemmer = import_module(f"{_PRIVATE_PACKAGE}.english_stemmer").EnglishStemmer()
    stem_word: Callable[[str], str] = stemmer.stemWord
    return stem_word
