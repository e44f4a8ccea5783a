"""The words of a label that is HTML, such as those of diagrams."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BREAKS = frozenset({"br", "div", "p", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"})
_HIDDEN = frozenset({"script", "style"})
_MARKUP = re.compile(
    r"</?(?:a|b|blockquote|br|code|div|em|font|h[1-6]|html|i|img|li|ol|p|pre|s|span|strong|table|t[drh]|u|ul)(?:\s[^<>]{0,2000})?/?>"
    r"|&(?:nbsp|amp|lt|gt|quot|#39);",
    re.IGNORECASE,
)
"""A tag or reference of HTML, by which a text that may be HTML is told."""


def text_of_markup(text: str) -> str:
    """Return the words of a text that is HTML; any other as it is."""
    return text_of_html(text) if _MARKUP.search(text) else text


def text_of_html(label: str) -> str:
    """Return the words of a piece of HTML, a line for each of its blocks."""
    if "<" not in label and "&" not in label:
        return label
    reader = _Reader()
    reader.feed(label)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._hidden += tag in _HIDDEN
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)
