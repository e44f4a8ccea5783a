"""`search_brief.v1`: a search result with few tokens, as `kebab search --json --brief` prints it; `agents` has version 2.

A hit has the fields that are needed to judge, cite and open it; fields with their usual value are left out. Everything
else is in `search_response.v1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Citation,
    Count,
    Coverage,
    FurtherPassage,
    NoHitReason,
    Position,
    ScoreKind,
    SearchHit,
    SearchMode,
    SearchResponse,
    TokenCounter,
    shorten_label,
)

from kebab_wire.base import WireId, WireObject, WirePart, mirror, wire_json
from kebab_wire.search import LegFailureV1, wire_existing_values, wire_filter_name, wire_searched_words

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer

_SCORE_DIGITS = 3
_ID_TOKENS = 18
"""Tokens that the two ids of a hit cost beyond the estimate, which takes their digits for words and numbers."""
_SECTION_CHARS = 300
"""Maximum length of title and headings together, in code points: they must not use up the reader's budget."""

_HEADING_CHARS = 60
"""Maximum length of the heading of a further passage, in code points."""


class BriefPassageV1(WirePart):
    """A passage of a hit's document that was found too."""

    at: str
    """Position in the file, as of the hit."""
    heading: str | None = None
    """The heading above it; absent where it is that of the hit, or there is none."""


class BriefTranslationV1(WirePart):
    """A document that is the same page in another language."""

    lang: str
    source: str | None = None
    """Absent where it is that of the hit."""
    path: str | None = None
    """Path inside the source; absent likewise."""


class BriefHitV1(WirePart):
    """One passage that was found, by default the best one of its document; an absent field has its usual value."""

    chunk_id: WireId
    doc_id: WireId
    source: str | None = None
    """The configured source; absent where it is the only unnamed one, `default`."""
    path: str
    """Path inside the source."""
    at: str
    """Position in the file, as after the `#` of a citation's URI: `L10-L42`, `p=13`."""
    address: str | None = None
    """Its address, which every command and tool takes."""
    section: str | None = None
    """Title and headings above the passage, joined by ` > `, each once and shortened where they are long together;
    absent where there are none."""
    score: float
    """A ranking signal on the scale of `score_kind`, with three decimals."""
    less_likely: bool | None = None
    """The score is below 0.05; below 0.02 nothing is a hit."""
    stale: bool | None = None
    """The file on disk may differ from the stored document."""
    snippet: str
    header_row: str | None = None
    """The names of the columns where the snippet begins inside a table, and does not have them."""
    more: tuple[BriefPassageV1, ...] | None = None
    """The next passages of the document, best first, three at most."""
    more_count: Position | None = None
    """Number of further passages of the document, where `more` does not have them all."""
    translations: tuple[BriefTranslationV1, ...] | None = None
    """The same page in other languages."""
    copies: tuple[str, ...] | None = None
    """Addresses of documents with the same content, or with this very passage, three at most."""
    copy_count: Position | None = None
    """Number of all such documents, where `copies` does not have them all."""


class BriefCoverageV1(WirePart):
    """Coverage of the search, in documents; an absent count is 0."""

    indexed: Count
    pending: Count | None = None
    """Searchable lexically, vectors still to come."""
    failed: Count | None = None
    stale: Count | None = None
    held: Count | None = None
    """Missing on disk but kept until the removal is confirmed."""
    missing_legs: tuple[SearchMode, ...] | None = None
    """Legs of the mode that are not available."""
    leg_failure: LegFailureV1 | None = None
    """Reason that one of them is missing, where it should not be."""
    ingest_running: bool | None = None
    """An ingest is running: more may be found later."""
    ingest_interrupted: bool | None = None
    """An ingest was interrupted and none is running: more will be found only after the next."""
    lexical_query_chars: Position | None = None
    """Length of the prefix of a very long query that the lexical leg used, in code points."""
    vector_query_chars: Position | None = None
    """Length of the prefix of a long query that the vector leg used, in code points."""


