"""The mail that a mail answers: where its text begins, in plain text and in a page."""

from __future__ import annotations

import re

from kebab_parse_html.elements import Element

_FIRST_FIELD = r"\*?(?:From|보낸[ ]?사람|발신인?)\*?[ ]?:"
_NEXT_FIELD = r"\*?(?:Sent|Date|To|Cc|Subject|(?:보낸|받은)[ ]?(?:날짜|시간|일시)|받는[ ]?사람|수신인?|참조|날짜|제목)\*?[ ]?:"
_PLAIN = re.compile(
    r"^[ \t]*-{3,20}[^\n]{3,60}-{3,20}[ \t]*+\n(?=\s*+\*?[\w -]{2,30}\*?:)"
    rf"|^{_FIRST_FIELD}[^\n]*(?:\n{_NEXT_FIELD}[^\n]*){{2}}",
    re.MULTILINE,
)
"""Line that some programs put above the mail that is answered, whose header lines follow; or these lines alone."""
_PAGE = re.compile(rf"{_FIRST_FIELD}(?>.{{1,500}}?\s{_NEXT_FIELD}).{{1,500}}?\s{_NEXT_FIELD}")
_MAX_HEADER_CHARS = 4000
"""Elements with more text are not compared: one in them holds the header lines."""
_QUOTE_CLASSES = frozenset({"gmail_quote", "yahoo_quoted", "protonmail_quote"})


def find_quoted_mail(text: str) -> int:
    """Return where the mail that is answered begins in a plain text; its length if it has none, or nothing before it."""
    found = _PLAIN.search(text)
    return found.start() if found and text[: found.start()].strip() else len(text)


def mark_quoted_mail(body: Element) -> Element:
    """Make quotes (`blockquote`) of the mails that a page quotes, unless it has nothing else; return the same element.

    Some programs put them into elements of known classes; others only put header lines above, which all that follows
    belongs to.
    """
    for element in body.iterate():
        if not element.classes.isdisjoint(_QUOTE_CLASSES) and element.chars < body.chars:
            element.tag = "blockquote"
    start = next((element for element in body.iterate() if _has_header_lines(element)), None)
    if start is None:
        return body
    quoted = _cut(body, start)
    if body.text():
        quoted = [Element("blockquote", {}, quoted)]
    body.children += quoted
    return body


def _has_header_lines(element: Element) -> bool:
    is_block = element.tag in {"div", "p", "td", "span", "blockquote"}
    return is_block and element.chars <= _MAX_HEADER_CHARS and _PAGE.match(element.text()) is not None


def _cut(element: Element, start: Element) -> list[Element | str]:
    """Remove an element below another one with all that follows it, and return these."""
    for number, child in enumerate(element.children):
        if child is start:
            cut = element.children[number:]
        elif isinstance(child, str) or not (cut := _cut(child, start)):
            continue
        else:
            cut += element.children[number + 1 :]
            number += 1
        del element.children[number:]
        return cut
    return []
