"""Encodings from before Unicode: Korean first, then whatever fits best."""

from __future__ import annotations

_SAMPLE_BYTES = 256 * 1024
_HANGUL = ("\uac00", "\ud7a3")
_HANGUL_SHARE = 0.5
"""Of the characters beyond ASCII in Korean prose, most are syllables."""
_COMMON_SHARE = 0.9
"""Of those, nearly all stand among the 2,350 of KS X 1001; random bytes hit the other 8,822 as often."""
_COMMON_BYTES = 2
_CANDIDATES = ["cp1252", "cp932", "euc_jp", "gb18030", "big5", "cp1251", "koi8_r"]
"""Others differ from these in a few letters only, and statistics would choose between them by chance."""


def decode_cp949(content: bytes) -> str | None:
    """Return the text if the bytes are plausible Korean in CP949 (of which EUC-KR is a part), else None."""
    try:
        text = content.decode("cp949")
    except UnicodeDecodeError:
        return None
    beyond = [char for char in text[:_SAMPLE_BYTES] if char > "\x7f"]
    hangul = [char for char in beyond if is_syllable(char)]
    if not beyond or len(hangul) < len(beyond) * _HANGUL_SHARE:
        return None
    common = sum(1 for char in hangul if is_common_syllable(char))
    return text if common >= len(hangul) * _COMMON_SHARE else None


def decode_legacy(content: bytes) -> tuple[str, str] | None:
    """Return (text, encoding) by statistics, None if nothing fits."""
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_SAMPLE_BYTES], cp_isolation=_CANDIDATES).best()
    if best is None:
        return None
    return content.decode(best.encoding, errors="replace"), best.encoding


def is_syllable(char: str) -> bool:
    """Return whether a character is one of the 11,172 syllables of Hangul."""
    return _HANGUL[0] <= char <= _HANGUL[1]


def is_common_syllable(syllable: str) -> bool:
    """Return whether a syllable of Hangul is among the 2,350 of KS X 1001."""
    # Python's codec spells a syllable that the standard lacks with eight bytes (KS X 1001, annex 3).
    return len(syllable.encode("euc_kr")) == _COMMON_BYTES
