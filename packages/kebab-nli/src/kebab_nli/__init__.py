"""Models that read two texts together: entailment of one by the other, and relevance of a passage to a query.

from kebab_nli import build_nli_verifier, build_reranker

verifier = build_nli_verifier(settings.models.nli, models_dir=paths.models_dir)
(found,) = verifier.verify([("고양이는 낮에 잔다.", "고양이는 잔다.")])
reranker = build_reranker(settings.models.reranker, models_dir=paths.models_dir)
(score,) = reranker.score("고양이는 언제 자나요?", ["고양이는 낮에 잔다."])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_nli.model_folder import (
        DEFAULT_MODEL as DEFAULT_MODEL,
        RERANKERS as RERANKERS,
        HubModel as HubModel,
        build_nli_verifier as build_nli_verifier,
        build_reranker as build_reranker,
        find_reranker as find_reranker,
    )
    from kebab_nli.pair_model import OnnxNliVerifier as OnnxNliVerifier, OnnxReranker as OnnxReranker

__getattr__, __dir__ = lazy_exports(__name__)
