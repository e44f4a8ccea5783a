"""Extractor of pictures: PNG, JPEG, WebP, GIF, TIFF, BMP, HEIC, AVIF and the text of SVG.

from kebab_parse_image import ImageExtractor

ImageExtractor(settings).extract(context, Path("receipt.jpg").read_bytes())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_image.drawing import (
        DrawnPicture as DrawnPicture,
        draw_picture as draw_picture,
        encode_small as encode_small,
    )
    from kebab_parse_image.extractor import (
        ImageExtractor as ImageExtractor,
        build_image_extractor as build_image_extractor,
    )
    from kebab_parse_image.picture_file import (
        MOST_PIXELS as MOST_PIXELS,
        PictureFile as PictureFile,
        decode_picture as decode_picture,
        open_picture as open_picture,
    )

__getattr__, __dir__ = lazy_exports(__name__)
