"""The elements of a page as a small tree with the amounts of text in each, built from what the HTML parser reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_parse import mark_power

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DEPTH = 100
"""Deepest nesting that is kept; what lies deeper becomes content of the element at this depth. Pages have up to 60."""
MAX_NODES = 2_000_000
_TAGS_WITHOUT_TEXT = (
    "script style noscript template iframe object embed svg canvas audio video select datalist input textarea map"
    " meter progress frameset rp"
)
_WITHOUT_TEXT = frozenset(_TAGS_WITHOUT_TEXT.split())
_COLLAPSED = frozenset({"p", "div", "span"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SPOKEN_ONLY = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"})
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_WORD_BREAKS = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""Soft hyphens and other marks of places where a line may be broken; inside words they hide these from search."""


@dataclass(slots=True, eq=False)
class Element:
    """An element of a page with its children in order, texts among them."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)
    chars: int = 0
    """Characters of text in it, blanks not counted."""
    link_chars: int = 0
    """Those of them that belong to links."""
    link_count: int = 0

    @property
    def elements(self) -> Iterator[Element]:
        """Its children without texts."""
        return (child for child in self.children if isinstance(child, Element))

    def iterate(self) -> Iterator[Element]:
        """Yield the element and all elements below it, in order of their text."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(list(element.elements)))

    def get(self, name: str) -> str:
        """Return an attribute; empty if it has none."""
        return self.attributes.get(name, "")

    @property
    def classes(self) -> frozenset[str]:
        """The names of its classes."""
        return frozenset(self.get("class").split())

    @property
    def is_hidden(self) -> bool:
        """Whether the page does not show it, or not to people who see."""
        attributes = self.attributes
        if not attributes:
            return False
        return (
            attributes.get("hidden", "until-found") != "until-found"
            or attributes.get("aria-hidden") == "true"
            or bool(_HIDDEN_STYLE.search(attributes.get("style", "")))
            or not _SPOKEN_ONLY.isdisjoint(self.classes)
        )

    def text(self) -> str:
        """Return all text in it, with single blanks."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                if child.tag in {"br", "p", "div", "li", "td", "th", "tr"}:
                    yield " "
                yield from child._texts()  # noqa: SLF001 - of the same class


def build_elements(root: LexborNode) -> Element:
    """Build the tree below a node, without elements that hold no text of the page, such as scripts and pictures of code."""
    top = Element(root.tag or "", _attributes(root))
    path = [top]
    depth = 0
    node = root.first_child
    count = 0
    while node is not None and count < MAX_NODES:
        count += 1
        entered = False
        if node.is_text_node:
            text = _WORD_BREAKS.sub("", node.text_content or "")
            path[-1].children.append(text)
        elif node.is_element_node and _is_read(tag := node.tag or "", path[-1]):
            if tag == "math":
                path[-1].children.append(_formula(node))
            else:
                if tag == "sup":
                    path[-1].children.append(_power_mark(path[-1], node))
                element = Element("div" if depth == MAX_DEPTH - 2 else tag, _attributes(node))
                if node.first_child is not None or not _repeats(element, path[-1].children):
                    path[-1].children.append(element)
                if node.first_child is not None:
                    entered = True
                    depth += 1
                    path.append(element if depth < MAX_DEPTH else path[-1])
        following = node.first_child if entered else node.next
        while following is None and depth >= 0:
            parent = node.parent
            if parent is None or depth == 0:
                break
            node = parent
            path.pop()
            depth -= 1
            following = node.next
        node = following
    measure(top)
    return top


def _repeats(empty: Element, before: list[Element | str]) -> bool:
    """Return True for an element without anything in it behind another one of its kind: broken pages have thousands."""
    last = before[-1] if before else None
    return (
        isinstance(last, Element)
        and empty.tag in _COLLAPSED
        and empty.tag == last.tag
        and not (empty.attributes or last.attributes or last.children)
    )


def _is_read(tag: str, parent: Element) -> bool:
    if tag == "button":
        return parent.tag in _HEADINGS or parent.tag in {"summary", "dt"}
    return tag not in _WITHOUT_TEXT


def _attributes(node: LexborNode) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _power_mark(parent: Element, raised: LexborNode) -> str:
    """Return what stands between the end of an element and text above the line; empty where that is no power."""
    before = ""
    for child in reversed(parent.children):
        before = child if isinstance(child, str) else "".join(child._texts())  # noqa: SLF001 - of this module
        if before:
            break
    text = raised.text().strip()
    return mark_power(before, text).removesuffix(text)


def _formula(node: LexborNode) -> str:
    """Return a formula as its author wrote it, in TeX, if the page says that."""
    source = node.css_first('annotation[encoding="application/x-tex"]')
    text = source.text() if source is not None else (node.attributes.get("alttext") or node.text())
    return f" {' '.join(text.split())} "


def measure(top: Element) -> None:
    """Count the text of an element and of all below it."""
    order = list(top.iterate())
    for element in reversed(order):
        chars = link_chars = links = 0
        for child in element.children:
            if isinstance(child, str):
                chars += len("".join(child.split()))
            else:
                chars += child.chars
                link_chars += child.link_chars
                links += child.link_count
        if element.tag == "a" and "href" in element.attributes:
            link_chars, links = chars, 1
        element.chars, element.link_chars, element.link_count = chars, link_chars, links
