"""Detection of encodings without a byte order mark: UTF-16 by rule, others by statistics.

`decoding` calls these functions in turn. Each decodes the bytes if they are plausible in its encoding.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import log
from typing import NamedTuple

from kebab_core import Message

_SAMPLE_BYTES = 64 * 1024
_HANGUL = ("\uac00", "\ud7a3")
_COMMON_BYTES = 2
_WORD = re.compile(r"[^\W\d_]+")
_CYRILLIC_WORD = re.compile("[\u0400-\u045f][\u0430-\u045f]+|[\u0400-\u042f]{2,}")
_NUMBER_SIGNS = "ªº¹²³¼½¾"
_SIGN = re.compile(rf"[^\x00-\x7f\w]|[{_NUMBER_SIGNS}]")
_ONE_LETTER_WORDS = frozenset("àÀáÁåÅæÆèÈéÉíÍòÒóÓöÖøØúÚ")
_UNLIKE_A_WORD = re.compile(r"[^\x00-\x7f]{3}|[a-zß-öø-ÿšœž][À-ÖØ-ÞŠŒŽŸ]")
"""Three accented letters in a row, or a capital after a small letter: seen in broken UTF-8 and other alphabets."""
_AFTER_ANYTHING = frozenset("’”»›“‘…–—™®²³ªº\xa0")
_BETWEEN_NO_LETTERS = frozenset("«‹")
_AFTER_NO_LETTER = frozenset("„‚¿¡€£¥¢§©°±×÷·•¹¼½¾µ¶†‡‰¬´¨¸¯")
_FEW_SIGNS = 20
"""Signs below which every one must be in a plausible place; from here on one in twenty may be damage."""
_IN_PLACE_SHARE = 0.95
_PRIORS = {
    "cp949": 0.0,
    "cp1252": 1.0,
    "gb18030": -8.0,
    "cp932": -8.0,
    "big5": -8.0,
    "euc_jp": -8.0,
    "cp1251": -6.0,
    "koi8_r": -6.0,
    "johab": -8.0,
    "mac_roman": -8.0,
}
"""Encodings that statistics choose from, with the logarithm of how often they are met, up to a summand. Others differ from these in a
few letters only, so the choice would be chance. One letter of Cyrillic alone is none.

They decide notes of one or two words, which the users of kebab write in Korean. Of 220 sounds in Hangul 179 are read as such,
135 with half the distance; of 400 notes of two to five words in Chinese 398 (2026-11)."""
_ASCII = bytes(range(0x80))
_EAST_ASIAN = frozenset({"cp949", "gb18030", "cp932", "big5", "euc_jp"})
_MOST_CHANCE_BYTES = 64
"""Bytes beyond ASCII from which on text in another encoding is never UTF-8 by chance."""
_COMMON_SCORE = -8.5
"""Logarithm of the probability of a character in common words. Of random pairs of letters 3 in 100 read so well (2026-11)."""
_THREE_BYTES = re.compile(rb"[\xe0-\xff]")
_PUNCTUATION = b"!\"'(),-./:;<>?"
_REPEATED = re.compile(r"(\S+?)\1+")
"""Letters that are repeated at once, as in words for sounds: the second time they are no evidence."""
_CHANCE, _SLACK = -log(256), 9.0
"""Logarithm of the probability of a random byte, and how much less likely the letters of a short text may be."""
_SAMPLE_LINES = 2_000
_REPAIR_SHARE = 20
"""Least characters beyond ASCII for each damaged one."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
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


def decode_legacy(content: bytes, *, may_be_damaged: bool) -> DecodedText | None:
    """Decode in the encoding in which the text is most likely, if it is likelier than chance.

    Args:
        content: The bytes, of which not all are ASCII.
        may_be_damaged: Whether the bytes may as well be UTF-8 with damage; none of the encodings is it then.
    """
    from kebab_parse.character_statistics import log_likelihood

    sample = _take_sample(content)
    scores = score_encodings(sample)
    if (
        may_be_damaged
        and scores
        and log_likelihood(sample.decode(errors="replace"), "utf-8") > scores[0].score
    ):
        return None
    for each in scores:
        text = content.decode(each.encoding, errors="replace")
        if not _is_damage(text):
            return read_as(text, each.encoding, damaged=text.count(_REPLACEMENT))
    return None


