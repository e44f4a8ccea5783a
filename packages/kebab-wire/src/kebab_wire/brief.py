"""`search_brief.v1`: a result for readers who pay for every token.

Says of a hit what is needed to judge, cite and open it, and names nothing that is as usual. Everything else is in
`search_response.v1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Citation,
    Coverage,
    NoHitReason,
    ScoreKind,
    SearchHit,
    SearchMode,
    SearchResponse,
    shorten_label,
)

from kebab_wire.base import Count, Position, WireId, WireObject, WirePart, mirror
from kebab_wire.search import LegFailureV1, wire_filter_name

_SCORE_DIGITS = 3
_SECTION_CHARS = 300
"""Code points of title and headings together: what a document calls itself may not use up a reader's budget."""


class BriefHitV1(WirePart):
    """One passage that was found; a field that is absent is as usual."""

    chunk_id: WireId
    doc_id: WireId
    source: str | None = None
    """The configured source; absent where it is the only unnamed one, `default`."""
    path: str
    """Path inside the source."""
    at: str
    """Where in it, as behind the `#` of a citation's URI: `L10-L42`, `p=13`."""
    section: str | None = None
    """Title and headings above the passage, joined by ` > `, each once and shortened where they are long together;
    absent where there are none."""
    score: float
    """A ranking signal on the scale of `score_kind`, three digits behind the point."""
    stale: bool | None = None
    """What is stored may no longer be what is on disk."""
    snippet: str


class BriefCoverageV1(WirePart):
    """What was searched, in documents; a count that is absent is 0."""

    indexed: Count
    pending: Count | None = None
    """Searchable by words, vectors still to come."""
    failed: Count | None = None
    stale: Count | None = None
    held: Count | None = None
    """Gone from disk but kept until the removal is confirmed."""
    missing_legs: tuple[SearchMode, ...] | None = None
    """Legs that the mode asks for and that are not available."""
    leg_failure: LegFailureV1 | None = None
    """Why one of them is missing, where it should not be."""
    ingest_running: bool | None = None
    """More may be found later."""
    ingest_interrupted: bool | None = None
    """One was interrupted and none is at work: more will be found only after the next."""
    lexical_query_chars: Position | None = None
    """Of a very long query, how many characters words were read from, from its beginning."""
    vector_query_chars: Position | None = None
    """Of a long query, how many characters meaning was asked by, from its beginning."""


class SearchBriefV1(WireObject):
    """Hits, best first, and what was searched; a field that is absent has nothing to say."""

    schema_version: Literal["search_brief.v1"] = "search_brief.v1"
    score_kind: ScoreKind | None = None
    """Absent where there is no hit."""
    hits: tuple[BriefHitV1, ...]
    no_hit_reason: NoHitReason | None = None
    filtered_out_by: tuple[str, ...] | None = None
    """For `filtered_out`, the filters any one of which is the reason; all that are set where several are only together."""
    did_you_mean: dict[str, str] | None = None
    """Values of filters that no document has, and the nearest that one has."""
    truncated: bool | None = None
    """The budget shortened snippets, or left hits to the next page."""
    next_cursor: str | None = None
    """What to search with, all else the same, for the next page; absent where all has been shown."""
    coverage: BriefCoverageV1


def wire_brief_hit(hit: SearchHit) -> BriefHitV1:
    """Return a hit in brief."""
    return BriefHitV1(
        chunk_id=hit.chunk_id,
        doc_id=hit.doc_id,
        source=None if hit.source_id == DEFAULT_SOURCE_ID else hit.source_id,
        path=hit.doc_path,
        at=_fragment(hit.citation),
        section=_join_headings((hit.title, *hit.heading_path)) or None,
        score=round(hit.score, _SCORE_DIGITS),
        stale=hit.stale or None,
        snippet=hit.snippet,
    )


def wire_search_brief(
    response: SearchResponse, *, near_values: Mapping[str, str] | None = None
) -> SearchBriefV1:
    """Return a response in brief.

    Args:
        response: The response.
        near_values: Values of filters that no document has, with the nearest that one has.
    """
    return SearchBriefV1(
        score_kind=response.hits[0].score_kind if response.hits else None,
        hits=tuple(wire_brief_hit(hit) for hit in response.hits),
        no_hit_reason=response.no_hit_reason,
        filtered_out_by=tuple(map(wire_filter_name, response.filtered_out_by)) or None,
        did_you_mean=dict(near_values) if near_values else None,
        truncated=response.truncated or None,
        next_cursor=response.next_cursor,
        coverage=_wire_coverage(response.coverage),
    )


def _join_headings(headings: Sequence[str]) -> str:
    once = dict.fromkeys(headings)
    whole = " > ".join(once)
    if len(whole) <= _SECTION_CHARS:
        return whole
    each = max(2, _SECTION_CHARS // len(once) - len(" > "))
    return " > ".join(shorten_label(heading, each) for heading in once)


def _fragment(citation: Citation) -> str:
    return citation.to_uri().rpartition("#")[2]


def _wire_coverage(coverage: Coverage) -> BriefCoverageV1:
    failure = coverage.leg_failure
    return BriefCoverageV1(
        indexed=coverage.documents_indexed,
        pending=coverage.documents_pending or None,
        failed=coverage.documents_failed or None,
        stale=coverage.documents_stale or None,
        held=coverage.documents_held or None,
        missing_legs=coverage.missing_legs or None,
        leg_failure=None if failure is None else mirror(LegFailureV1, failure),
        ingest_running=coverage.ingest_running or None,
        ingest_interrupted=coverage.ingest_interrupted or None,
        lexical_query_chars=coverage.lexical_query_chars,
        vector_query_chars=coverage.vector_query_chars,
    )
