"""Code of a page: its lines without their numbers, and its language by the classes of highlighters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kebab_parse_html.elements import Element

_CODE_CLASS = re.compile(
    r"^(?:lang(?:uage)?-|brush:|highlight-source-|highlight-)([\w+#.-]+)$", re.IGNORECASE
)
_NO_LANGUAGES = frozenset({"default", "none", "text", "plaintext", "notranslate", "plain"})
_LINE_NUMBERS = frozenset({
    "linenos",
    "lineno",
    "linenodiv",
    "gutter",
    "line-numbers-rows",
    "hljs-ln-numbers",
    "rouge-gutter",
})
_CODE_SHARE = 0.6
"""Share of code in the text of a table of code; the rest of it is numbers of lines."""


def code_of(element: Element) -> str:
    """Return the text of an element with its own line ends and blanks, without numbers of lines."""
    texts: list[str] = []
    _collect_code(element, texts)
    return "".join(texts).strip("\n")


def _collect_code(element: Element, texts: list[str]) -> None:
    for child in element.children:
        if isinstance(child, str):
            texts.append(child)
        elif child.tag == "br":
            texts.append("\n")
        elif not _numbers_lines(child):
            _collect_code(child, texts)
            is_line = child.tag in {"div", "p", "li", "tr"}
            if is_line and texts and not texts[-1].endswith("\n"):
                texts.append("\n")


def numbered_code(table: Element) -> list[Element]:
    """Return the code of a table that holds nothing but code beside the numbers of its lines; else nothing."""
    if not any(_numbers_lines(below) for below in table.iterate()):
        return []
    codes = list(_code_beside_numbers(table))
    return codes if sum(code.chars for code in codes) >= table.chars * _CODE_SHARE else []


def _numbers_lines(element: Element) -> bool:
    """Return True for the numbers that stand beside lines of code."""
    return not _LINE_NUMBERS.isdisjoint(element.classes)


def _code_beside_numbers(table: Element) -> Iterator[Element]:
    """Yield the code of a table that holds it beside the numbers of its lines."""
    for child in table.elements:
        if child.tag == "pre":
            yield child
        elif not _numbers_lines(child):
            yield from _code_beside_numbers(child)


def language_of(pre: Element) -> str | None:
    """Return the language of code by the classes that highlighters give it."""
    inner = [child for child in pre.elements if child.tag == "code"][:1]
    for element in (*inner, pre):
        if named := element.get("data-lang") or element.get("data-language"):
            return named.lower()
        names = [
            found[1].lower() for name in element.get("class").split() if (found := _CODE_CLASS.match(name))
        ]
        names = [name for name in names if name not in _NO_LANGUAGES]
        if names:
            return names[0]
    return pre.get("data-code-language") or None
