"""What text is replaced by before it is cut into pieces.

SentencePiece carries the table (`nmt_nfkc.bin`) in a form made for searching. Of its entries of several characters only
those that fit into a short character count: `tokenizers`, which the model is used with everywhere, replaces characters
of fewer than six bytes as a whole, and everything else character by character. Entries of one character come with the
model, since the table has grown with Unicode since then.
"""

import struct
from collections.abc import Iterator

SHORT_BYTES = 6
"""Characters of fewer bytes are replaced as a whole."""

NEWER = set("\ua7f1\ua7f2\ua7f3")
"""First characters that the table has of late and the model's does not."""


def read_sequences(table: bytes) -> dict[str, str]:
    """Return what short sequences of several characters are replaced by, from the file of the table."""
    (size,) = struct.unpack_from("<I", table)
    units = memoryview(table[4 : 4 + size]).cast("I")
    values = table[4 + size :]
    found = ((key.decode(), values[at : values.index(0, at)].decode()) for key, at in _entries(units))
    return {key: text for key, text in found if len(key) > 1 and key[0] not in NEWER}


def join_replacements(single: dict[str, str], sequences: dict[str, str]) -> dict[str, str]:
    """Return all entries but those that cannot be reached: the shortest entry that fits is taken."""
    joined = single | sequences
    return {
        key: value
        for key, value in joined.items()
        if not any(key[:end] in joined for end in range(1, len(key)))
    }


def _entries(units: memoryview) -> Iterator[tuple[bytes, int]]:
    """Yield the short keys of a double array and their values (the layout of darts-clone)."""
    waiting = [(_offset(units[0]), b"")]
    while waiting:
        base, key = waiting.pop()
        for byte in range(1, 256):
            at = base ^ byte
            if at >= len(units) or units[at] & 0x800000FF != byte:
                continue
            below = at ^ _offset(units[at])
            longer = key + bytes([byte])
            if units[at] >> 8 & 1:
                yield longer, units[below] & 0x7FFFFFFF
            if len(longer) < SHORT_BYTES - 1:
                waiting.append((below, longer))


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)
