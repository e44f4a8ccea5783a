"""Text in pictures, Korean and English, with the place of every word.

from kebab_ocr import build_local_ocr

engine = build_local_ocr(kebab_model_ocr.files(), kebab_model_ocr.manifest()["files"])
engine.read(picture).joined
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_ocr.engine import LocalOcrEngine as LocalOcrEngine, build_local_ocr as build_local_ocr
    from kebab_ocr.identity import identify_local as identify_local

__getattr__, __dir__ = lazy_exports(__name__)
