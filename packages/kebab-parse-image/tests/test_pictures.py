"""Pictures as documents; all of them are drawn here, but for a bomb, which only its head describes."""

import io
import struct
import zlib

import pytest
from kebab_core import (
    CanonicalDocument,
    DocumentTooLargeError,
    Extractor,
    ImageFormat,
    ImageIngestSettings,
    ImageMedia,
    MediaType,
    OcrRegion,
    OcrText,
    Picture,
    Rectangle,
    RegionSpan,
    UnsupportedMediaError,
)
from kebab_parse_image import ImageExtractor, decode_picture, draw_picture, encode_small, open_picture
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws
from PIL import Image, ImageChops

TAKEN, ORIENTATION, GPS = 0x9003, 0x0112, 0x8825
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg"><title>Floor plan</title><desc>Second floor</desc>'
    b"<text>Kitchen</text></svg>"
)
LINES = OcrText(
    joined="Total\n26,000\nThank you",
    regions=(
        OcrRegion(bbox=(10, 10, 80, 20), text="Total", confidence=0.9),
        OcrRegion(bbox=(10, 34, 60, 20), text="26,000", confidence=0.9),
        OcrRegion(bbox=(10, 120, 90, 20), text="Thank you", confidence=0.9),
    ),
    engine="local",
    engine_version="1",
)


def save(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def extract(
    content: bytes, kind: ImageFormat = "png", *, gps: bool = False, **ocr: OcrText
) -> CanonicalDocument:
    context = make_context(content, path="사진/영수증.png", media_type=ImageMedia(format=kind))
    read = {int(name.removeprefix("page")): text for name, text in ocr.items()}
    extractor = ImageExtractor(ImageIngestSettings(gps=gps))
    return extractor.extract(context.model_copy(update={"ocr": read}), content)


def bomb() -> bytes:
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0), b"IDAT")
    packed = (
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


class TestImageExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return ImageExtractor(ImageIngestSettings())

    def media_type(self) -> MediaType:
        return ImageMedia(format="png")

    def samples(self) -> list[bytes]:
        return [save(Image.new("RGB", (40, 30)), kind) for kind in ("PNG", "JPEG", "GIF")]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF"])
def test_picture_is_found_by_its_name_and_decodes_to_its_pixels(kind: str) -> None:
    content = save(Image.new("RGB", (40, 30), "white"), kind)
    document = extract(content)
    assert (document.title, document.metadata.user["width"]) == ("영수증", 40)
    assert document.blocks[0].source_span == RegionSpan(x=0, y=0, w=40, h=30, is_whole=True)
    picture = decode_picture(content)
    assert (picture.width, picture.height, picture.pixels[:3]) == (40, 30, b"\xff\xff\xff")


def test_a_turned_photo_is_measured_and_decoded_upright_and_has_the_day_when_it_was_taken() -> None:
    exif = Image.Exif()
    exif[ORIENTATION], exif[TAKEN] = 6, "2026:03:14 12:41:00"
    exif[GPS] = {1: "N", 2: (37.0, 30.0, 0.0), 3: "E", 4: (127.0, 0.0, 0.0)}
    content = save(Image.new("RGB", (40, 30)), "JPEG", exif=exif)
    document = extract(content, "jpeg")
    assert (document.metadata.user["width"], document.metadata.user["height"]) == (30, 40)
    assert document.metadata.created_at.date().isoformat() == "2026-03-14"
    assert decode_picture(content).width == 30
    assert "place" not in document.metadata.user
    assert extract(content, "jpeg", gps=True).metadata.user["place"] == "37.50000, 127.00000"


def test_recognised_lines_are_paragraphs_with_their_region_and_characters() -> None:
    document = extract(save(Image.new("RGB", (200, 150)), "PNG"), page1=LINES)
    assert document.text is not None
    assert document.text.text == "Total\n26,000\n\nThank you"
    first, second = (block.source_span for block in document.blocks)
    assert first == RegionSpan(x=10, y=10, w=80, h=44, char_start=0, char_end=12)
    assert second == RegionSpan(x=10, y=120, w=90, h=20, char_start=14, char_end=23)
    lines = [
        (document.text.text[part.start : part.end].strip(), part.source_span) for part in document.text.parts
    ]
    assert [(text, span.x, span.y, span.w, span.h) for text, span in lines] == [  # type: ignore[union-attr]
        (region.text, *region.bbox) for region in LINES.regions
    ]


def test_a_region_is_marked_on_light_and_dark_ground_and_nothing_else() -> None:
    for ground in ("white", "black"):
        content = save(Image.new("RGB", (200, 100), ground), "PNG")
        marks = (Rectangle(x=50, y=40, w=60, h=20), Rectangle(x=500, y=0, w=9, h=9))
        drawn = draw_picture(content, rectangles=marks, scale=2)
        assert (drawn.width, drawn.height) == (200, 100)
        picture, plain = Image.open(io.BytesIO(drawn.png)), Image.new("RGB", (400, 200), ground)
        assert picture.size == (400, 200)
        assert ImageChops.difference(picture, plain).getbbox() == (96, 76, 224, 124)
    assert draw_picture(content, max_width=50).png[16:24] == struct.pack(">II", 50, 25)
    assert draw_picture(content, scale=100).png[16:24] == struct.pack(">II", 10_000, 5_000)


def test_pages_of_a_tiff_are_numbered_and_only_the_first_frame_of_an_animation_counts() -> None:
    frames = [Image.new("RGB", (40, 30), color) for color in ("red", "blue")]
    tiff = save(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    document = extract(tiff, "tiff", page2=LINES)
    assert {getattr(block.source_span, "page", None) for block in document.blocks} == {2}
    assert decode_picture(tiff, 2).pixels[:3] == b"\x00\x00\xff"
    gif = save(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert open_picture(gif).sizes == ((40, 30),)


def test_transparent_ground_is_white() -> None:
    assert decode_picture(save(Image.new("RGBA", (4, 4), (0, 0, 0, 0)), "PNG")).pixels == b"\xff" * 48


def test_svg_has_the_text_that_it_draws() -> None:
    document = extract(SVG, "svg")
    assert document.text is not None
    assert document.text.text.split("\n")[::2][:3] == ["Floor plan", "Second floor", "Kitchen"]
    assert document.title == "Floor plan"


def test_too_many_pixels_and_what_is_no_picture_are_refused_before_anything_is_decoded() -> None:
    with pytest.raises(DocumentTooLargeError):
        extract(bomb())
    with pytest.raises(UnsupportedMediaError):
        extract(b"%PDF-1.7")


def test_a_page_without_colours_is_small_and_exact_to_a_grey_and_one_with_colours_is_a_webp() -> None:
    grey = Picture(64, 64, bytes(value for y in range(64) for x in range(64) for value in 3 * [4 * x]))
    shown = Image.open(io.BytesIO(encode_small(grey)))
    assert (shown.format, shown.size) == ("PNG", (64, 64))
    drawn = [shown.convert("L").getpixel((x, 5)) for x in range(64)]
    assert max(abs(value - 4 * x) for x, value in enumerate(drawn)) <= 9
    red = Image.open(io.BytesIO(encode_small(Picture(64, 64, b"\xff\x10\x10" * 64 * 64))))
    assert (red.format, red.size) == ("WEBP", (64, 64))
