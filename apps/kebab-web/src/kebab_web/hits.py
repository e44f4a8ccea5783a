"""Hits as pages show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import say_origin
from kebab_text import visible
from kebab_words import Phrases, describe_mode, list_gaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kebab_core import MatchedRange, Message, SearchHit, SearchResponse

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LINES = 3
"""Lines of a snippet that a page shows; see `.snippet` of the style."""
_STRONG, _FAIR = 0.5, 0.1
"""Least scores of a long and of a middle bar."""


class Segment(NamedTuple):
    """A part of a snippet."""

    text: str
    matches: bool


class Hit(NamedTuple):
    """A hit."""

    hit: SearchHit
    address: str
    place: str
    """The address as people read it."""
    headings: tuple[str, ...]
    snippet: list[Segment]
    bar: int
    """Length of the bar of its score: 1 to 3."""
    origin: Message | None
    """Its text was recognised in a picture."""
    begins_less_likely: bool
    """The first of those that are less likely."""


def show_hits(hits: Sequence[SearchHit]) -> list[Hit]:
    """Prepare hits for a page."""
    shown = []
    for at, hit in enumerate(hits):
        headings = hit.heading_path[1:] if hit.heading_path[:1] == (hit.title,) else hit.heading_path
        shown.append(
            Hit(
                hit,
                hit.citation.to_passage_address(),
                hit.citation.to_place(),
                headings,
                _open_at_match(cut_segments(hit.snippet, hit.matched)),
                3 if hit.score >= _STRONG else 2 if hit.score >= _FAIR else 1,
                origin=say_origin(hit.citation),
                begins_less_likely=hit.less_likely and at > 0 and not hits[at - 1].less_likely,
            )
        )
    return shown


def cut_segments(text: str, ranges: Iterable[MatchedRange]) -> list[Segment]:
    """Cut a text at the borders of ranges."""
    segments, position = [], 0
    for each in ranges:
        if each.start > position:
            segments.append(Segment(_show(text[position : each.start]), matches=False))
        segments.append(Segment(_show(text[max(each.start, position) : each.end]), matches=True))
        position = max(position, each.end)
    segments.append(Segment(_show(text[position:]), matches=False))
    return [each for each in segments if each.text]


def _open_at_match(segments: list[Segment]) -> list[Segment]:
    """Leave out the lines before the first match where they are all that a page shows, and say so."""
    first, *others = segments or [Segment("", matches=True)]
    if first.matches or not others or first.text.count("\n") < _LINES:
        return segments
    line = first.text.rpartition("\n")[2]
    return [Segment(f"… {line}", matches=False), *others]


def _show(text: str) -> str:
    return _BLANK_LINES.sub("\n", visible(text))


def list_status(response: SearchResponse) -> list[Message]:
    """Say what was found and what was searched."""
    coverage, said = response.coverage, []
    if response.hits:
        count = len({hit.doc_id for hit in response.hits})
        said.append(Phrases.first_documents(count) if response.next_cursor else Phrases.documents(count))
    said += [describe_mode(response), Phrases.of_searched(coverage.documents_searched)]
    return said + list_gaps(coverage, with_failed=False)
