"""The chunkers `md-heading-v4` and `pdf-page-v2`: they cut a document by sections, then by blocks, then inside large blocks.

`registry` names them. Each renders blocks to pieces (`pieces`), packs these into chunks (`packing`), and gives each chunk
its id, lines and heading path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise, takewhile
from typing import cast

from kebab_core import (
    MAX_HEADER_ROW_CHARS,
    BlockId,
    CanonicalDocument,
    CellSpan,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    HeaderRow,
    LineSpan,
    LongDocument,
    PageSpan,
    RegionSpan,
    RepeatedLead,
    SlideSpan,
    SourceSpan,
    TableRows,
    TokenCounter,
    chunk_id_for,
    cover_cells,
    parse_cells,
    shorten_label,
)

from kebab_chunk.boundaries import TextLimit, longest_prefix
from kebab_chunk.packing import PackingSizes, pack_pieces
from kebab_chunk.pieces import Piece, count_words, find_table_rows, join_pieces, render_block


def cut_document(
    document: LongDocument,
    policy: ChunkPolicy,
    *,
    counter: TokenCounter,
    version: ChunkerVersion,
    policy_hash: str,
) -> Iterator[Chunk]:
    """Cut a document into chunks, with the blocks of at most three chunks in memory. A document without blocks has none.

    Only the first chunk of a section begins with the heading; title and heading path are not part of `text`. The
    lines of a chunk are one span from its first to its last line, overlap included.

    Args:
        document: The document.
        policy: Sizes.
        counter: Counts the tokens of texts.
        version: Label of the chunks.
        policy_hash: Part of their ids.

    Yields:
        Chunks in document order.
    """
    pieces = (render_block(block) for block in document.blocks)
    drafts = pack_pieces(pieces, sizes=PackingSizes.of(policy), counter=counter)
    for ordinal, (part, block_ids, draft) in enumerate(_number_parts(drafts)):
        text = join_pieces(draft) or _placeholder(document.head, policy.max_tokens, counter)
        heading_path = _heading_path(draft)
        chunk_id = chunk_id_for(
            doc_id=document.head.doc_id,
            chunker_version=version,
            block_ids=block_ids,
            policy_hash=policy_hash,
            part=part,
        )
        yield Chunk(
            chunk_id=chunk_id,
            doc_id=document.head.doc_id,
            ordinal=ordinal,
            block_ids=block_ids,
            text=text,
            heading_path=heading_path,
            section_label=heading_path[-1] if heading_path else None,
            source_spans=_merge_spans(piece.span for piece in draft),
            token_estimate=counter.count(text),
            chunker_version=version,
            policy_hash=policy_hash,
            lead=_repeated_lead(draft),
            tables=tuple(_table_rows(draft)),
        )


def _placeholder(document: CanonicalDocument, max_tokens: int, counter: TokenCounter) -> str:
    """Return the text of a chunk whose blocks have none: the title or the file's name."""
    name = document.title.strip() or document.workspace_path.name
    end = longest_prefix(name, (0, len(name)), TextLimit(counter, max_tokens))
    return name[:end].strip()


def _repeated_lead(pieces: Sequence[Piece]) -> RepeatedLead | None:
    """Return the header row that a chunk repeats because it begins inside a table.

    Only the first piece with text can have one: later rows follow the header or another row.
    """
    first = next((piece for piece in pieces if not piece.is_blank), None)
    if first is None or not first.lead or first.header_span is None:
        return None
    return RepeatedLead(end=len(first.lead), source_span=first.header_span)


def _table_rows(pieces: Sequence[Piece]) -> Iterator[TableRows]:
    text = join_pieces(pieces)
    for run, start, end in find_table_rows(pieces):
        (span, *_) = _merge_spans(piece.span for piece in run)
        first = run[0]
        if first.header_span is not None:
            row = HeaderRow(
                text=shorten_label(first.header, MAX_HEADER_ROW_CHARS), source_span=first.header_span
            )
            has_header = text.startswith(first.header, start)
            yield TableRows(start=start, end=end, has_header=has_header, header=row, source_span=span)


