"""Languages as people name them."""

from __future__ import annotations

_NAMES = {
    "ko": ("kr", "kor", "korean", "한국어", "한글"),
    "en": ("eng", "english", "영어"),
    "ja": ("jp", "jpn", "japanese", "일본어"),
    "zh": ("cn", "zho", "chi", "chinese", "중국어"),
    "de": ("deu", "ger", "german", "독일어"),
    "fr": ("fra", "fre", "french", "프랑스어"),
    "es": ("spa", "spanish", "스페인어"),
}
_CODE_OF = {name: code for code, names in _NAMES.items() for name in names}


def language_names(code: str) -> tuple[str, ...]:
    """Return the names by which people call a language, besides its code; none of one that is not known."""
    return _NAMES.get(code, ())


def find_language_code(name: str) -> str:
    """Return the code of a language as documents have it: `ko` for `KR`, `ko_KR`, `Korean` or `한국어`.

    A name that is not known comes back in lower case.
    """
    said = name.strip().lower()
    primary = said.replace("_", "-").partition("-")[0]
    return _CODE_OF.get(said) or _CODE_OF.get(primary, primary)
