"""PNG files of pixels, in the one form that every reader of kebab takes: RGB of 8 bits, rows without a filter."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence


def encode_png(rows: Sequence[bytes | bytearray | memoryview]) -> bytes:
    """Encode rows of pixels, at least one, as a PNG.

    Args:
        rows: Of equal length, from the top; red, green and blue of each pixel, 3 bytes.
    """
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    packer = zlib.compressobj(6)
    packed = [packer.compress(part) for row in rows for part in (b"\0", row)]
    chunks = ((b"IHDR", header), (b"IDAT", b"".join(packed) + packer.flush()), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
