"""Text that was recognised in a picture, as paragraphs with their places, and captions of pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import CaptionSpan, ImageRefBlock, OcrRegion, RegionSpan, TextPart, cover_regions

from kebab_parse.decoding import normalize_text

if TYPE_CHECKING:
    from kebab_core import Block, ModelCaption

    from kebab_parse.assembly import BlockBuilder

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


def build_caption(places: BlockBuilder, caption: ModelCaption | None, page: int | None) -> Iterator[Block]:
    """Yield the block of what a model wrote about a picture; none without a caption.

    Args:
        places: The blocks of the document so far.
        caption: The caption.
        page: Number of its page or frame, from 1; None for a file that is one picture.
    """
    if caption is not None:
        place = places.place("image_ref", CaptionSpan(model=caption.model, page=page))
        yield ImageRefBlock(**place, asset_id=None, src="", caption=caption)


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
