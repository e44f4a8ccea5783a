"""From bytes to text: UTF-8, UTF-16, UTF-32, CP949, Windows-1252, and what else people have on disk."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kebab_core import UnsupportedMediaError

from kebab_parse_md.bare_utf16 import decode_bare_utf16, decode_damaged_utf16, replace_lone_surrogates
from kebab_parse_md.legacy_encodings import decode_cp949, decode_cp1252, decode_legacy
from kebab_parse_md.signatures import has_binary_signature

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_CONTROL_SHARE = 0.01
"""Text holds next to no control characters; pictures, archives and programs hold many."""
_NUL_SHARE = 0.25
"""Lists of names may have a NUL after each; records of a program are mostly zeros."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_ASCII = bytes(range(0x80))
_NOT_LEADING = bytes(range(0xC2))
_REPAIR_SHARE = 20
"""Valid multi-byte characters there must be for each damaged one to call a file damaged UTF-8."""
_INTACT_SHARE = 0.99
"""Share of a file that must be UTF-8 or ASCII for the rest to be damage, not another encoding."""
_FEW_BYTES = 3
"""So few say nothing about an encoding; in a text that is otherwise UTF-8 they are damage."""
_SHORT_SHARE = 0.8
_LEAST_SAMPLE = 8
"""Bytes beyond ASCII below which statistics would choose an encoding by chance."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file, verbatim but for a byte order mark."""

    text: str
    """Never holds a lone surrogate; its lines are the lines of the file."""
    encoding: str
    """Name Python knows it by, such as `utf-8` or `cp949`."""
    warning: str | None = None
    """What the user should know about the reading; None for intact UTF-8 without NUL."""


def decode_text(content: bytes) -> DecodedText:
    """Decode a text file.

    Nothing is guessed where UTF-8 can be read: a stray NUL or a damaged sequence in it does not make it another
    encoding.

    Args:
        content: The whole file; empty content is empty text.

    Returns:
        The text and how it was read. Intact UTF-8, with or without a mark, has no warning.

    Raises:
        UnsupportedMediaError: The content is not text in any encoding kebab knows.
    """
    decoded = None if has_binary_signature(content) else _decode(content)
    if decoded is None or not holds_only_text([decoded.text]):
        raise UnsupportedMediaError("the content is binary, not text", hint="check the file's extension")
    return decoded


def _decode(content: bytes) -> DecodedText | None:
    return (
        _decode_marked(content)
        or _decode_utf16(content)
        or _decode_utf8(content)
        or _decode_surrogates(content)
        or _decode_damaged(content, is_damage=_is_among_multibyte)
        or _decode_cp949(content)
        or _decode_cp1252(content)
        or _decode_damaged(content, is_damage=_is_small)
        or _decode_legacy(content)
    )


def _decode_marked(content: bytes) -> DecodedText | None:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            text = _strict(content[len(mark) :], encoding)
            if text is not None:
                return DecodedText(
                    text, encoding, _about_nul(text) if encoding == "utf-8" else _read_as(encoding)
                )
            if encoding.startswith("utf-16"):
                return _decode_damaged_utf16(content[len(mark) :], encoding)
    return None


def _decode_damaged_utf16(content: bytes, encoding: str) -> DecodedText | None:
    found = decode_damaged_utf16(content, encoding)
    return None if found is None else DecodedText(found[0], encoding, _read_as(encoding, damaged=found[1]))


def _decode_utf16(content: bytes) -> DecodedText | None:
    found = decode_bare_utf16(content) if 0 in content else None
    if found is None:
        return None
    return DecodedText(found.text, found.encoding, _read_as(found.encoding, damaged=found.damaged))


def _decode_utf8(content: bytes) -> DecodedText | None:
    text = _strict(content, "utf-8")
    return None if text is None else DecodedText(text, "utf-8", _about_nul(text))


def _decode_surrogates(content: bytes) -> DecodedText | None:
    """Return UTF-8 in which halves of characters stand as if they were characters: CESU-8, and what it leaves over."""
    try:
        halves = content.decode("utf-8", errors="surrogatepass").encode("utf-16-le", errors="surrogatepass")
    except UnicodeDecodeError:
        return None
    text, damaged = replace_lone_surrogates(halves, "utf-16-le")
    return DecodedText(text, "utf-8", f"the text is UTF-8 with surrogates; {damaged} lone ones were replaced")


def _decode_damaged(content: bytes, *, is_damage: Callable[[bytes, int], bool]) -> DecodedText | None:
    text = content.decode("utf-8", errors="replace")
    damaged = text.count(_REPLACEMENT) - content.count(_REPLACEMENT.encode())
    if not is_damage(content, damaged):
        return None
    return DecodedText(text, "utf-8", f"{damaged} damaged UTF-8 sequences were replaced")


def _is_among_multibyte(content: bytes, damaged: int) -> bool:
    multibyte = len(content.translate(None, delete=_NOT_LEADING)) - damaged
    return multibyte >= damaged * _REPAIR_SHARE


def _is_small(content: bytes, _damaged: int) -> bool:
    broken = len(content) - len(content.decode("utf-8", errors="ignore").encode())
    few = broken <= _FEW_BYTES and 0 not in content
    return len(content) - broken >= len(content) * (_SHORT_SHARE if few else _INTACT_SHARE)


def _decode_cp949(content: bytes) -> DecodedText | None:
    text = decode_cp949(content)
    return None if text is None else DecodedText(text, "cp949", _read_as("cp949"))


def _decode_cp1252(content: bytes) -> DecodedText | None:
    text = None if 0 in content else decode_cp1252(content)
    return None if text is None else DecodedText(text, "cp1252", _read_as("cp1252"))


def _decode_legacy(content: bytes) -> DecodedText | None:
    beyond_ascii = len(content.translate(None, delete=_ASCII))
    found = decode_legacy(content) if beyond_ascii >= _LEAST_SAMPLE and 0 not in content else None
    return None if found is None else DecodedText(found[0], found[1], _read_as(found[1]))


def _strict(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def holds_only_text(pieces: Iterable[str]) -> bool:
    """Return whether pieces of a text hold no more control characters than may have strayed into all of it."""
    chars = controls = zeros = 0
    for piece in pieces:
        chars += len(piece)
        controls += sum(1 for _ in _CONTROL.finditer(piece))
        zeros += piece.count("\0")
    return controls <= max(1, chars * _CONTROL_SHARE) and zeros <= max(1, chars * _NUL_SHARE)


def _about_nul(text: str) -> str | None:
    count = text.count("\0")
    return f"the text holds NUL characters ({count})" if count else None


def _read_as(encoding: str, *, damaged: int = 0) -> str:
    said = f"the file is not UTF-8; it was read as {encoding}"
    return f"{said}, and {damaged} damaged characters were replaced" if damaged else said
