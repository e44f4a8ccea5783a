"""Natural language inference: the probabilities that one text supports, leaves open or contradicts another.

from kebab_nli import build_nli_verifier

verifier = build_nli_verifier(settings.models.nli, models_dir=paths.models_dir)
(found,) = verifier.verify([("고양이는 낮에 잔다.", "고양이는 잔다.")])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_nli.model_folder import (
        DEFAULT_MODEL as DEFAULT_MODEL,
        NliModel as NliModel,
        build_nli_verifier as build_nli_verifier,
    )
    from kebab_nli.verifier import OnnxNliVerifier as OnnxNliVerifier

__getattr__, __dir__ = lazy_exports(__name__)
