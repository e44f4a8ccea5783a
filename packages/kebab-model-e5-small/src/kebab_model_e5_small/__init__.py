"""The weights and the tokenizer of multilingual-e5-small, as files.

This package computes nothing and imports nothing of kebab; what reads its files is `kebab_embed_local`.

    folder = files()             # model.onnx, model-int8.onnx, weights.bin, …; None where they do not exist
    manifest()["dimensions"]     # 384
"""

import json
from pathlib import Path
from typing import TypedDict

__all__ = ["FileEntry", "Manifest", "files", "manifest"]

_FOLDER = Path(__file__).parent / "data"


class FileEntry(TypedDict):
    """Size and hash of a file."""

    size: int
    sha256: str


class Manifest(TypedDict):
    """Contents of the package."""

    model_id: str
    version: str
    family: str
    dimensions: int
    max_tokens: int
    licence: str
    source: str
    made_from: str
    files: dict[str, FileEntry]
    """By name; empty where the package was built without weights."""
    weights_hash: str | None
    """SHA-256 of the weights, which with the version tells models apart; None without files."""


def files() -> Path | None:
    """Return the folder of the files, `manifest.json` among them, or None if the package was built without.

    A manifest that is gone or damaged is for the reader of the files to tell: there is a folder then, too.
    """
    try:
        is_without = manifest()["files"] == {}
    except (OSError, ValueError, KeyError, TypeError):
        return _FOLDER
    return None if is_without else _FOLDER


def manifest() -> Manifest:
    """The manifest that was written when the package was built.

    Raises:
        OSError: It is not there any more.
        ValueError: It cannot be read.
    """
    loaded: Manifest = json.loads((_FOLDER / "manifest.json").read_text("utf-8"))
    return loaded
