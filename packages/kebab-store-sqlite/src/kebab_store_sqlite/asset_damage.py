"""Telling copies that hold what they held from those that do not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from kebab_core import CopyLook, hash_bytes

_BLOCK_BYTES = 1024 * 1024


class KeptCopy(NamedTuple):
    """What a copy should be."""

    path: str
    """Below the data folder."""
    byte_len: int
    checksum: str


def find_damaged(data_dir: Path, copies: Iterable[KeptCopy], look: CopyLook) -> frozenset[str]:
    """Return the checksums of copies that are there and are not what they should be, as far as `look` goes."""
    if look is CopyLook.NAMES:
        return frozenset()
    return frozenset(copy.checksum for copy in copies if _is_damaged(data_dir / copy.path, copy, look))


def holds(path: Path, content: bytes) -> bool:
    """Return whether a file is there and has exactly this content; it is read a block at a time."""
    view = memoryview(content)
    try:
        if path.stat().st_size != len(content):
            return False
        with path.open("rb") as file:
            return all(
                file.read(_BLOCK_BYTES) == view[start : start + _BLOCK_BYTES]
                for start in range(0, len(content), _BLOCK_BYTES)
            )
    except OSError:
        return False


def _is_damaged(path: Path, copy: KeptCopy, look: CopyLook) -> bool:
    try:
        if path.stat().st_size != copy.byte_len:
            return True
        return look is CopyLook.CONTENTS and hash_bytes(path.read_bytes()) != copy.checksum
    except FileNotFoundError:
        return False  # it is lost, which is said of it already
    except OSError:
        return True
