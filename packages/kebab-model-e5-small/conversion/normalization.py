"""What text is replaced by before it is cut into pieces.

SentencePiece carries the table (`nmt_nfkc`) in a form made for searching. Of its entries of several characters only
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

_NORMALIZER, _CHARSMAP = 3, 2
"""Numbers of fields, in `ModelProto` and in `NormalizerSpec`."""

_VARIABLE, _BYTES = 0, 2
_FIXED_SIZES = {1: 8, 5: 4}
"""Kinds of fields, as protocol buffers number them."""

_MORE = 0x80
"""Set in every byte of a number but the last."""


def read_sequences() -> dict[str, str]:
    """Return what short sequences of several characters are replaced by."""
    # there while a wheel is built, and not needed before or after
    import sentencepiece

    normalizer = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    table = _field(_field(normalizer.serialized_model_proto(), _NORMALIZER), _CHARSMAP)
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


def _field(message: bytes, number: int) -> bytes:
    """Return the bytes of the first field of this number.

    Raises:
        ValueError: The message has none.
    """
    at = 0
    while at < len(message):
        key, at = _variable(message, at)
        if key & 7 == _BYTES:
            size, at = _variable(message, at)
            if key >> 3 == number:
                return message[at : at + size]
            at += size
        elif key & 7 == _VARIABLE:
            _, at = _variable(message, at)
        else:
            at += _FIXED_SIZES[key & 7]
    raise ValueError(f"no field {number}")


def _variable(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < _MORE:
            return number, at
