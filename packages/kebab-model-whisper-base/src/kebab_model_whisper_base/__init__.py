"""The model that hears speech, as files.

This package computes nothing and imports nothing of kebab; what loads its files is `kebab_asr`.

    files()       # the folder of model.bin, config.json, tokenizer.json and vocabulary.txt
    manifest()    # {"version": "1", "files": {"model.bin": "d01c3014…", …}}
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
