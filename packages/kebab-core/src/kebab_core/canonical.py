"""Canonical JSON (RFC 8785, JCS) over NFC text: the bytes that ids are hashes of.

RFC 8785 leaves Unicode normalisation to the application (section 3.1), so every string, keys included, is
brought to NFC first: a Hangul file name spelled in Jamo and the same name in syllables give equal bytes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import cast

import rfc8785

from kebab_core.errors import InvalidInputError

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""What JSON can say. Integers must lie within ±(2**53 - 1), floats must be finite."""

_MAX_INTEGER = 2**53 - 1


def canonical_json(value: JsonValue) -> bytes:
    """Serialise a value so that equal values give equal bytes on every platform.

    Args:
        value: JSON data. Array order is kept; object keys are sorted by UTF-16 code units.

    Returns:
        UTF-8 bytes without insignificant white space.

    Raises:
        InvalidInputError: A number JSON cannot carry exactly, a lone surrogate, a value that is not JSON (bytes
            included), or two keys of one object that are equal after NFC.
    """
    try:
        text = _write_simple(value)
        # No sign of JSON composes with what follows it, so the whole is NFC exactly when every string is.
        if text is not None and unicodedata.is_normalized("NFC", text):
            return text.encode()
        return rfc8785.dumps(_nfc(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"value cannot be written as canonical JSON: {error}") from error


def _write_simple(value: object) -> str | None:
    """Return the text of what nearly all values are, four times as fast as the general way; None for others."""
    try:
        return _write(value)
    except _NotSimpleError:
        return None


class _NotSimpleError(Exception):
    """A value that Python's own JSON may write in another way."""


def _write(value: object) -> str:
    """Return the text of a value without floats and without keys that sort in another way as UTF-16.

    Raises:
        _NotSimpleError: It has some, or holds what is no JSON.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    kind = type(value)
    if kind is dict:
        return _write_object(cast("dict[object, object]", value))
    if kind is list or kind is tuple:
        return f"[{','.join([_write(item) for item in cast('Sequence[object]', value)])}]"
    if kind is int and -_MAX_INTEGER <= cast("int", value) <= _MAX_INTEGER:
        return str(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    raise _NotSimpleError


def _write_object(value: dict[object, object]) -> str:
    keys = [key for key in value if type(key) is str and key.isascii()]
    if len(keys) != len(value):
        raise _NotSimpleError
    keys.sort()
    return f"{{{','.join([f'{encode_basestring(key)}:{_write(value[key])}' for key in keys])}}}"


def _nfc(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        folded = {_nfc_key(key): _nfc(item) for key, item in value.items()}
        if len(folded) != len(value):
            raise InvalidInputError("two keys of one JSON object are equal after NFC")
        return folded
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_nfc(item) for item in value]
    return value


def _nfc_key(key: object) -> str:
    if not isinstance(key, str):
        raise InvalidInputError(f"{key!r} is not a key of a JSON object: keys are strings")
    return unicodedata.normalize("NFC", key)
