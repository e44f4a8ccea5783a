"""Chunks: the passages of a document that are searched, shown and cited, with their terms, and as they are stored."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from json.encoder import encode_basestring
from typing import NamedTuple, TypeVar

from pydantic import Field

from kebab_core.address import format_address
from kebab_core.citation import (
    CaptionCitation,
    CellCitation,
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    SlideCitation,
    TimeCitation,
)
from kebab_core.code import CodeRole, CodeSymbol
from kebab_core.errors import RetrievalError
from kebab_core.facets import MediaKind, SourceType, TrustLevel
from kebab_core.files import SourceId, WorkspacePath
from kebab_core.ids import (
    DEFAULT_SOURCE_ID,
    AssetId,
    BlockId,
    ChunkerVersion,
    ChunkId,
    DocumentId,
    hash_canonical,
    hash_parts,
    id_of_json,
)
from kebab_core.model import Model, UtcDatetime
from kebab_core.remedies import Remedy
from kebab_core.span import (
    CaptionSpan,
    CellSpan,
    CodeSpan,
    LineSpan,
    PageSpan,
    RegionSpan,
    SlideSpan,
    SourceSpan,
    TimeSpan,
    cover_cells,
    parse_cells,
)

MAX_HEADER_ROW_CHARS = 1000
"""Code points of a header row that is kept with the rows of its table; a longer one is shortened."""
_SpanT = TypeVar("_SpanT", bound=SourceSpan)
_SIGNS = re.compile(r"[\W_]+")


class HeaderRow(Model):
    """The names of the columns of a table."""

    text: str = Field(min_length=1)
    """On one line, cells parted by ` | `."""
    source_span: SourceSpan


class TableRows(Model):
    """Consecutive rows of a table in the text of a chunk."""

    start: int = Field(ge=0)
    """Their range in the text of the chunk in code points, half open; with the header row where the text has it."""
    end: int = Field(ge=0)
    has_header: bool
    """Whether the text has the header row at `start`."""
    header: HeaderRow
    source_span: SourceSpan
    """Place of the rows."""

    def find_header(self, place: int | SourceSpan) -> HeaderRow | None:
        """Return the header row that text needs which begins at a place: in these rows, and behind their header row.

        Args:
            place: An offset in the text of the chunk, or a place in the source.
        """
        if isinstance(place, int):
            is_behind = self.start < place or (self.start == place and not self.has_header)
            return self.header if is_behind and place < self.end else None
        match (place, self.source_span, self.header.source_span):
            case (LineSpan(start=first), LineSpan() as own, LineSpan(end=last)):
                return self.header if last < first and own.start <= first <= own.end else None
            case (CellSpan() as asked, CellSpan() as own, CellSpan() as head) if asked.sheet == own.sheet:
                if asked.cells is None or own.cells is None or head.cells is None:
                    return None
                first, rows = parse_cells(asked.cells).top, parse_cells(own.cells)
                is_behind = parse_cells(head.cells).bottom < first
                return self.header if is_behind and rows.top <= first <= rows.bottom else None
        return None


class ChunkPolicy(Model):
    """Sizes that a chunker keeps to, counted by the fixed estimate `token_counter`.

    Knows no model: chunk ids must not change with the embedder.
    """

    target_tokens: int = Field(ge=16)
    """A chunk is closed when the next block would pass this."""
    max_tokens: int = Field(ge=16)
    """No chunk is larger, except where a single character is."""
    overlap_tokens: int = Field(ge=0)
    """Length of the end of a chunk that is repeated at the start of the next in the same section."""
    token_counter: str
    """Label of the estimate, part of the hash."""

    def hash(self) -> str:
        """Return 16 hex digits that differ whenever a value differs."""
        return hash_canonical(self.model_dump(mode="json"))[:16]


class RepeatedLead(Model):
    """Text at the start of a chunk that is repeated from elsewhere in the source: the header row of a table that was cut."""

    end: int = Field(ge=1)
    """Offset in the chunk's text where its own text begins, in code points."""
    source_span: SourceSpan
    """Position of the repeated text."""


