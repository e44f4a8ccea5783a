"""The language of what is printed: messages, help and remedies are put into it by `kebab_words`.

click finds its own texts in the same catalogue. The language belongs to the process, as that of `gettext` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import TYPE_CHECKING

from kebab_words import Words

if TYPE_CHECKING:
    from kebab_config import Language

    MessageArgument = str | int | float | None | list[str]
    """Value of one argument of a message; it may be a message itself."""

EXAMPLES = re.compile(r"(?:Examples?):$", re.MULTILINE)
"""First line of a paragraph of help whose other lines are commands."""

_words = Words("en")


@contextmanager
def speak(language: Language) -> Iterator[None]:
    """Print in a language inside the block.

    Yields:
        Nothing.
    """
    global _words
    if language == "en":
        yield
        return
    import gettext

    from kebab_config import set_library_language
    from kebab_words import DOMAIN, LOCALE_DIR

    domain, before = gettext.textdomain(), _words
    gettext.bindtextdomain(DOMAIN, str(LOCALE_DIR))
    with set_library_language(language):
        gettext.textdomain(DOMAIN)
        _words = Words(language)
        try:
            yield
        finally:
            _words = before
            gettext.textdomain(domain)


def tr(template: str, /, *, plural: str | None = None, **arguments: MessageArgument) -> str:
    """Make a message and put it into the language of the process. The template is a literal, as in `Message`."""
    return _words.tr(template, plural=plural, **arguments)


def localize(text: str) -> str:
    """Put a message into the language of the process; other text, and a message without translation, stays."""
    return _words.localize(text)


def localize_text(text: str) -> str:
    """Translate a text that is its own id, such as a help text or the words of a remedy."""
    return _words.localize_text(text)


def localize_help(text: str) -> str:
    """Translate a help text by its paragraphs."""
    if _words.language == "en":
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
