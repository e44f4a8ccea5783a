"""Blocks of a page: headings, paragraphs, lists, tables, code and quotes, from its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from kebab_core import Inline, LinkInline, TextInline, show_link
from kebab_parse import Item, TextWriter

from kebab_parse_html.elements import Element
from kebab_parse_html.tables import is_data_table, read_table

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_TAGS = (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " frame h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section summary"
    " table tbody td tfoot th thead tr ul caption"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_SECTIONS = frozenset({"article", "aside", "footer", "main", "section"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_BLANKS = re.compile(r"[ \t\n\r\f\u00a0\u2000-\u200a\u202f\u3000]+")
_LETTERS = 26

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


class BlockReader:
    """Reads the blocks of elements into a writer.

    Args:
        writer: Gets the blocks.
        level_offset: Added to the levels of headings.
        anchors: Level and text of headings that are written before elements with these ids.
        ends_sections: Whether what follows an article or section is outside of the headings in it, as on pages; in
            books the next chapter stands below the heading of its part.
    """

    def __init__(
        self,
        writer: TextWriter,
        *,
        level_offset: int = 0,
        anchors: Mapping[str, tuple[int, str]] | None = None,
        ends_sections: bool = False,
    ) -> None:
        self._ends_sections = ends_sections
        self._anchors = anchors or {}
        self._writer = writer
        self._level_offset = level_offset
        self._line = _Line()
        self._quoted: list[tuple[str, tuple[Inline, ...]]] | None = None

    def read(self, element: Element) -> None:
        """Write the blocks of an element."""
        self._read_children(element)
        self._end_paragraph()

    def _read_children(self, element: Element) -> None:
        for child in element.children:
            if isinstance(child, str):
                self._line.add(child)
            else:
                self._read_element(child)
                if self._ends_sections and child.tag in _SECTIONS:
                    self._end_section(child)

    def _read_element(self, element: Element) -> None:
        tag = element.tag
        if self._anchors and (heading := self._anchors.get(element.get("id"))):
            self._end_paragraph()
            self._writer.heading(*heading)
        if tag not in _BLOCKS:
            self._read_inline(element)
            return
        self._end_paragraph()
        if self._quoted is not None and tag not in _LISTS and tag != "pre":
            self._read_children(element)
        elif tag in HEADINGS:
            text = element.text(with_marks=False) or element.text()
            self._writer.heading(HEADINGS[tag] + self._level_offset, text)
        elif tag == "pre":
            self._code(element)
        elif tag in _LISTS and not _holds(element, HEADINGS):
            self._list(element)
        elif tag == "dl":
            self._definitions(element)
        elif tag == "blockquote":
            with self._quoting():
                self._read_children(element)
                self._end_paragraph()
        elif tag == "table":
            self._table(element)
        else:
            self._read_children(element)
        self._end_paragraph()

    def _end_section(self, element: Element) -> None:
        self._end_paragraph()
        if levels := [HEADINGS[below.tag] for below in element.iterate() if below.tag in HEADINGS]:
            self._writer.end_sections(min(levels) + self._level_offset)

    def _read_inline(self, element: Element) -> None:
        line = self._line
        match element.tag:
            case "br":
                line.end()
            case "img":
                line.add(f" {element.get('alt')} ")
            case "a" if _target(element):
                with line.link(_target(element)):
                    self._read_children(element)
            case "q":
                line.add("“")
                self._read_children(element)
                line.add("”")
            case "rt":
                line.add("(")
                self._read_children(element)
                line.add(")")
            case _:
                self._read_children(element)

    def _end_paragraph(self) -> None:
        text, inlines = self._line.take()
        if not text:
            return
        if self._quoted is not None:
            self._quoted.append((text, inlines))
        else:
            self._writer.paragraph(text, inlines)

    @contextmanager
    def _quoting(self) -> Iterator[None]:
        """Collect paragraphs for one quote."""
        self._quoted = []
        try:
            yield
        finally:
            quoted, self._quoted = self._quoted, None
            inlines = [inline for _, part in quoted for inline in part]
            self._writer.quote("\n".join(text for text, _ in quoted), inlines)

    def _code(self, element: Element) -> None:
        code = code_of(element)
        if self._quoted is not None:
            self._quoted.append((code, ()))
        else:
            self._writer.code(code.removeprefix("\n"), language_of(element))

    def _list(self, element: Element) -> None:
        items = list(_items(element, level=0))
        if self._quoted is not None:
            self._quoted += [(f"{item.number or '-'} {item.text}", item.inlines) for item in items]
        else:
            self._writer.items(items)

    def _definitions(self, element: Element) -> None:
        """Write a list of terms: as one list where each explanation is a line, else as paragraphs."""
        parts = [
            part
            for child in element.elements
            for part in (child.elements if child.tag == "div" else (child,))
        ]
        if any(_holds(part, _BLOCKS) for part in parts):
            self._read_children(element)
            return
        items: list[Item] = []
        terms: list[str] = []
        for part in parts:
            text, inlines = inline_text(part)
            if part.tag == "dt":
                terms.append(text)
            elif text:
                term = ", ".join(filter(None, terms))
                items.append(Item(f"{term}: {text}" if term else text, inlines=inlines))
                terms = []
        items += [Item(term) for term in terms]
        self._writer.items(items)

    def _table(self, element: Element) -> None:
        if codes := numbered_code(element):
            for code in codes:
                self._code(code)
            return
        if not is_data_table(element):
            self._read_children(element)
            return
        table = read_table(element, lambda cell: inline_text(cell, joins_lines=True)[0])
        if table.caption:
            self._writer.paragraph(table.caption)
        self._writer.table(table.headers, table.rows)


class _Line:
    """Running text with its links, as readers see it: single blanks, line ends only where the page has `<br>`."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._links: list[tuple[str, str]] = []

    def add(self, text: str) -> None:
        self._texts.append(_BLANKS.sub(" ", text))

    def end(self) -> None:
        self._texts.append("\n")

    def add_lines(self, text: str) -> None:
        for line in text.split("\n"):
            self.add(line)
            self.end()

    @contextmanager
    def link(self, target: str) -> Iterator[None]:
        start = len(self._texts)
        yield
        shown = _trim("".join(self._texts[start:]))
        if shown and (text := show_link(shown, target)) != shown:
            self._texts.append(text.removeprefix(shown))
        if shown:
            self._links.append((shown, target))

    def take(self) -> tuple[str, tuple[Inline, ...]]:
        """Return the text so far with its links in order, and begin anew."""
        text = _trim("".join(self._texts))
        inlines = tuple(_inlines(text, self._links)) if self._links and text else ()
        self._texts, self._links = [], []
        return text, inlines


