"""Words of a quote or a query in what is cited, and their places on a page or in a picture."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import CellCitation, CellSpan, ListBlock, PageSpan, RegionSpan, TableBlock, parse_cells
from kebab_ingest import ReadingCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kebab_core import Block, DocumentId, OcrRegion
    from kebab_documents import FoundAddress
    from kebab_parse_pdf import PageWord
    from kebab_rag import WordRange

    from kebab_app.knowledge_base import KnowledgeBase

Chars = tuple[int, int]
"""Code points of the whole text of a document, half open."""
_LATIN = re.compile("[a-zA-Z]*")


class SoughtWords(NamedTuple):
    """Words to mark."""

    query: str = ""
    quotes: tuple[tuple[str, ...], ...] = ()
    """Of each the first of its texts that stands in what is cited."""


def find_cited_texts(
    found: FoundAddress, blocks: Sequence[Block], *, page: int | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the texts of the cited blocks of a document by their place among those of all blocks (`block_texts`).

    Args:
        found: What is cited.
        blocks: All blocks.
        page: Of a whole document its page, from 1, whose texts are yielded; None for none.
    """
    at = 0
    for block in blocks:
        texts, span = block_texts(block), block.source_span
        is_on_page = page is not None and (
            (isinstance(span, RegionSpan) and span.page in {None, page})
            or (isinstance(span, PageSpan) and span.page == page)
        )
        if is_on_page if found.citation is None else found.holds(span):
            first, last = _cited_cells(found, block, len(texts))
            yield from ((at + n, texts[n]) for n in range(first, last) if texts[n])
        at += len(texts)


def find_words(base: KnowledgeBase, lines: Mapping[int, str], sought: SoughtWords) -> tuple[WordRange, ...]:
    """Find the words of quotes, or where none of these stands there, of a query.

    Args:
        base: The knowledge base.
        lines: Texts by their place.
        sought: The words.

    Returns:
        In order; `line` is the place of a text.
    """
    found = [each for quote in sought.quotes for each in _find_quote(quote, lines)]
    return _merge(found) if found else _find_query(sought.query, lines, base)


def find_chars(blocks: Sequence[Block], words: Sequence[WordRange]) -> list[tuple[int, int]]:
    """Return the words that were recognised in a picture as code points of the whole text."""
    places = accumulate((len(block_texts(each)) for each in blocks), initial=0)
    starts = {
        at: block.source_span.char_start
        for at, block in zip(places, blocks, strict=False)
        if isinstance(block.source_span, RegionSpan) and block.source_span.char_start is not None
    }
    return [
        (starts[each.line] + each.start, starts[each.line] + each.end)
        for each in words
        if each.line in starts
    ]


def find_page_words(
    blocks: Sequence[Block], words: Sequence[WordRange], *, page: int
) -> tuple[PageWord, ...]:
    """Return the words that stand in the text of a page of a PDF, to be found there."""
    from kebab_parse_pdf import PageWord

    texts = [(block, text) for block in blocks for text in block_texts(block)]
    found: list[PageWord] = []
    for each in words:
        block, text = texts[each.line]
        span = block.source_span
        if isinstance(span, PageSpan) and span.page == page:
            is_start = not text[max(each.start - 1, 0) : each.start].isalnum()
            found.append(PageWord(text[each.start : each.end], span.rectangles or (), is_start))
    return tuple(found)


def block_texts(block: Block) -> tuple[str, ...]:
    """Return the texts of a block in which words can be marked: the items of a list, the cells of a table row by row, else its text."""
    match block:
        case ListBlock():
            return tuple(item.text for item in block.items)
        case TableBlock():
            return tuple(cell for row in block.rows for cell in row)
        case _:
            return (getattr(block, "text", ""),)


def _cited_cells(found: FoundAddress, block: Block, count: int) -> tuple[int, int]:
    """Return the first text of a block that is cited, and the one after the last: of a sheet the rows, else all."""
    span, cited = block.source_span, found.citation
    if not (
        isinstance(block, TableBlock)
        and isinstance(span, CellSpan)
        and isinstance(cited, CellCitation)
        and span.cells
        and cited.cells
    ):
        return 0, count
    top = parse_cells(span.cells).top + (block.header_span is None)
    wanted = parse_cells(cited.cells)
    counts = [len(row) for row in block.rows]
    first, last = max(0, wanted.top - top), max(0, wanted.bottom - top + 1)
    return sum(counts[:first]), sum(counts[:last])


def _find_quote(texts: Sequence[str], lines: Mapping[int, str]) -> Iterator[WordRange]:
    from kebab_rag import find_words as find

    places = list(lines)
    found = (find(text, list(lines.values())) for text in texts)
    return (each._replace(line=places[each.line]) for each in next(filter(None, found), ()))


def _find_query(query: str, lines: Mapping[int, str], base: KnowledgeBase) -> tuple[WordRange, ...]:
    if not query.strip() or not lines:
        return ()
    from kebab_rag import WordRange

    wanted = {term.text for term in base.analyzer.analyze_query(query)}
    return _merge(
        WordRange(number, term.start, _whole(line, term.end))
        for number, line in lines.items()
        for term in base.analyzer.find_terms(line, wanted).terms
    )


def _merge(words: Iterable[WordRange]) -> tuple[WordRange, ...]:
    """Put words in order, and those that touch into one."""
    merged: list[WordRange] = []
    for each in sorted(words):
        if merged and merged[-1].line == each.line and each.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(each.end, merged[-1].end))
        else:
            merged.append(each)
    return tuple(merged)


def _whole(line: str, end: int) -> int:
    """Return the end of the Latin word whose stem ends there; particles of Korean words are no part of them."""
    rest = _LATIN.match(line, end)
    return rest.end() if rest and end and line[end - 1].isascii() else end


def find_word_regions(
    base: KnowledgeBase, doc_id: DocumentId, wanted: Sequence[Chars]
) -> Iterator[RegionSpan]:
    """Yield the regions of recognised words that share a character with some ranges of the text of a document.

    There are none of lines whose words have no known places, nor where their reading is no longer kept.
    """
    text, asset = base.index.documents.get_text(doc_id), base.index.documents.get_asset(doc_id)
    if text is None or asset is None:
        return
    cache = ReadingCache(pictures=base.index.pictures, clock=base.clock, records_use=False)
    readings = cache.load_stored(asset.checksum, base.index.pictures.get_pages(doc_id))
    read = {
        (page, region.bbox): region
        for page, reading in readings.items()
        for region in (reading.text.regions if reading.text else ())
    }
    for part in text.parts:
        span = part.source_span
        if not isinstance(span, RegionSpan) or not _is_any(wanted, part.start, part.end):
            continue
        region = read.get((span.page or 1, (span.x, span.y, span.w, span.h)))
        for (x, y, w, h), start, end in (
            _place_words(region, text.text[part.start : part.end]) if region else ()
        ):
            if _is_any(wanted, part.start + start, part.start + end):
                yield RegionSpan(x=x, y=y, w=w, h=h, page=span.page)


def _place_words(region: OcrRegion, line: str) -> Iterator[tuple[tuple[int, int, int, int], int, int]]:
    """Yield box, start and end of each word of a line; one that does not stand in it is left out."""
    at = 0
    for word in region.words or ():
        start = line.find(word.text, at)
        if start >= 0:
            at = start + len(word.text)
            yield word.bbox, start, at


def _is_any(wanted: Sequence[Chars], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in wanted)
