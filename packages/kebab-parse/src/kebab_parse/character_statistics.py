"""How likely a text is in an encoding, by the frequencies of its characters: what tells encodings apart in a few words.

The right reading of some bytes has characters that are frequent, a wrong one has rare ones. Likelihoods of one file in different
encodings can be compared, since they are of the same bytes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from math import exp, log, prod
from pathlib import Path
from types import MappingProxyType

FREQUENCY_FILE = Path(__file__).with_name("character_frequencies.txt")
"""Written by `tools/character_frequencies.py`: script, `-ln` of the frequency in the script, characters."""

_RANGES = (
    ("ascii", 0x20, 0x7E),
    ("sign", 0xA0, 0xBF),
    ("latin", 0xC0, 0x24F),
    ("cyrillic", 0x400, 0x45F),
    ("sign", 0x2010, 0x203E),
    ("sign", 0x20AC, 0x27BF),
    ("sign", 0x3000, 0x303F),
    ("kana", 0x3041, 0x30FF),
    ("jamo", 0x3131, 0x3163),
    ("sign", 0x3200, 0x33FF),
    ("han", 0x4E00, 0x9FFF),
    ("hangul", 0xAC00, 0xD7A3),
    ("sign", 0xFF01, 0xFF60),
    ("half", 0xFF61, 0xFF9F),
)
"""First and last character of the scripts; punctuation beyond ASCII is one, and katakana of half width."""
_SIZES = {
    "ascii": 95,
    "latin": 400,
    "cyrillic": 96,
    "kana": 190,
    "han": 21_000,
    "hangul": 11_172,
    "jamo": 51,
    "sign": 150,
    "half": 63,
}
"""Characters of each script, for those of which the table knows nothing."""
_RARE_SHARE, _RARE_SYLLABLES = 0.01, 0.03
"""Share of a script's text that is characters which the table lacks, and of syllables of Hangul, of which anyone can make new ones.
Half of the latter are those of frequent letters, half any."""
_FIRST_SYLLABLE, _VOWELS, _FINALS = 0xAC00, 21, 28
WITHOUT_COUNTS = frozenset({"", "sign", "half"})
"""Scripts whose characters count as equally frequent: the table is of text without them."""

_KOREAN = {"hangul": 0.88, "sign": 0.04, "jamo": 0.06, "han": 0.005, "kana": 0.001}
_WESTERN = {"latin": 0.85, "sign": 0.15}
_IDEOGRAPHS = {"han": 0.92, "sign": 0.07, "kana": 0.001}
_JAPANESE = {"kana": 0.52, "han": 0.4, "sign": 0.06, "half": 0.0001}
_CYRILLIC = {"cyrillic": 0.96, "sign": 0.03, "latin": 0.001}
SCRIPT_SHARES: Mapping[str, Mapping[str, float]] = MappingProxyType({
    "utf-8": {
        "hangul": 0.3,
        "jamo": 0.01,
        "latin": 0.2,
        "han": 0.15,
        "sign": 0.1,
        "kana": 0.1,
        "cyrillic": 0.1,
        "half": 0.001,
    },
    "cp949": _KOREAN,
    "johab": _KOREAN,
    "gb18030": _IDEOGRAPHS,
    "big5": _IDEOGRAPHS,
    "cp932": {**_JAPANESE, "half": 0.01},
    "euc_jp": _JAPANESE,
    "cp1252": _WESTERN,
    "mac_roman": _WESTERN,
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
})
"""Shares of scripts in the characters beyond ASCII of text in each encoding."""
_OTHER = log(1e-9)
"""Of a character of a script that the encoding is not used for, and of control characters."""
_DAMAGED = -9.0
"""Of a character that could not be decoded. Less likely than a rare letter, likelier than a rare ideograph."""

_KEPT_CHARS = 1 << 16


def log_likelihood(text: str, encoding: str) -> float:
    """Return the natural logarithm of the probability of a text, as a sequence of characters without order.

    Args:
        text: The text; U+FFFD stands for what could not be decoded.
        encoding: A key of `SCRIPT_SHARES`.
    """
    return sum(count * _score(char, encoding) for char, count in Counter(text).items())


def find_script(char: str) -> str:
    """Return the name of the script of a character; empty for one that the statistics do not tell apart."""
    code = ord(char)
    return next((name for name, first, last in _RANGES if first <= code <= last), "")


@lru_cache(_KEPT_CHARS)
def _score(char: str, encoding: str) -> float:
    if char.isspace():
        char = " "
    if char == "\N{REPLACEMENT CHARACTER}":
        return _DAMAGED
    script = find_script(char)
    share = 1.0 if script == "ascii" else SCRIPT_SHARES[encoding].get(script)
    if share is None or not script:
        return _OTHER
    if script in WITHOUT_COUNTS:
        return log(share / _SIZES[script])
    known = _frequencies().get(char)
    if known is None:
        rare = 1 / _SIZES[script]
        known = log(_RARE_SYLLABLES * (rare + _spell(char)) / 2 if script == "hangul" else _RARE_SHARE * rare)
    return log(share) + known


def _spell(syllable: str) -> float:
    """Return the product of the frequencies of a syllable's initial consonant, vowel and final consonant."""
    return prod(counts[part] for counts, part in zip(_letters(), _split(syllable), strict=True))


def _split(syllable: str) -> tuple[int, int, int]:
    number = ord(syllable) - _FIRST_SYLLABLE
    return number // (_VOWELS * _FINALS), number // _FINALS % _VOWELS, number % _FINALS


@cache
def _letters() -> tuple[defaultdict[int, float], ...]:
    """Return the frequencies of initial consonants, vowels and final consonants, none among them."""
    counts = tuple(defaultdict[int, float](float) for _ in range(3))
    for char, score in _frequencies().items():
        if find_script(char) == "hangul":
            for own, part in zip(counts, _split(char), strict=True):
                own[part] += exp(score)
    return counts


@cache
def _frequencies() -> dict[str, float]:
    """Read the logarithm of the frequency of each character in its script."""
    found = {}
    for line in FREQUENCY_FILE.read_text("utf-8").split("\n"):
        _, step, chars = line.split(" ", 2) if line else ("", "0", "")
        found.update(dict.fromkeys(chars, -float(step)))
    return found
