"""Whether an answer would be sought for the same question: the gate that looks at the evidence before any model does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentId, SearchQuery
from kebab_search import parse_query

if TYPE_CHECKING:
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase


def tell_gate(base: KnowledgeBase, query: SearchQuery, doc_id: DocumentId, way: Way) -> None:
    """Note whether asking the question would get past the gate, and how good the file's own evidence is.

    Nothing is noted of full-text syntax, which cannot be asked.
    """
    from kebab_analysis import ScriptLanguageDetector
    from kebab_rag import answer_language, score_hits, show_score, show_threshold

    if parse_query(query.text).raw is not None:
        return
    found = base.retriever.search(query.model_copy(update={"max_tokens": None}))
    lang = answer_language(query.text, ScriptLanguageDetector())
    scores = score_hits(found.hits, question_lang=lang, documents=found.coverage.documents_indexed)
    own = max(
        (score for hit, score in zip(found.hits, scores, strict=True) if hit.doc_id == doc_id), default=0.0
    )
    gate = base.loaded.settings.rag.score_gate
    detail = f"evidence {show_score(scores[0] if scores else 0.0)}, of this file {show_score(own)}"
    if scores and scores[0] >= gate:
        way.go_on("answer", f"kebab ask would look for an answer: {detail} (gate {show_threshold(gate)})")
    else:
        way.remark(
            "answer",
            f"kebab ask would refuse: {detail}, below rag.score_gate {show_threshold(gate)}",
            fix="search finds it; for kebab ask, ask in words nearer to those of the file",
        )
