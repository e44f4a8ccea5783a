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
    Message,
    Model,
    ParagraphBlock,
    ParserVersion,
    RegionSpan,
    TextPart,
)
from kebab_parse import (
    PARAGRAPH_BREAK,
    BlockBuilder,
    IsolatedExtractor,
    TextWriter,
    build_caption,
    build_paragraphs,
    parse_xml,
)

from kebab_parse_image.picture_file import open_picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import Block
    from pydantic import JsonValue

IMAGE_VERSION = ParserVersion("image-v1")


class ImageExtractor(IsolatedExtractor):
    """Extractor of pictures: a document with their name, their date and the text that was recognised in them, if any.

    Args:
        settings: What is kept of a file.
    """

    kind = "image"
    version = IMAGE_VERSION
    agent = "kebab-parse-image"

    def __init__(self, settings: ImageIngestSettings) -> None:
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
        values: dict[str, JsonValue] = {"width": width, "height": height, **_find_tags(context)}
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
        for level, label in enumerate(context.surroundings.labels, 1):
            places.open_section(level, label)
        name = context.asset.workspace_path.name
        blocks: list[Block] = []
        parts: list[TextPart] = []
        texts: list[str] = []
        length = 0
        for number, (width, height) in enumerate(sizes, 1):
            page = number if len(sizes) > 1 else None
            read = context.ocr.get(number)
            for paragraph in build_paragraphs(read.regions if read else (), page=page, start=length):
                blocks.append(
                    ParagraphBlock(**places.place("paragraph", paragraph.span), text=paragraph.text)
                )
                parts += paragraph.lines
                texts.append(paragraph.text)
                length += len(paragraph.text) + len(PARAGRAPH_BREAK)
            if not (read and read.regions):
                end = parts[-1].end if parts else 0
                whole = RegionSpan(x=0, y=0, w=width, h=height, page=page, is_whole=True)
                parts.append(TextPart(start=end, end=end, source_span=whole))
        if not blocks:
            span = RegionSpan(x=0, y=0, w=sizes[0][0], h=sizes[0][1], page=None, is_whole=True)
            blocks.append(ImageRefBlock(**places.place("image_ref", span), asset_id=None, src=name))
        for number in range(1, len(sizes) + 1):
            page = number if len(sizes) > 1 else None
            blocks += build_caption(places, context.captions.get(number), page)
        pictures = tuple(range(1, len(sizes) + 1))
        return blocks, ExtractedText(text=PARAGRAPH_BREAK.join(texts), parts=tuple(parts), pictures=pictures)

    def _extract_svg(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        warnings: list[Message] = []
        root = parse_xml(content, "SVG", warnings)
        writer = TextWriter(self._identify(context), around=context.surroundings.labels)
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
            values=_find_tags(context),
            own_title=titles[0] if titles else "",
            warnings=warnings,
        )


def _find_tags(context: ExtractContext) -> dict[str, JsonValue]:
    """The tags of documents that show a picture are its own: whoever filters by one looks for what a note with it holds."""
    return {"tags": list(context.surroundings.tags)} if context.surroundings.tags else {}


def build_image_extractor(settings: Model | None, _services: ExtractorServices) -> ImageExtractor:
    """Build the extractor of pictures. Implements `ExtractorFactory`; its settings are `ImageIngestSettings`."""
    own = settings if isinstance(settings, ImageIngestSettings) else ImageIngestSettings()
    return ImageExtractor(own)
