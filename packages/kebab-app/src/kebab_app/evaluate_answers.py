"""Asking the questions of an evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kebab_core import Answer, AnswerFinal, RetrievalDone, SearchHit, SearchMode

from kebab_app.ask import ask_stream
from kebab_app.claims import find_claims, read_passage

if TYPE_CHECKING:
    from kebab_eval import Ask, AskedQuery, GivenAnswer

    from kebab_app.claims import Claim
    from kebab_app.evaluate_base import Collected

_MS = 1000


def build_asker(collected: Collected, *, mode: SearchMode, k: int | None) -> Ask:
    """Return what answers the questions of an evaluation from its documents; nothing is stored.

    Args:
        collected: The documents.
        mode: How to look for evidence.
        k: How many passages to look at; None takes the configured number.
    """
    from kebab_rag import AskRequest

    def ask(query: AskedQuery) -> GivenAnswer:
        request = AskRequest(question=query.text, mode=mode, k=k)
        started, cpu_started = time.perf_counter(), time.process_time()
        hits: tuple[SearchHit, ...] = ()
        for event in ask_stream(collected.base, request, keep=False):
            if isinstance(event, RetrievalDone):
                hits = event.hits
            elif isinstance(event, AnswerFinal):
                answer = event.answer
        latency_ms = (time.perf_counter() - started) * _MS
        cpu_ms = (time.process_time() - cpu_started) * _MS
        given = _describe(collected, answer, hits)
        return given.model_copy(update={"latency_ms": round(latency_ms, 3), "cpu_ms": round(cpu_ms, 3)})

    return ask


def _describe(collected: Collected, answer: Answer, hits: Sequence[SearchHit]) -> GivenAnswer:
    from kebab_eval import GivenAnswer, GivenClaim

    base = collected.base
    cited = [each.citation for each in answer.citations if each.marker]
    document_of: Callable[[SearchHit], str] = collected.document_of
    return GivenAnswer(
        text=answer.answer,
        grounded=answer.grounded,
        refusal_reason=answer.refusal_reason,
        top_score=answer.retrieval.top_score,
        claims=tuple(
            GivenClaim(
                text=claim.text,
                is_cited=bool(claim.sources),
                is_verbatim=_is_verbatim(claim),
            )
            for claim in (find_claims(base, answer, hits) if answer.grounded else ())
        ),
        cited_documents=tuple(
            document_of(hit) for citation in cited for hit in hits if hit.citation == citation
        ),
        cited_texts=tuple(
            "\n".join(line.text for line in read_passage(base, citation, hits).lines) for citation in cited
        ),
    )


def _is_verbatim(claim: Claim) -> bool:
    """Return whether some cited passage holds every run of a claim word for word."""
    cited = {source.marker for source in claim.sources}
    unfound = {source.marker for source in claim.sources if source.quote is None}
    return bool(cited - unfound)
