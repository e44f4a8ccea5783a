"""The main text of a saved page: what is left without navigation, banners, footers and lists of links.

Nothing is left out of a page for its names alone: what holds much of the text stays, whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kebab_parse_html.elements import Element, measure

_ASIDE_TAGS = frozenset({"nav", "footer", "aside", "dialog", "menu", "form"})
_ROLES = "navigation banner contentinfo search menu menubar toolbar dialog alertdialog complementary tablist"
_ASIDE_ROLES = frozenset(_ROLES.split())
_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PARTS = (
    "nav navbar navigation menu submenu breadcrumb breadcrumbs sidebar footer masthead cookie cookies consent gdpr"
    " newsletter subscribe social share sharing sharebar related recommended recommendations trending advert advertisement"
    " advertising ads adsense sponsor sponsored promo popup modal skip pagination pager toolbar widget widgets login signup"
    " outbrain taboola disqus copyright"
)
_ASIDE_NAMES = frozenset(_PARTS.split())
_LINK_BLOCKS = frozenset({
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
    "fieldset",
    "center",
})
MAX_ASIDE_SHARE = 0.25
"""Largest share of a page's text, links aside, that is left out for the name or kind of its element."""
MAX_HIDDEN_SHARE = 0.5
"""Largest share that is left out as hidden: pages hide all their text below a dialog, or until a script shows it."""
LINK_SHARE = 0.6
"""Share of links in the text of a block from which it is a list of links."""
LEAST_LINKS = 3
LEAST_WORDS = 250
"""Characters outside of links below which a page that is mostly links is a list of links, such as a contents page."""
MAIN_SHARE = 0.6
"""Share of the text that an element must hold to be taken at its word that it is the main one."""
ROOT_SHARE = 0.9
"""Share of the text that the innermost element with all of it must hold."""
REMARK_LINK_SHARE = 0.2
"""Share of links in an aside of an article from which it leads to other pages."""
TEASER_SHARE = 0.7
"""Share of teasers among the elements of a row of them."""
MAX_TEASER_CHARS = 250
"""Characters of a teaser outside of its headline."""
_OPENERS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})
_HEADLINES = _OPENERS - {"dt"} | {"p", "div"}
_WHOLE_BLOCKS = frozenset({"p", "pre", "ul", "ol", "dl", "blockquote", "table"})


def find_main_text(body: Element) -> Element:
    """Find the element that holds the main text, after removing from the tree what is not part of it.

    In this order: what is hidden; navigation and the like, by element, role or name; all that is outside of the main
    element; blocks of links, unless the page is one itself. Measured with `bench/main_text.py`.
    """
    remove_hidden(body)
    remarks = _find_remarks(body)
    _remove(
        body,
        lambda element, whole: (
            id(element) not in remarks and _is_aside(element) and _words(element) <= whole * MAX_ASIDE_SHARE
        ),
    )
    if _words(body) < LEAST_WORDS and body.link_chars >= body.chars * LINK_SHARE:
        return body
    root = _find_root(body)
    if root.link_chars < root.chars * LINK_SHARE:
        _remove(root, lambda element, _whole: _is_link_block(element))
        _remove(
            root,
            lambda element, whole: _words(element) <= whole * MAX_ASIDE_SHARE and _is_teaser_list(element),
        )
    return root


def remove_hidden(body: Element) -> Element:
    """Remove what is hidden, unless it is most of the text or a reader opens it, and return the same element."""
    most = _words(body) * MAX_HIDDEN_SHARE
    panels = _find_panels(body)
    hidden = {
        id(each): _words(each)
        for each in body.iterate()
        if each.is_hidden and id(each) not in panels and _words(each) <= most
    }
    if sum(hidden.values()) <= most:
        _remove(body, lambda element, _whole: id(element) in hidden)
    return body


def _find_panels(body: Element) -> set[int]:
    """Return the identities of the elements that a heading before them, or what names them, shows and hides."""
    named = {each.get("aria-controls") for each in body.iterate()} - {""}
    panels: set[int] = set()
    for parent in body.iterate():
        before = ""
        for child in parent.elements:
            if before in _OPENERS or child.get("id") in named:
                panels.add(id(child))
            before = child.tag
    return panels


def _words(element: Element) -> int:
    """Return the amount of text in an element that is not links."""
    return element.chars - element.link_chars


def _remove(root: Element, is_removed: Callable[[Element, int], bool]) -> None:
    whole = _words(root)
    for element in root.iterate():
        element.children = [
            child for child in element.children if isinstance(child, str) or not is_removed(child, whole)
        ]
    measure(root)


def _is_aside(element: Element) -> bool:
    if element.tag in _ASIDE_TAGS or element.get("role") in _ASIDE_ROLES:
        return True
    return _has_aside_name(element)


def _has_aside_name(element: Element) -> bool:
    if not element.attributes or element.tag in {"main", "article", "h1"}:
        return False
    names = f"{element.get('class')} {element.get('id')}"
    return any(name.lower() in _ASIDE_NAMES for name in _NAMES.findall(names))


def _find_remarks(body: Element) -> set[int]:
    """Return the identities of the asides that belong to an article: notes and boxes in it that are mostly words."""
    articles = (each for each in body.iterate() if each.tag == "article")
    inside = (below for article in articles for below in article.iterate())
    return {
        id(each)
        for each in inside
        if (each.tag == "aside" or each.get("role") == "complementary")
        and each.link_chars < each.chars * REMARK_LINK_SHARE
        and not any(_has_aside_name(below) or _is_teaser(below) for below in each.iterate())
    }


def _is_link_block(element: Element) -> bool:
    return (
        element.tag in _LINK_BLOCKS
        and element.link_count >= LEAST_LINKS
        and element.link_chars >= element.chars * LINK_SHARE
    )


def _is_teaser_list(element: Element) -> bool:
    """Return True for a row of teasers: blocks with a headline that is a link, and at most a few words more."""
    items = [child for child in element.elements if child.chars]
    teasers = sum(map(_is_teaser, items))
    return teasers >= LEAST_LINKS and teasers >= len(items) * TEASER_SHARE


def _is_teaser(item: Element) -> bool:
    return (
        item.link_count > 0
        and _words(item) <= MAX_TEASER_CHARS
        and any(
            below.link_chars >= below.chars > 0
            for below in item.iterate()
            if below is not item and below.tag in _HEADLINES
        )
    )


def _find_root(body: Element) -> Element:
    """Find the main element, or the innermost one that holds nearly all text."""
    whole = _words(body)
    root = body
    kinds: tuple[Callable[[Element], bool], ...] = (
        lambda element: element.tag == "main" or element.get("role") == "main",
        lambda element: element.tag == "article" or element.get("itemprop") == "articleBody",
    )
    for is_main in kinds:
        least = _words(root) * MAIN_SHARE
        root = next((each for each in root.iterate() if is_main(each) and _words(each) >= least), root)
    while inner := next((each for each in root.elements if _words(each) >= whole * ROOT_SHARE), None):
        if inner.tag in _WHOLE_BLOCKS:
            break
        root = inner
    return root
