"""Places of words that were recognised on a page or in a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import RegionSpan
from kebab_ingest import ReadingCache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kebab_core import DocumentId, OcrRegion

    from kebab_app.knowledge_base import KnowledgeBase

Chars = tuple[int, int]
"""Code points of the whole text of a document, half open."""


def find_word_regions(
    base: KnowledgeBase, doc_id: DocumentId, wanted: Sequence[Chars]
) -> Iterator[RegionSpan]:
    """Yield the regions of recognised words that share a character with some ranges of the text of a document.

    There are none of lines whose words have no known places, nor where their reading is no longer kept.
    """
    text, asset = base.index.documents.get_text(doc_id), base.index.documents.get_asset(doc_id)
    if text is None or asset is None:
        return
    cache = ReadingCache(cache=base.index.derivation_cache, clock=base.clock, records_use=False)
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