def _trim(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _inlines(text: str, links: Sequence[tuple[str, str]]) -> Iterator[Inline]:
    """Yield the text in order, cut at the words of its links."""
    position = 0
    for shown, target in links:
        start = text.find(shown, position)
        if start < 0:
            continue
        if text[position:start]:
            yield TextInline(text=text[position:start])
        yield LinkInline(text=shown, href=target)
        addition = show_link(shown, target).removeprefix(shown)
        position = start + len(shown)
        if addition and text.startswith(addition, position):
            position += len(addition)
    if text[position:]:
        yield TextInline(text=text[position:])


def inline_text(element: Element, *, joins_lines: bool = False) -> tuple[str, tuple[Inline, ...]]:
    """Return all text of an element as one run with its links; blocks in it are lines, or parted by blanks."""
    line = _Line()
    _read_run(element, line)
    text, inlines = line.take()
    return (text.replace("\n", " ") if joins_lines else text), inlines


def _read_run(element: Element, line: _Line) -> None:
    for child in element.children:
        if isinstance(child, str):
            line.add(child)
            continue
        match child.tag:
            case "br":
                line.end()
            case "img":
                line.add(f" {child.get('alt')} ")
            case "pre":
                line.end()
                line.add_lines(code_of(child))
            case "a" if _target(child):
                with line.link(_target(child)):
                    _read_run(child, line)
            case "td" | "th":
                line.add(" ")
                _read_run(child, line)
            case tag if tag in _BLOCKS:
                line.end()
                _read_run(child, line)
                line.end()
            case _:
                _read_run(child, line)


def _items(element: Element, *, level: int) -> Iterator[Item]:
    """Yield the items of a list, those of lists inside it one level deeper."""
    number = int(start) if (start := element.get("start")).isdecimal() and len(start) < 10 else 1  # noqa: PLR2004
    style = element.get("type")
    for child in element.children:
        if isinstance(child, str):
            yield Item(child, level=level)
            continue
        if child.tag in _LISTS:
            yield from _items(child, level=level + 1)
            continue
        own, nested = _split_item(child)
        text, inlines = inline_text(own)
        mark = f"{_numeral(number, style)}." if element.tag == "ol" else ""
        if text:
            yield Item(text, level=level, number=mark, inlines=inlines)
        number += 1
        for inner in nested:
            yield from _items(inner, level=level + 1 if text else level)


def _split_item(item: Element) -> tuple[Element, list[Element]]:
    """Return an item without the lists in it, and these."""
    nested = [child for child in _shallow(item) if child.tag in _LISTS]
    if not nested:
        return item, []
    return _without(item, nested), nested


def _shallow(element: Element) -> Iterator[Element]:
    """Yield the elements of an element down to its first lists."""
    for child in element.elements:
        yield child
        if child.tag not in _LISTS:
            yield from _shallow(child)


def _without(element: Element, left_out: list[Element]) -> Element:
    kept = [
        child if isinstance(child, str) else _without(child, left_out)
        for child in element.children
        if isinstance(child, str) or all(child is not other for other in left_out)
    ]
    return Element(element.tag, element.attributes, list(kept))


def _numeral(number: int, style: str) -> str:
    if style in {"a", "A"} and 0 < number <= _LETTERS:
        return chr(ord(style) + number - 1)
    return str(number)


def _target(element: Element) -> str:
    """Return where a link leads; empty for a place on the same page and for scripts."""
    target = element.get("href").strip()
    if target.startswith("#") or target.lower().startswith(("javascript:", "data:", "cid:", "blob:")):
        return ""
    return target


def _holds(element: Element, tags: Iterable[str]) -> bool:
    """Return True if there is an element of these kinds below it."""
    return any(below.tag in tags for below in element.iterate() if below is not element)


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
