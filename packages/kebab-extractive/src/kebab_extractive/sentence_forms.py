"""Forms of a sentence: question, fragment, command, lead-in, reference to the sentence before.

They decide which sentences a reader understands without the page around them.
"""

from __future__ import annotations

import re
import unicodedata

from kebab_text import ITEM_MARKER

_WORD = re.compile(r"\w+")
_TEMPLATE_DIRECTIVE = re.compile(
    r"^[ \t]*(?:\{[*!%{#].*[*!%}#]\}|-+8<-+.*|\.\.[ \t]+[\w-]+::.*|[│├└╰].*)[ \t]*$", re.MULTILINE
)
"""Directives of templates, and lines drawn as part of a tree of files."""
_LINK_OR_IMAGE = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*\)|\[[^\[\]]*\])"
    r"|<?\b(?:https?|ftp)://[^\s>]+>?|<?\bwww\.[^\s>]+>?"
)
_FOOTNOTE = re.compile(r"\A\[\^[^\[\]\n]+\]:.*|\[\^[^\[\]\n]+\]", re.DOTALL)
"""A text that is the definition of a footnote, or the mark of one."""
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,2000}?-->", re.DOTALL)
_CLOSING_MARKS = "\"'”’»)]」』*_` "
_SENTENCE_ENDS = (".", "!", "。", "！", "…", "다", "요", "죠", "음", "함", "됨", "임")
"""Ends of a sentence: marks, and endings of Korean sentences without a mark."""
_HAS_PARTS = re.compile(r"[:：,;|=→\d]|\s[-–—]\s")
"""Signs that a few words are more than a heading."""
_CONTINUES_TEXT = re.compile(
    r"\.{3}|…|(?:and|but|so|then|also|or|because|otherwise)\b|(?:그리고|그러나|하지만|그래서|그런데|따라서|또한|또는|그러면)[\s,]",
    re.IGNORECASE,
)
"""Conjunctions at the beginning, which continue what was said before."""
_REFERS_BACK = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|he|his|him|she|her)\b"
    r"|(?:그|이|저|이것|그것|이는|이를|여기|거기|그들|이때|그때|해당)(?:[은는이가의에을를도들]|\s)",
    re.IGNORECASE,
)
"""Pronouns at the beginning, which stand for something named before."""
_LEAD_IN = re.compile(
    r"[:：]$|(?:다음|아래)(?:과|와)\s*같(?:다|습니다|아요|음)[.]?$|\b(?:as\s+follows|the\s+following)[.]?$",
    re.IGNORECASE,
)
"""Ends of a sentence that announces a list or a command."""
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
    return _TEMPLATE_DIRECTIVE.search(_without_marker(text)) is not None


def has_words(text: str, *, with_links: bool = False) -> bool:
    """Return True if a text has letters or digits outside footnote marks and references, links, images and tags.

    Args:
        text: The text.
        with_links: Whether those of links, images and tags count too.
    """
    left = _FOOTNOTE.sub(" ", _without_marker(text))
    left = left if with_links else _HTML_TAG.sub(" ", _LINK_OR_IMAGE.sub(" ", left))
    return any(unicodedata.category(char)[0] in "LN" for char in left)


def ends_as_sentence(text: str) -> bool:
    """Return True if a text ends with a sentence mark or with the ending of a Korean sentence."""
    return text.endswith(_SENTENCE_ENDS) or text.rstrip(_CLOSING_MARKS).endswith(_SENTENCE_ENDS)


def is_fragment(text: str) -> bool:
    """Return True if a text is a few words like a heading: no sentence end, no parts, no number."""
    bare = _without_marker(text)
    is_short = len(bare.split()) <= _MAX_FRAGMENT_WORDS
    return is_short and not ends_as_sentence(bare) and _HAS_PARTS.search(bare) is None


def is_title(text: str) -> bool:
    """Return True if a text is a fragment that does not begin in lower case, as commands do."""
    return is_fragment(text) and not text[:1].islower()


def is_dangling(text: str) -> bool:
    """Return True if a text begins with a word that continues the text before it, such as "but"."""
    return _CONTINUES_TEXT.match(_without_marker(text)) is not None


def refers_back(text: str) -> bool:
    """Return True if a text begins with a word for something named before, such as "it"."""
    return _REFERS_BACK.match(text) is not None


def leads_on(text: str) -> bool:
    """Return True if a text announces what follows it: a list, a command."""
    return _LEAD_IN.search(text) is not None


def is_question(text: str) -> bool:
    """Return True if a sentence ends in a question mark."""
    return text.rstrip(_CLOSING_MARKS).endswith(("?", "？"))


def letters(text: str) -> str:
    """Return the letters and digits of a text, case-folded, for comparison without punctuation."""
    return "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
