"""Rows of `document_parts`, read and written as decision 0022 describes them."""

from __future__ import annotations

import zlib

_WINDOW = 32 * 1024


def unpack(packed: bytes, passages: bytes = b"") -> bytes:
    """Return what a column holds; all but the passages are compressed with these as the dictionary."""
    return zlib.decompressobj(zdict=passages[-_WINDOW:]).decompress(packed)


def pack(content: bytes, passages: bytes = b"") -> bytes:
    """Return what is stored of a column."""
    packer = zlib.compressobj(zdict=passages[-_WINDOW:])
    return packer.compress(content) + packer.flush()