class Chunk(Model):
    """A piece of one document."""

    chunk_id: ChunkId
    doc_id: DocumentId
    ordinal: int = Field(ge=0)
    """Position in the document, from 0 without gaps."""
    block_ids: tuple[BlockId, ...]
    text: str
    """Text to show. The analysed and embedded text is this with title and heading path."""
    heading_path: tuple[str, ...]
    section_label: str | None = None
    """The innermost heading, for people."""
    source_spans: tuple[SourceSpan, ...]
    """In source order; they hold all of the chunk's own text. Their union over a document covers every block."""
    token_estimate: int = Field(ge=0)
    chunker_version: ChunkerVersion
    policy_hash: str
    lead: RepeatedLead | None = None
    """Text at the start that is repeated from lines outside of `source_spans`; None where all is the chunk's own."""
    tables: tuple[TableRows, ...] = Field(default=(), exclude_if=lambda tables: not tables)
    """The rows of tables with a header row, in the order of the text."""
    symbols: tuple[CodeSymbol, ...] = Field(default=(), exclude_if=lambda symbols: not symbols)
    """Of source code: the symbols defined in its own lines, that of the unit first."""
    role: CodeRole | None = Field(default=None, exclude_if=lambda role: role is None)
    """Role in source code; None for other documents."""

    def find_header(self, place: int | SourceSpan) -> HeaderRow | None:
        """Return the header row that text needs which begins at a place inside a table; see `TableRows.find_header`."""
        return next(filter(None, (table.find_header(place) for table in self.tables)), None)


class TermKind(StrEnum):
    """Origin of a term."""

    WORD = "word"
    """A word or morpheme as written."""
    PART = "part"
    """A part of a compound word or identifier."""
    STEM = "stem"
    """A word reduced to its stem."""


class Term(NamedTuple):
    """One indexable unit of a text.

    Terms hold no white space and are lower case and NFC, so that joining them with spaces and splitting again
    is lossless. `start` and `end` are code points in the analysed text, half open.
    """

    text: str
    start: int
    end: int
    kind: TermKind = TermKind.WORD


class FoundTerms(NamedTuple):
    """Those terms of a text that were looked for, by start, then longest first, and the number of all its terms."""

    terms: list[Term]
    total: int


class ChunkTerms(Model):
    """A chunk as the lexical index stores it; each column is terms joined by single spaces."""

    title: str
    heading: str
    body: str
    surface: str
    """Words as written (folded), for exact phrases; never ranked."""


_CHAT_ARCHIVES = (".json", ".csv")
"""Ends of names of chats that are data, of which a text is written."""


class IndexedDocument(Model):
    """A stored document without its blocks, as search, fetch and listings show it."""

    doc_id: DocumentId
    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    doc_path: WorkspacePath
    title: str
    """What its passages are indexed and embedded with."""
    title_in_place: str | None = None
    """The title to show instead, where `title` is that of the file's metadata and other documents have it, too."""
    aliases: tuple[str, ...] = ()
    """Other names that its front matter gives it, in order."""
    lang: str
    media: MediaKind
    source_type: SourceType
    trust_level: TrustLevel
    repo: str | None = None
    code_lang: str | None = None
    stated_on: dt.date | None = None
    """The day that it states, as in `Metadata`."""
    indexed_at: UtcDatetime
    last_complete_scan_at: UtcDatetime | None = None
    """Time of the last complete scan of the document's source."""
    changed_on_disk: bool = False
    """The file is known to have changed since it was indexed."""
    asset_id: AssetId | None = None
    """The bytes of its file, the same for equal files; None where it is not known."""

    def is_stale(self, *, now: datetime, threshold_days: int) -> bool:
        """Return True if it may differ from its file on disk.

        The file is known to have changed since it was indexed, or the last complete scan of its source, and while there is none the
        last time that it was processed, is too long ago. See `is_outdated`.
        """
        looked_at = self.last_complete_scan_at or self.indexed_at
        return self.changed_on_disk or is_outdated(looked_at, now=now, threshold_days=threshold_days)

    @property
    def has_file_lines(self) -> bool:
        """Whether its lines are those of its file, and not of the text that was read from it."""
        is_archive = self.doc_path.lower().endswith(_CHAT_ARCHIVES)
        return self.media in {"markdown", "text", "code"} or (self.media == "chat" and not is_archive)

    @property
    def shown_title(self) -> str:
        """The title that tells it from other documents."""
        return self.title_in_place or self.title

    @property
    def names(self) -> tuple[str, ...]:
        """Its title, the stem of its file's name and its aliases, each once."""
        return distinct_names((self.title, self.doc_path.stem, *self.aliases))

    def to_address(self) -> str:
        """Return the address of the document."""
        return format_address(self.source_id, self.doc_path)