def decode_chance_utf8(content: bytes) -> DecodedText | None:
    """Decode a short text in an East Asian encoding whose bytes are UTF-8, too, as those of 医院预约 in GBK are.

    Read as UTF-8, a word of it mixes letters of several alphabets beyond ASCII, which no language does.

    Returns:
        The text in the most likely encoding; None where it is UTF-8.
    """
    if (
        content.isascii()
        or len(content.translate(None, _ASCII)) > _MOST_CHANCE_BYTES
        or _THREE_BYTES.search(content)
    ):
        return None
    text = decode_strictly(content, "utf-8")
    if text is None or not any(_mixes_alphabets(word) for word in _WORD.findall(text)):
        return None
    for each in score_encodings(_take_sample(content)):
        own = decode_strictly(content, each.encoding)
        if each.encoding in _EAST_ASIAN and own is not None:
            chars = sum(not char.isascii() for char in own)
            is_common = each.score - _PRIORS[each.encoding] >= chars * _COMMON_SCORE
            return read_as(own, each.encoding) if is_common else None
    return None


def _mixes_alphabets(word: str) -> bool:
    return len({_alphabet(char) for char in word if not char.isascii()}) > 1


def _is_damage(text: str) -> bool:
    """Return True if too much of a text could not be decoded."""
    return text.count(_REPLACEMENT) * (_REPAIR_SHARE + 1) > len(text) - sum(map(str.isascii, text))


class EncodingScore(NamedTuple):
    """An encoding that some bytes may be in."""

    score: float
    """Natural logarithm of its probability, but for a summand that is the same for all encodings."""
    encoding: str


def score_encodings(content: bytes) -> list[EncodingScore]:
    """Return the encodings that some bytes may be in, the most likely first.

    A sample of the largest size may end within a character. An encoding in which they are no likelier than by chance is none.
    """
    from kebab_parse.character_statistics import log_likelihood

    found: list[EncodingScore] = []
    for encoding, prior in _PRIORS.items():
        if 0 in content and encoding != "cp949":
            continue
        if encoding == "mac_roman" and any(each.encoding == "cp1252" for each in found):
            continue  # letters of many languages would decide between œ and ú
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        text = decoder.decode(content, final=len(content) < _SAMPLE_BYTES)
        if _is_damage(text) or (encoding in _PLAUSIBLE and not _PLAUSIBLE[encoding](text)):
            continue
        once = _REPEATED.sub(r"\1", text)
        ascii_only = "".join(filter(str.isascii, once))
        score, own = log_likelihood(once, encoding), log_likelihood(ascii_only, encoding)
        ascii_chars = sum(map(str.isascii, text))
        kept_share = (len(once) - len(ascii_only)) / max(1, len(text) - ascii_chars)
        bytes_beyond = (len(content) - ascii_chars) * kept_share
        chance = bytes_beyond * _CHANCE - _SLACK
        if encoding == "cp1252" or score - own >= chance:
            found.append(EncodingScore(score + prior, encoding))
    return sorted(found, reverse=True)


def _take_sample(content: bytes) -> bytes:
    """Return the words of the first lines that are not ASCII, each once: what a file repeats is no evidence.

    Punctuation around words is left out; its bytes are no part of a letter in any encoding.
    """
    lines = islice((line for line in content.splitlines() if not line.isascii()), _SAMPLE_LINES)
    words = dict.fromkeys(
        word.strip(_PUNCTUATION)
        for line in lines
        for word in line[:_SAMPLE_BYTES].split()
        if not word.isascii()
    )
    return b" ".join(words)[:_SAMPLE_BYTES]


def _is_western(text: str) -> bool:
    """Return True if nearly all characters beyond ASCII stand where text in Latin letters has them.

    Accented letters stand in words of ASCII letters, and typographic signs beside words. So a single `é` is enough,
    and neither another alphabet nor broken UTF-8 passes.
    """
    in_place = list(_check_places(text))
    needed = 1.0 if len(in_place) < _FEW_SIGNS else _IN_PLACE_SHARE
    return bool(in_place) and sum(in_place) >= len(in_place) * needed


def _is_cyrillic(text: str) -> bool:
    """Return True if most of the words beyond ASCII are Cyrillic throughout and longer than a letter."""
    words = [match[0] for match in _WORD.finditer(text) if not match[0].isascii()]
    whole = sum(len(word) for word in words if _CYRILLIC_WORD.fullmatch(word))
    return whole * 2 > sum(map(len, words))


_PLAUSIBLE = {"cp1252": _is_western, "mac_roman": _is_western, "cp1251": _is_cyrillic, "koi8_r": _is_cyrillic}
"""What else is asked of text in an encoding whose letters stand for single bytes, so that all bytes are letters."""


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
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        yield (
            match[0] in _AFTER_ANYTHING
            or (match[0] in _AFTER_NO_LETTER and not before.isalpha())
            or (match[0] in _BETWEEN_NO_LETTERS and not (before.isalpha() and after.isalpha()))
        )


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
