"""Hashes of files, kept by size, time and number, so that hundreds of megabytes are read once and not at every start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def file_stamp(file: Path) -> str:
    """Return what a file's hash is kept by; whatever writes to the file or replaces it changes it.

    Raises:
        OSError: The file is not there.
    """
    stat = file.stat()
    return f"{file.name} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def read_hashes(book: Path) -> dict[str, str]:
    """Return hashes by stamp; none where the book cannot be read."""
    try:
        known = json.loads(book.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(stamp): str(digest) for stamp, digest in known.items()} if isinstance(known, dict) else {}


def keep_hashes(book: Path, hashes: Mapping[str, str]) -> None:
    """Write a book; a place that cannot be written is no error."""
    with suppress(OSError):
        book.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(
            "w", dir=book.parent, prefix=".hashes-", delete=False, encoding="utf-8"
        ) as draft:
            json.dump(dict(hashes), draft)
        Path(draft.name).replace(book)
