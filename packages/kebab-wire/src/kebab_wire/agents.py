"""Results for agents: searches, answers, fetched text, lists and related documents.

Every hit, citation and candidate is an address, which `fetch` takes; no ids, no versions. A field with its usual value, or
without information, is absent. Everything else is in the objects that `--json` prints.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    Answer,
    CaptionCitation,
    ClaimVerdict,
    Count,
    Coverage,
    FetchResult,
    NoHitReason,
    Position,
    RefusalReason,
    ScoreKind,
    SearchHit,
    SearchResponse,
    TokenCounter,
    is_heard,
    is_recognised,
    shorten_label,
)

from kebab_wire.base import WireObject, WirePart, wire_json
from kebab_wire.brief import BriefCoverageV1, wire_brief_coverage
from kebab_wire.document import CallSearchV1
from kebab_wire.errors import ErrorV1
from kebab_wire.search import wire_existing_values, wire_filter_name, wire_searched_words

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer

_SCORE_DIGITS = 2
_TITLE_CHARS = 60
"""Maximum length of title and heading together, in code points."""


class AgentTranslationV2(WirePart):
    """A document that is the same page in another language."""

    lang: str
    address: str


class AgentHitV2(WirePart):
    """One passage that was found, by default the best one of its document."""

    address: str
    """Place of the passage, which `fetch` takes and a reader can open: `[source:]path#L10-L42`."""
    title: str | None = None
    """Title of the document and the heading above the passage, joined by ` > `, shortened to 60 code points; absent where
    there are none."""
    score: float
    """A ranking signal on the scale of `score_kind`, with two decimals."""
    less_likely: bool | None = None
    """The score is below 0.05; below 0.02 nothing is a hit."""
    stale: bool | None = None
    """The file on disk may differ from the stored document."""
    read_from_picture: bool | None = None
    """The text was recognised in a picture, and may be misread."""
    heard_in_recording: bool | None = None
    """The speech was heard by a machine, and may be misheard."""
    written_by: str | None = None
    """The model that wrote the text about a picture: it is not in the picture, and no evidence."""
    snippet: str
    """A part of the passage as it stands in the file, with … where it is cut."""
    header_row: str | None = None
    """The names of the columns where the snippet begins inside a table, and does not have them."""
    more: tuple[str, ...] | None = None
    """Places of the next passages of the document, best first, three at most: they stand for what is behind the `#` of
    `address`."""
    translations: tuple[AgentTranslationV2, ...] | None = None
    """The same page in other languages."""
    copies: tuple[str, ...] | None = None
    """Addresses of documents with the same content, or with this very passage, three at most."""
    copy_count: Position | None = None
    """Number of all such documents, where `copies` does not have them all."""
    shown_in: tuple[str, ...] | None = None
    """Of a picture: addresses of documents that show it, three at most."""


class SearchBriefV2(WireObject):
    """Hits, best first; a field without information is absent."""

    schema_version: Literal["search_brief.v2"] = "search_brief.v2"
    score_kind: ScoreKind | None = None
    """Absent where it is `probability`, and where there is no hit."""
    hits: tuple[AgentHitV2, ...]
    nearest: tuple[AgentHitV2, ...] | None = None
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
    coverage: BriefCoverageV1 | None = None
    """Absent where there are hits and all documents were searched by all legs of the mode."""


class BulkAnswerV2(WirePart):
    """Result of one query: a response or an error, the other is absent."""

    query: str
    """Text of the query as given; empty where there is none."""
    response: SearchBriefV2 | None = None
    error: ErrorV1 | None = None


class BulkSearchResponseV2(WireObject):
    """Results in the order of the queries."""

    schema_version: Literal["bulk_search_response.v2"] = "bulk_search_response.v2"
    results: tuple[BulkAnswerV2, ...]
    failed: Count | None = None
    """Number of queries that ended with an error; absent where none did."""


class AnswerSourceV1(WirePart):
    """A source of an answer."""

    marker: str
    """`[n]`, as in the answer."""
    address: str
    """The lines that are quoted, where the text before the marker is a quote; else the whole passage."""
    quote: str | None = None
    """The text that bears the claim, as in the source; absent where the claim itself is the quote."""
    verdict: ClaimVerdict | None = None
    """Of a claim in a model's own words: `supported`, or `not_proven`, of which the quote is to be read first."""
    stated_on: dt.date | None = None
    """The day that its document states: `2026-11-21`; present where two or more documents that state one are cited."""
    stale: bool | None = None
    """The file on disk may differ from the stored document."""
    read_from_picture: bool | None = None
    """What is quoted was recognised in a picture, and may be misread: say so."""
    heard_in_recording: bool | None = None
    """What is quoted was heard by a machine, and may be misheard: say so."""


