"""Decoding: from the bytes of a file to normalised text, whole (`decode_text`) or in pieces (`TextPieces`).

UTF-8, UTF-16 and UTF-32 are read by rule, other encodings by statistics (`encoding_detection`).
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import AnyStr

from kebab_core import Message, Remedy, UnsupportedMediaError

from kebab_parse.encoding_detection import (
    DecodedText,
    decode_bare_utf16,
    decode_chance_utf8,
    decode_damaged_utf16,
    decode_legacy,
    decode_strictly,
    read_as,
    replace_lone_surrogates,
)

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_CONTROL_SHARE = 0.01
"""Largest share of control characters in text; pictures, archives and programs hold many more."""
_NUL_SHARE = 0.25
"""Largest share of NULs in text: lists of names may have one after each, records of a program are mostly zeros."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_NOT_LEADING = bytes(range(0xC2))
_REPAIR_SHARE = 20
"""Valid multi-byte characters for each damaged one from which a file counts as damaged UTF-8."""
_INTACT_SHARE = 0.99
"""Share of UTF-8 and ASCII in a file from which the rest counts as damage, not as another encoding."""
_FEW_BYTES = 3
"""Bytes that are too few to indicate an encoding; in a text that is otherwise UTF-8 they count as damage."""
_SHORT_SHARE = 0.8
_LEAST_UTF32_BYTES = 8
_BINARY_SIGNATURE = re.compile(
    rb"%PDF-\d"
    rb"|\x89PNG\r\n\x1a\n"
    rb"|\xff\xd8\xff"  # JPEG
    rb"|GIF8[79]a(?=[^\n]{0,4}[\x00-\x08\x80-\xff])"
    rb"|PK(?:\x03\x04|\x05\x06|\x07\x08)"  # ZIP, office documents, EPUB
    rb"|\x7fELF"
    rb"|\x1f\x8b\x08"  # gzip
    rb"|BZh[1-9]1AY&SY"
    rb"|\xfd7zXZ\x00"
    rb"|7z\xbc\xaf\x27\x1c"
    rb"|\x28\xb5\x2f\xfd"  # Zstandard
    rb"|Rar!\x1a\x07"
    rb"|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # older office documents
    rb"|SQLite format 3\x00"
)
"""Beginning of a picture, an archive, a program or another format that is not text, even if it consists of ASCII."""
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_TERMINAL_CODE = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\))")
"""A colour, a movement or a link for a terminal (ECMA-48: CSI and OSC), as programs write them into logs."""
_INNER_MARK = re.compile("^\ufeff", re.MULTILINE)
"""The mark of a file that was appended to another one."""
_NEWLINE = re.compile(r"\r\n?|\n")
_MARKS = range(0x300, 0x1E94B)
"""Range of Unicode's combining marks."""
_MOST_MARKS = 30
"""Most marks on one letter that are normalised at once: the time grows with their square (UAX #15, D4)."""
_MAY_BE_MARKS = re.compile(rf"[^\x00-\u02ff\u3400-\u9fff\uac00-\ud7a3]{{{_MOST_MARKS}}}")
"""Fast test before the exact pattern, which takes 300 ms a megabyte."""
_JOINER = "\N{COMBINING GRAPHEME JOINER}"
PIECE_BYTES = 1024 * 1024


def decode_text(content: bytes) -> DecodedText:
    """Decode a text file.

    A file that can be read as UTF-8 is read as UTF-8, even with a stray NUL or a damaged sequence in it.

    Args:
        content: The whole file; empty content is empty text.

    Returns:
        The text and its encoding. Intact UTF-8, with or without a byte order mark, has no warning.

    Raises:
        UnsupportedMediaError: The content is not text in any encoding kebab knows.
    """
    decoded = None if _BINARY_SIGNATURE.match(content) else _decode(content)
    if decoded is None or not _holds_only_text([decoded.text]):
        raise UnsupportedMediaError(
            "the content is binary, not text", remedy=Remedy(advice=Message("check the file's extension"))
        )
    return decoded


