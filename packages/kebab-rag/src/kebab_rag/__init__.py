"""Answers that rest on passages: prompts, the check of the text that a model wrote, and the claims of an answer.

Retriever, document store, model and clock come in through the Protocols of `kebab_core`.

    >>> from kebab_rag import find_markers, show_markers
    >>> find_markers("맞다 [#2], 또 [#1] [1] vec![1]")
    (2, 1)
    >>> show_markers("맞다 [#2]")
    '맞다 [2]'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_rag.claim_checks import ClaimChecker as ClaimChecker
    from kebab_rag.claim_reply import WrittenClaim as WrittenClaim
    from kebab_rag.claims import PassageReader as PassageReader
    from kebab_rag.evidence_search import search_evidence as search_evidence
    from kebab_rag.evidence_sentences import NumberedEvidence as NumberedEvidence
    from kebab_rag.markers import find_markers as find_markers, show_markers as show_markers
    from kebab_rag.pipeline import RagPipeline as RagPipeline
    from kebab_rag.quoted_words import WordRange as WordRange, find_words as find_words
    from kebab_rag.refusals import show_score as show_score, show_threshold as show_threshold
    from kebab_rag.request import AskRequest as AskRequest, answer_language as answer_language

__getattr__, __dir__ = lazy_exports(__name__)
