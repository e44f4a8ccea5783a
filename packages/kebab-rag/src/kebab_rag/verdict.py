"""Whether what a model said is an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kebab_core import FinishReason, RefusalReason

from kebab_rag.markers import find_markers
from kebab_rag.quotes import misquoted
from kebab_rag.self_refusal import says_not_in_evidence


class Verdict(NamedTuple):
    """An answer that rests on `cited`, or a refusal."""

    cited: tuple[int, ...]
    """Markers of the passages that are cited, ascending; none for a refusal."""
    refusal: RefusalReason | None


def judge_answer(said: str, passages: Mapping[int, str], *, finish_reason: FinishReason) -> Verdict:
    """Return whether a text is grounded: it cites, all it cites exists, and all it quotes stands there.

    Args:
        said: What the model said, with its markers.
        passages: The text of each packed passage by its marker.
        finish_reason: How the model ended.
    """
    if finish_reason is FinishReason.ABORTED:
        return Verdict(cited=(), refusal=RefusalReason.LLM_STREAM_ABORTED)
    cited = find_markers(said)
    is_grounded = (
        cited
        and all(marker in passages for marker in cited)
        and not misquoted(said, passages)
        and not says_not_in_evidence(said, passages)
    )
    if is_grounded:
        return Verdict(cited=tuple(sorted(cited)), refusal=None)
    return Verdict(cited=(), refusal=RefusalReason.LLM_SELF_JUDGE)
