"""Which words of a query stand in a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import ChunkId
from kebab_wire import WhyTermV1

if TYPE_CHECKING:
    from kebab_search import MetWord

    from kebab_app.explanation.way import Way

_SHOWN = 8
"""Words that a sentence names."""


def wire_words(words: Sequence[MetWord], ordinals: dict[ChunkId, int]) -> tuple[WhyTermV1, ...]:
    """Return words for the wire; passages by their ordinals, ascending."""
    return tuple(
        WhyTermV1(
            text=word.text,
            kind=word.kind,
            weight=word.weight,
            searched=word.searched,
            in_index=word.in_index,
            passages=tuple(sorted(ordinals[chunk_id] for chunk_id in word.chunk_ids if chunk_id in ordinals)),
        )
        for word in words
    )


def tell_words(words: Sequence[WhyTermV1], way: Way, *, are_searched: bool) -> None:
    """Note which words stand in the file, which only elsewhere, and which nowhere.

    Args:
        words: All that the query asks for.
        way: Gets the step.
        are_searched: Whether words find anything: by meaning alone they do not.
    """
    met = [word.text for word in words if word.passages]
    nowhere = [word.text for word in words if word.in_index == 0]
    elsewhere = [word.text for word in words if not word.passages and word.in_index != 0]
    parts = [f"{len(met)} of {len(words)} stand in it{_named(met, ': ')}"]
    if elsewhere:
        parts.append(f"only in other files{_named(elsewhere, ': ')}")
    if nowhere:
        parts.append(f"in no passage of the index{_named(nowhere, ': ')}")
    detail = "; ".join(parts) if words else "the query has no word to look up"
    if not are_searched:
        way.go_on("words", f"{detail}; they are not searched, as only meaning is asked for")
    elif met:
        way.go_on("words", detail)
    else:
        way.remark("words", detail)


def _named(words: Sequence[str], before: str) -> str:
    if not words:
        return ""
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return f"{before}{', '.join(words[:_SHOWN])}{more}"
