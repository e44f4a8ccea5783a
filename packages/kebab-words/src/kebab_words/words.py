"""`Words`: messages put into one language by its catalogue.

The catalogue is `locale/<language>/LC_MESSAGES/kebab.po`, compiled to `kebab.mo` for `gettext`; English needs none.
In Korean the sound of a value chooses the particle behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

from kebab_core import Message, Moment, shorten_message

if TYPE_CHECKING:
    from gettext import GNUTranslations

    MessageArgument = str | int | float | None | list[str]
    "Value of one argument of a message; it may be a message itself."

DOMAIN = "kebab"
LOCALE_DIR = Path(__file__).parent / "locale"
_REASONS = {"cause", "damage", "error", "found", "reason"}
"""Arguments that hold what the operating system or SQLite says, in English whatever the locale is."""
_MESSAGES = {"reason", "warning"}
"""Arguments that may be messages themselves."""
_STORED = "{text}"
"""Template of a message that was read as text, from the database or JSON."""
_LEAST_LITERAL = 8
"""Letters that a template has outside of its fields at least; shorter ones fit texts that others made."""

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


class Words:
    """One language. Threads may share it; its catalogue is read at the first message.

    Args:
        language: `en`, or the name of a folder of `LOCALE_DIR`.
    """

    def __init__(self, language: str) -> None:
        self.language = language

    def tr(self, template: str, /, *, plural: str | None = None, **arguments: MessageArgument) -> str:
        """Make a message and put it into the language. The template is a literal, as in `Message`."""
        return self.localize(Message(template, plural=plural, **arguments))

    def localize(self, text: str) -> str:
        """Put a message into the language; other text, and a message without translation, stays."""
        if isinstance(text, Moment):
            return text.to_local()
        if not isinstance(text, Message) or not text.template:
            return text
        if self._catalogue is None:
            if not any(isinstance(value, Message | Moment) for value in text.arguments.values()):
                return text
        elif text.template == _STORED:
            return self._localize_stored(str(text))
        template = self._choose_template(text)
        arguments = {name: self._localize_argument(name, value) for name, value in text.arguments.items()}
        try:
            return shorten_message(_fill_in(template, arguments))
        except (LookupError, ValueError, TypeError, AttributeError):
            return text

    def localize_text(self, text: str) -> str:
        """Translate a text that is its own id, such as a help text or the words of a remedy."""
        return text if self._catalogue is None or not text else self._catalogue.gettext(text)

    def translate(self, text: str) -> str:
        """Put a message, or a text that is its own id, into the language."""
        return self.localize(text) if isinstance(text, Message) else self.localize_text(text)

    @cached_property
    def _catalogue(self) -> GNUTranslations | None:
        if self.language == "en":
            return None
        import gettext

        return gettext.translation(DOMAIN, LOCALE_DIR, [self.language])

    def _choose_template(self, message: Message) -> str:
        """Choose the template, singular or plural."""
        count = message.arguments.get("count")
        if message.plural is None or not isinstance(count, int):
            return self.localize_text(message.template)
        if self._catalogue is None:
            return message.template if count == 1 else message.plural
        return self._catalogue.ngettext(message.template, message.plural, count)

    def _localize_stored(self, text: str) -> str:
        """Translate a message that was kept as text; it stays where no template with a translation fits."""
        known = self.localize_text(text)
        if self._catalogue is None or known != text:
            return known
        # gettext has no other way to its ids; the singular of two forms stands beside its number
        keys = vars(self._catalogue)["_catalog"]
        found = _find_template(text, (key if isinstance(key, str) else key[0] for key in keys))
        if found is None:
            return text
        arguments = {name: self._localize_stored_argument(name, value) for name, value in found[1].items()}
        return _fill_in(_plain_fields(self._catalogue.gettext(found[0])), arguments)

    def _localize_stored_argument(self, name: str, value: str) -> object:
        """Translate what a stored message says of another; a name may look like one and stays."""
        known = self._localize_argument(name, value)
        return self._localize_stored(value) if known == value and name in _MESSAGES else known

    def _localize_argument(self, name: str, value: object) -> object:
        """Translate a message inside a message, and what the system says about an error."""
        if not isinstance(value, str):
            return value
        if isinstance(value, Message) or name not in _REASONS:
            return self.localize(value)
        said = value[:1].upper() + value[1:]
        known = self.localize_text(said)
        return value if known == said else known


def _fill_in(template: str, arguments: Mapping[str, object]) -> str:
    return fill_in(template, arguments)


def _find_template(text: str, templates: Iterable[str]) -> tuple[str, Mapping[str, str]] | None:
    """Return the template that a text was made of and what stands in its fields; None where none fits.

    Of several the one with most of the text outside of its fields. Fields beside each other, and formats, are not told apart.
    """
    best: tuple[str, Mapping[str, str]] | None = None
    most = _LEAST_LITERAL - 1
    for template in templates:
        parts = _parse(template) if "{" in template else []
        size = sum(len(literal) for literal, _ in parts)
        if size > most and (values := _match(text, parts)) is not None:
            best, most = (template, values), size
    return best


def _plain_fields(template: str) -> str:
    """Return a template without formats and conversions, which the values of a text have behind them."""
    return "".join(
        literal.replace("{", "{{").replace("}", "}}") + ("" if name is None else f"{{{name}}}")
        for literal, name, *_ in Formatter().parse(template)
    )


def _parse(template: str) -> list[tuple[str, str]]:
    """Return each literal with the name of the field behind it, empty at the end; nothing for text with other braces."""
    try:
        return [(literal, name or "") for literal, name, *_ in Formatter().parse(template)]
    except ValueError:
        return []


def _match(text: str, parts: Sequence[tuple[str, str]]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    position, field = 0, ""
    if not parts[-1][1] and not text.endswith(parts[-1][0]):
        return None
    for number, (literal, name) in enumerate(parts):
        is_last = number == len(parts) - 1 and not name
        start = len(text) - len(literal) if is_last else text.find(literal, position)
        if start < position or (not field and start > position):
            return None
        if field and values.setdefault(field, text[position:start]) != text[position:start]:
            return None
        position, field = start + len(literal), name
    if field:
        values[field] = text[position:]
    return values if all(values.values()) else None


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
