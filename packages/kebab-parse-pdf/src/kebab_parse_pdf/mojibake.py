"""Text whose codes are not those of its characters: Korean bytes shown in a Latin font, and letters shifted by a constant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from kebab_parse import score_encodings

_LETTER = re.compile("[A-Za-z]")
_FIRST, _LAST = 33, 126
"""Visible characters of ASCII."""
_BYTES = {bytes([code]).decode("cp1252", "ignore"): code for code in range(0x80, 0x100)}
"""Byte of each character of Windows-1252 beyond ASCII."""
_LEAD, _SOFT_HYPHEN = 0x80, 0xAD
_HYPHENS = "-\x02\ufffe"
"""What PDFium makes of the byte 0xAD, within a line and at its end."""
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_HANGUL_SHARE = 0.8
"""Least share of Hangul, in bytes, in what is read as Korean."""
_WORD_BYTES = 4
"""Bytes of one word that are two syllables: `Ä` and `Ö` side by side are one, and no word has four of them."""

_PER_MILLE = {
    "a": 94, "b": 18, "c": 32, "d": 41, "e": 108, "f": 12, "g": 24, "h": 24, "i": 82, "j": 6, "k": 26, "l": 48, "m": 31,
    "n": 84, "o": 64, "p": 30, "q": 2, "r": 61, "s": 56, "t": 72, "u": 36, "v": 16, "w": 7, "x": 3, "y": 13, "z": 10,
}  # fmt: skip
"""Mean frequency of the letters in 14 languages that are written in Latin letters, without accented ones."""
_MOST_FREQUENT = "aeinorstAEINORST"
"""Letters, one of which is the most frequent of a text."""
_FREQUENT, _LETTERS = ".,0123456789", 0.9
_OUTSIDE = log(0.0005)
_MIN_CHARS = 100
"""Characters below which letters are not counted."""
_TEXT_SCORE = -3.25
"""Mean logarithm of the frequency of a character that only text has, and which no shift improves by `_MIN_GAIN`."""
_MIN_SCORE, _MAX_SCORE, _MIN_GAIN, _MIN_CODES = -3.4, -2.7, 0.4, 16
"""What text reaches when its codes are shifted back, by how much more than as it is, and its least number of different characters.
None of 49,000 passages of 150 to 1,500 characters in 41 languages and in Python is taken for shifted (translations of Debian's
programs, 2026-11-23), and no page of 374 of real PDFs; of English abstracts that are shifted, 99 % at 1,500 characters and 91 % at 150."""


def _build_scores() -> list[float]:
    scores = [log(0.003)] * (_LAST + 1)
    for sign in _FREQUENT:
        scores[ord(sign)] = log(0.01)
    for letter, frequency in _PER_MILLE.items():
        scores[ord(letter)] = scores[ord(letter.upper())] = log(_LETTERS * frequency / 1000)
    return scores


_SCORES = _build_scores()


def read_korean_bytes(words: Sequence[str]) -> dict[str, str]:
    """Read words as CP949 whose bytes are shown as Windows-1252, as a font without a character map shows Korean.

    The statistics decide that decide for text files, so that neither accents nor curly quotes are taken for Korean.

    Args:
        words: The words of a page; those that only consist of ASCII say nothing.

    Returns:
        Each word beyond ASCII that is Korean with what it says. Empty unless nearly all of them together are Hangul then.
    """
    shown = [word for word in dict.fromkeys(words) if any(char in _BYTES for char in word)]
    contents = {word: content for word in shown if (content := _encode(word)) is not None}
    if not contents or not _is_korean(b" ".join(contents.values())):
        return {}
    texts = {word: content.decode("cp949", "replace") for word, content in contents.items()}
    hangul = [2 * sum("가" <= char <= "힣" for char in text) for text in texts.values()]
    own = sum(char in _BYTES for word in shown for char in word)
    if max(hangul) < _WORD_BYTES or sum(hangul) < _HANGUL_SHARE * own:
        return {}
    return {
        word: text for word, text in texts.items() if _UNKNOWN not in text and not _is_western(contents[word])
    }


def _encode(word: str) -> bytes | None:
    """Return the bytes that a word shows; None if it shows another character."""
    content = bytearray()
    is_lead = False
    for char in word:
        hyphen = _SOFT_HYPHEN if is_lead else ord("-")
        code = hyphen if char in _HYPHENS else _BYTES.get(char, ord(char))
        if code > 0xFF:  # noqa: PLR2004 - no byte
            return None
        is_lead = code > _LEAD and not is_lead
        content.append(code)
    return bytes(content)


def _is_korean(content: bytes) -> bool:
    return [each.encoding for each in score_encodings(content)[:1]] == ["cp949"]


def _is_western(content: bytes) -> bool:
    return [each.encoding for each in score_encodings(content)[:1]] == ["cp1252"]


def is_text(words: Iterable[str]) -> bool:
    """Return True if the letters of some words are as frequent as those of prose, or too few to say so."""
    codes = _count(words)
    return codes.total() < _MIN_CHARS or _score(codes) >= _TEXT_SCORE


def is_shifted(words: Iterable[str]) -> bool:
    """Return True if all codes of a text are those of its characters and a constant, such as `Wklv lv` for `This is`."""
    codes = _count(words)
    if codes.total() < _MIN_CHARS or len(codes) < _MIN_CODES:
        return False
    own = _score(codes)
    if own >= _TEXT_SCORE:
        return False
    least = max(own + _MIN_GAIN, _MIN_SCORE)
    ((frequent, _),) = codes.most_common(1)
    best = max(_score(codes, ord(letter) - frequent) for letter in _MOST_FREQUENT)
    return least <= best <= _MAX_SCORE


def _count(words: Iterable[str]) -> Counter[int]:
    """Count the visible characters of different words with a letter; numbers and rows of dots, as contents have them, are none."""
    text = "".join(word for word in set(words) if _LETTER.search(word))
    return Counter(code for code in text.encode("ascii", "ignore") if _FIRST <= code <= _LAST)


def _score(codes: Counter[int], shift: int = 0) -> float:
    """Return the mean logarithm of the frequency of the shifted characters, about -3 for prose."""
    total = sum(
        count * (_SCORES[code + shift] if _FIRST <= code + shift <= _LAST else _OUTSIDE)
        for code, count in codes.items()
    )
    return total / codes.total()
