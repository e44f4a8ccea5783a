"""Text of links with what they point to: `here (https://example.org)`, `the policy (Refund policy)`.

Parsers write it, quotes of sources are compared with it, and what is embedded leaves addresses out.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_MAX_TARGET_CHARS = 300
"""Longest address that is text; longer ones are of machines, such as those with embedded data."""
_SCHEME = re.compile(r"(?!data:)[a-z][a-z\d+.-]+:(?=\S)", re.IGNORECASE)
_REFERENCE = re.compile(r"[#@!][\w.-]+")
"""`#1234` and `@name` are addresses already, in the short form of their site: a list of changes has thousands."""
_PAGE_SUFFIX = re.compile(r"\.(?:md|markdown|html?)$", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_SHOWN_ADDRESS = re.compile(
    r" \((?:[a-z][a-z\d+.-]*://|mailto:|tel:)[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)", re.IGNORECASE
)


def show_link(text: str, target: str) -> str:
    """Return the text of a link, with what it points to in brackets where the text does not say it.

    Args:
        text: As readers see it; may be empty.
        target: An address as written, which is shown whole, or the path or name of a file, of which the name is shown.
    """
    shown = _target_name(target)
    if (
        not shown
        or len(target) > _MAX_TARGET_CHARS
        or _REFERENCE.fullmatch(text)
        or _fold(shown) in _fold(text)
    ):
        return text
    return f"{text} ({shown})" if text.strip() else shown


def without_addresses(text: str) -> str:
    """Return a text without the addresses that `show_link` added to it."""
    return _SHOWN_ADDRESS.sub("", text) if ":" in text else text


def _target_name(target: str) -> str:
    if _SCHEME.match(target):
        return target.removeprefix("mailto:").removeprefix("tel:")
    path = target.partition("#")[0].partition("?")[0].rstrip("/")
    return _PAGE_SUFFIX.sub("", unquote(path.rpartition("/")[2])).strip()


def _fold(text: str) -> str:
    return _SIGNS.sub(" ", text.casefold()).strip()