class AnswerBriefV1(WireObject):
    """An answer with its sources, or a refusal with its reason and the nearest candidates."""

    schema_version: Literal["answer_brief.v1"] = "answer_brief.v1"
    answer: str
    """With markers `[n]`, each of which stands for one of `citations`."""
    header_rows: tuple[str, ...] | None = None
    """Lines of `answer` that are no rows but the names of columns; absent where there are none."""
    grounded: bool
    refusal_reason: RefusalReason | None = None
    """Present exactly where `grounded` is false."""
    citations: tuple[AnswerSourceV1, ...] | None = None
    """In the order of the markers; absent where there are none."""
    candidates: tuple[str, ...] | None = None
    """Addresses of the nearest passages of a refusal, best first."""
    coverage: BriefCoverageV1 | None = None
    """Absent where all documents were searched by all legs of the mode."""


class FetchBriefV1(WireObject):
    """Text of an address, word for word, or its headings."""

    schema_version: Literal["fetch_brief.v1"] = "fetch_brief.v1"
    address: str
    """Address of what was read."""
    title: str | None = None
    """Title of the document; absent where it has none."""
    text: str | None = None
    """Absent for an outline; empty where the page or slide has no text."""
    header_row: str | None = None
    """The names of the columns where `text` begins inside a table, and does not have them."""
    outline: tuple[str, ...] | None = None
    """The headings in order, each as lines of its section, marks of its level, and text: `L10-L42 ## Rules`. The lines
    follow path and `#` in the address of the section."""
    total_lines: Count | None = None
    """Lines of the whole document; absent where it has none."""
    parts: tuple[str, ...] | None = None
    """First and last page, slide, sheet or time in `text`, as in addresses: `p=3`; absent where the address says it."""
    total_parts: Count | None = None
    """Pages, slides or sheets of the whole document; absent where it has none."""
    next: str | None = None
    """Address of what `max_tokens` cut off; absent where nothing is left, or the cut is inside a line."""
    truncated: bool | None = None
    """`max_tokens` cut the text inside a line."""
    stale: bool | None = None
    """The file on disk may differ from the stored document."""


class ListedDocumentV1(WirePart):
    """A document of a list."""

    address: str
    title: str | None = None
    """Absent where it is the name of the file."""
    date: str | None = None
    """Local day of the last change, by its own date where it has one: `2026-11-21`; absent in a list by name."""


class ListBriefV1(WireObject):
    """Documents, or tags, folders and sources with their numbers of documents; those that were not asked for are absent."""

    schema_version: Literal["list_brief.v1"] = "list_brief.v1"
    total: Count
    """Number of all documents that pass the filters, or have the name, also of those that are not listed."""
    documents: tuple[ListedDocumentV1, ...] | None = None
    tags: dict[str, Count] | None = None
    """By number of documents."""
    folders: dict[str, Count] | None = None
    """By number of documents, those in folders below included; each name is an address with a slash at its end."""
    sources: dict[str, Count] | None = None
    omitted: Count | None = None
    """Documents after this page, or tags, folders and sources that limit and budget left out; absent for none."""
    next_cursor: str | None = None
    """Cursor of the next page of documents, for the same list; absent on the last page."""


