"""The gate: whether the evidence suffices to ask a model at all.

Ranks cannot tell (something always ranks first), absolute signals can. They are squashed into [0, 1] by a logistic
curve whose coefficients belong to the model, the analyser, and the languages of question and document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kebab_core import Evidence, SearchHit


class GateCurve(NamedTuple):
    """Coefficients of the logistic curve over evidence without vectors."""

    intercept: float
    coverage: float
    bm25_ratio: float

    def squash(self, evidence: Evidence) -> float:
        """Return the score of one hit, in (0, 1)."""
        total = self.intercept + self.coverage * evidence.coverage + self.bm25_ratio * evidence.bm25_ratio
        return 1.0 / (1.0 + math.exp(-total))


class GateKey(NamedTuple):
    """What a curve belongs to; an empty string stands for any."""

    model: str = ""
    """The embedding model; none for evidence without vectors."""
    analyzer: str = ""
    """The analyser's id, without its version."""
    question_lang: str = ""
    document_lang: str = ""


CURVES: Mapping[GateKey, GateCurve] = {
    GateKey(): GateCurve(intercept=-3.5, coverage=4.5, bm25_ratio=1.0),
}


def score_hits(hits: Sequence[SearchHit], *, question_lang: str) -> tuple[float, ...]:
    """Return the gate's score of each hit, in [0, 1], in the order of hits.

    Args:
        hits: What a search found.
        question_lang: `ko` or `en`.
    """
    return tuple(_curve(hit, question_lang).squash(hit.evidence) for hit in hits)


def _curve(hit: SearchHit, question_lang: str) -> GateCurve:
    model = hit.embedding_model or ""
    analyzer = hit.index_version.removeprefix("lexical:").partition("@")[0]
    keys = (
        GateKey(model, analyzer, question_lang, hit.lang),
        GateKey(model, analyzer, question_lang),
        GateKey("", analyzer, question_lang),
        GateKey(),
    )
    return next(CURVES[key] for key in keys if key in CURVES)
