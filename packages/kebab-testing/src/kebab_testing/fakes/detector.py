"""Language detectors with plain rules."""

from __future__ import annotations

from kebab_core import UNDETERMINED_LANG


class FixedDetector:
    """Gives every text with letters the same language and keeps what it was asked."""

    def __init__(self, lang: str = "en") -> None:
        self._lang = lang
        self.asked: list[str] = []

    def detect(self, text: str) -> str:
        """Return the fixed language, `und` without letters."""
        self.asked.append(text)
        return self._lang if any(char.isalpha() for char in text) else UNDETERMINED_LANG


class HangulDetector:
    """Calls a text Korean if it holds a Hangul syllable, English if it holds another letter."""

    def detect(self, text: str) -> str:
        """Return `ko`, `en` or `und`."""
        if any("\uac00" <= char <= "\ud7a3" for char in text):
            return "ko"
        return "en" if any(char.isalpha() for char in text) else UNDETERMINED_LANG
