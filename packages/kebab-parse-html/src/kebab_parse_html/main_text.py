"""The main text of a saved page: all of it but navigation, by markup and by link density, choices of forms, and what the page hides.

No element is chosen as the main one: what stands beside it, such as footnotes, a table of prices or opening hours, is text
of the page. What is left out is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

from kebab_core import Message, join_messages

from kebab_parse_html.elements import HEADINGS, Element, measure
from kebab_parse_html.link_density import LEAST_WORDS, LINK_SHARE, MAX_NAVIGATION_SHARE, LinkDensity

_NAVIGATION_TAGS = frozenset({"nav", "menu", "dialog"})
_CHOICES = frozenset({"select", "datalist"})
_NAVIGATION_ROLES = frozenset([
    "navigation",
    "search",
    "menu",
    "menubar",
    "toolbar",
    "tablist",
    "dialog",
    "alertdialog",
    "doc-toc",
    "doc-index",
])
_DIALOG_NAMES = frozenset([
    "cookie",
    "cookies",
    "consent",
    "gdpr",
    "newsletter",
    "subscribe",
    "popup",
    "modal",
    "login",
    "signup",
])
"""Words of class and id of dialogs, if there is something to press or to fill in."""
MAX_HIDDEN_SHARE = 0.5
"""Largest share that is left out as hidden: pages hide all their text below a dialog, or until a script shows it."""
_OPENERS = HEADINGS | {"dt"}
_MAX_PARTS, _PART_CHARS = 5, 40
"""Parts that a report names, and characters of each."""


class LeftOut(NamedTuple):
    """A part of a page that is no part of its main text."""

    beginning: str
    """Its first words."""
    chars: int
    """Its characters, blanks not counted."""


@dataclass(slots=True)
class MainText:
    """A page without what is not its text."""

    body: Element
    choices: list[LeftOut] = field(default_factory=list)
    hidden: list[LeftOut] = field(default_factory=list)
    navigation: list[LeftOut] = field(default_factory=list)

    def notes(self) -> list[Message]:
        """Return what was left out and how much of the page that is, by reason."""
        choices, hidden, navigation = (
            sum(part.chars for part in parts) for parts in (self.choices, self.hidden, self.navigation)
        )
        whole = self.body.chars + choices + hidden + navigation
        notes = (
            Message(
                "{chars:,} of {whole:,} characters were left out as navigation: {parts}",
                chars=navigation,
                whole=whole,
                parts=_name_parts(self.navigation),
            ),
            Message(
                "{chars:,} of {whole:,} characters were left out, since the page hides them: {parts}",
                chars=hidden,
                whole=whole,
                parts=_name_parts(self.hidden),
            ),
            Message(
                "{chars:,} of {whole:,} characters were left out as choices of forms: {parts}",
                chars=choices,
                whole=whole,
                parts=_name_parts(self.choices),
            ),
        )
        return list(compress(notes, (navigation, hidden, choices)))


def find_main_text(body: Element) -> MainText:
    """Remove from the tree what is not part of its main text.

    In this order: choices of forms; what is hidden; navigation by element or role, and dialogs; in frames of the page (header, footer,
    sidebars), blocks of links; elsewhere, blocks of at least `LEAST_LINKS` links and rows of teasers, unless the page
    is such a list itself. What is in these blocks without being a link of them stays. Measured with `bench/main_text.py`.
    """
    text = MainText(body)
    text.choices += _remove(body, lambda each: each.tag in _CHOICES)
    text.hidden += remove_hidden(body)
    most = body.words * MAX_NAVIGATION_SHARE
    text.navigation += _remove(body, lambda each: _is_navigation(each) and each.words <= most)
    density = LinkDensity(body)
    if density.words < LEAST_WORDS and body.link_chars >= body.chars * LINK_SHARE:
        density = LinkDensity(body, only_frames=True)
    text.navigation += _remove(body, lambda each: id(each) in density.navigation)
    return text


def remove_hidden(body: Element) -> list[LeftOut]:
    """Remove what is hidden, unless it is most of the text or a reader opens it, and return what that was."""
    most = body.words * MAX_HIDDEN_SHARE
    panels = _find_panels(body)
    hidden = {
        id(each): each.words
        for each in body.iterate()
        if each.is_hidden and id(each) not in panels and each.words <= most
    }
    if sum(hidden.values()) > most:
        return []
    return _remove(body, lambda each: id(each) in hidden)


def _find_panels(body: Element) -> set[int]:
    """Return the identities of hidden elements that a reader sees or hears.

    A heading before them or what names them opens them, or they say what is shown beside them to those who see only.
    """
    named = {each.get("aria-controls") for each in body.iterate()} - {""}
    panels: set[int] = set()
    for parent in body.iterate():
        before = ""
        for child in parent.elements:
            if before in _OPENERS or child.get("id") in named:
                panels.add(id(child))
            before = child.tag
        if any(child.get("aria-hidden") == "true" and child.chars > 1 for child in parent.elements):
            panels |= {id(child) for child in parent.elements if child.is_spoken_only}
    return panels


def _remove(root: Element, is_removed: Callable[[Element], bool]) -> list[LeftOut]:
    """Remove elements, and return those with text; neighbours are one part."""
    left_out: list[LeftOut] = []
    for element in root.iterate():
        kept: list[Element | str] = []
        run: list[Element] = []
        for child in [*element.children, "."]:
            if isinstance(child, Element) and is_removed(child):
                run.append(child)
                continue
            if run and not (isinstance(child, str) and child.isspace()):
                left_out += _describe(run)
                run = []
            kept.append(child)
        element.children = kept[:-1]
    measure(root)
    return left_out


def _describe(run: Sequence[Element]) -> Iterator[LeftOut]:
    if chars := sum(each.chars for each in run):
        yield LeftOut(" ".join(filter(None, (each.text() for each in run)))[: _PART_CHARS + 1], chars)


def _is_navigation(element: Element) -> bool:
    return (
        element.tag in _NAVIGATION_TAGS
        or element.get("role") in _NAVIGATION_ROLES
        or (element.has_name(_DIALOG_NAMES) and any(each.has_controls for each in element.iterate()))
    )


def _name_parts(parts: Sequence[LeftOut]) -> Message:
    """Name the largest parts in their order, each by its first words and its characters."""
    largest = sorted(range(len(parts)), key=lambda number: -parts[number].chars)[:_MAX_PARTS]
    named = [_name_part(parts[number]) for number in sorted(largest)]
    if more := len(parts) - len(named):
        named.append(Message("{count} more part", plural="{count} more parts", count=more))
    return join_messages(", ", named)


def _name_part(part: LeftOut) -> Message:
    beginning = part.beginning
    if len(beginning) > _PART_CHARS:
        beginning = f"{beginning[:_PART_CHARS]}…"
    return Message("“{beginning}” ({chars:,})", beginning=beginning, chars=part.chars)
