"""Claims of an answer, with the lines of the sources that each one cites.

Lines are those of the source, or of its extracted text where the file is not text. A quote is addressed as the citation
is: by lines, by characters of a page, or by time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    CaptionCitation,
    CellCitation,
    CellSpan,
    Claim,
    ClaimSource,
    ClaimVerdict,
    CodeCitation,
    CodeSpan,
    KebabError,
    LineCitation,
    LineSpan,
    PageCitation,
    RegionCitation,
    RegionSpan,
    SlideCitation,
    TimeCitation,
    TimeSpan,
    cover_regions,
    parse_cells,
)
from kebab_text import split_lines

from kebab_rag.quoted_words import find_places, find_words

if TYPE_CHECKING:
    from kebab_core import (
        Answer,
        AnswerCitation,
        AnswerMarker,
        Citation,
        DocumentId,
        DocumentStore,
        HeaderRow,
        SearchHit,
    )

_GAP = "\0"
"""Separator of lines that are not consecutive; no claim contains it."""


_RANGES = {
    "line": ("start", "end"),
    "code": ("line_start", "line_end"),
    "page": ("char_start", "char_end"),
    "slide": ("char_start", "char_end"),
    "region": ("char_start", "char_end"),
    "time": ("start_ms", "end_ms"),
}
"""Fields of a citation that are narrowed to a quote, by its kind; cells are narrowed to rows."""
_MOST_AROUND_CHARS = 4000
"""Characters of quoted lines around a claim; of longer ones, as in a file that is one line, the quote is the claim alone."""


class CitedLine(NamedTuple):
    """A line of a cited passage; of a sheet a row, of a recording one of its parts."""

    start: int
    """Its position as the citation counts: number of the line or row, character of the page's text, or millisecond."""
    end: int
    """Its end: the same number for a line or row, else excluded."""
    text: str
    region: RegionSpan | None = None
    """Its place, of a line that was read from a picture."""


class CitedPassage(NamedTuple):
    """The lines that a citation names."""

    lines: Sequence[CitedLine] = ()
    lead: Sequence[CitedLine] = ()
    """Earlier lines whose text the passage repeats: the header of a table."""
    lead_text: str = ""
    """Their text in the passage."""


class CitedQuotes(NamedTuple):
    """What one number stands for."""

    marker: int
    """The passage, as the model marks it."""
    quotes: tuple[str, ...]
    """Text before the marker that the passage holds word for word; empty for the model's own words."""
    items_left_out: int | None = None
    """Items of a list, rows of a table or lines of code that stand between quoted ones or behind them; None where there are
    none."""
    headers: tuple[HeaderRow, ...] = ()
    """Header rows of tables that are shown with the quotes and that the passage does not repeat."""


def find_claims(answer: Answer, hits: Sequence[SearchHit], reader: PassageReader) -> tuple[Claim, ...]:
    """Split an answer whose text a model wrote into claims by its markers, in their order.

    Args:
        answer: The answer.
        hits: The hits of its search.
        reader: Reads what it cites.
    """
    cited = {
        citation.marker: citation.model_copy(update={"citation": citation.passage or citation.citation})
        for citation in answer.citations
        if citation.marker
    }
    passages = {marker: reader.read(each.citation, hits) for marker, each in cited.items()}
    found = []
    for text, markers in split_claims(answer.answer, answer.markers):
        known = [marker for marker in markers if marker in cited]
        sources = tuple(chain.from_iterable(_find_sources(text, cited[m], passages[m]) for m in known))
        is_quoted = bool(sources) and all(source.quote is not None for source in sources)
        verdict = ClaimVerdict.QUOTED if is_quoted else ClaimVerdict.UNCHECKED
        found.append(Claim(text=text, sources=sources, verdict=verdict))
    return tuple(found)


def cite_claim(
    text: str,
    cited: Sequence[tuple[AnswerCitation, CitedQuotes]],
    hits: Sequence[SearchHit],
    reader: PassageReader,
    *,
    is_quote: bool,
    verdict: ClaimVerdict = ClaimVerdict.SUPPORTED,
) -> Claim:
    """Return a claim whose quotes are known, with these as they stand in the sources.

    Args:
        text: Of the claim.
        cited: Its citations, each with the texts of the passage that it names.
        hits: The hits of the search.
        reader: Reads what is cited.
        is_quote: Whether the claim was chosen word for word; its sources are whole lines then.
        verdict: On a claim in a model's own words.
    """
    sources: list[ClaimSource] = []
    for citation, quotes in cited:
        quote = "\n".join(quotes.quotes)
        whole = citation.model_copy(update={"citation": citation.passage or citation.citation})
        passage = reader.read(whole.citation, hits)
        found = list(_find_sources(quote, whole, passage))
        if any(source.quote is None for source in found):  # its lines are gone, or look otherwise
            lead, rest = _split_lead(quote, whole, passage)
            found = [*lead, ClaimSource(marker=citation.marker or "", citation=whole.citation, quote=rest)]
        elif not is_quote and len(found) == 1 and quote in (found[0].quote or ""):
            found = [found[0].model_copy(update={"quote": quote})]  # a sentence of a longer line
        sources += [*_cite_headers(whole, quotes.headers), *found]
    is_copied = is_quote or any(text in (source.quote or "") for source in sources)
    return Claim(text=text, sources=tuple(sources), verdict=ClaimVerdict.QUOTED if is_copied else verdict)


