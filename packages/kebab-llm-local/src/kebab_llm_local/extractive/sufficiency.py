"""How much of a question its best sentence must hold before anything is quoted.

Measured behind a gate of 0.30 (2026-11); the numbers are in `docs/decisions/0010`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kebab_llm_local.extractive.asked import AskedWord

LEAST_COVERAGE = 0.2
"""Share of the telling words below which a sentence says nothing about the question."""
_ENOUGH = 0.4
_ENOUGH_FOR_UNKNOWN = 0.55
_UNKNOWN_SHARE = 0.4
_SMALL_CORPUS = 200
"""Chunks below which a word that none of them holds may just be another way to say it."""


def needed_coverage(words: Sequence[AskedWord], *, corpus_size: int) -> float:
    """Return the share of the telling words that the best sentence must hold, in [0, 1].

    A question with a name or a number that no chunk holds, or most of whose weight is on such words, most likely is
    about something else; then what is left of it must weigh the more.

    Args:
        words: Those of the question.
        corpus_size: How many chunks there are.
    """
    unknown = [word for word in words if not word.is_known]
    if any(word.is_name for word in unknown):
        return _ENOUGH_FOR_UNKNOWN
    if corpus_size < _SMALL_CORPUS:
        return LEAST_COVERAGE
    share = sum(word.weight for word in unknown) / (sum(word.weight for word in words) or 1.0)
    return _ENOUGH_FOR_UNKNOWN if share > _UNKNOWN_SHARE else _ENOUGH
