"""Characters that are not seen but change what is seen, made visible. Every face shows text of documents through it."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control a terminal
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # reorder a line, or once shaped it
    "\u2028\u2029"  # end a line for some programs only
    "\ufeff\ufff9-\ufffb"  # byte order mark; hide a remark in a text
    "\ud800-\udfff"  # half a character
    "\U000e0000-\U000e007f"  # tags: ASCII that no font draws
    "]"
)


def visible(text: str) -> str:
    """Return a text with U+FFFD in place of each character that is not seen but has an effect.

    Tabs and line feeds stay, and so do joiners and soft hyphens, which belong to words. Character by character, so that
    ranges of code points keep their places and pieces of a stream may be passed one by one.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("\ufffd", text)