class SearchBriefV1(WireObject):
    """Hits, best first, with the coverage of the search; a field without information is absent."""

    schema_version: Literal["search_brief.v1"] = "search_brief.v1"
    score_kind: ScoreKind | None = None
    """Absent where there is no hit."""
    hits: tuple[BriefHitV1, ...]
    nearest: tuple[BriefHitV1, ...] | None = None
    """Where too little speaks for any passage to be a hit: the three nearest, which are not what was asked."""
    searched_instead: dict[str, str] | None = None
    """Words of the query that no document has, each with the nearest ones, which were searched in its place, with commas
    between them."""
    no_hit_reason: NoHitReason | None = None
    filtered_out_by: tuple[str, ...] | None = None
    """For `filtered_out`: the filters that each exclude everything on their own; all filters that are set where only their
    combination does."""
    did_you_mean: dict[str, str] | None = None
    """Filter values that no document has, each with the nearest existing value."""
    existing_values: dict[str, tuple[str, ...]] | None = None
    """Existing values, eight at most, of each filter whose value no document has or is near to."""
    truncated: bool | None = None
    """The budget left out further passages, shortened snippets, or left hits to the next page."""
    next_cursor: str | None = None
    """Cursor of the next page, for the same search; absent on the last page."""
    coverage: BriefCoverageV1


def wire_brief_hit(hit: SearchHit) -> BriefHitV1:
    """Return a hit in brief."""
    return BriefHitV1(
        chunk_id=hit.chunk_id,
        doc_id=hit.doc_id,
        source=None if hit.source_id == DEFAULT_SOURCE_ID else hit.source_id,
        path=hit.doc_path,
        at=_fragment(hit.citation),
        address=hit.citation.to_address(),
        section=_join_headings((hit.title, *hit.heading_path)) or None,
        score=round(hit.score, _SCORE_DIGITS),
        less_likely=hit.less_likely or None,
        stale=hit.stale or None,
        snippet=hit.snippet,
        header_row=None if hit.header_row is None else hit.header_row.text,
        more=tuple(_wire_further(hit, one) for one in hit.more) or None,
        more_count=hit.more_count if hit.more_count > len(hit.more) else None,
        translations=tuple(
            BriefTranslationV1(
                lang=one.lang,
                source=None if one.source_id == hit.source_id else one.source_id,
                path=None if one.doc_path == hit.doc_path else one.doc_path,
            )
            for one in hit.translations
        )
        or None,
        copies=hit.copies or None,
        copy_count=hit.copy_count if hit.copy_count > len(hit.copies) else None,
    )


def _wire_further(hit: SearchHit, passage: FurtherPassage) -> BriefPassageV1:
    same = passage.heading_path == hit.heading_path
    heading = "" if same else "".join(passage.heading_path[-1:])
    return BriefPassageV1(
        at=_fragment(passage.citation), heading=shorten_label(heading, _HEADING_CHARS) or None
    )


def brief_hit_cost(hit: SearchHit) -> int:
    """Return the tokens of a hit as a part of `search_brief.v1`, by the estimate of its JSON."""
    return TokenCounter().count(wire_json(wire_brief_hit(hit))) + _ID_TOKENS


def wire_search_brief(
    response: SearchResponse,
    *,
    near_values: Mapping[str, str] | None = None,
    existing_values: Mapping[str, Sequence[str]] | None = None,
    render: RemedyRenderer | None = None,
) -> SearchBriefV1:
    """Return a response in brief.

    Args:
        response: The response.
        near_values: Filter values that no document has, each with the nearest existing value.
        existing_values: Values that documents have, by field of `SearchFilters`, where nothing is near to the given ones.
        render: Words of remedies; None: the shared words.
    """
    return SearchBriefV1(
        score_kind=response.hits[0].score_kind if response.hits else None,
        hits=tuple(wire_brief_hit(hit) for hit in response.hits),
        nearest=tuple(wire_brief_hit(hit) for hit in response.nearest) or None,
        searched_instead=wire_searched_words(response) or None,
        no_hit_reason=response.no_hit_reason,
        filtered_out_by=tuple(map(wire_filter_name, response.filtered_out_by)) or None,
        did_you_mean=dict(near_values) if near_values else None,
        existing_values=wire_existing_values(existing_values) or None,
        truncated=response.truncated or None,
        next_cursor=response.next_cursor,
        coverage=wire_brief_coverage(response.coverage, render),
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


def wire_brief_coverage(coverage: Coverage, render: RemedyRenderer | None) -> BriefCoverageV1:
    """Return the coverage of a search in brief, with the words of remedies."""
    failure = coverage.leg_failure
    return BriefCoverageV1(
        indexed=coverage.documents_indexed,
        pending=coverage.documents_pending or None,
        failed=coverage.documents_failed or None,
        stale=coverage.documents_stale or None,
        held=coverage.documents_held or None,
        missing_legs=coverage.missing_legs or None,
        leg_failure=None if failure is None else mirror(LegFailureV1, failure, render),
        ingest_running=coverage.ingest_running or None,
        ingest_interrupted=coverage.ingest_interrupted or None,
        lexical_query_chars=coverage.lexical_query_chars,
        vector_query_chars=coverage.vector_query_chars,
    )