class IndexedChunk(Model):
    """A stored chunk with its document."""

    chunk: Chunk
    document: IndexedDocument


ChunkCost = Callable[[IndexedChunk], int]
"""Tokens that a neighbour costs of a fetch's `max_tokens`."""


def is_outdated(at: datetime, *, now: datetime, threshold_days: int) -> bool:
    """Return True if a time is more than so many days before the present; 0 days switches this rule off."""
    return threshold_days != 0 and now - at > timedelta(days=threshold_days)


def chunk_id_for(
    *,
    doc_id: DocumentId,
    chunker_version: str,
    block_ids: Sequence[BlockId],
    policy_hash: str,
    part: int | None = None,
) -> ChunkId:
    """The id of a chunk.

    `part` counts from 0 among chunks made from the same blocks and must be None where there is only one.
    """
    # Every chunk passes here: JSON in its final form is a quarter of the work.
    blocks = ",".join([f'"{block_id}"' for block_id in block_ids])
    own_part = "" if part is None else f'"part":{part},'
    written = id_of_json(
        ChunkId,
        f'{{"block_ids":[{blocks}],"chunker_version":{encode_basestring(chunker_version)},"doc_id":"{doc_id}",'
        f'"kind":"chunk",{own_part}"policy_hash":{encode_basestring(policy_hash)}}}',
    )
    return written or ChunkId(
        hash_parts(
            "chunk",
            doc_id=doc_id,
            chunker_version=chunker_version,
            block_ids=list(block_ids),
            policy_hash=policy_hash,
            **({} if part is None else {"part": part}),
        )
    )


def build_citation(passage: IndexedChunk) -> Citation:  # noqa: PLR0911 - a case for each kind of span
    """Build the citation of a chunk's whole range, from its first line or moment to its last.

    The kind follows the first span. A chunk over several pages, slides or sheets cites the first; regions of one page
    become the rectangle around them, ranges of cells the range around them.

    Raises:
        RetrievalError: The chunk has no span that can be cited, which only a damaged index has.
    """
    spans = passage.chunk.source_spans
    first = spans[0] if spans else None
    match first:
        case LineSpan():
            return _cite_lines(passage, _of_kind(spans, LineSpan))
        case CodeSpan():
            return _cite_code(passage, _of_kind(spans, CodeSpan))
        case PageSpan():
            return _cite_page(
                passage, [span for span in _of_kind(spans, PageSpan) if span.page == first.page]
            )
        case SlideSpan():
            return _cite_slide(
                passage, [span for span in _of_kind(spans, SlideSpan) if span.slide == first.slide]
            )
        case CellSpan():
            return _cite_cells(
                passage, [span for span in _of_kind(spans, CellSpan) if span.sheet == first.sheet]
            )
        case RegionSpan():
            return _cite_region(
                passage, [span for span in _of_kind(spans, RegionSpan) if span.page == first.page]
            )
        case CaptionSpan(model=model, page=page):
            return CaptionCitation(
                path=passage.document.doc_path, source_id=passage.document.source_id, model=model, page=page
            )
        case TimeSpan():
            return _cite_time(passage, _of_kind(spans, TimeSpan))
    raise RetrievalError(
        "chunk {chunk_id!r} has no place in its source",
        remedy=Remedy(kind="ingest"),
        chunk_id=passage.chunk.chunk_id,
    )


