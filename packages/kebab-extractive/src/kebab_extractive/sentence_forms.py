"""Forms of a sentence: question, fragment, command, lead-in, reference to the sentence before.

They decide which sentences a reader understands without the page around them. The patterns are in `answer_patterns`.
"""

from __future__ import annotations

import unicodedata

from kebab_text import ITEM_MARKER

from kebab_extractive.answer_patterns import (
    CLOSING_MARKS,
    CONTINUES_TEXT,
    FOOTNOTE,
    HAS_PARTS,
    HTML_TAG,
    LEAD_IN,
    LINK_OR_IMAGE,
    REFERS_BACK,
    SENTENCE_ENDS,
    TEMPLATE_DIRECTIVE,
    WORD,
)

_MAX_FRAGMENT_WORDS = 7


def item_marker(text: str) -> str:
    """Return the bullet or number that a text begins with, and the blanks around it."""
    marker = ITEM_MARKER.match(text)
    return marker[0] if marker else ""


def is_numbered(text: str) -> bool:
    """Return True if a text is a numbered item."""
    return any(char.isalnum() for char in item_marker(text))


def _without_marker(text: str) -> str:
    text = text.strip()
    return text.removeprefix(item_marker(text))


def has_directive(text: str) -> bool:
    """Return True if a line of a text is a template directive, or part of a drawn tree of files."""
    return TEMPLATE_DIRECTIVE.search(_without_marker(text)) is not None


def has_words(text: str, *, with_links: bool = False) -> bool:
    """Return True if a text has letters or digits outside footnote marks and references, links, images and tags.

    Args:
        text: The text.
        with_links: Whether those of links, images and tags count too.
    """
    left = FOOTNOTE.sub(" ", _without_marker(text))
    left = left if with_links else HTML_TAG.sub(" ", LINK_OR_IMAGE.sub(" ", left))
    return any(unicodedata.category(char)[0] in "LN" for char in left)


def ends_as_sentence(text: str) -> bool:
    """Return True if a text ends with a sentence mark or with the ending of a Korean sentence."""
    return text.endswith(SENTENCE_ENDS) or text.rstrip(CLOSING_MARKS).endswith(SENTENCE_ENDS)


def is_fragment(text: str) -> bool:
    """Return True if a text is a few words like a heading: no sentence end, no parts, no number."""
    bare = _without_marker(text)
    is_short = len(bare.split()) <= _MAX_FRAGMENT_WORDS
    return is_short and not ends_as_sentence(bare) and HAS_PARTS.search(bare) is None


def is_title(text: str) -> bool:
    """Return True if a text is a fragment that does not begin in lower case, as commands do."""
    return is_fragment(text) and not text[:1].islower()


def is_dangling(text: str) -> bool:
    """Return True if a text begins with a word that continues the text before it, such as "but"."""
    return CONTINUES_TEXT.match(_without_marker(text)) is not None


def refers_back(text: str) -> bool:
    """Return True if a text begins with a word for something named before, such as "it"."""
    return REFERS_BACK.match(text) is not None


def leads_on(text: str) -> bool:
    """Return True if a text announces what follows it: a list, a command."""
    return LEAD_IN.search(text) is not None


def is_question(text: str) -> bool:
    """Return True if a sentence ends in a question mark."""
    return text.rstrip(CLOSING_MARKS).endswith(("?", "？"))


def letters(text: str) -> str:
    """Return the letters and digits of a text, case-folded, for comparison without punctuation."""
    return "".join(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
