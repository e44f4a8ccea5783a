"""Detection of encodings without a byte order mark: CP949, Windows-1252 and UTF-16 by rule, others by statistics.

`decoding` calls these functions in turn. Each decodes the bytes if they are plausible in its encoding.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kebab_core import Message

_SAMPLE_BYTES = 256 * 1024
_HANGUL = ("\uac00", "\ud7a3")
_HANGUL_SHARE = 0.5
"""Least share of syllables among the characters beyond ASCII in Korean prose."""
_COMMON_SHARE = 0.9
"""Least share of the 2,350 syllables of KS X 1001 among them; random bytes give the other 8,822 as often."""
_COMMON_BYTES = 2
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_SIGNS = "ªº¹²³¼½¾"
_SIGN = re.compile(rf"[^\x00-\x7f\w]|[{_NUMBER_SIGNS}]")
_ONE_LETTER_WORDS = frozenset("àÀáÁåÅæÆèÈéÉíÍòÒóÓöÖøØúÚ")
_UNLIKE_A_WORD = re.compile(r"[^\x00-\x7f]{3}|[a-zß-öø-ÿšœž][À-ÖØ-ÞŠŒŽŸ]")
"""Three accented letters in a row, or a capital after a small letter: seen in broken UTF-8 and other alphabets."""
_AFTER_ANYTHING = frozenset("’”»›“‘…–—™®²³ªº\xa0")
_AFTER_NO_LETTER = frozenset("„‚«‹¿¡€£¥¢§©°±×÷·•¹¼½¾µ¶†‡‰¬´¨¸¯")
_FEW_SIGNS = 20
"""Signs below which every one must be in a plausible place; from here on one in twenty may be damage."""
_IN_PLACE_SHARE = 0.95
_CANDIDATES = ["cp1252", "cp932", "euc_jp", "gb18030", "big5", "cp1251", "koi8_r"]
"""Encodings that statistics choose from. Others differ from these in a few letters only, so the choice would be chance."""
_ASCII = bytes(range(0x80))
_LEAST_SAMPLE = 8
"""Bytes beyond ASCII below which statistics would choose an encoding by chance."""
_SAMPLE_CHARS = 64 * 1024
_LEAST_ZEROS = 0.1
"""Least share of pairs with a zero byte: in prose of any alphabet, blanks, digits and line ends give more."""
_MAX_ZERO_LOW_BYTES = 0.5
"""Most zero low bytes for each zero high byte: the syllables U+AC00 and U+B300 are common."""
_PLAUSIBLE_SHARE = 0.9
_UTF16_REPAIR_SHARE = 64
"""Least intact characters for each lone surrogate; random bytes have one lone surrogate in 32."""
_ALPHABETS = frozenset({"LATIN", "HANGUL", "CYRILLIC", "GREEK", "ARABIC", "HEBREW"})


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file, verbatim except for a byte order mark."""

    text: str
    """The text, without lone surrogates; its lines are the lines of the file."""
    encoding: str
    """Python's name of the encoding, such as `utf-8` or `cp949`."""
    warning: Message | None = None
    """Note for the user about how the file was read; None for intact UTF-8 without NUL."""


def read_as(text: str, encoding: str, *, damaged: int = 0) -> DecodedText:
    """Return a text in another encoding than UTF-8, with the warning that says so."""
    warning = Message("the file is not UTF-8; it was read as {encoding}", encoding=encoding)
    if damaged:
        warning = Message(
            "{warning}, and {damaged} damaged characters were replaced", warning=warning, damaged=damaged
        )
    return DecodedText(text, encoding, warning)


