"""Navigation by link density: lists of links, rows of teasers, and links in the header, footer and sidebars of a page."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import NamedTuple

from kebab_parse_html.elements import HEADINGS, Element, count_chars

_FRAME_TAGS = frozenset({"footer", "aside"})
_FRAME_ROLES = frozenset({"banner", "contentinfo", "complementary"})
_SCOPES = frozenset({"main", "article", "section"})
"""Elements with headers of their own."""
_FRAME_PARTS = (
    "nav navbar navigation menu submenu breadcrumb breadcrumbs sidebar footer masthead social share sharing sharebar"
    " related recommended recommendations trending advert advertisement advertising ads adsense sponsor sponsored promo"
    " skip pagination pager toolbar widget widgets outbrain taboola"
)
_FRAME_NAMES = frozenset(_FRAME_PARTS.split())
"""Words of class and id of frames."""
_LINK_BLOCKS = frozenset([
    "ul",
    "ol",
    "dl",
    "div",
    "section",
    "table",
    "p",
    "td",
    "form",
    "header",
    "footer",
    "aside",
    "fieldset",
    "center",
])
_CONTENT = frozenset({"h1", "pre"})
_LISTS = frozenset({"ul", "ol", "dl", "table"})
_INSIDE_LISTS = _LISTS | {"li", "dd"}
MAX_NAVIGATION_SHARE = 0.25
"""Largest share of a page's text, links aside, that one element of navigation may have."""
LINK_SHARE = 0.6
"""Link density from which a block is navigation: characters of links by all characters."""
LEAST_LINKS = 3
FLOW_LINK_SHARE = 0.9
"""The same of a list between paragraphs, where lists of types and parameters are nearly all links, too."""
LEAST_FLOW = 80
"""Characters of paragraphs, links aside, beside which a list is one between paragraphs."""
FRAME_LINK_SHARE = 0.8
"""The same of a block of a frame with fewer links."""
TEASER_LINK_SHARE = 0.3
"""Link density from which rows of teasers are navigation."""
TEASER_SHARE = 0.7
"""Share of teasers among the elements of a row of them."""
MAX_TEASER_CHARS = 250
"""Characters of a teaser outside of its headline."""
LEAST_WORDS = 250
"""Characters outside of links below which a page that is mostly links is a list of links, such as a contents page."""
MAIN_SHARE, ROOT_SHARE = 0.6, 0.9
"""Shares of a page's text: of an element that says that it is the main one, and of the innermost that has nearly all."""
LEAST_LEAD = 40
"""Characters of a paragraph that introduces the list below it; a shorter one does with a colon."""
_HEADLINES = HEADINGS | {"p", "div"}


class _Rest(NamedTuple):
    """What is left of an element without the navigation in it."""

    chars: int = 0
    link_chars: int = 0
    links: int = 0
    heading_chars: int = 0
    content: int = 0
    """Elements that no navigation holds: titles, code, footnotes, lists that a paragraph introduces."""


class _Place(NamedTuple):
    """Where an element stands."""

    in_frame: bool = False
    in_content: bool = False
    in_flow: bool = False
    """Between paragraphs."""
    keeps_lists: bool = False
    """In a list of links that is what the page is about."""


