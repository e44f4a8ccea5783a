"""Text that was recognised in a picture, as paragraphs with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kebab_core import OcrRegion, RegionSpan, TextPart, cover_regions

from kebab_parse.decoding import normalize_text

PARAGRAPH_BREAK = "\n\n"
"""Text between two paragraphs."""
_PARAGRAPH_GAP = 0.9
"""Room between two lines from which they are two paragraphs, in heights of a line."""


class RecognisedParagraph(NamedTuple):
    """Lines that follow each other closely."""

    text: str
    span: RegionSpan
    """Around its lines, with its characters in the whole text."""
    lines: tuple[TextPart, ...]
    """Each with the line break after it, the last without."""


def build_paragraphs(
    regions: Sequence[OcrRegion], *, page: int | None, start: int
) -> Iterator[RecognisedParagraph]:
    """Yield the paragraphs of lines in reading order, `PARAGRAPH_BREAK` between them.

    Args:
        regions: The lines.
        page: Number of the page, from 1; None for a picture that is on no page.
        start: Offset of the first in the whole text.
    """
    for lines in _split_paragraphs(regions):
        spans, parts, texts = list[RegionSpan](), list[TextPart](), list[str]()
        at = start
        for region in lines:
            (x, y, w, h), text = region.bbox, normalize_text(region.text)
            spans.append(RegionSpan(x=x, y=y, w=w, h=h, page=page, char_start=at, char_end=at + len(text)))
            texts.append(text)
            end = at + len(text) + (len(texts) < len(lines))
            parts.append(TextPart(start=at, end=end, source_span=spans[-1]))
            at = end
        yield RecognisedParagraph("\n".join(texts), cover_regions(spans), tuple(parts))
        start = at + len(PARAGRAPH_BREAK)


def _split_paragraphs(regions: Sequence[OcrRegion]) -> Iterator[list[OcrRegion]]:
    paragraph: list[OcrRegion] = []
    for region in regions:
        if paragraph:
            _, top, _, height = paragraph[-1].bbox
            gap = region.bbox[1] - (top + height)
            if not -height < gap < _PARAGRAPH_GAP * min(height, region.bbox[3]):
                yield paragraph
                paragraph = []
        paragraph.append(region)
    if paragraph:
        yield paragraph