def _heading_path(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return the headings that all text of a chunk stands under; those of its last piece where it is only headings.

    Text before the first heading counts only where there is no other: a few words such as tags may share a chunk with what
    follows.
    """
    texts = [piece for piece in pieces if not piece.is_heading and not piece.is_blank]
    if len({piece.heading_path for piece in texts}) > 1:
        texts = [piece for piece in texts if piece.heading_path and count_words(piece, most=1)] or texts
    shared = texts[0].heading_path if texts else pieces[-1].heading_path
    for piece in texts:
        shared = tuple(
            one for one, other in takewhile(_are_equal, zip(shared, piece.heading_path, strict=False))
        )
    return shared


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _number_parts(
    drafts: Iterable[Sequence[Piece]],
) -> Iterator[tuple[int | None, tuple[BlockId, ...], Sequence[Piece]]]:
    """Yield the number of each draft, from 0, among drafts of the same blocks, None where it is the only one; and its blocks.

    Drafts of the same blocks are neighbours, since pieces are in order and overlap repeats the previous draft only.
    """
    number = 0
    with_blocks = ((tuple(dict.fromkeys(piece.block_id for piece in draft)), draft) for draft in drafts)
    ends: tuple[tuple[tuple[BlockId, ...], Sequence[Piece]]] = (((), ()),)
    for (block_ids, draft), (following, _) in pairwise(chain(with_blocks, ends)):
        continues = block_ids == following
        yield (number if continues or number else None), block_ids, draft
        number = number + 1 if continues else 0


def _merge_spans(spans: Iterable[SourceSpan]) -> tuple[SourceSpan, ...]:
    """Return the spans in order; neighbouring line spans become one, equal neighbours are kept once.

    Neighbouring spans of one page, slide or region become one where the second continues the characters of the first;
    those of one sheet always do.

    Pieces of a chunk follow each other in the source, so only lines without text lie between two of its line spans.
    """
    merged: list[SourceSpan] = []
    for kind, group in groupby(spans, key=_merge_kind):
        run = list(group)
        if kind == "line":
            merged.append(_cover_lines(cast("list[LineSpan]", run)))
        elif kind.startswith("cells"):
            merged.append(_cover_sheet(cast("list[CellSpan]", run)))
        else:
            merged += _merge_chars(run)
    return tuple(merged)


def _merge_kind(span: SourceSpan) -> str:
    """Return a key that is equal for spans that may become one: their kind, with the sheet of cells."""
    return (
        f"cells {span.sheet}"
        if isinstance(span, CellSpan)
        else span.kind
        if isinstance(span, LineSpan)
        else ""
    )


def _cover_lines(spans: Sequence[LineSpan]) -> LineSpan:
    if len(spans) == 1:
        return spans[0]
    return LineSpan(start=min(span.start for span in spans), end=max(span.end for span in spans))


def _cover_sheet(spans: Sequence[CellSpan]) -> CellSpan:
    if len(spans) == 1:
        return spans[0]
    known = all(span.char_end is not None for span in spans)
    ranges = [parse_cells(span.cells) for span in spans if span.cells is not None]
    return CellSpan(
        sheet=spans[0].sheet,
        cells=str(cover_cells(ranges)) if len(ranges) == len(spans) else None,
        char_start=spans[0].char_start if known else None,
        char_end=spans[-1].char_end if known else None,
    )


def _merge_chars(spans: Sequence[SourceSpan]) -> list[SourceSpan]:
    merged: list[SourceSpan] = []
    for span in spans:
        last = merged[-1] if merged else None
        if (
            isinstance(last, PageSpan | SlideSpan | RegionSpan)
            and last.char_end is not None
            and last.model_copy(
                update={"char_start": last.char_end, "char_end": getattr(span, "char_end", None)}
            )
            == span
        ):
            merged[-1] = last.model_copy(update={"char_end": span.char_end})
        elif span != last:
            merged.append(span)
    return merged
