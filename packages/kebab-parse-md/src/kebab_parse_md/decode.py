"""From bytes to text: UTF-8, UTF-16, UTF-32, CP949, and what else people have on disk."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from kebab_core import UnsupportedMediaError

from kebab_parse_md.legacy_encodings import decode_cp949, decode_legacy

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_CONTROL_SHARE = 0.01
"""Text holds next to no control characters; pictures, archives and programs hold many."""
_NUL_SKEW = 0.9
"""In UTF-16 the zero bytes of Latin letters, blanks and line ends stand on one side of the pairs."""
_NOT_LEADING = bytes(range(0xC2))
_REPAIR_SHARE = 20
"""Valid multi-byte characters there must be for each damaged one to call a file damaged UTF-8."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file, verbatim but for a byte order mark."""

    text: str
    """Never holds a lone surrogate; its lines are the lines of the file."""
    encoding: str
    """Name Python knows it by, such as `utf-8` or `cp949`."""
    warning: str | None = None
    """What the user should know about the reading; None for intact UTF-8."""


def decode_text(content: bytes) -> DecodedText:
    """Decode a text file.

    Args:
        content: The whole file; empty content is empty text.

    Returns:
        The text and how it was read. Intact UTF-8, with or without a mark, has no warning.

    Raises:
        UnsupportedMediaError: The content is not text in any encoding kebab knows.
    """
    decoded = (
        _decode_marked(content)
        or _decode_utf8(content)
        or _decode_bare_utf16(content)
        or _decode_damaged_utf8(content)
        or _decode_other(content)
    )
    if decoded is None or _is_binary(decoded.text):
        raise UnsupportedMediaError("the content is binary, not text", hint="check the file's extension")
    return decoded


def _decode_marked(content: bytes) -> DecodedText | None:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            text = _strict(content[len(mark) :], encoding)
            if text is not None:
                return DecodedText(text, encoding, None if encoding == "utf-8" else _read_as(encoding))
    return None


def _decode_utf8(content: bytes) -> DecodedText | None:
    if content.count(0) > _tolerated(len(content)):
        return None
    text = _strict(content, "utf-8")
    return None if text is None else DecodedText(text, "utf-8")


def _decode_bare_utf16(content: bytes) -> DecodedText | None:
    zeros = content.count(0)
    if not zeros or len(content) % 2:
        return None
    low = content[::2].count(0)
    for encoding, share in (("utf-16-le", 1 - low / zeros), ("utf-16-be", low / zeros)):
        text = _strict(content, encoding) if share >= _NUL_SKEW else None
        if text is not None and not _is_binary(text):
            return DecodedText(text, encoding, _read_as(encoding))
    return None


def _decode_damaged_utf8(content: bytes) -> DecodedText | None:
    text = content.decode("utf-8", errors="replace")
    damaged = text.count("\N{REPLACEMENT CHARACTER}")
    multibyte = len(content.translate(None, delete=_NOT_LEADING)) - damaged
    if multibyte < damaged * _REPAIR_SHARE:
        return None
    return DecodedText(text, "utf-8", f"{damaged} damaged UTF-8 sequences were replaced")


def _decode_other(content: bytes) -> DecodedText | None:
    if content.count(0):
        return None
    korean = decode_cp949(content)
    if korean is not None:
        return DecodedText(korean, "cp949", _read_as("cp949"))
    found = decode_legacy(content)
    return None if found is None else DecodedText(found[0], found[1], _read_as(found[1]))


def _strict(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _is_binary(text: str) -> bool:
    return sum(1 for _ in _CONTROL.finditer(text)) > _tolerated(len(text))


def _tolerated(size: int) -> float:
    """Return how many control characters may have strayed into a text of that size."""
    return max(1, size * _CONTROL_SHARE)


def _read_as(encoding: str) -> str:
    return f"the file is not UTF-8; it was read as {encoding}"
