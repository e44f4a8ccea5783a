"""Chapters of books: XHTML, read by the rules of HTML so that a broken one is read too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_parse import VOID_ELEMENTS

from kebab_parse_html.charset import decode_page
from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_EMPTY_ELEMENT = re.compile(r"""<([A-Za-z][\w:.-]*+)((?:[^<>"'/]++|"[^"<]*+"|'[^'<]*+'|/(?!>))*+)/>""")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*+\?>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)


def parse_chapter(content: bytes) -> LexborHTMLParser:
    """Parse a chapter.

    Raises:
        UnsupportedMediaError: It is not text.
    """
    text = _DECLARATION.sub("", decode_page(content).text)
    text = _CDATA.sub(lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), text)
    return parse_page(_EMPTY_ELEMENT.sub(_close, text))


def _close(found: re.Match[str]) -> str:
    """Return an empty element as HTML has it, where `<title/>` and `<a/>` would contain all that follows."""
    return found[0] if found[1].lower() in VOID_ELEMENTS else f"<{found[1]}{found[2]}></{found[1]}>"
