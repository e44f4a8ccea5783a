"""Inline content as events of pulldown-cmark, a compiled parser, in a third of the time that markdown-it takes.

Only content that both parsers read alike: no definitions, wikilinks, footnotes, pictures, strikethrough or entities. `syntax`
gives the events, `inlines` reads them, and gives up at the first one that is not expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

Event = str | dict[str, Any]
"""`SoftBreak`, or the kind of an event with its value: `{"Text": "words"}`, `{"Start": "Emphasis"}`."""

LINE_START = "\u00a0"
"""Put before the content so that nothing at its beginning opens a block. To the rules of emphasis it is a blank, as the
beginning is."""
_MAX_CHARS = 10_000
_OTHER_MARKUP = re.compile(r"~|&[#\w]|\[\[|!\[|\[\^")
"""Markup that pulldown-cmark does not know or tells less about."""
_NO_ESCAPE_BESIDE = ("#", "<!", "  \n")
"""An escaped `#` opens no tag; comments and line ends after a backslash are read in another way."""
_REFUSED_ADDRESS = re.compile(r"\s*(?:vbscript|javascript|file|data):", re.IGNORECASE)
"""Addresses that markdown-it takes for no link."""


def read_events(content: str) -> Iterable[Event] | None:
    """Return the events of the inline content of one block; None for content that the parsers may read differently."""
    if len(content) > _MAX_CHARS or _OTHER_MARKUP.search(content):
        return None
    if "\\" in content and any(sign in content for sign in _NO_ESCAPE_BESIDE):
        return None
    if not content.replace("\n", "").isprintable():  # blanks of other kinds, and characters that do not show
        return None
    from pyromark import events

    return cast(
        "Iterable[Event]", events(LINE_START + content)
    )  # plain values; the library has a type for each kind


def is_read_otherwise(link_type: str, address: str) -> bool:
    """Return True if markdown-it would give another link, or none."""
    if link_type == "Inline":
        return _REFUSED_ADDRESS.match(address) is not None
    return link_type != "Autolink" or _REFUSED_ADDRESS.match(address) is not None