def decode_strictly(content: bytes, encoding: str) -> str | None:
    """Return the text; None if the bytes are not valid in the encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def decode_cp949(content: bytes) -> DecodedText | None:
    """Decode Korean in CP949, which includes EUC-KR."""
    text = decode_strictly(content, "cp949")
    if text is None:
        return None
    beyond = [char for char in text[:_SAMPLE_BYTES] if char > "\x7f"]
    hangul = [char for char in beyond if _is_syllable(char)]
    if not beyond or len(hangul) < len(beyond) * _HANGUL_SHARE:
        return None
    common = sum(1 for char in hangul if _is_common_syllable(char))
    return read_as(text, "cp949") if common >= len(hangul) * _COMMON_SHARE else None


def decode_cp1252(content: bytes) -> DecodedText | None:
    """Decode Windows-1252, if all characters beyond ASCII stand in plausible places.

    Accented letters stand in words of ASCII letters, and typographic signs beside words. So a single `é` is enough,
    where statistics need many, and neither another alphabet nor broken UTF-8 passes. Of 344 texts of one to twenty
    words in nine languages all were read; charset-normalizer read half of them (2026-11). Includes Latin-1.
    """
    text = None if 0 in content else decode_strictly(content, "cp1252")
    if text is None:
        return None
    in_place = list(_check_places(text))
    needed = 1.0 if len(in_place) < _FEW_SIGNS else _IN_PLACE_SHARE
    is_plausible = in_place and sum(in_place) >= len(in_place) * needed
    return read_as(text, "cp1252") if is_plausible else None


def decode_legacy(content: bytes) -> DecodedText | None:
    """Decode by statistics."""
    if 0 in content or len(content.translate(None, delete=_ASCII)) < _LEAST_SAMPLE:
        return None
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_SAMPLE_BYTES], cp_isolation=_CANDIDATES).best()
    if best is None:
        return None
    return read_as(content.decode(best.encoding, errors="replace"), best.encoding)


def decode_bare_utf16(content: bytes) -> DecodedText | None:
    """Decode UTF-16 without a byte order mark, in an alphabet or in Hangul.

    Two arbitrary bytes are an ideograph two times in five, so text in ideographs needs a byte order mark.
    """
    pairs = len(content) // 2
    if len(content) % 2 or not pairs:
        return None
    first, second = content[::2].count(0), content[1::2].count(0)
    encoding = "utf-16-le" if second >= first else "utf-16-be"
    zeros, wrong = max(first, second), min(first, second)
    if zeros < pairs * _LEAST_ZEROS or wrong > zeros * _MAX_ZERO_LOW_BYTES:
        return None
    text, damaged = replace_lone_surrogates(content, encoding)
    if damaged * _UTF16_REPAIR_SHARE > pairs or not _is_plausible_text(text[:_SAMPLE_CHARS]):
        return None
    return read_as(text, encoding, damaged=damaged)


def decode_damaged_utf16(content: bytes, encoding: str) -> DecodedText | None:
    """Decode UTF-16 with lone surrogates or a character that is cut off.

    Much damage is accepted if the rest is plausible text.

    Args:
        content: The bytes after a byte order mark.
        encoding: The encoding that the mark names, `utf-16-le` or `utf-16-be`.
    """
    text, damaged = replace_lone_surrogates(content, encoding)
    is_plausible = damaged * _UTF16_REPAIR_SHARE <= len(text) or _is_plausible_text(text[:_SAMPLE_CHARS])
    return read_as(text, encoding, damaged=damaged) if is_plausible else None


def replace_lone_surrogates(content: bytes, encoding: str) -> tuple[str, int]:
    """Return UTF-16 as text with U+FFFD for each lone surrogate and a last odd byte, and their number."""
    try:
        return content.decode(encoding), 0
    except UnicodeDecodeError:
        text = content.decode(encoding, errors="replace")
        return text, len(text) - len(content.decode(encoding, errors="ignore"))


def _check_places(text: str) -> Iterator[bool]:
    """Check the place of each character beyond ASCII.

    Yields:
        True for a character in a plausible place, else False.
    """
    for match in _WORD.finditer(text):
        word = match[0].strip(_NUMBER_SIGNS)
        if not word.isascii():
            is_word = any(char.isascii() for char in word) and not _UNLIKE_A_WORD.search(word)
            yield from [is_word or word in _ONE_LETTER_WORDS] * sum(not char.isascii() for char in word)
    for match in _SIGN.finditer(text):
        before = text[match.start() - 1 : match.start()]
        yield match[0] in _AFTER_ANYTHING or (match[0] in _AFTER_NO_LETTER and not before.isalpha())


def _is_syllable(char: str) -> bool:
    """Return True for one of the 11,172 syllables of Hangul."""
    return _HANGUL[0] <= char <= _HANGUL[1]


def _is_common_syllable(syllable: str) -> bool:
    """Return True for one of the 2,350 syllables of KS X 1001."""
    # Python's codec spells a syllable that the standard lacks with eight bytes (KS X 1001, annex 3).
    return len(syllable.encode("euc_kr")) == _COMMON_BYTES


def _is_plausible_text(text: str) -> bool:
    """Return True if nearly all of the text is letters of at most two alphabets, blanks, digits and punctuation."""
    letters = Counter(_alphabet(char) for char in text if char.isalpha())
    main = sum(count for name, count in letters.most_common(2) if name in _ALPHABETS)
    others = [char for char in text if not char.isalpha()]
    plausible = sum(char.isspace() or unicodedata.category(char)[0] not in "CM" for char in others)
    return main >= max(1, letters.total() * _PLAUSIBLE_SHARE) and plausible >= len(others) * _PLAUSIBLE_SHARE


def _alphabet(letter: str) -> str:
    name = unicodedata.name(letter, "").split(" ", 1)[0]
    return "" if _is_syllable(letter) and not _is_common_syllable(letter) else name