class RelatedBriefDocumentV1(WirePart):
    """A document related to another one."""

    address: str
    """With the line of its link, or of its nearest passage, where there is one."""
    title: str
    text: str | None = None
    """Text of the link, or heading of the passage; absent where it is the title, or there is none."""


class RelatedBriefV1(WireObject):
    """Documents related to an address; an absent field means none."""

    schema_version: Literal["related_brief.v1"] = "related_brief.v1"
    address: str
    links_to: tuple[RelatedBriefDocumentV1, ...] | None = None
    """In the order of the links."""
    linked_from: tuple[RelatedBriefDocumentV1, ...] | None = None
    """By path."""
    linked_from_count: Count | None = None
    """Number of documents that link to it, where `linked_from` does not have them all."""
    called_by: tuple[RelatedBriefDocumentV1, ...] | None = None
    """Of source code: definitions that call it by name, not resolved, in its file first; lines outside of definitions too."""
    calls: tuple[RelatedBriefDocumentV1, ...] | None = None
    """Of source code: definitions of its file that it calls by name."""
    same_name: tuple[RelatedBriefDocumentV1, ...] | None = None
    """Of source code: other definitions of the name."""
    tested_by: tuple[RelatedBriefDocumentV1, ...] | None = None
    """Of source code: tests of the name."""
    similar: tuple[RelatedBriefDocumentV1, ...] | None = None
    """Near in meaning, nearest first; none of the others."""
    call_search: CallSearchV1 | None = None
    """Of a definition of source code: where calls in other files were looked for; absent: nowhere, as for a whole file."""
    lacks_vectors: bool | None = None
    """Nothing was compared by meaning, since it has no vectors."""


def wire_agent_hit(hit: SearchHit) -> AgentHitV2:
    """Return a hit for agents."""
    headings = dict.fromkeys((hit.title, *hit.heading_path[-1:]))
    return AgentHitV2(
        address=hit.citation.to_address(),
        title=shorten_label(" > ".join(filter(None, headings)), _TITLE_CHARS) or None,
        score=round(hit.score, _SCORE_DIGITS),
        less_likely=hit.less_likely or None,
        stale=hit.stale or None,
        read_from_picture=is_recognised(hit.citation) or None,
        heard_in_recording=is_heard(hit.citation) or None,
        written_by=hit.citation.model if isinstance(hit.citation, CaptionCitation) else None,
        snippet=hit.snippet,
        header_row=None if hit.header_row is None else hit.header_row.text,
        more=tuple(one.citation.to_address().rpartition("#")[2] for one in hit.more) or None,
        translations=tuple(
            AgentTranslationV2(lang=one.lang, address=one.to_address()) for one in hit.translations
        )
        or None,
        copies=hit.copies or None,
        copy_count=hit.copy_count if hit.copy_count > len(hit.copies) else None,
        shown_in=hit.shown_in or None,
    )


def agent_hit_cost(hit: SearchHit) -> int:
    """Return the tokens of a hit as a part of `search_brief.v2`, by the estimate of its JSON."""
    return TokenCounter().count(wire_json(wire_agent_hit(hit)))


def wire_agent_search(
    response: SearchResponse,
    *,
    near_values: Mapping[str, str] | None = None,
    existing_values: Mapping[str, Sequence[str]] | None = None,
    render: RemedyRenderer | None = None,
) -> SearchBriefV2:
    """Return a response for agents.

    Args:
        response: The response.
        near_values: Filter values that no document has, each with the nearest existing value.
        existing_values: Values that documents have, by field of `SearchFilters`, where nothing is near to the given ones.
        render: Words of remedies; None: the shared words.
    """
    kind = response.hits[0].score_kind if response.hits else None
    return SearchBriefV2(
        score_kind=None if kind is ScoreKind.PROBABILITY else kind,
        hits=tuple(map(wire_agent_hit, response.hits)),
        nearest=tuple(map(wire_agent_hit, response.nearest)) or None,
        searched_instead=wire_searched_words(response) or None,
        no_hit_reason=response.no_hit_reason,
        filtered_out_by=tuple(map(wire_filter_name, response.filtered_out_by)) or None,
        did_you_mean=dict(near_values) if near_values else None,
        existing_values=wire_existing_values(existing_values) or None,
        truncated=response.truncated or None,
        next_cursor=response.next_cursor,
        coverage=_wire_unusual(response.coverage, render, is_empty=not response.hits),
    )


