"""Keys of the two-set Korean keyboard with which a text is typed: what a half-typed word has in common with the whole one.

While a word is typed, its last letter may be a lone jamo or a syllable that will lose its final consonant or get another vowel:
`ㅂ 배 뱊 배포` on the way to 배포, `고 과` on the way to 과학.
"""

from __future__ import annotations

import unicodedata

_FIRST, _LAST = "가", "힣"
_VOWELS, _FINALS = 21, 28
_INITIAL_KEYS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWEL_KEYS = ("ㅏ", "ㅐ", "ㅑ", "ㅒ", "ㅓ", "ㅔ", "ㅕ", "ㅖ", "ㅗ", "ㅗㅏ", "ㅗㅐ", "ㅗㅣ", "ㅛ", "ㅜ", "ㅜㅓ", "ㅜㅔ", "ㅜㅣ", "ㅠ", "ㅡ", "ㅡㅣ", "ㅣ")  # fmt: skip
_FINAL_KEYS = (
    "", "ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅁ", "ㅂ", "ㅂㅅ", "ㅅ", "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ",
)  # fmt: skip
_DOUBLE = {"ㅘ": "ㅗㅏ", "ㅙ": "ㅗㅐ", "ㅚ": "ㅗㅣ", "ㅝ": "ㅜㅓ", "ㅞ": "ㅜㅔ", "ㅟ": "ㅜㅣ", "ㅢ": "ㅡㅣ"} | {
    "ㄳ": "ㄱㅅ", "ㄵ": "ㄴㅈ", "ㄶ": "ㄴㅎ", "ㄺ": "ㄹㄱ", "ㄻ": "ㄹㅁ", "ㄼ": "ㄹㅂ", "ㄽ": "ㄹㅅ", "ㄾ": "ㄹㅌ", "ㄿ": "ㄹㅍ", "ㅀ": "ㄹㅎ",
    "ㅄ": "ㅂㅅ",
}  # fmt: skip


def list_keys(text: str) -> str:
    """Return the keys of a text, each as a jamo; what is not Hangul stays as it is.

    >>> list_keys("값을"), list_keys("과ㅎ")
    ('ㄱㅏㅂㅅㅇㅡㄹ', 'ㄱㅗㅏㅎ')
    """
    return text if text.isascii() else "".join(map(_keys_of, unicodedata.normalize("NFC", text)))


def shared_beginnings(typed: str) -> list[str]:
    """Return texts with one of which every word begins whose keys begin with those that are typed; none for a lone jamo.

    >>> shared_beginnings("배ㅍ"), shared_beginnings("납"), shared_beginnings("vec")
    (['배'], ['납', '낪', '나'], ['vec'])
    """
    if len(typed) > 1:
        return [typed] if list_keys(typed) == typed else [typed[:-1]]
    if not _FIRST <= typed <= _LAST:
        return [] if "ㄱ" <= typed <= "ㅣ" else [typed]
    code, keys = ord(typed) - ord(_FIRST), list_keys(typed)
    initial = code - code % (_VOWELS * _FINALS)
    going_on = [
        letter
        for at in range(code, initial + _VOWELS * _FINALS)
        if list_keys(letter := chr(ord(_FIRST) + at)).startswith(keys)
    ]
    final = code % _FINALS
    moved = [chr(ord(typed) - final + _FINAL_KEYS.index(_FINAL_KEYS[final][:-1]))] if final else []
    return going_on + moved


def _keys_of(letter: str) -> str:
    if not _FIRST <= letter <= _LAST:
        return _DOUBLE.get(letter, letter)
    initial, rest = divmod(ord(letter) - ord(_FIRST), _VOWELS * _FINALS)
    vowel, final = divmod(rest, _FINALS)
    return _INITIAL_KEYS[initial] + _VOWEL_KEYS[vowel] + _FINAL_KEYS[final]