class LinkDensity:
    """Finds navigation by link density, from the innermost elements outwards, so that text beside links stays.

    Args:
        body: The page.
        only_frames: Whether lists of links outside of frames are kept.
    """

    def __init__(self, body: Element, *, only_frames: bool = False) -> None:
        self.navigation: set[int] = set()
        """Identities of the elements that are navigation."""
        self._most = body.words * MAX_NAVIGATION_SHARE
        self._targets = _find_targets(body)
        main = _find_main(body)
        # A main element that is a list of links stays one.
        self._kept = main if main.link_chars >= main.chars * LINK_SHARE else None
        rest = self._visit(body, _Place(keeps_lists=only_frames))
        self.words = rest.chars - rest.link_chars
        """Characters that are left outside of links."""

    def _visit(self, element: Element, place: _Place) -> _Rest:
        place = _Place(
            in_frame=place.in_frame,
            in_content=place.in_content or element.tag in _SCOPES,
            in_flow=(place.in_flow and element.tag in _INSIDE_LISTS) or _is_flow(element),
            keeps_lists=place.keeps_lists or element is self._kept,
        )
        if not (place.in_frame or place.keeps_lists) and element.words <= self._most:
            self.navigation |= _find_teasers(element)
        rest = _Rest(chars=sum(map(count_chars, element.texts)))
        before: Element | None = None
        for child in element.elements:
            if id(child) not in self.navigation:
                inside = place._replace(in_frame=place.in_frame or self._is_frame(child, place))
                inner = self._visit(child, inside)
                if (
                    child.tag in _LISTS
                    and not inside.in_frame
                    and (_introduces(before) or self._has_notes(child))
                ):
                    inner = inner._replace(content=inner.content + 1)
                if _is_navigation(child, inner, inside):
                    self.navigation.add(id(child))
                else:
                    rest = _Rest(*map(add, rest, inner))
            before = child if child.chars else before
        if element.tag == "a" and "href" in element.attributes:
            return _Rest(rest.chars, rest.chars, 1)
        if element.tag in HEADINGS:
            rest = _Rest(element.chars, element.link_chars, element.link_count, element.chars)
        return rest._replace(content=rest.content + (element.tag in _CONTENT))

    def _is_frame(self, element: Element, place: _Place) -> bool:
        """Return True for headers, footers and sidebars of a page; an article has headers of its own."""
        is_frame = (
            element.tag in _FRAME_TAGS
            or (element.tag == "header" and not place.in_content)
            or element.get("role") in _FRAME_ROLES
            or element.has_name(_FRAME_NAMES)
        )
        return is_frame and element.words <= self._most

    def _has_notes(self, element: Element) -> bool:
        """Return True for a list to whose items the page leads, as to footnotes."""
        rows = [
            each
            for child in element.elements
            for each in (child.elements if child.tag == "tbody" else [child])
        ]
        return bool(rows) and sum(id(row) in self._targets for row in rows) > len(rows) / 2


def _is_navigation(element: Element, rest: _Rest, place: _Place) -> bool:
    if not element.chars or element.tag not in _LINK_BLOCKS or rest.content:
        return False
    if rest.chars == rest.heading_chars and rest.chars < element.chars:
        return True
    if place.in_frame and rest.links and rest.link_chars >= rest.chars * FRAME_LINK_SHARE:
        return True
    share = FLOW_LINK_SHARE if place.in_flow and element.tag in _LISTS else LINK_SHARE
    is_dense = rest.links >= LEAST_LINKS and rest.link_chars >= rest.chars * share
    return is_dense and (place.in_frame or not place.keeps_lists)


def _find_targets(body: Element) -> set[int]:
    """Return the identities of the elements that links of the page lead to, and of those that hold such elements."""
    hrefs = {each.get("href") for each in body.iterate() if each.tag == "a"}
    named = {href[1:] for href in hrefs if href.startswith("#")} - {""}
    targets: set[int] = set()
    for element in reversed(list(body.iterate()) if named else []):
        if element.get("id") in named or any(id(child) in targets for child in element.elements):
            targets.add(id(element))
    return targets


def _is_flow(element: Element) -> bool:
    """Return True for an element with paragraphs, between which its lists stand."""
    return sum(child.words for child in element.elements if child.tag == "p") >= LEAST_FLOW


def _introduces(element: Element | None) -> bool:
    """Return True for a paragraph that introduces a list."""
    if element is None or element.tag != "p":
        return False
    return element.words >= LEAST_LEAD or element.text().endswith((":", "\N{FULLWIDTH COLON}"))


def _find_teasers(row: Element) -> set[int]:
    """Return the identities of the teasers in a row: blocks with a headline that is a link, and a few words more."""
    items = [child for child in row.elements if child.chars]
    teasers = [item for item in items if _is_teaser(item)]
    chars, link_chars = sum(item.chars for item in teasers), sum(item.link_chars for item in teasers)
    is_row = len(teasers) >= LEAST_LINKS and len(teasers) >= len(items) * TEASER_SHARE
    return {id(item) for item in teasers} if is_row and link_chars >= chars * TEASER_LINK_SHARE else set()


def _is_teaser(item: Element) -> bool:
    return (
        item.link_count > 0
        and item.words <= MAX_TEASER_CHARS
        and any(
            below.link_chars >= below.chars > 0
            for below in item.iterate()
            if below is not item and below.tag in _HEADLINES
        )
    )


def _find_main(body: Element) -> Element:
    """Find the main element, or the innermost one that holds nearly all text."""
    whole = body.words
    main = body
    kinds: tuple[Callable[[Element], bool], ...] = (
        lambda element: element.tag == "main" or element.get("role") == "main",
        lambda element: element.tag == "article" or element.get("itemprop") == "articleBody",
    )
    for is_main in kinds:
        least = main.words * MAIN_SHARE
        main = next((each for each in main.iterate() if is_main(each) and each.words >= least), main)
    while inner := next((each for each in main.elements if each.words >= whole * ROOT_SHARE), None):
        main = inner
    return main
