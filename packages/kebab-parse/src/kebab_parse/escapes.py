r"""Characters that data files write as escapes: `\uXXXX` of JSON, YAML, TOML and properties, `&#NNN;` of XML."""

from __future__ import annotations

import re
import sys
import unicodedata

from kebab_parse.decoding import normalize_text

_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|.)"
)
"""Two characters of any other escape are passed together, so that an escaped backslash begins none."""
_REFERENCE = re.compile(r"&#(?:(?P<decimal>[0-9]{1,7})|[xX](?P<hex>[0-9a-fA-F]{1,6}));")
_KEPT = frozenset({"Cc", "Cs", "Cn", "Co", "Zl", "Zp"})
"""Categories of Unicode without a sign of their own, or that end lines."""
_QUOTE = frozenset('"\\')
_MARKUP = frozenset("\"'<>&")


def decode_escapes(text: str) -> str:
    r"""Return a normalised text with the characters that its `\uXXXX` and `\UXXXXXXXX` stand for, in NFC.

    Lines stay the same. Quotes, backslashes, control characters, halves of pairs and codes without a character stay escaped. A text without such an escape is returned as it is.
    """
    decoded = _ESCAPE.sub(_character_of_escape, text) if "\\u" in text or "\\U" in text else text
    return text if decoded == text else normalize_text(decoded)


def decode_references(text: str) -> str:
    """Return a normalised text with the characters of its numeric references of XML.

    As `decode_escapes`; quotes and the signs of markup stay references.
    """
    decoded = _REFERENCE.sub(_character_of_reference, text) if "&#" in text else text
    return text if decoded == text else normalize_text(decoded)


def _character_of_escape(match: re.Match[str]) -> str:
    if match["high"]:
        char = bytes.fromhex(match["high"] + match["low"]).decode("utf-16-be")
        return _decode(ord(char), match[0], _QUOTE)
    digits = match["short"] or match["long"]
    return _decode(int(digits, 16), match[0], _QUOTE) if digits else match[0]


def _character_of_reference(match: re.Match[str]) -> str:
    code = int(match["decimal"]) if match["decimal"] else int(match["hex"], 16)
    return _decode(code, match[0], _MARKUP)


def _decode(code: int, written: str, syntax: frozenset[str]) -> str:
    char = chr(code) if code <= sys.maxunicode else ""
    return written if not char or char in syntax or unicodedata.category(char) in _KEPT else char
