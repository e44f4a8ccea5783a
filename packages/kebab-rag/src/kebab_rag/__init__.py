"""Grounded answers: the gate on evidence, packing, prompts, and the check of what a model wrote.

Knows no database, no index and no model: they come in through the Protocols of `kebab_core`.

    >>> from kebab_rag import find_markers, show_markers
    >>> find_markers("맞다 [#2], 또 [#1] [1] vec![1]")
    (2, 1)
    >>> show_markers("맞다 [#2]")
    '맞다 [2]'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_rag.gate import score_hits
    from kebab_rag.markers import find_markers, show_markers
    from kebab_rag.pipeline import RagPipeline
    from kebab_rag.places import show_score, show_threshold
    from kebab_rag.questions import answer_language
    from kebab_rag.request import AskRequest

_MODULE_OF = {
    "AskRequest": "request",
    "RagPipeline": "pipeline",
    "answer_language": "questions",
    "find_markers": "markers",
    "score_hits": "gate",
    "show_markers": "markers",
    "show_score": "places",
    "show_threshold": "places",
}

__all__ = [
    "AskRequest",
    "RagPipeline",
    "answer_language",
    "find_markers",
    "score_hits",
    "show_markers",
    "show_score",
    "show_threshold",
]

__getattr__ = lazy_loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return sorted(__all__)
