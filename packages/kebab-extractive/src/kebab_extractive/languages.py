"""Which language a question is in."""

from __future__ import annotations

_HANGUL = ("가", "힣")
_KOREAN_SHARE = 0.2


def is_korean(text: str) -> bool:
    """Return whether a fifth of the letters of a text are Korean: Latin words stand in Korean all the time."""
    letters = [char for char in text if char.isalpha()]
    korean = sum(_HANGUL[0] <= char <= _HANGUL[1] for char in letters)
    return korean > 0 and korean >= _KOREAN_SHARE * len(letters)
