"""How near the passages of a document are to a query, and what it takes to be a hit for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    ChunkId,
    LegFailure,
    SearchQuery,
)

from kebab_app.vector_leg import build_vector_leg

if TYPE_CHECKING:
    from kebab_search import Nearness, PassageExaminer

    from kebab_app.explanation.stored import Stored
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase


def read_nearness(
    base: KnowledgeBase, examiner: PassageExaminer, query: SearchQuery, stored: Stored
) -> list[Nearness] | LegFailure:
    """Return how near every passage with a vector is, or why there is no telling."""
    try:
        leg = build_vector_leg(
            base.question_embedder,
            store=base.vectors,
            repo=base.embeddings,
            advice=base.advise_on_vectors,
        )
        return examiner.nearness(query.text, leg, stored.document)
    except MODEL_FAILURES as error:
        return LegFailure(code=error.code, message=error.message, hint=error.hint)


def best_of(nearness: Sequence[Nearness]) -> Nearness | None:
    """Return the passage that is nearest to being a hit, or farthest beyond it."""
    return max(nearness, key=lambda one: one.standing - (one.floor or 0), default=None)


def tell_meaning(nearness: list[Nearness] | LegFailure, ordinals: Mapping[ChunkId, int], way: Way) -> None:
    """Note how near the nearest passage is."""
    if isinstance(nearness, LegFailure):
        way.remark("meaning", f"not asked: {nearness.message}", fix=nearness.hint)
        return
    best = best_of(nearness)
    if best is None:
        way.remark("meaning", "no passage of it has a vector yet", fix="kebab embed")
        return
    detail = (
        f"passage {ordinals[best.chunk_id] + 1} stands out by {best.standing:.1f} deviations "
        f"(cosine {best.cosine:.2f})"
    )
    if best.floor is None:
        way.go_on("meaning", f"{detail}; of this query it only ranks what words find")
        return
    detail = f"{detail}; {best.floor:.1f} make a hit"
    if best.standing >= best.floor:
        way.go_on("meaning", detail)
    else:
        way.remark("meaning", detail)
