"""Passages that a model is given: their choice, and their rendering in its prompt. `prompts` calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kebab_core import (
    CaptionCitation,
    Citation,
    ContextOverflowError,
    IndexedChunk,
    Message,
    Passage,
    Remedy,
    SearchHit,
    TokenCounter,
)
from kebab_text import holds_only_labels

from kebab_rag.safe_text import fence_field, fence_text

_MAX_PASSAGES = 999
"""Greatest number of a marker."""
_HEADING_SEPARATOR = " > "


class PackedPassage(NamedTuple):
    """A passage that the model is given, with the hit it comes from."""

    passage: Passage
    hit: SearchHit


def pack_passages(
    hits: Sequence[SearchHit],
    chunks: Iterable[IndexedChunk],
    *,
    budget: int,
    counter: TokenCounter,
    render: Callable[[Passage], str] | None = None,
) -> tuple[PackedPassage, ...]:
    """Return the passages of the best hits that fit the budget, in rank order, numbered from 1.

    Hits whose chunk no longer exists are skipped. The first passage is always included; one larger than the budget is
    cut at its end.

    Args:
        hits: Best first.
        chunks: The chunks of the hits, in any order.
        budget: Estimated tokens of all rendered passages together, at least 1.
        counter: Estimates tokens.
        render: Renders one passage as the prompt does; None is `render_passage`.

    Raises:
        ContextOverflowError: No character of the first passage fits.
    """
    by_id = {item.chunk.chunk_id: item for item in chunks}
    packed: list[PackedPassage] = []
    left = budget
    render = render or render_passage
    for hit in hits:
        item = by_id.get(hit.chunk_id)
        if item is None or isinstance(hit.citation, CaptionCitation):  # a model wrote it, not a document
            continue
        passage = _build_passage(hit, item, marker=len(packed) + 1)
        cost = counter.count(render(passage)) + 1
        if cost > left and not packed:
            passage, cost = _cut(passage, left, counter, render), left
        if cost > left or len(packed) == _MAX_PASSAGES:
            break
        packed.append(PackedPassage(passage=passage, hit=hit))
        left -= cost
    return tuple(packed)


def render_evidence(passages: Iterable[Passage]) -> str:
    """Return the passages as text of a prompt, with a blank line between two."""
    return "\n\n".join(render_passage(passage) for passage in passages)


def render_passage(passage: Passage) -> str:
    """Return one passage with its header; `safe_text` keeps its text from passing for anything else."""
    heading = _HEADING_SEPARATOR.join(fence_field(each) for each in passage.heading_path)
    where = (
        f"doc={fence_field(passage.citation.path)} heading={heading} span={show_fragment(passage.citation)}"
    )
    return f"[#{passage.marker} {where}]\n{fence_text(passage.text)}"


def _build_passage(hit: SearchHit, item: IndexedChunk, *, marker: int) -> Passage:
    title, heading_path = item.document.title, hit.heading_path
    if holds_only_labels(item.chunk.text, (title, *heading_path)):
        title, heading_path = "", ()  # what the passage says is not told from a label of the same words
    return Passage(
        marker=marker,
        chunk_id=hit.chunk_id,
        citation=hit.citation,
        title=title,
        heading_path=heading_path,
        lang=hit.lang,
        stated_on=item.document.stated_on,
        text=item.chunk.text,
        # The greater, since a reranker of another language speaks against nothing.
        score=max(hit.score, hit.retrieval.rerank_score or 0.0),
        evidence=hit.evidence,
        tables=item.chunk.tables,
    )


def _cut(passage: Passage, budget: int, counter: TokenCounter, render: Callable[[Passage], str]) -> Passage:
    """Return the passage with the longest beginning of its text that fits the budget.

    Raises:
        ContextOverflowError: No character fits.
    """
    low, high = 0, len(passage.text)
    while low < high:
        middle = (low + high + 1) // 2
        part = passage.model_copy(update={"text": passage.text[:middle]})
        low, high = (middle, high) if counter.count(render(part)) < budget else (low, middle - 1)
    if not low:
        raise ContextOverflowError(
            "the model's context has no room for a passage beside the question",
            remedy=Remedy(
                advice=Message("ask a shorter question"),
                otherwise=Remedy(advice=Message("use a model that reads more")),
            ),
        )
    return passage.model_copy(update={"text": passage.text[:low]})


def show_fragment(citation: Citation) -> str:
    """Return the fragment of a citation's URI, such as `L3-L9`."""
    return citation.to_uri().rpartition("#")[2]
