"""How much of a question its best sentence must hold before anything is quoted.

Measured behind a gate of 0.30 (2026-11); the numbers are in `docs/decisions/0010`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kebab_extractive.asked import AskedWord

LEAST_COVERAGE = 0.2
"""Share of the telling words below which a sentence says nothing about the question."""
NEVER = 2.0
"""More than any sentence can hold."""
_ENOUGH = 0.4
_ENOUGH_FOR_UNKNOWN = 0.55
_UNKNOWN_SHARE = 0.4
SMALL_CORPUS = 200
"""Chunks below which how rare a word is says little."""
_ENOUGH_IN_FEW = (0.6, 0.5, 0.4)
_ENOUGH_IN_FEW_FOR_UNKNOWN = (0.7, 0.55, 0.5)
"""For up to three words, four, and more: of two words both are needed, of three two, and all three where one of them
names a thing that no note has."""
_SHORT = 3


def needed_coverage(words: Sequence[AskedWord], *, corpus_size: int, is_of_event: bool = False) -> float:
    """Return the share of the telling words that the best sentence must hold.

    A question with a name, a number or a thing that no chunk holds, or most of whose weight is on such words, most
    likely is about something else; then what is left of it must weigh the more. What happens to it may be said in
    other words. A question without telling words asks for nothing: `NEVER`.

    Args:
        words: Those of the question.
        corpus_size: How many chunks there are.
        is_of_event: Whether a question asks who did something or when it happened; then that it happened must be
            known, too.
    """
    if not words:
        return NEVER
    unknown = [word for word in words if not word.is_known]
    if corpus_size < SMALL_CORPUS:
        is_thing = any(is_of_event or not word.is_loose for word in unknown)
        return (_ENOUGH_IN_FEW_FOR_UNKNOWN if is_thing else _ENOUGH_IN_FEW)[
            min(max(len(words) - _SHORT, 0), 2)
        ]
    if any(word.is_name for word in unknown):
        return _ENOUGH_FOR_UNKNOWN
    share = sum(word.weight for word in unknown) / (sum(word.weight for word in words) or 1.0)
    return _ENOUGH_FOR_UNKNOWN if share > _UNKNOWN_SHARE else _ENOUGH