def wire_agent_bulk(
    results: Sequence[tuple[Mapping[str, object], SearchBriefV2 | ErrorV1]],
) -> BulkSearchResponseV2:
    """Return the results of several searches.

    Args:
        results: The query as given, and its outcome.
    """
    wired = tuple(_wire_bulk_answer(given.get("query"), outcome) for given, outcome in results)
    return BulkSearchResponseV2(results=wired, failed=sum(one.error is not None for one in wired) or None)


def _wire_bulk_answer(text: object, outcome: SearchBriefV2 | ErrorV1) -> BulkAnswerV2:
    query = text if isinstance(text, str) else ""
    if isinstance(outcome, ErrorV1):
        return BulkAnswerV2(query=query, error=outcome)
    return BulkAnswerV2(query=query, response=outcome)


_JUDGED = (ClaimVerdict.SUPPORTED, ClaimVerdict.NOT_PROVEN)
"""Verdicts on claims in a model's own words; the later one holds for a source of several claims."""


def wire_agent_answer(
    answer: Answer, *, coverage: Coverage | None = None, render: RemedyRenderer | None = None
) -> AnswerBriefV1:
    """Return an answer for agents.

    Args:
        answer: The answer.
        coverage: Coverage of its search.
        render: Words of remedies; None: the shared words.
    """
    judged = [claim for claim in answer.claims or () if claim.verdict in _JUDGED]
    quotes = {source.marker: source.quote for claim in judged for source in claim.sources}
    verdicts = {
        source.marker: verdict
        for verdict in _JUDGED
        for claim in judged
        for source in claim.sources
        if claim.verdict is verdict
    }
    return AnswerBriefV1(
        answer=answer.answer,
        header_rows=tuple(dict.fromkeys(answer.answer[each.start : each.end] for each in answer.header_rows))
        or None,
        grounded=answer.grounded,
        refusal_reason=answer.refusal_reason,
        citations=tuple(
            AnswerSourceV1(
                marker=cited.marker,
                address=cited.citation.to_address(),
                quote=quotes.get(cited.marker),
                verdict=verdicts.get(cited.marker),
                stated_on=answer.compared_days.get(cited.marker),
                stale=cited.stale or None,
                read_from_picture=is_recognised(cited.citation) or None,
                heard_in_recording=is_heard(cited.citation) or None,
            )
            for cited in answer.citations
            if cited.marker is not None
        )
        or None,
        candidates=tuple(cited.citation.to_address() for cited in answer.citations if cited.marker is None)
        or None,
        coverage=None if coverage is None else _wire_unusual(coverage, render),
    )


def wire_agent_fetch(result: FetchResult) -> FetchBriefV1:
    """Return what was read by address, for agents."""
    document = result.document
    return FetchBriefV1(
        address=result.address or document.to_address(),
        title=document.shown_title or None,
        text=None if result.kind == "outline" else result.text or "",
        header_row=None if result.header_row is None else result.header_row.text,
        outline=tuple(
            f"L{each.line_start}-L{each.line_end} {'#' * each.level} {each.text}" for each in result.headings
        )
        if result.kind == "outline"
        else None,
        total_lines=result.total_lines,
        parts=result.parts if result.kind == "doc" and result.parts else None,
        total_parts=result.total_parts,
        next=result.next,
        truncated=(result.truncated and result.next is None) or None,
        stale=result.stale or None,
    )


def _wire_unusual(
    coverage: Coverage, render: RemedyRenderer | None, *, is_empty: bool = False
) -> BriefCoverageV1 | None:
    """Coverage where it says more than that everything was searched, or where nothing was found."""
    wired = wire_brief_coverage(coverage, render)
    is_usual = wired == BriefCoverageV1(indexed=wired.indexed)
    return None if is_usual and not is_empty else wired
