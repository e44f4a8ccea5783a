"""The elements of a page as a small tree with the amounts of text in each, built from what the HTML parser reads."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import Message
from kebab_parse import mark_power

from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_DEPTH = 100
"""Deepest nesting that is kept; what lies deeper becomes content of the element at this depth. Pages have up to 60."""
MAX_NODES = 2_000_000
"""Elements and texts of a page that are read."""
_TAGS_WITHOUT_TEXT = (
    "script style noscript template iframe object embed canvas audio video input map"
    " meter progress frameset rp"
)
_WITHOUT_TEXT = frozenset(_TAGS_WITHOUT_TEXT.split())
_SHADOW_MARKS = ("shadowrootmode", "shadowroot")
"""Attributes of a template that is shown as the inside of its parent."""
_FRAME = re.compile(r"\A<[^>]*>|</[^<]*>\Z")
_MAX_PAGES_INSIDE = 5
"""Pages and shadow trees inside each other that are read."""
_TOO_FAR_INSIDE = Message(
    "frames more than {most} deep inside each other are not read", most=_MAX_PAGES_INSIDE
)
_DRAWN_TEXT = "text, foreignObject"
_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_COLLAPSED = frozenset({"p", "div", "span"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SPOKEN_ONLY = frozenset({"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"})
_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
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
    """Those of them that belong to links; those of a heading to itself do not."""
    link_count: int = 0
    has_controls: bool = False
    """Whether there is something to press or to fill in directly in it, which is not read."""

    @property
    def elements(self) -> Iterator[Element]:
        """Its children without texts."""
        return (child for child in self.children if isinstance(child, Element))

    @property
    def texts(self) -> Iterator[str]:
        """Its children that are texts."""
        return (child for child in self.children if isinstance(child, str))

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
    def words(self) -> int:
        """The amount of text in it that is not links, in characters."""
        return self.chars - self.link_chars

    def has_name(self, names: Container[str]) -> bool:
        """Return True if one of the words that its classes and id are made of is among these."""
        if not self.attributes or self.tag in {"main", "article", "h1"}:
            return False
        given = f"{self.get('class')} {self.get('id')}"
        return any(name.lower() in names for name in _NAMES.findall(given))

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
            or self.is_spoken_only
        )

    @property
    def is_spoken_only(self) -> bool:
        """Whether only a screen reader tells it."""
        return not _SPOKEN_ONLY.isdisjoint(self.classes)

    def text(self, *, with_marks: bool = True) -> str:
        """Return all text in it, with single blanks.

        Args:
            with_marks: Whether links to places of the page count that show only a sign, such as `#` and `¶` of headings.
        """
        return " ".join("".join(self._texts(with_marks=with_marks)).split())

    def _texts(self, *, with_marks: bool = True) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif with_marks or not child._is_mark():  # noqa: SLF001 - of the same class
                if child.tag in {"br", "p", "div", "li", "td", "th", "tr"}:
                    yield " "
                yield from child._texts(with_marks=with_marks)  # noqa: SLF001 - of the same class

    def _is_mark(self) -> bool:
        return self.tag == "a" and self.get("href").startswith("#") and not any(map(str.isalnum, self.text()))


def build_elements(root: LexborNode, warnings: list[Message], *, inside: int = 0) -> Element:
    """Build the tree below a node, without elements that hold no text of the page, such as scripts and pictures of code.

    Pages of frames and shadow trees that stand in the page itself, as programs that save pages write them, are part of it;
    `inside` is the number of those around the node. `warnings` gets a message if it has more than `MAX_NODES` nodes,
    and one for each page that lies more than `_MAX_PAGES_INSIDE` deep.
    """
    top = Element(root.tag or "", _attributes(root))
    path = [top]
    depth = 0
    node = root.first_child
    count = 0
    while node is not None and count < MAX_NODES:
        count += 1
        page = _page_inside(node)
        if page:
            if inside == _MAX_PAGES_INSIDE:
                warnings.append(_TOO_FAR_INSIDE)
            elif (body := parse_page(page).body) is not None:
                path[-1].children.append(build_elements(body, warnings, inside=inside + 1))
            element = None
        else:
            element = _add(node, path[-1], depth)
        if element:
            depth += 1
            path.append(element if depth < MAX_DEPTH else path[-1])
        following = node.first_child if element else node.next
        while following is None and depth > 0 and (parent := node.parent) is not None:
            node = parent
            path.pop()
            depth -= 1
            following = node.next
        node = following
    if node is not None:
        warnings.append(
            Message("only the first {nodes:,} elements and texts of the page are read", nodes=MAX_NODES)
        )
    measure(top)
    return top


def _add(node: LexborNode, parent: Element, depth: int) -> Element | None:
    """Add what a node says to an element; return the element of one whose children are read, too."""
    if node.is_text_node:
        parent.children.append(_WORD_BREAKS.sub("", node.text_content or ""))
        return None
    if not node.is_element_node:
        return None
    tag = node.tag or ""
    parent.has_controls |= tag in _CONTROLS
    if not _is_read(tag, parent):
        return None
    if tag == "svg":
        parent.children += _read_drawing(node)
        return None
    if tag == "math":
        parent.children.append(_formula(node))
        return None
    if tag == "sup":
        parent.children.append(_power_mark(parent, node))
    shown = "pre" if tag == "textarea" else tag
    element = Element("div" if depth == MAX_DEPTH - 2 else shown, _attributes(node))
    is_parent = node.first_child is not None
    if is_parent or not _repeats(element, parent.children):
        parent.children.append(element)
    return element if is_parent else None


def _page_inside(node: LexborNode) -> str:
    """Return the page of a frame or the shadow tree that an element holds as text; empty for all others."""
    if node.tag == "iframe":
        return node.attributes.get("srcdoc") or ""
    if node.tag == "template" and any(name in node.attributes for name in _SHADOW_MARKS):
        return _FRAME.sub("", node.html or "")
    return ""


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
        return parent.tag in HEADINGS or parent.tag in {"summary", "dt"}
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


def _read_drawing(node: LexborNode) -> list[Element | str]:
    """Return the texts of a drawing, such as the names in a diagram, a line each."""
    texts = (" ".join(each.text(separator=" ").split()) for each in node.css(_DRAWN_TEXT))
    return [Element("div", {}, [text]) for text in texts if text]


def _formula(node: LexborNode) -> str:
    """Return a formula as its author wrote it, in TeX, if the page says that."""
    source = node.css_first('annotation[encoding="application/x-tex"]')
    text = source.text() if source is not None else (node.attributes.get("alttext") or node.text())
    return f" {' '.join(text.split())} "


def measure(top: Element) -> None:
    """Count the text of an element and of all below it."""
    order = list(top.iterate())
    for element in reversed(order):
        chars = sum(map(count_chars, element.texts))
        link_chars = links = 0
        for child in element.elements:
            chars += child.chars
            link_chars += child.link_chars
            links += child.link_count
        if element.tag == "a" and "href" in element.attributes:
            link_chars, links = chars, 1
        elif element.tag in HEADINGS and links and _leads_to_itself(element):
            link_chars = links = 0
        element.chars, element.link_chars, element.link_count = chars, link_chars, links


def count_chars(text: str) -> int:
    """Count the characters of a text without blanks."""
    return len("".join(text.split()))


def _leads_to_itself(heading: Element) -> bool:
    links = [each.get("href") for each in heading.iterate() if each.tag == "a"]
    return all(target.startswith("#") for target in links if target)