def _cite_headers(cited: AnswerCitation, headers: Sequence[HeaderRow]) -> Iterator[ClaimSource]:
    """Yield the sources of header rows that a passage does not repeat."""
    for header in headers:
        match header.source_span:
            case LineSpan(start=start, end=end):
                line = CitedLine(start, end, header.text)
            case CellSpan(cells=str(cells)):
                line = CitedLine(parse_cells(cells).top, parse_cells(cells).bottom, header.text)
            case _:
                continue
        yield _quote(cited.marker or "", cited.citation, [line])


def split_claims(text: str, markers: Sequence[AnswerMarker]) -> list[tuple[str, list[str]]]:
    """Split a text at its markers; each part comes with the markers that follow it, every marker once.

    Args:
        text: Text of an answer.
        markers: Its markers in order; any other `[n]` is text.

    Returns:
        Pairs of text without markers and the markers behind it; the last pair may have none.
    """
    claims: list[tuple[str, list[str]]] = []
    start = 0
    for marker in markers:
        between, shown = text[start : marker.start].strip(), text[marker.start : marker.end]
        if between or not claims:
            claims.append((between, [shown]))
        elif shown not in claims[-1][1]:
            claims[-1][1].append(shown)
        start = marker.end
    rest = text[start:].strip()
    return [*claims, (rest, [])] if rest else claims


def _find_sources(claim: str, cited: AnswerCitation, passage: CitedPassage) -> Iterator[ClaimSource]:
    marker, citation = cited.marker or "", cited.citation
    lead, claim = _split_lead(claim, cited, passage)
    yield from lead
    if lead and not claim:
        return
    lines = [*passage.lead, CitedLine(0, 0, _GAP), *passage.lines]
    places = find_places(claim, [line.text for line in lines])
    for first, last in filter(None, places):
        source = _quote(marker, citation, lines[first : last + 1])
        if len(source.quote or "") > len(claim) + _MOST_AROUND_CHARS:
            texts = [line.text for line in lines[first : last + 1]]
            words = [texts[each.line][each.start : each.end] for each in find_words(claim, texts)]
            source = source.model_copy(update={"quote": "\n".join(words) or claim})
        yield source
    if None in places:
        yield ClaimSource(marker=marker, citation=citation, quote=None)


def _split_lead(
    claim: str, cited: AnswerCitation, passage: CitedPassage
) -> tuple[Sequence[ClaimSource], str]:
    """Return the source of the lead that a claim repeats, none where it does not, and the rest of the claim."""
    if not passage.lead or passage.lead_text not in claim:
        return (), claim
    source = _quote(cited.marker or "", cited.citation, passage.lead)
    return (source,), claim.replace(passage.lead_text, "", 1).strip()


def _quote(marker: str, citation: Citation, lines: Sequence[CitedLine]) -> ClaimSource:
    quote = "\n".join(line.text for line in lines).strip()
    return ClaimSource(marker=marker, citation=narrow_citation(citation, lines), quote=quote)


def narrow_citation(citation: Citation, lines: Sequence[CitedLine]) -> Citation:
    """Return a citation of some of its lines, at least one and in their order."""
    if isinstance(citation, CellCitation):
        cells = parse_cells(citation.cells or "A1")._replace(top=lines[0].start, bottom=lines[-1].end)
        return citation.model_copy(update={"cells": str(cells)}) if citation.cells else citation
    regions = [line.region for line in lines if line.region is not None]
    if isinstance(citation, RegionCitation) and regions:
        return citation.model_copy(update=cover_regions(regions).model_dump(exclude={"kind", "page"}))
    first, last = _RANGES[citation.kind]
    return citation.model_copy(update={first: lines[0].start, last: lines[-1].end})


