"""The gate: scores the evidence, so that a model is asked only if the score reaches the threshold.

Ranks say nothing here, since some passage always ranks first. Absolute signals do. A logistic curve maps them to
(0, 1); its coefficients depend on the embedding model, the analyser, and the languages of question and document.

The curves were fitted on half of the questions of each set. At the threshold 0.30, 86 to 94 in a hundred natural
questions of the other half pass (2026-11). `docs/decisions/0010` has the numbers, and the questions that are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kebab_core import Evidence, SearchHit


class GateCurve(NamedTuple):
    """Coefficients of a logistic curve over evidence; a signal with coefficient 0 is not used."""

    intercept: float
    coverage: float = 0.0
    bm25_ratio: float = 0.0
    density: float = 0.0
    sentence_coverage: float = 0.0
    proximity: float = 0.0
    similarity: float = 0.0
    z_score: float = 0.0

    @property
    def uses_positions(self) -> bool:
        """Whether the positions of the question's words in a passage count."""
        return bool(self.density or self.sentence_coverage)

    def score(self, evidence: Evidence, *, allowance: float = 0.0) -> float:
        """Return the sigmoid of the weighted evidence of one hit, in (0, 1); `allowance` is added to the intercept."""
        total = (
            self.intercept
            + allowance
            + self.coverage * evidence.coverage
            + self.bm25_ratio * evidence.bm25_ratio
            + self.density * (evidence.density or 0.0)
            + self.sentence_coverage * (evidence.sentence_coverage or 0.0)
            + self.proximity * (evidence.proximity or 0.0)
            + self.similarity * (evidence.similarity or 0.0)
            + self.z_score * (evidence.z_score or 0.0)
        )
        return 1.0 / (1.0 + math.exp(-total))


class GateKey(NamedTuple):
    """Key of a curve; an empty string stands for any."""

    model: str = ""
    """The embedding model; empty for evidence without vectors."""
    analyzer: str = ""
    """The analyser's id, without its version."""
    question_lang: str = ""
    document_lang: str = ""


_KO_EN = "ko-en"
_E5 = "multilingual-e5-small"
_ALLOWANCE = 1.8
"""Allowance for a single document. With it, a document without any word of the question still scores below 0.25."""
_MANY_DOCUMENTS = 300
"""Number of documents from which the allowance is 0."""
CURVES: Mapping[GateKey, GateCurve] = {
    GateKey(analyzer=_KO_EN, question_lang="ko"): GateCurve(
        intercept=-3.40, density=1.19, sentence_coverage=5.51, proximity=2.12
    ),
    GateKey(analyzer=_KO_EN, question_lang="en"): GateCurve(intercept=-3.40, coverage=2.56, density=6.43),
    GateKey(): GateCurve(
        intercept=-3.30, coverage=1.02, density=4.29, sentence_coverage=2.74, proximity=1.03
    ),
    GateKey(_E5, _KO_EN, "ko", "ko"): GateCurve(
        intercept=-5.40, z_score=0.6, density=1.0, sentence_coverage=4.5, proximity=2.1
    ),
    GateKey(_E5, _KO_EN, "en", "en"): GateCurve(
        intercept=-17.05, similarity=14.0, z_score=0.75, density=5.2, sentence_coverage=0.5
    ),
    GateKey(_E5, _KO_EN, "ko", "en"): GateCurve(intercept=-42.50, similarity=44.8, z_score=1.55),
    GateKey(_E5, _KO_EN, "en", "ko"): GateCurve(
        intercept=-25.80, similarity=27.1, z_score=0.94, coverage=1.93
    ),
}
"""Curves by key; the most specific one is used.

At the threshold 0.30 the curves with vectors refuse as many unanswerable questions as the curves by words alone. The
exception are questions in another language than the passage: by words alone all of them are refused.
"""
WHOLE_PASSAGE = GateCurve(intercept=-3.47, coverage=2.56, bm25_ratio=6.49)
"""Curve for evidence without positions of words in the passage."""


def score_hits(
    hits: Sequence[SearchHit], *, question_lang: str, documents: int | None = None
) -> tuple[float, ...]:
    """Return the gate score of each hit, in [0, 1], in the order of hits.

    Args:
        hits: The hits of a search.
        question_lang: `ko` or `en`.
        documents: Number of documents in the index; None stands for many.
    """
    allowance = small_corpus_allowance(documents)
    return tuple(_score(hit, question_lang=question_lang, allowance=allowance) for hit in hits)


def _score(hit: SearchHit, *, question_lang: str, allowance: float) -> float:
    curve = choose_curve(hit, question_lang=question_lang)
    return curve.score(hit.evidence, allowance=allowance if curve.uses_positions else 0.0)


def small_corpus_allowance(documents: int | None) -> float:
    """Return the addition to the intercept where there are few documents, at least 0.

    Among few documents, weights by rarity say little. A word that none of a few notes has counts as very rare, though
    it may be only another wording; a word that all of them have counts nothing. Only curves with positions get the
    allowance.
    """
    if documents is None:
        return 0.0
    share = 1 - math.log(max(documents, 1)) / math.log(_MANY_DOCUMENTS)
    return _ALLOWANCE * max(share, 0.0)


def choose_curve(hit: SearchHit, *, question_lang: str) -> GateCurve:
    """Return the most specific curve for a hit. A hit without a vector gets a curve by words alone."""
    if hit.evidence.sentence_coverage is None:
        return WHOLE_PASSAGE
    model = "" if hit.evidence.z_score is None else hit.embedding_model or ""
    analyzer = hit.index_version.partition(":")[2].partition("@")[0]
    keys = (
        GateKey(model, analyzer, question_lang, hit.lang),
        GateKey(model, analyzer, question_lang),
        GateKey("", analyzer, question_lang, hit.lang),
        GateKey("", analyzer, question_lang),
        GateKey(),
    )
    return next(CURVES[key] for key in keys if key in CURVES)