def normalize_text(text: str) -> str:
    r"""Return the text in NFC with `\n` after every line, and U+FFFD in place of control characters.

    Tabs, form feeds and U+0085 separate words and stay. Other control characters mean nothing to a reader, control
    terminals and end strings early.

    Only CRLF, CR and LF end a line (CommonMark 2.1). Form feeds, U+0085 and U+2028 are part of a line, unlike in
    `str.splitlines`. The number of lines stays the same. An invisible joiner follows every 30 combining marks in a row,
    which no language has: the Stream-Safe Text Format of UAX #15. A byte order mark at the start of a line is dropped.
    Codes for terminals, such as colours, are dropped.
    """
    if "\x1b" in text:
        text = _TERMINAL_CODE.sub("", text)
    if "\ufeff" in text:
        text = _INNER_MARK.sub("", text)
    if "\r" in text:
        text = _NEWLINE.sub("\n", text)
    if _MAY_BE_MARKS.search(text):
        text = _many_marks().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize("NFC", _CONTROL_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text))


@dataclass(frozen=True)
class TextPieces:
    """The text of a file in pieces, of whole lines unless they are to end elsewhere; joined they are `normalize_text(decode_text(content).text)`.

    Intact UTF-8 of several pieces is decoded again by every iteration. Other text is held whole.

    Args:
        content: The bytes of the file.
        piece_bytes: Least length of every piece but the last. A piece ends at the first `end` after it.
        end: An ASCII sign: a line end, or what long lines of the format have more of.

    Raises:
        UnsupportedMediaError: The content is not text.
    """

    content: bytes
    piece_bytes: int = PIECE_BYTES
    end: str = "\n"

    def __post_init__(self) -> None:
        if not self._is_intact:
            self._whole  # noqa: B018 - raises if it is not text

    @property
    def warning(self) -> Message | None:
        """Note for the user about how the file was read; None for intact UTF-8."""
        return None if self._is_intact else self._whole[1]

    def may_hold(self, sign: str) -> bool:
        """Return True if an ASCII string occurs in the text."""
        return sign.encode() in self.content if self._is_intact else sign in self._whole[0]

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces in order. Every one but the last ends with `end`."""
        if self._is_intact and len(self.content) > self.piece_bytes:
            yield from map(normalize_text, self._decoded())
            return
        text = self._whole[0]
        for start, end in _piece_ranges(text, self.end, start=0, least=self.piece_bytes):
            yield text[start:end]

    @cached_property
    def _is_intact(self) -> bool:
        """Whether the content is UTF-8 that `decode_text` would read without a warning."""
        if 0 in self.content or _BINARY_SIGNATURE.match(self.content):
            return False
        if self.content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return False
        try:
            return _holds_only_text(self._decoded()) and decode_chance_utf8(self.content) is None
        except UnicodeDecodeError:
            return False

    def _decoded(self) -> Iterator[str]:
        view = memoryview(self.content)
        start = len(codecs.BOM_UTF8) if self.content.startswith(codecs.BOM_UTF8) else 0
        end = self.end.encode()
        for piece_start, piece_end in _piece_ranges(self.content, end, start=start, least=self.piece_bytes):
            yield str(view[piece_start:piece_end], "utf-8")

    @cached_property
    def _whole(self) -> tuple[str, Message | None]:
        if self._is_intact:
            return normalize_text("".join(self._decoded())), None
        decoded = decode_text(self.content)
        return normalize_text(decoded.text), decoded.warning


def _piece_ranges(content: AnyStr, sign: AnyStr, *, start: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the pieces, each of which ends at the first of these signs after its least length."""
    while start < len(content):
        end = content.find(sign, start + least - 1) + 1 or len(content)
        yield start, end
        start = end


def _decode(content: bytes) -> DecodedText | None:
    return (
        _decode_marked(content)
        or _decode_bare_utf32(content)
        or decode_bare_utf16(content)
        or decode_chance_utf8(content)
        or _decode_bytes(content.removeprefix(codecs.BOM_UTF8))
        or _decode_appended(content)
    )


