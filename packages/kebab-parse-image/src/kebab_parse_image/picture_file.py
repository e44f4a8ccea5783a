"""Files of pictures: what they say about themselves, and their pixels, upright; sizes are checked before anything is decoded."""

from __future__ import annotations

import io
import re
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocumentDamagedError, DocumentTooLargeError, Picture, UnsupportedMediaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "HEIF")
"""Names of Pillow."""
_PLUGINS = ("Avif", "Bmp", "Gif", "Jpeg", "Mpo", "Png", "Tiff", "WebP")
"""What reads them; all others stay unloaded."""
_DAMAGE = (OSError, EOFError, SyntaxError, ValueError, RuntimeError, TypeError)
"""What Pillow and its plugins raise of files that are damaged; the last two are those of AVIF and of TIFF."""
MOST_PIXELS = 200_000_000
"""Pixels of one picture above which none is read; large cameras have 108 million."""
_MOST_FRAMES = 1000
"""Pages of a TIFF that are read."""
_ORIENTATION, _EXIF, _GPS = 0x0112, 0x8769, 0x8825
_TAKEN, _TAKEN_ZONE, _CHANGED = 0x9003, 0x9011, 0x0132
_SIDEWAYS = frozenset({5, 6, 7, 8})
"""Orientations whose width is stored as height."""
_DATE = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")
_ZONE = re.compile(r"[+-]\d\d:\d\d")


class PictureFile(NamedTuple):
    """What the head of a file says."""

    sizes: tuple[tuple[int, int], ...]
    """Width and height of each page in pixels, upright; of an animation only the first frame."""
    taken: str | None
    """Day and time, with the zone where it is known, as ISO 8601; None where the file names none."""
    place: str | None
    """Latitude and longitude in degrees."""


def open_picture(content: bytes) -> PictureFile:
    """Read the head of a file; no pixel is decoded.

    Raises:
        UnsupportedMediaError: It is no picture of a format that is read.
        DocumentDamagedError: Its head cannot be read.
        DocumentTooLargeError: It has more than `MOST_PIXELS`.
    """
    with _opened(content) as image:
        sizes = tuple(_upright_sizes(image))
        exif = _read_exif(image)
        return PictureFile(sizes, _find_date(exif), _find_place(exif))


def decode_picture(content: bytes, page: int = 1) -> Picture:
    """Decode a page (1-based), turned as its file says, transparent parts white.

    Raises:
        UnsupportedMediaError: It is no picture of a format that is read.
        DocumentDamagedError: It cannot be decoded, or has no such page.
        DocumentTooLargeError: It has more than `MOST_PIXELS`.
    """
    from PIL import Image, ImageOps

    with _opened(content) as image:
        try:
            image.seek(page - 1)
            _check_size(image)
            upright = ImageOps.exif_transpose(image)
            if upright.has_transparency_data:
                layer = upright.convert("RGBA")
                upright = Image.new("RGBA", layer.size, "white")
                upright.alpha_composite(layer)
            shown = upright.convert("RGB")
        except _DAMAGE as error:
            raise DocumentDamagedError("the picture cannot be decoded") from error
        return Picture(shown.width, shown.height, shown.tobytes())


def _opened(content: bytes) -> Image.Image:
    import pi_heif
    from PIL import Image, UnidentifiedImageError

    for name in _PLUGINS:
        import_module(f"PIL.{name}ImagePlugin")
    pi_heif.register_heif_opener()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
    except Image.DecompressionBombError as error:
        raise _too_large() from error
    except UnidentifiedImageError as error:
        raise UnsupportedMediaError("this is no picture of a format that is read") from error
    except _DAMAGE as error:
        raise DocumentDamagedError("the picture cannot be decoded") from error
    _check_size(image)
    return image


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise _too_large()


def _too_large() -> DocumentTooLargeError:
    return DocumentTooLargeError(
        "the picture has more than {megapixels} million pixels", megapixels=MOST_PIXELS // 1_000_000
    )


def _upright_sizes(image: Image.Image) -> Iterator[tuple[int, int]]:
    frame, count = 0, 1
    while frame < count:
        try:
            image.seek(frame)
            if image.format == "TIFF":
                count = min(getattr(image, "n_frames", 1), _MOST_FRAMES)
        except _DAMAGE as error:
            raise DocumentDamagedError("the picture cannot be decoded") from error
        frame += 1
        _check_size(image)
        width, height = image.size
        sideways = _read_exif(image).get(_ORIENTATION) in _SIDEWAYS
        yield (height, width) if sideways else (width, height)
    image.seek(0)


def _read_exif(image: Image.Image) -> Image.Exif:
    """Return what a file says about itself; of a PNG it may stand behind pixels that are cut off, and is empty then."""
    from PIL import Image

    try:
        return image.getexif()
    except _DAMAGE:
        return Image.Exif()


def _find_date(exif: Image.Exif) -> str | None:
    details = exif.get_ifd(_EXIF)
    for value in (details.get(_TAKEN), exif.get(_TAKEN), exif.get(_CHANGED)):
        if isinstance(value, str) and (found := _DATE.match(value)):
            zone = str(details.get(_TAKEN_ZONE) or "")
            year, month, day, time = found.groups()
            return f"{year}-{month}-{day}T{time}{zone if _ZONE.fullmatch(zone) else ''}"
    return None


def _find_place(exif: Image.Exif) -> str | None:
    gps = exif.get_ifd(_GPS)
    try:
        north = _degrees(gps[2], negative=gps.get(1) == "S")
        east = _degrees(gps[4], negative=gps.get(3) == "W")
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    return f"{north:.5f}, {east:.5f}"


def _degrees(parts: tuple[float, float, float], *, negative: bool) -> float:
    degrees, minutes, seconds = map(float, parts)
    return (-1 if negative else 1) * (degrees + minutes / 60 + seconds / 3600)
