"""Templates filled in: Korean particles are chosen by the sound of the value before them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PARTICLES: Mapping[str, tuple[str, str]] = {
    "을(를)": ("을", "를"),
    "이(가)": ("이", "가"),
    "은(는)": ("은", "는"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "(이)": ("이", ""),
}
"""Korean particles after a consonant and after a vowel, by how a translation writes them behind a field."""
_PARTICLE = re.compile(rf"([\"'`”’」)\]]*)({'|'.join(map(re.escape, _PARTICLES))})")
_LONGEST_WORD = 40
"""Characters that are looked at."""
_DIGITS_WITH_CONSONANT = "013678"
_ENDS_WITH_RIEUL = "178"
_ENDS_WITH_CONSONANT = re.compile(
    r"(?:[lmn]e?|ng|(?:\b|_|\d|[^aeiou\W])[aeiou][bckpt]|\b[^aeiouy\W\d_]{0,39}[lmnr])$", re.IGNORECASE
)
"""Latin words that end in a final consonant as Koreans read them: `html`, `name`, `notebook.zip`, `web`, `JSON`. Words without a
vowel are read letter by letter."""
_ENDS_WITH_L = re.compile(r"(?:le?|\b[^aeiouy\W\d_]{0,39}r)$", re.IGNORECASE)
_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS, _RIEUL = "가", "힣", 28, 8
"""The syllable blocks of Unicode go through 28 final consonants, of which number 0 is none."""


def fill_in(template: str, arguments: Mapping[str, object]) -> str:
    """Fill in the fields of a template, and choose the Korean particles that stand behind them."""
    from string import Formatter

    formatter, filled = Formatter(), ""
    for literal, name, spec, conversion in formatter.parse(template):
        particle = _PARTICLE.match(literal) if filled else None
        if particle is not None:
            chosen = _choose_particle(filled, particle[2])
            filled += particle[1] + chosen + literal[particle.end() :]
        else:
            filled += literal
        if name is not None:
            value = formatter.convert_field(formatter.get_field(name, (), arguments)[0], conversion)
            filled += formatter.format_field(value, spec or "")
    return filled


def _choose_particle(before: str, particle: str) -> str:
    """The particle as it is spoken after a Korean syllable, a digit or a Latin word; else both, as Korean texts write it."""
    word = before.rstrip("\"'`”’」)]")[-_LONGEST_WORD:]
    last = word[-1:]
    after_consonant, after_vowel = _PARTICLES[particle]
    if _FIRST_SYLLABLE <= last <= _LAST_SYLLABLE:
        final = (ord(last) - ord(_FIRST_SYLLABLE)) % _FINALS
        has_consonant, is_rieul = final != 0, final == _RIEUL
    elif last.isascii() and last.isdigit():
        has_consonant, is_rieul = last in _DIGITS_WITH_CONSONANT, last in _ENDS_WITH_RIEUL
    elif last.isascii() and last.isalpha():
        has_consonant = _ENDS_WITH_CONSONANT.search(word) is not None
        is_rieul = has_consonant and _ENDS_WITH_L.search(word) is not None
    else:
        return particle
    return after_consonant if has_consonant and not (is_rieul and particle == "(으)로") else after_vowel
