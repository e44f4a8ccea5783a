"""Semantic rerank of sentences by the cosine of the question with what would be quoted for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from kebab_core import MODEL_FAILURES, Embedder, EmbeddingKind, VectorMatrix

from kebab_extractive.quotes import quoted_range

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question
    from kebab_extractive.scoring import Candidate

_COSINE_WEIGHT = 20.0
"""Weight of a cosine above the least of those compared; the weight of full coverage is 1."""
_EVIDENCE_WEIGHT = 0.3
"""Weight of the log-odds of the evidence score of a passage, also for the choice of what is compared.

By words alone evidence adds nothing (2026-11). `docs/decisions/0048` has the choice.
"""
_MAX_COMPARED = 5
"""Most quotes that are compared; more change nothing."""
_QUOTE_CHARS = 400
"""Most characters of a quote that are embedded."""
BUDGET = 160
"""Most estimated tokens of all texts together that `fit_budget` takes; one core of 2020 embeds them in about 100 ms."""
_QUESTION_CHARS = 2_000
"""Most characters of a question that are embedded, as in search."""
_TOKENS_PER_TEXT = 5
"""Tokens that a model adds around each text."""
_ASCII_PER_TOKEN = 4.0
_OTHERS_PER_TOKEN = 1.6
_LAST_ASCII = "\x7f"
Key = TypeVar("Key")


def rerank_by_meaning(
    question: Question,
    passages: Sequence[ReadPassage],
    candidates: Sequence[Candidate],
    embedder: Embedder,
) -> list[Candidate]:
    """Return the candidates with the evidence of their passages in their scores, the best of them with their cosines, too.

    What is compared is what would be quoted for a sentence, below its title and heading: a sentence alone says too little,
    and models are trained on passages. Only the best quotes by words and evidence are compared.
    """
    weighed = [
        each._replace(score=each.score + _EVIDENCE_WEIGHT * passages[each.rank].evidence)
        for each in candidates
    ]
    sufficient = sorted((each for each in weighed if each.is_sufficient), key=lambda each: -each.score)
    texts: dict[str, list[Candidate]] = {}
    for each in sufficient:
        text = _quoted_text(question, passages[each.rank], each.position)
        if text not in texts and len(texts) == _MAX_COMPARED:
            break
        texts.setdefault(text, []).append(each)
    near = cosines(embedder, question.text, list(texts))
    if not near:
        return list(candidates)
    compared = {
        each[:2]: each._replace(score=each.score + _COSINE_WEIGHT * (cosine - min(near)), cosine=cosine)
        for members, cosine in zip(texts.values(), near, strict=True)
        for each in members
    }
    return [compared.get(each[:2], each) for each in weighed]


def _quoted_text(question: Question, read: ReadPassage, position: int) -> str:
    """Return what would be quoted for a sentence, below its title and heading, without spoofed markers."""
    first, last = quoted_range(question, read, position)
    quote = "\n".join(read.unmarked(n) for n in range(first, last + 1))
    labels = dict.fromkeys((read.passage.title, *read.passage.heading_path[-1:]))
    return "\n".join((*labels, quote[:_QUOTE_CHARS]))


def cosines(embedder: Embedder, question: str, texts: Sequence[str]) -> list[float] | None:
    """Return the cosine of a question with each text, in order; None if the model cannot be used."""
    if not texts:
        return []
    try:
        (question_vector,) = _rows(embedder.embed([question[:_QUESTION_CHARS]], EmbeddingKind.QUERY))
        vectors = _rows(embedder.embed(texts, EmbeddingKind.DOCUMENT))
    except MODEL_FAILURES:
        return None
    return [sum(one * other for one, other in zip(question_vector, row, strict=True)) for row in vectors]


def fit_budget(texts: Iterable[tuple[Key, str]], *, budget: float = BUDGET) -> Mapping[Key, str]:
    """Return the texts that fit a budget of tokens, in order. A text that does not fit is skipped."""
    taken: dict[Key, str] = {}
    for key, text in texts:
        cost = estimate_tokens(text)
        if key not in taken and cost <= budget:
            taken[key] = text
            budget -= cost
    return taken


def estimate_tokens(text: str) -> float:
    """Return the estimated tokens of a text in a multilingual model."""
    plain = sum(char <= _LAST_ASCII for char in text)
    return _TOKENS_PER_TEXT + plain / _ASCII_PER_TOKEN + (len(text) - plain) / _OTHERS_PER_TOKEN


def _rows(matrix: VectorMatrix) -> list[list[float]]:
    return cast("list[list[float]]", matrix.tolist())  # a memory view of two dimensions