def _decode_bytes(content: bytes) -> DecodedText | None:
    return (
        _decode_utf8(content)
        or _decode_surrogates(content)
        or _decode_lines(content)
        or _decode_damaged(content, is_damage=_is_among_multibyte)
        or decode_legacy(content, may_be_damaged=_is_small(content))
        or _decode_damaged(content, is_damage=_is_small)
    )


def _decode_lines(content: bytes) -> DecodedText | None:
    from kebab_parse.mixed_encodings import decode_lines

    return decode_lines(content)


def _decode_marked(content: bytes) -> DecodedText | None:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            rest = content[len(mark) :]
            if encoding == "utf-8":
                return _decode_utf8(rest)
            text = decode_strictly(rest, encoding)
            if text is not None:
                return read_as(text, encoding)
            if encoding.startswith("utf-16"):
                return decode_damaged_utf16(rest, encoding)
    return None


def _decode_bare_utf32(content: bytes) -> DecodedText | None:
    """Decode UTF-32 without a byte order mark: no other text has a zero in every fourth byte and no code above U+10FFFF."""
    if len(content) % 4 or len(content) < _LEAST_UTF32_BYTES:
        return None
    texts = ((decode_strictly(content, encoding), encoding) for encoding in ("utf-32-le", "utf-32-be"))
    return next((read_as(text, encoding) for text, encoding in texts if text and "\0" not in text), None)


def _decode_appended(content: bytes) -> DecodedText | None:
    """Decode text to which a program appended UTF-16 with its byte order mark."""
    at = max(content.find(mark, 1) for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if at < 0:
        return None
    head, tail = _decode_bytes(content[:at].removeprefix(codecs.BOM_UTF8)), _decode_marked(content[at:])
    return read_as(head.text + tail.text, tail.encoding) if head and tail else None


def _decode_utf8(content: bytes) -> DecodedText | None:
    text = decode_strictly(content, "utf-8")
    if text is None:
        return None
    count = text.count("\0")
    warning = Message("the text holds NUL characters ({count})", count=count) if count else None
    return DecodedText(text, "utf-8", warning)


def _decode_surrogates(content: bytes) -> DecodedText | None:
    """Decode UTF-8 that holds surrogates as if they were characters: CESU-8, and the remains of it."""
    try:
        halves = content.decode("utf-8", errors="surrogatepass").encode("utf-16-le", errors="surrogatepass")
    except UnicodeDecodeError:
        return None
    text, damaged = replace_lone_surrogates(halves, "utf-16-le")
    warning = Message("the text is UTF-8 with surrogates; {damaged} lone ones were replaced", damaged=damaged)
    return DecodedText(text, "utf-8", warning)


def _decode_damaged(content: bytes, *, is_damage: Callable[[bytes, int], bool]) -> DecodedText | None:
    text = content.decode("utf-8", errors="replace")
    damaged = text.count(_REPLACEMENT) - content.count(_REPLACEMENT.encode())
    if not is_damage(content, damaged):
        return None
    warning = Message("{damaged} damaged UTF-8 sequences were replaced", damaged=damaged)
    return DecodedText(text, "utf-8", warning)


def _is_among_multibyte(content: bytes, damaged: int) -> bool:
    multibyte = len(content.translate(None, delete=_NOT_LEADING)) - damaged
    return multibyte >= damaged * _REPAIR_SHARE


def _is_small(content: bytes, _damaged: int = 0) -> bool:
    broken = len(content) - len(content.decode("utf-8", errors="ignore").encode())
    few = broken <= _FEW_BYTES and 0 not in content
    return len(content) - broken >= len(content) * (_SHORT_SHARE if few else _INTACT_SHARE)


def _holds_only_text(pieces: Iterable[str]) -> bool:
    """Return True if the pieces of a text together hold few enough control characters."""
    chars = controls = zeros = 0
    for piece in pieces:
        chars += len(piece)
        controls += sum(1 for _ in _CONTROL.finditer(piece))
        zeros += piece.count("\0")
    return controls <= max(1, chars * _CONTROL_SHARE) and zeros <= max(1, chars * _NUL_SHARE)


@cache
def _many_marks() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in _MARKS if unicodedata.combining(chr(code)))
    return re.compile(f"[{marks}]{{{_MOST_MARKS}}}")
