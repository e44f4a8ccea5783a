"""The models that read text in pictures, as files.

This package computes nothing and imports nothing of kebab; what reads its files is `kebab_ocr`.

    files()       # the folder of PP-OCRv6_det_small.onnx, PP-OCRv6_rec_small.onnx and kor.traineddata
    manifest()    # {"version": "1", "files": {"kor.traineddata": "6b85e11d…", …}}
"""

import json
from pathlib import Path
from typing import TypedDict

__all__ = ["Manifest", "files", "manifest"]

_FOLDER = Path(__file__).parent / "data"


class Manifest(TypedDict):
    """Contents of the package."""

    version: str
    files: dict[str, str]
    """SHA-256 by name."""


def files() -> Path:
    """Return the folder of the files, `manifest.json` among them."""
    return _FOLDER


def manifest() -> Manifest:
    """The manifest that was written when the package was built.

    Raises:
        OSError: It is not there any more.
        ValueError: It cannot be read.
    """
    loaded: Manifest = json.loads((_FOLDER / "manifest.json").read_text("utf-8"))
    return loaded
