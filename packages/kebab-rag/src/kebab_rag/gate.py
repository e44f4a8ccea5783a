"""The gate: whether the evidence suffices to ask a model at all.

Ranks cannot tell (something always ranks first), absolute signals can. They are squashed into [0, 1] by a logistic
curve whose coefficients belong to the embedding model, the analyser, and the languages of question and document.

Fitted on half of the questions of each set; the intercepts put 0.30 where 86 to 94 in a hundred natural questions of
the other half pass (2026-11). `docs/decisions/0010` says what is refused there, and why not elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kebab_core import Evidence, SearchHit


class GateCurve(NamedTuple):
    """Coefficients of a logistic curve over evidence; what is not named does not count."""

    intercept: float
    coverage: float = 0.0
    bm25_ratio: float = 0.0
    density: float = 0.0
    sentence_coverage: float = 0.0
    proximity: float = 0.0
    similarity: float = 0.0
    margin: float = 0.0

    @property
    def looks_at_places(self) -> bool:
        """Whether it counts where in a passage the words of a question stand."""
        return bool(self.density or self.sentence_coverage)

    def squash(self, evidence: Evidence, *, allowance: float = 0.0) -> float:
        """Return the score of one hit, in (0, 1); the allowance is added to the intercept."""
        total = (
            self.intercept
            + allowance
            + self.coverage * evidence.coverage
            + self.bm25_ratio * evidence.bm25_ratio
            + self.density * (evidence.density or 0.0)
            + self.sentence_coverage * (evidence.sentence_coverage or 0.0)
            + self.proximity * (evidence.proximity or 0.0)
            + self.similarity * (evidence.similarity or 0.0)
            + self.margin * (evidence.margin or 0.0)
        )
        return 1.0 / (1.0 + math.exp(-total))


class GateKey(NamedTuple):
    """What a curve belongs to; an empty string stands for any."""

    model: str = ""
    """The embedding model; none for evidence without vectors."""
    analyzer: str = ""
    """The analyser's id, without its version."""
    question_lang: str = ""
    document_lang: str = ""


_KO_EN = "ko-en"
_E5 = "multilingual-e5-small"
_ALLOWANCE = 1.8
"""What a single document is allowed; without any word of the question it stays below 0.25 even so."""
_MANY_DOCUMENTS = 300
"""From here on nothing is allowed."""
CURVES: Mapping[GateKey, GateCurve] = {
    GateKey(analyzer=_KO_EN, question_lang="ko"): GateCurve(
        intercept=-3.40, density=1.19, sentence_coverage=5.51, proximity=2.12
    ),
    GateKey(analyzer=_KO_EN, question_lang="en"): GateCurve(intercept=-3.40, coverage=2.56, density=6.43),
    GateKey(): GateCurve(
        intercept=-3.30, coverage=1.02, density=4.29, sentence_coverage=2.74, proximity=1.03
    ),
    GateKey(_E5, _KO_EN, "ko", "ko"): GateCurve(
        intercept=-5.40, margin=0.6, density=1.0, sentence_coverage=4.5, proximity=2.1
    ),
    GateKey(_E5, _KO_EN, "en", "en"): GateCurve(
        intercept=-17.05, similarity=14.0, margin=0.75, density=5.2, sentence_coverage=0.5
    ),
    GateKey(_E5, _KO_EN, "ko", "en"): GateCurve(intercept=-42.50, similarity=44.8, margin=1.55),
    GateKey(_E5, _KO_EN, "en", "ko"): GateCurve(
        intercept=-25.80, similarity=27.1, margin=0.94, coverage=1.93
    ),
}
"""Curves by what they belong to; the most particular one is used.

With vectors they put 0.30 where no fewer questions that nothing answers are refused than by words alone, but for
those in the other language than the passage, which words refuse one and all.
"""
WHOLE_PASSAGE = GateCurve(intercept=-3.47, coverage=2.56, bm25_ratio=6.49)
"""For evidence that says nothing of where in a passage the words stand."""


def score_hits(
    hits: Sequence[SearchHit], *, question_lang: str, documents: int | None = None
) -> tuple[float, ...]:
    """Return the gate's score of each hit, in [0, 1], in the order of hits.

    Args:
        hits: What a search found.
        question_lang: `ko` or `en`.
        documents: How many documents there are; None stands for many.
    """
    allowance = allow_for(documents)
    return tuple(_score(hit, question_lang=question_lang, allowance=allowance) for hit in hits)


def _score(hit: SearchHit, *, question_lang: str, allowance: float) -> float:
    curve = choose_curve(hit, question_lang=question_lang)
    return curve.squash(hit.evidence, allowance=allowance if curve.looks_at_places else 0.0)


def allow_for(documents: int | None) -> float:
    """Return what is added to the intercepts where there are few documents, at least 0.

    Weights by rarity say little there: a word of the question that none of a few notes has counts as the rarest of all,
    though it may be just another way to say it, and one that each of them has counts nothing. Only curves that look at
    where words stand are allowed it.
    """
    if documents is None:
        return 0.0
    share = 1 - math.log(max(documents, 1)) / math.log(_MANY_DOCUMENTS)
    return _ALLOWANCE * max(share, 0.0)


def choose_curve(hit: SearchHit, *, question_lang: str) -> GateCurve:
    """Return the curve for a hit, the most particular that there is; a hit without a vector is judged by words."""
    if hit.evidence.sentence_coverage is None:
        return WHOLE_PASSAGE
    model = "" if hit.evidence.margin is None else hit.embedding_model or ""
    analyzer = hit.index_version.partition(":")[2].partition("@")[0]
    keys = (
        GateKey(model, analyzer, question_lang, hit.lang),
        GateKey(model, analyzer, question_lang),
        GateKey("", analyzer, question_lang, hit.lang),
        GateKey("", analyzer, question_lang),
        GateKey(),
    )
    return next(CURVES[key] for key in keys if key in CURVES)
