"""The text of HTML and mail, whose encoding a header, a byte order mark or the content itself tells."""

from __future__ import annotations

import codecs
import re

from kebab_core import Message, UnsupportedMediaError
from kebab_parse import DecodedText, decode_text

_PRESCAN_BYTES = 4096
_DECLARED = re.compile(
    rb"""<meta[^>]{1,500}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "euc_kr": "cp949",
    "johab": "johab",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "iso8859-9": "cp1254",
}
"""The encoding that browsers take for another one, which lacks characters that pages have (WHATWG Encoding, 4.2)."""
_LABELS = {
    "ks_c_5601-1987": "cp949",
    "x-windows-949": "cp949",
    "windows-949": "cp949",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
}
_SEVEN_BIT = frozenset({"iso2022_kr", "iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "hz", "utf-7"})
"""Encodings whose bytes all are ASCII."""
_ASCII = bytes(range(0x80))
_EAST_ASIAN = frozenset({"cp949", "gb18030", "cp932", "big5", "euc_jp"})
_FEW_BYTES = 8
"""Bytes beyond ASCII that are too few to doubt a declared encoding: `ÇÃO` in cp1252 is 플O in CP949."""
_MAX_DAMAGE = 0.01
"""Share of characters that may be damaged in the encoding that is declared."""


def decode_page(content: bytes) -> DecodedText:
    """Decode a page: by its byte order mark, as UTF-8 if it is, by what it declares, or by detection.

    Returns:
        The text; only a detected or damaged encoding has a warning.

    Raises:
        UnsupportedMediaError: It is not text.
    """
    found = _DECLARED.search(content, 0, _PRESCAN_BYTES)
    label = (found[1] or found[2]).decode("ascii", "replace") if found else None
    return decode_declared(content, label)


def decode_declared(content: bytes, label: str | None) -> DecodedText:
    """Decode bytes whose encoding is declared, rightly or not.

    Args:
        content: The bytes.
        label: A name of an encoding as pages and mails write it; None if there is none.

    Raises:
        UnsupportedMediaError: It is not text.
    """
    if content.startswith(_MARKS):
        return decode_text(content)
    encoding = _find_encoding(label)
    if encoding in _SEVEN_BIT and content.isascii():
        return _decode_with(content, encoding) or decode_text(content)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        declared = _decode_with(content, encoding) if encoding else None
        return declared if declared and not _is_doubtful(declared, content) else decode_text(content)
    if "\0" in text:
        return decode_text(content)
    return DecodedText(text, "utf-8")


def _decode_with(content: bytes, encoding: str) -> DecodedText | None:
    try:
        text = content.decode(encoding, errors="replace")
    except (UnicodeError, ValueError):
        return None
    damaged = text.count("\N{REPLACEMENT CHARACTER}")
    if damaged > max(2, len(text) * _MAX_DAMAGE) or "\0" in text:
        return None
    warning = Message("{damaged} damaged characters were replaced", damaged=damaged) if damaged else None
    return DecodedText(text, encoding, warning)


def _is_doubtful(declared: DecodedText, content: bytes) -> bool:
    """Return True if bytes are not in the encoding that they are declared in, as many programs do without a look at them.

    That is UTF-8 where they are none, or a Western one, in which all bytes are letters, where they are likelier East Asian.
    """
    if declared.encoding != "cp1252":
        return declared.encoding == "utf-8"
    if len(content.translate(None, _ASCII)) < _FEW_BYTES:
        return False
    try:
        return decode_text(content).encoding in _EAST_ASIAN
    except UnsupportedMediaError:
        return False


def _find_encoding(label: str | None) -> str | None:
    """Return Python's name of a text encoding; None for an unknown one, and for those of more than one byte a unit."""
    name = (label or "").strip().strip("\"'").lower()
    try:
        info = codecs.lookup(_LABELS.get(name, name))
    except (LookupError, ValueError, UnicodeError):
        return None
    encoding = _WIDER.get(info.name, info.name)
    is_text = getattr(info, "_is_text_encoding", True)
    return encoding if is_text and not encoding.startswith(("utf-16", "utf-32")) else None