class PassageReader:
    """Reads the lines that citations name.

    Args:
        documents: The documents of the hits.
        read_text: Gives the stored text of a document that has lines; raises `KebabError` where that is gone.
    """

    def __init__(self, documents: DocumentStore, read_text: Callable[[DocumentId], str]) -> None:
        self._documents = documents
        self._read_text = read_text

    def read(self, citation: Citation, hits: Sequence[SearchHit]) -> CitedPassage:
        """Read the lines that a citation names; none where it names a caption, or they are gone.

        Args:
            citation: A citation of the answer.
            hits: The hits of its search.
        """
        hit = next((hit for hit in hits if hit.citation == citation), None)
        if hit is None:
            return CitedPassage()
        try:
            lines = self._read_cited(hit.doc_id, citation)
            chunk = next((found.chunk for found in self._documents.get_chunks([hit.chunk_id])), None)
            if (
                chunk is None
                or chunk.lead is None
                or not isinstance(span := chunk.lead.source_span, LineSpan | CodeSpan | CellSpan)
            ):
                return CitedPassage(lines)
            if isinstance(span, LineSpan):
                lead = self._read_lines(hit.doc_id, span.start, span.end)
            elif isinstance(span, CodeSpan):
                lead = self._read_lines(hit.doc_id, span.line_start, span.line_end)
            else:
                lead = list(self._read_rows(hit.doc_id, span.sheet, span.cells))
            return CitedPassage(lines, lead, chunk.text[: chunk.lead.end].strip())
        except KebabError:
            return CitedPassage()  # deleted since the search; the claim keeps its citation

    def _read_cited(self, doc_id: DocumentId, citation: Citation) -> list[CitedLine]:  # noqa: PLR0911 - a case for each kind
        match citation:
            case LineCitation():
                return self._read_lines(doc_id, citation.start, citation.end)
            case CodeCitation():
                return self._read_lines(doc_id, citation.line_start, citation.line_end)
            case CellCitation():
                return list(self._read_rows(doc_id, citation.sheet, citation.cells))
            case TimeCitation():
                return list(self._read_moments(doc_id, citation))
            case RegionCitation():
                lines = list(self._read_regions(doc_id, citation))
                if lines:
                    return lines
            case CaptionCitation():
                return []
        text = self._read_part(doc_id, citation)
        return _cut_part(text, citation.char_start or 0, citation.char_end)

    def _read_lines(self, doc_id: DocumentId, start: int, end: int) -> list[CitedLine]:
        lines = split_lines(self._read_text(doc_id))[start - 1 : end]
        return [CitedLine(number, number, line.rstrip("\r\n")) for number, line in enumerate(lines, start)]

    def _read_regions(self, doc_id: DocumentId, citation: RegionCitation) -> Iterator[CitedLine]:
        """Yield the lines of a picture with their places; none where its parts are not its lines."""
        extracted = self._documents.get_text(doc_id)
        for part in extracted.find_page(citation.page) if extracted is not None else ():
            span = part.source_span
            if not isinstance(span, RegionSpan) or span.char_start is None or span.char_end is None:
                continue
            first, last = citation.char_start or 0, citation.char_end
            if extracted is not None and first < span.char_end and (last is None or span.char_start < last):
                text = extracted.text[part.start : part.end].rstrip("\n")
                yield CitedLine(span.char_start, span.char_end, text, span)

    def _read_part(self, doc_id: DocumentId, citation: PageCitation | SlideCitation | RegionCitation) -> str:
        extracted = self._documents.get_text(doc_id)
        if extracted is None:
            return ""
        match citation:
            case SlideCitation():
                parts = extracted.find_slide(citation.slide)
            case _:
                parts = extracted.find_page(citation.page)
        return extracted.text[parts[0].start : parts[-1].end] if parts else ""

    def _read_rows(self, doc_id: DocumentId, sheet: str, cells: str | None) -> Iterator[CitedLine]:
        extracted = self._documents.get_text(doc_id)
        asked = None if cells is None else parse_cells(cells)
        for part in extracted.find_cells(sheet, cells) if extracted is not None else ():
            if extracted is None or not isinstance(span := part.source_span, CellSpan) or span.cells is None:
                continue
            own = parse_cells(span.cells)
            for row, line in enumerate(split_lines(extracted.text[part.start : part.end]), own.top):
                if asked is None or asked.top <= row <= asked.bottom:
                    yield CitedLine(row, row, line.rstrip("\r\n"))

    def _read_moments(self, doc_id: DocumentId, citation: TimeCitation) -> Iterator[CitedLine]:
        extracted = self._documents.get_text(doc_id)
        if extracted is None:
            return
        for part in extracted.find_moments(citation.start_ms, citation.end_ms):
            if isinstance(moment := part.source_span, TimeSpan):
                text = extracted.text[part.start : part.end].strip()
                yield CitedLine(moment.start_ms, moment.end_ms, text)


def _cut_part(page: str, start: int, end: int | None) -> list[CitedLine]:
    """Return the lines of a page, slide, sheet or picture from one character to another; None is its end."""
    lines = []
    for line in split_lines(page[start:end]):
        text = line.rstrip("\r\n")
        lines.append(CitedLine(start, start + len(text), text))
        start += len(line)
    return lines
