"""Reads documents of Hangul, the Korean word processor, into kebab documents: HWPX and HWP 5.

It opens no files, makes no chunks and follows no reference of a document.

    extractor = HwpExtractor()
    document = extractor.extract(context, content)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_hwp.extractor import (
        HWP_VERSION as HWP_VERSION,
        HwpExtractor as HwpExtractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
