"""What an inflected or derived Korean form may come from, where the dictionary names one possibility or none."""

from __future__ import annotations

from collections.abc import Sequence

_FIRST_SYLLABLE = ord("가")
_FINALS = 28
_RIEUL, _DIGEUT = 8, 7
"""Final consonants by their place in a syllable's code."""
_ADVERBIAL = ("히", "이")
_LEAST_DERIVED = 3


def possible_stems(surface: str, stem: str) -> Sequence[str]:
    """Return the stems that an inflected stem may stand for.

    A form without its final rieul looks like a stem that has none: `쓰는` is of 쓰다 or 쓸다, and the dictionary
    knows such forms of one syllable by the rarer verb only. A stem in digeut is never an inflected one in rieul.
    """
    if len(surface) != 1 or len(stem) != 1:
        return (stem,)
    final = (ord(surface) - _FIRST_SYLLABLE) % _FINALS
    if final == _DIGEUT:
        return (surface,)
    if not final and ord(stem) == ord(surface) + _RIEUL:
        return (surface, stem)
    return (stem,)


def adverb_root(adverb: str) -> str | None:
    """Return `정확` of `정확히`, which is also the root of 정확하다; None for an adverb of another kind."""
    return adverb[:-1] if len(adverb) >= _LEAST_DERIVED and adverb.endswith(_ADVERBIAL) else None
