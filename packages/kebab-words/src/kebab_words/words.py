"""`Words`: messages put into one language by its catalogue.

The catalogue is `locale/<language>/LC_MESSAGES/kebab.po`, compiled to `kebab.mo` for `gettext`; English needs none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import Message, Moment, shorten_message

if TYPE_CHECKING:
    from gettext import GNUTranslations

    MessageArgument = str | int | float | None | list[str]
    """Value of one argument of a message; it may be a message itself."""

DOMAIN = "kebab"
LOCALE_DIR = Path(__file__).parent / "locale"
_REASONS = {"cause", "damage", "error", "found", "reason"}
"""Arguments that hold what the operating system or SQLite says, in English whatever the locale is."""
_MESSAGES = {"reason", "warning"}
"""Arguments that may be messages themselves."""
_STORED = "{text}"
"""Template of a message that was read as text, from the database or JSON."""


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
        from kebab_words.stored_messages import find_template, plain_fields

        known = self.localize_text(text)
        if self._catalogue is None or known != text:
            return known
        # gettext has no other way to its ids; the singular of two forms stands beside its number
        keys = vars(self._catalogue)["_catalog"]
        found = find_template(text, (key if isinstance(key, str) else key[0] for key in keys))
        if found is None:
            return text
        arguments = {name: self._localize_stored_argument(name, value) for name, value in found[1].items()}
        return _fill_in(plain_fields(self._catalogue.gettext(found[0])), arguments)

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
    from kebab_words.particles import fill_in

    return fill_in(template, arguments)
