"""Texts of refusals: the reason in the language of the question, and the nearest candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Citation,
    Coverage,
    NoHitReason,
    RefusalReason,
    SearchHit,
    SearchResponse,
)

from kebab_rag.passages import show_fragment
from kebab_rag.safe_text import drop_hidden

if TYPE_CHECKING:
    from kebab_rag.request import AnswerLanguage

MAX_CANDIDATES = 3
"""Most candidates that a refusal names."""
_ROUNDING_ERROR = 1e-9
"""Added before rounding down: 0.29 times 100 is a little less than 29."""


class _Texts(NamedTuple):
    gate: str
    candidates: str
    """`{gate}` is the threshold."""
    candidate: str
    """`{place}` and `{score}`."""
    judged: str
    nearest: str
    """Line above quotes that may not answer."""
    undivided: str
    read: str
    index_empty: str
    still_indexing: str
    filtered_out: str
    nothing_matches: str
    running: str
    failed: str
    """`{count}` is the number of documents."""


_TEXTS: Mapping[AnswerLanguage, _Texts] = {
    "ko": _Texts(
        gate="근거 부족: 지식 베이스에서 이 질문의 답이 될 만한 내용을 찾지 못했습니다.",
        candidates="가까운 후보(모두 임계값 {gate} 미만):",
        candidate=" · {place} (점수 {score})",
        judged="근거 부족: 찾은 문서에는 이 질문의 답이 없습니다.",
        nearest="확실하지 않습니다. 가장 가까운 내용:",
        undivided="질문을 나누지 못했습니다: 모델이 쓸 수 있는 작은 질문을 내지 않았습니다. 나누지 않고 묻거나 하나씩 물어보세요.",
        read="검색된 문서:",
        index_empty="근거 부족: 아직 색인된 문서가 없습니다. 먼저 문서를 색인하세요.",
        still_indexing="근거 부족: 지금까지 색인된 문서에서는 찾지 못했습니다. 색인이 아직 끝나지 않았습니다.",
        filtered_out="근거 부족: 필터에 맞는 문서 중에는 질문과 일치하는 것이 없습니다.",
        nothing_matches="근거 부족: 지식 베이스에 질문과 일치하는 내용이 없습니다.",
        running="색인이 아직 끝나지 않아 나중에는 답을 찾을 수도 있습니다.",
        failed="읽지 못한 문서가 {count}개 있습니다.",
    ),
    "en": _Texts(
        gate="Not enough evidence: nothing in the knowledge base comes close enough to answer this question.",
        candidates="Nearest candidates (all below the threshold {gate}):",
        candidate=" · {place} (score {score})",
        judged="Not enough evidence: the passages found do not answer this question.",
        nearest="Not sure – this comes nearest:",
        undivided="The question could not be taken apart: the model gave no sub-questions that can be used. Ask it as a "
        "whole, or one part at a time.",
        read="Passages found:",
        index_empty="Not enough evidence: no document has been indexed yet. Ingest documents first.",
        still_indexing="Not enough evidence: nothing in the documents indexed so far matches. Indexing is not finished.",
        filtered_out="Not enough evidence: the filters leave no document that matches the question.",
        nothing_matches="Not enough evidence: nothing in the knowledge base matches the question.",
        running="Indexing is not finished, so an answer may be found later.",
        failed="Documents that could not be read: {count}.",
    ),
}


def refuse_below_gate(
    candidates: Sequence[tuple[SearchHit, float]], *, gate: float, coverage: Coverage, lang: AnswerLanguage
) -> str:
    """Return the refusal for evidence below the gate, with the candidates and the gaps of the index.

    Candidates are hits with their gate scores, best first.
    """
    texts = _TEXTS[lang]
    near = _list(texts, texts.candidates.format(gate=show_threshold(gate)), candidates)
    return "\n".join([texts.gate, *near, *_missing(texts, coverage)])


def refuse_judged(candidates: Sequence[tuple[SearchHit, float]], *, lang: AnswerLanguage) -> str:
    """Return the refusal after a model wrote no answer, or one that is not grounded."""
    texts = _TEXTS[lang]
    return "\n".join([texts.judged, *_list(texts, texts.read, candidates)])


def introduce_nearest(lang: AnswerLanguage) -> str:
    """Return the line above the quotes that come nearest to a question where none surely answers it."""
    return _TEXTS[lang].nearest


def refuse_undivided(candidates: Sequence[tuple[SearchHit, float]], *, lang: AnswerLanguage) -> str:
    """Return the refusal after a model could not take a question apart."""
    texts = _TEXTS[lang]
    return "\n".join([texts.undivided, *_list(texts, texts.read, candidates)])


def refuse_empty(response: SearchResponse, *, lang: AnswerLanguage) -> tuple[RefusalReason, str]:
    """Return reason and text of the refusal after a search without hits: no index, or no matching passage."""
    texts = _TEXTS[lang]
    reason = response.no_hit_reason or NoHitReason.NOTHING_MATCHES
    no_index = reason is NoHitReason.INDEX_EMPTY or not response.coverage.documents_indexed
    says_running = reason is NoHitReason.STILL_INDEXING
    lines = [
        getattr(texts, reason.value),
        *_missing(texts, response.coverage, is_running_said=says_running),
    ]
    return RefusalReason.NO_INDEX if no_index else RefusalReason.NO_CHUNKS, "\n".join(lines)


def show_place(citation: Citation) -> str:
    """Return path and fragment of a citation, without hidden characters."""
    source = "" if citation.source_id == DEFAULT_SOURCE_ID else f"{citation.source_id}:"
    path = " ".join(drop_hidden(citation.path).split())
    return f"{source}{path}#{show_fragment(citation)}"


def show_score(score: float) -> str:
    """Return a score with two digits, rounded down, so that a score below a threshold never looks equal to it."""
    return f"{math.floor(score * 100 + _ROUNDING_ERROR) / 100:.2f}"


def show_threshold(gate: float) -> str:
    """Return a threshold with two digits, or with more if it has more."""
    return max(f"{gate:.2f}", f"{gate:g}", key=len)


def _list(texts: _Texts, heading: str, candidates: Sequence[tuple[SearchHit, float]]) -> list[str]:
    lines = [
        texts.candidate.format(place=show_place(hit.citation), score=show_score(score))
        for hit, score in candidates[:MAX_CANDIDATES]
    ]
    return [heading, *lines] if lines else []


def _missing(texts: _Texts, coverage: Coverage, *, is_running_said: bool = False) -> list[str]:
    is_unfinished = coverage.ingest_running or coverage.ingest_interrupted
    running = [texts.running] if is_unfinished and not is_running_said else []
    failed = coverage.documents_failed
    return running + ([texts.failed.format(count=failed)] if failed else [])
