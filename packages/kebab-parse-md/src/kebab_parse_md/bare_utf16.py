"""UTF-16 that its first bytes do not vouch for: without a byte order mark, or with halves of characters missing."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import NamedTuple

from kebab_parse_md.legacy_encodings import is_common_syllable, is_syllable

_SAMPLE_CHARS = 64 * 1024
_LEAST_ZEROS = 0.1
"""Share of the pairs with a zero byte: blanks, digits and line ends alone make more in prose of any alphabet."""
_OTHER_SIDE = 0.5
"""Zeros on the wrong side for each on the right one: the syllables U+AC00 and U+B300 are common."""
_SANE_SHARE = 0.9
_REPAIR_SHARE = 64
"""Intact characters there must be for each lone surrogate, of which random bytes hold one in 32."""
_ALPHABETS = frozenset({"LATIN", "HANGUL", "CYRILLIC", "GREEK", "ARABIC", "HEBREW"})


class BareUtf16(NamedTuple):
    """UTF-16 without a mark."""

    text: str
    encoding: str
    damaged: int
    """Lone surrogates, replaced by U+FFFD."""


def decode_bare_utf16(content: bytes) -> BareUtf16 | None:
    """Return the text if the bytes are plausible UTF-16 in an alphabet or in Hangul, else None.

    Two arbitrary bytes make an ideograph two times in five, so prose of ideographs needs a mark.
    """
    pairs = len(content) // 2
    if len(content) % 2 or not pairs:
        return None
    first, second = content[::2].count(0), content[1::2].count(0)
    encoding = "utf-16-le" if second >= first else "utf-16-be"
    zeros, wrong = max(first, second), min(first, second)
    if zeros < pairs * _LEAST_ZEROS or wrong > zeros * _OTHER_SIDE:
        return None
    text, damaged = replace_lone_surrogates(content, encoding)
    if damaged * _REPAIR_SHARE > pairs or not _reads_sanely(text[:_SAMPLE_CHARS]):
        return None
    return BareUtf16(text, encoding, damaged)


def decode_damaged_utf16(content: bytes, encoding: str) -> tuple[str, int] | None:
    """Return (text, how many lone surrogates and cut-off characters were replaced), None if it is no text.

    Much damage is believed where the rest reads well.

    Args:
        content: What follows a byte order mark.
        encoding: What the mark says, `utf-16-le` or `utf-16-be`.
    """
    text, damaged = replace_lone_surrogates(content, encoding)
    is_plausible = damaged * _REPAIR_SHARE <= len(text) or _reads_sanely(text[:_SAMPLE_CHARS])
    return (text, damaged) if is_plausible else None


def replace_lone_surrogates(content: bytes, encoding: str) -> tuple[str, int]:
    """Return UTF-16 as text with U+FFFD for each lone surrogate and a last odd byte, and how many there were."""
    try:
        return content.decode(encoding), 0
    except UnicodeDecodeError:
        text = content.decode(encoding, errors="replace")
        return text, len(text) - len(content.decode(encoding, errors="ignore"))


def _reads_sanely(text: str) -> bool:
    """Return whether nearly all of the text is letters of at most two alphabets, blanks, digits and punctuation."""
    letters = Counter(_alphabet(char) for char in text if char.isalpha())
    main = sum(count for name, count in letters.most_common(2) if name in _ALPHABETS)
    others = sum(1 for char in text if not char.isalpha())
    sane_others = sum(1 for char in text if not char.isalpha() and _is_sane_sign(char))
    return main >= max(1, letters.total() * _SANE_SHARE) and sane_others >= others * _SANE_SHARE


def _alphabet(letter: str) -> str:
    name = unicodedata.name(letter, "").split(" ", 1)[0]
    return "" if is_syllable(letter) and not is_common_syllable(letter) else name


def _is_sane_sign(char: str) -> bool:
    return char.isspace() or unicodedata.category(char)[0] not in "CM"
