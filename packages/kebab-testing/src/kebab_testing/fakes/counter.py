"""Token counters with plain rules, for tests that need exact sizes."""

from __future__ import annotations

from kebab_core import TokenCounter


class WordCounter(TokenCounter):
    """Counts words between white space."""

    @property
    def label(self) -> str:
        """Return `words-v1`."""
        return "words-v1"

    def count(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())


class CharacterCounter(TokenCounter):
    """Counts every character but white space, so that long words can be too long."""

    @property
    def label(self) -> str:
        """Return `characters-v1`."""
        return "characters-v1"

    def count(self, text: str) -> int:
        """Return the number of code points that are not white space."""
        return len("".join(text.split()))