def _of_kind(spans: Sequence[SourceSpan], kind: type[_SpanT]) -> list[_SpanT]:
    return [span for span in spans if isinstance(span, kind)]


def _cite_lines(passage: IndexedChunk, spans: Sequence[LineSpan]) -> Citation:
    document = passage.document
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    if document.media == "code":
        return CodeCitation(
            path=document.doc_path,
            source_id=document.source_id,
            line_start=start,
            line_end=end,
            lang=document.code_lang,
        )
    return LineCitation(
        path=document.doc_path,
        source_id=document.source_id,
        start=start,
        end=end,
        section=passage.chunk.section_label,
    )


def _cite_code(passage: IndexedChunk, spans: Sequence[CodeSpan]) -> CodeCitation:
    symbols = {span.symbol for span in spans}
    return CodeCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        line_start=min(span.line_start for span in spans),
        line_end=max(span.line_end for span in spans),
        symbol=symbols.pop() if len(symbols) == 1 else None,
        lang=spans[0].lang or passage.document.code_lang,
    )


def _cite_page(passage: IndexedChunk, spans: Sequence[PageSpan]) -> PageCitation:
    start, end = _char_range(spans)
    rectangles = tuple(dict.fromkeys(each for span in spans for each in span.rectangles or ()))
    return PageCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        page=spans[0].page,
        section=passage.chunk.section_label,
        char_start=start,
        char_end=end,
        rectangles=rectangles or None,
        page_size=spans[0].page_size,
    )


def _cite_slide(passage: IndexedChunk, spans: Sequence[SlideSpan]) -> SlideCitation:
    start, end = _char_range(spans)
    return SlideCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        slide=spans[0].slide,
        section=passage.chunk.section_label,
        char_start=start,
        char_end=end,
    )


def _cite_cells(passage: IndexedChunk, spans: Sequence[CellSpan]) -> CellCitation:
    start, end = _char_range(spans)
    ranges = [parse_cells(span.cells) for span in spans if span.cells is not None]
    return CellCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        sheet=spans[0].sheet,
        cells=str(cover_cells(ranges)) if len(ranges) == len(spans) else None,
        char_start=start,
        char_end=end,
    )


def _char_range(
    spans: Sequence[PageSpan | SlideSpan | CellSpan],
) -> tuple[int | None, int | None]:
    """Return the range from the first to the last character; None for both ends if one span does not know its own."""
    starts = [span.char_start for span in spans if span.char_start is not None]
    ends = [span.char_end for span in spans if span.char_end is not None]
    return (min(starts), max(ends)) if len(starts) == len(spans) else (None, None)


def _cite_region(passage: IndexedChunk, spans: Sequence[RegionSpan]) -> RegionCitation:
    return RegionCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        **cover_regions(spans).model_dump(exclude={"kind"}),
    )


def _cite_time(passage: IndexedChunk, spans: Sequence[TimeSpan]) -> TimeCitation:
    return TimeCitation(
        path=passage.document.doc_path,
        source_id=passage.document.source_id,
        start_ms=min(span.start_ms for span in spans),
        end_ms=max(span.end_ms for span in spans),
    )


def cover_regions(regions: Sequence[RegionSpan]) -> RegionSpan:
    """Return the rectangle around regions of one picture or page, at least one; its characters where all know theirs."""
    left, top = min(each.x for each in regions), min(each.y for each in regions)
    known = all(each.char_end is not None for each in regions)
    return RegionSpan(
        x=left,
        y=top,
        w=max(each.x + each.w for each in regions) - left,
        h=max(each.y + each.h for each in regions) - top,
        page=regions[0].page,
        is_whole=regions[0].is_whole if len(regions) == 1 else None,
        char_start=min(each.char_start or 0 for each in regions) if known else None,
        char_end=max(each.char_end or 0 for each in regions) if known else None,
    )


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in order, without those that another one before them equals but for case, blanks and signs."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(_SIGNS.sub(" ", name.casefold()).strip() or name, name)
    return tuple(found.values())
