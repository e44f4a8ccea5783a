"""The language of what is printed: messages, help and remedies are put into it by a catalogue.

The catalogue is `locale/<language>/LC_MESSAGES/kebab.po`, compiled to `kebab.mo` for `gettext`; English needs none. click
finds its own texts in the same file. The language belongs to the process, as that of `gettext` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Message, Moment, shorten_message

if TYPE_CHECKING:
    from gettext import NullTranslations

    from kebab_config import Language

    MessageArgument = str | int | float | None | list[str]
    """Value of one argument of a message; it may be a message itself."""

DOMAIN = "kebab"
LOCALE_DIR = Path(__file__).parent / "locale"
EXAMPLES = re.compile(r"(?:Examples?):$", re.MULTILINE)
"""First line of a paragraph of help whose other lines are commands."""
_REASONS = {"cause", "damage", "error", "found", "reason"}
"""Arguments that hold what the operating system or SQLite says, in English whatever the locale is."""
_MESSAGES = {"reason", "warning"}
"""Arguments that may be messages themselves."""
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

_STORED = "{text}"
"""Template of a message that was read as text, from the database or JSON."""

_catalogue: NullTranslations | None = None


@contextmanager
def speak(language: Language) -> Iterator[None]:
    """Print in a language inside the block.

    Yields:
        Nothing.
    """
    global _catalogue
    if language == "en":
        yield
        return
    import gettext

    from kebab_config import set_library_language

    domain, catalogue = gettext.textdomain(), _catalogue
    gettext.bindtextdomain(DOMAIN, str(LOCALE_DIR))
    with set_library_language(language):
        gettext.textdomain(DOMAIN)
        _catalogue = gettext.translation(DOMAIN, LOCALE_DIR, [language])
        try:
            yield
        finally:
            _catalogue = catalogue
            gettext.textdomain(domain)


def tr(template: str, /, *, plural: str | None = None, **arguments: MessageArgument) -> str:
    """Make a message and put it into the language of the process. The template is a literal, as in `Message`."""
    return localize(Message(template, plural=plural, **arguments))


def localize(text: str) -> str:
    """Put a message into the language of the process; other text, and a message without translation, stays."""
    if isinstance(text, Moment):
        return text.to_local()
    if not isinstance(text, Message) or not text.template:
        return text
    if _catalogue is None:
        if not any(isinstance(value, Message | Moment) for value in text.arguments.values()):
            return text
    elif text.template == _STORED:
        return _localize_stored(str(text))
    template = _choose_template(text)
    arguments = {name: _localize_argument(name, value) for name, value in text.arguments.items()}
    try:
        return shorten_message(_fill_in(template, arguments))
    except (LookupError, ValueError, TypeError, AttributeError):
        return text


def _choose_template(message: Message) -> str:
    """Choose the template in the language of the process, singular or plural."""
    count = message.arguments.get("count")
    if message.plural is None or not isinstance(count, int):
        return message.template if _catalogue is None else _catalogue.gettext(message.template)
    if _catalogue is None:
        return message.template if count == 1 else message.plural
    return _catalogue.ngettext(message.template, message.plural, count)


def _localize_stored(text: str) -> str:
    """Translate a message that was kept as text; it stays where no template with a translation fits."""
    from kebab_cli.stored_messages import find_template, plain_fields

    known = localize_text(text)
    if _catalogue is None or known != text:
        return known
    # gettext has no other way to its ids; the singular of two forms stands beside its number
    keys = vars(_catalogue)["_catalog"]
    found = find_template(text, (key if isinstance(key, str) else key[0] for key in keys))
    if found is None:
        return text
    arguments = {name: _localize_stored_argument(name, value) for name, value in found[1].items()}
    return _fill_in(plain_fields(_catalogue.gettext(found[0])), arguments)


def _localize_stored_argument(name: str, value: str) -> object:
    """Translate what a stored message says of another; a name may look like one and stays."""
    known = _localize_argument(name, value)
    return _localize_stored(value) if known == value and name in _MESSAGES else known


def _localize_argument(name: str, value: object) -> object:
    """Translate a message inside a message, and what the system says about an error."""
    if not isinstance(value, str):
        return value
    if isinstance(value, Message) or name not in _REASONS:
        return localize(value)
    said = value[:1].upper() + value[1:]
    known = localize_text(said)
    return value if known == said else known


def localize_text(text: str) -> str:
    """Translate a text that is its own id, such as a help text or the words of a remedy."""
    return text if _catalogue is None or not text else _catalogue.gettext(text)


def localize_help(text: str) -> str:
    """Translate a help text by its paragraphs."""
    if _catalogue is None:
        return text
    return "\n\n".join(_localize_paragraph(paragraph) for paragraph in cleandoc(text).split("\n\n"))


def help_texts(text: str) -> list[str]:
    """Split a help text into texts to be translated: paragraphs, of examples the first line."""
    return [_split_paragraph(paragraph)[1] for paragraph in cleandoc(text).split("\n\n")]


def _localize_paragraph(paragraph: str) -> str:
    before, text, after = _split_paragraph(paragraph)
    return before + localize_text(text) + after


def _split_paragraph(paragraph: str) -> tuple[str, str, str]:
    """A paragraph as what is before its text (click's mark of one that is not to be wrapped), its text, and examples."""
    mark = "\b\n" if paragraph.startswith("\b\n") else ""
    text = paragraph.removeprefix(mark)
    if match := EXAMPLES.match(text):
        return mark, match[0], text[match.end() :]
    return (mark, text, "") if mark else ("", " ".join(text.split("\n")), "")


def _fill_in(template: str, arguments: Mapping[str, object]) -> str:
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
