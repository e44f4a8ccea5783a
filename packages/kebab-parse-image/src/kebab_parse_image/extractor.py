"""The extractor `image-v1`: from the bytes of a picture to a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    ExtractorServices,
    ImageIngestSettings,
    ImageMedia,
    ImageRefBlock,
    LanguageDetector,
    Message,
    Model,
    ParagraphBlock,
    ParserVersion,
    RegionSpan,
    TextPart,
    cover_regions,
)
from kebab_parse import BlockBuilder, IsolatedExtractor, TextWriter, normalize_text, parse_xml

from kebab_parse_image.picture_file import open_picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kebab_core import Block, OcrRegion
    from pydantic import JsonValue

IMAGE_VERSION = ParserVersion("image-v1")
_PARAGRAPH_GAP = 0.9
"""Room between two lines from which they are two paragraphs, in heights of a line."""


class ImageExtractor(IsolatedExtractor):
    """Extractor of pictures: a document with their name, their date and the text that was recognised in them, if any.

    Args:
        settings: What is kept of a file.
        detector: Detects the language.
    """

    kind = "image"
    version = IMAGE_VERSION
    agent = "kebab-parse-image"

    def __init__(self, settings: ImageIngestSettings, detector: LanguageDetector) -> None:
        super().__init__(detector)
        self._settings = settings

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file; only its head, since what it shows comes with the context. Spans are regions of the upright picture.

        Returns:
            The document: paragraphs of the lines that were recognised, or the picture itself where there are none.
            Of SVG it has the title, the description and the text.

        Raises:
            UnsupportedMediaError: It is no picture of a format that is read.
            DocumentDamagedError: Its head cannot be read.
            DocumentTooLargeError: It has too many pixels.
        """
        media = context.asset.media_type
        if isinstance(media, ImageMedia) and media.format == "svg":
            return self._extract_svg(context, content)
        picture = open_picture(content)
        width, height = picture.sizes[0]
        values: dict[str, JsonValue] = {"width": width, "height": height}
        if picture.taken:
            values["created"] = picture.taken
        if picture.place and self._settings.gps:
            values["place"] = picture.place
        blocks, text = self._read_pages(context, picture.sizes)
        return self._build(context, blocks, text, values=values)

    def _read_pages(
        self, context: ExtractContext, sizes: Sequence[tuple[int, int]]
    ) -> tuple[list[Block], ExtractedText]:
        places = BlockBuilder(self._identify(context))
        blocks: list[Block] = []
        parts: list[TextPart] = []
        text = ""
        for number, (width, height) in enumerate(sizes, 1):
            page = number if len(sizes) > 1 else None
            read = context.ocr.get(number)
            for regions in _paragraphs(read.regions if read else ()):
                start, spans = len(text), []
                for region in regions:
                    (x, y, w, h), line = region.bbox, normalize_text(region.text)
                    at, end = len(text), len(text) + len(line)
                    spans.append(RegionSpan(x=x, y=y, w=w, h=h, page=page, char_start=at, char_end=end))
                    parts.append(TextPart(start=at, end=end + 1, source_span=spans[-1]))
                    text += f"{line}\n"
                place = places.place("paragraph", cover_regions(spans))
                blocks.append(ParagraphBlock(**place, text=text[start:-1]))
                text += "\n"
            if not (read and read.regions):
                whole = RegionSpan(x=0, y=0, w=width, h=height, page=page)
                parts.append(TextPart(start=len(text), end=len(text), source_span=whole))
        if not blocks:
            span = RegionSpan(x=0, y=0, w=sizes[0][0], h=sizes[0][1], page=None)
            name = context.asset.workspace_path.name
            blocks.append(ImageRefBlock(**places.place("image_ref", span), asset_id=None, src=name))
        pictures = tuple(range(1, len(sizes) + 1))
        return blocks, ExtractedText(text=text, parts=tuple(parts), pictures=pictures)

    def _extract_svg(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        warnings: list[Message] = []
        root = parse_xml(content, "SVG", warnings)
        writer = TextWriter(self._identify(context))
        titles = []
        for element in root.iter("{*}title", "{*}desc", "{*}text"):
            text = " ".join("".join(element.itertext()).split())
            if element.tag.endswith("}title") or element.tag == "title":
                titles.append(text)
            writer.paragraph(text)
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values={},
            own_title=titles[0] if titles else "",
            warnings=warnings,
        )


def build_image_extractor(settings: Model | None, services: ExtractorServices) -> ImageExtractor:
    """Build the extractor of pictures. Implements `ExtractorFactory`; its settings are `ImageIngestSettings`."""
    own = settings if isinstance(settings, ImageIngestSettings) else ImageIngestSettings()
    return ImageExtractor(own, services.detector)


def _paragraphs(regions: Sequence[OcrRegion]) -> Iterator[list[OcrRegion]]:
    """Yield lines that follow each other closely."""
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
