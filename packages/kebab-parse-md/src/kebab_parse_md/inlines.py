"""Inline content: the visible text of one block, with its links, emphasis, pictures and tags.

Tags are Obsidian's: letters, digits, `_`, `-` and `/`, at least one of them not a digit, after a blank (Obsidian help,
"Tags").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import CodeInline, EmphInline, Inline, LinkInline, StrongInline, TextInline, show_link

from kebab_parse_md.inline_events import LINE_START, Event, is_read_otherwise
from kebab_parse_md.markdown_rules import ADDRESS_LINES, DEFINED, HIDDEN_LINES, WIKI_IMAGE, WIKILINK
from kebab_parse_md.syntax import MarkdownSyntax, has_markup, is_oversized, strip_embedded_data
from kebab_parse_md.visible_html import visible_inline_html

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

_MAX_EMPHASIS_DEPTH = 8
"""Deepest nesting of emphasis; deeper marks are dropped, their words stay."""
_NOT_A_TAG = "\x00"
"""Placeholder of code, links and escapes in the text that is searched for tags."""
_BREAKS = {"SoftBreak", "HardBreak"}
_EMPHASES = {"Emphasis": "em_open", "Strong": "strong_open"}
_BLANK_EDGES = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_ATTRIBUTE_LINES = re.compile(r"^[ \t]*\{:[^{}\n]*\}[ \t]*$", re.MULTILINE)
"""Lines such as `{: .note}`, which give what stands beside them a class or an id in kramdown; not visible to readers."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a text."""

    src: str
    alt: str
    is_defined: bool = False
    """Whether the address is that of a definition, which is text of its own."""


@dataclass(frozen=True, slots=True)
class InlineContent:
    """The text of one block."""

    text: str
    """Text in NFC without markup, one line for each source line from the first visible one on."""
    skipped_lines: int = 0
    """Number of source lines before the first visible one."""
    inlines: tuple[Inline, ...] = ()
    """Empty for plain text."""
    pictures: tuple[Picture, ...] = ()
    is_only_pictures: bool = False
    """Whether only pictures are visible."""


class InlineReader:
    """Reads the inline content of the blocks of one document, and collects their tags."""

    def __init__(self, syntax: MarkdownSyntax, env: EnvType) -> None:
        self._syntax = syntax
        self._env = env
        self.tags: dict[str, None] = {}

    def read(self, content: str, *, is_heading: bool = False) -> InlineContent:
        """Return the visible text of an inline token's content; that of a heading has no link targets and no tags."""
        if "{:" in content:
            content = _ATTRIBUTE_LINES.sub("", content)
        draft = self._draft(content, with_targets=not is_heading)
        if draft is None:
            text = strip_embedded_data(content) if is_oversized(content) else content
            result, taggable = InlineContent(_trim_line_edges(text), _count_skipped(text)), content
        else:
            result, taggable = draft.finish(), "".join(draft.taggable)
        if not is_heading and "#" in taggable:
            self.tags.update(dict.fromkeys(find_tags(taggable)))
        return result

    def _draft(self, content: str, *, with_targets: bool) -> _Draft | None:
        """Return the content of a text under construction; None if it is plain or too large for the inline rules."""
        if not has_markup(content):
            return None
        events = self._syntax.inline_events(content, self._env)
        draft = _Draft(with_targets=with_targets)
        if events is not None and draft.add_events(events, line_ends=content.count("\n")):
            return draft
        draft = _Draft(with_targets=with_targets)
        draft.add_all(self._syntax.apply_rules(content, self._env))
        return draft


@dataclass(slots=True)
class _Frame:
    """An open link or emphasis."""

    opener: str
    """Type of the token that opened it."""
    children: list[Inline | str] = field(default_factory=list)
    """Inlines, and plain words as strings; neighbouring strings are one text."""
    flattened: int = 0
    """Number of open emphases below the deepest frame."""


class _OpenLink(NamedTuple):
    """A link that is being read. It holds no inlines."""

    href: str
    start: int
    """Place in `_Draft.text` where its own text begins."""
    is_defined: bool
    """Whether the address is that of a definition, which is text of its own."""


class _Draft:
    """Inline content under construction: one pass over the tokens, with a stack of open links and emphases."""

    def __init__(self, *, with_targets: bool) -> None:
        self._with_targets = with_targets
        self.text: list[str] = []
        self.taggable: list[str] = []
        self._pictures: list[Picture] = []
        self._has_words = False
        self._is_plain = True
        self._stack = [_Frame("")]
        self._link: _OpenLink | None = None

    def add_all(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "text":
                self._add_text(token.content, token.content)
            elif kind in {"softbreak", "hardbreak"}:
                self._add_text("\n", "\n")
            elif token.nesting == 1:
                self._open(token)
            elif token.nesting == -1:
                self._close(token)
            else:
                self._add_leaf(token)

    def add_events(self, events: Iterable[Event], *, line_ends: int) -> bool:
        """Add what `MarkdownSyntax.inline_events` gives.

        Returns:
            False if these are events that markdown-it might not agree with; the draft is then of no use.
        """
        for event in events:
            if isinstance(event, dict):
                ((kind, value),) = event.items()
                read = _EVENT_READERS.get(kind)
                if read is None or not read(self, value):
                    return False
            elif event in _BREAKS:
                self._add_text("\n", "\n")
                line_ends -= 1
            else:
                return False
        return line_ends == 0  # the others are inside markup

    def read_text(self, text: str) -> bool:
        """Add words. Like the readers of all events, return False for one that is not expected."""
        text = text.removeprefix(LINE_START)
        if text:
            self._add_text(text, text)
        return True

    def read_code(self, code: str) -> bool:
        """Add a code span."""
        self._add_inline(code, CodeInline(text=code))
        return True

    def read_html(self, tag: str) -> bool:
        """Add a tag or comment."""
        self._add_text(visible_inline_html(tag), "")
        return True

    def read_start(self, value: str | dict[str, Any]) -> bool:
        """Open a link or emphasis."""
        if isinstance(value, str):
            if value in _EMPHASES:
                self._open_emphasis(_EMPHASES[value])
            return value in _EMPHASES or value == "Paragraph"
        link = value.get("Link")
        if link is None or is_read_otherwise(link["link_type"], link["dest_url"]):
            return False
        self._open_link(link["dest_url"])
        return True

    def read_end(self, value: object) -> bool:
        """Close a link or emphasis."""
        if value == "Link":
            self._close_link()
        elif value != "Paragraph":
            self._close_emphasis()
        return True

    def finish(self) -> InlineContent:
        """Return the content. A text that is not in NFC because of entities loses its inlines, not its words."""
        text = "".join(self.text)
        trimmed = _trim_line_edges(text)
        composed = unicodedata.normalize("NFC", trimmed)
        while len(self._stack) > 1:
            self._close_frame()
        inlines = () if self._is_plain or composed != trimmed else _join_words(self._stack[0].children)
        return InlineContent(
            composed,
            _count_skipped(text),
            inlines,
            tuple(self._pictures),
            bool(self._pictures) and not self._has_words,
        )

    def _add_text(self, text: str, taggable: str) -> None:
        self.text.append(text)
        self.taggable.append(_NOT_A_TAG if self._link else taggable)
        self._has_words = self._has_words or not text.isspace()
        if self._link is None and text:
            self._stack[-1].children.append(text)

    def _add_leaf(self, token: Token) -> None:
        kind = token.type
        if kind == "text_special":
            self._add_text(token.content.replace("\n", " "), _NOT_A_TAG)
        elif kind == "code_inline":
            self._add_inline(token.content, CodeInline(text=token.content))
        elif kind == WIKILINK:
            text, target = token.content, token.meta["target"]
            self._add_inline(self._show(text, target), LinkInline(text=text, href=target))
        elif kind == WIKI_IMAGE:
            self._add_picture(Picture(token.meta["target"], token.content), token)
        elif kind == "image":
            alt = _Draft(with_targets=False)
            alt.add_all(token.children or [])
            src = str(token.attrs.get("src", ""))
            self._add_picture(Picture(src, "".join(alt.text), is_defined=DEFINED in token.meta), token)
        elif kind == "html_inline":
            self._add_text(visible_inline_html(token.content), "")
        elif kind == "footnote_ref":
            self._add_text(f"[^{token.meta['label']}]", _NOT_A_TAG)

    def _add_inline(self, text: str, inline: Inline) -> None:
        self._is_plain = False
        self._has_words = True
        self.text.append(text)
        self.taggable.append(_NOT_A_TAG)
        if self._link is None:
            self._stack[-1].children.append(inline)

    def _add_lines(self, count: int) -> None:
        if count > 0:
            self._add_text("\n" * count, "\n")

    def _add_picture(self, picture: Picture, token: Token) -> None:
        self._pictures.append(replace(picture, alt=" ".join(picture.alt.split())))
        had_words = self._has_words
        is_shown = not picture.is_defined and ":" not in picture.src
        shown = self._show(picture.alt, picture.src) if is_shown else picture.alt
        hidden, before = _line_ends_of(token)
        is_link = bool(picture.src) and ":" not in picture.src and self._link is None
        if is_link:
            self._is_plain = False
            self._stack[-1].children.append(LinkInline(text=picture.alt, href=picture.src))
        self._add_picture_text(picture.alt, is_link=is_link)
        self._add_lines(before)
        self._add_picture_text(shown.removeprefix(picture.alt), is_link=is_link)
        self._has_words = had_words
        self._add_lines(hidden - before)

    def _add_picture_text(self, text: str, *, is_link: bool) -> None:
        """Add the text of a picture; where it is a link, that has it already."""
        if is_link:
            self.text.append(text)
            self.taggable.append(_NOT_A_TAG)
        else:
            self._add_text(text, _NOT_A_TAG)

    def _open(self, token: Token) -> None:
        if token.type == "link_open":
            self._open_link(str(token.attrs.get("href", "")), is_defined=DEFINED in token.meta)
        elif token.type in {"strong_open", "em_open"}:
            self._open_emphasis(token.type)

    def _open_link(self, href: str, *, is_defined: bool = False) -> None:
        if self._link is None:
            self._link = _OpenLink(href, len(self.text), is_defined)

    def _open_emphasis(self, opener: str) -> None:
        if self._link is not None:
            return
        if len(self._stack) <= _MAX_EMPHASIS_DEPTH:
            self._stack.append(_Frame(opener))
        else:
            self._stack[-1].flattened += 1

    def _close(self, token: Token) -> None:
        if token.type == "link_close" and self._link is not None:
            self._close_link(*_line_ends_of(token))
        elif token.type in {"strong_close", "em_close"}:
            self._close_emphasis()

    def _close_link(self, hidden_lines: int = 0, address_lines: int = 0) -> None:
        if self._link is None:
            return
        link, self._link = self._link, None
        self._is_plain = False
        text = "".join(self.text[link.start :])
        self._stack[-1].children.append(LinkInline(text=text, href=link.href))
        self._add_lines(address_lines)
        if not link.is_defined and (address := self._show(text, link.href).removeprefix(text)):
            self._has_words = True
            self.text.append(address)
        self._add_lines(hidden_lines - address_lines)

    def _show(self, text: str, target: str) -> str:
        return show_link(text, target) if self._with_targets else text

    def _close_emphasis(self) -> None:
        if self._link is not None or len(self._stack) == 1:
            return
        if self._stack[-1].flattened:
            self._stack[-1].flattened -= 1
        else:
            self._close_frame()

    def _close_frame(self) -> None:
        frame = self._stack.pop()
        self._is_plain = False
        children = _join_words(frame.children)
        if children:
            is_strong = frame.opener == "strong_open"
            emphasis = StrongInline(children=children) if is_strong else EmphInline(children=children)
            self._stack[-1].children.append(emphasis)


_EVENT_READERS: dict[str, Callable[[_Draft, Any], bool]] = {
    "Text": _Draft.read_text,
    "Code": _Draft.read_code,
    "InlineHtml": _Draft.read_html,
    "Start": _Draft.read_start,
    "End": _Draft.read_end,
}
"""By kind of event."""


def read_definition(token: Token) -> InlineContent:
    """Return the text of a link definition, with its address as behind a link, and one line for each source line."""
    label, address, title = (str(token.meta[part]) for part in ("label", "url", "title"))
    address_line, title_line = token.meta["lines"]
    shown = show_link(label, address)
    text = label
    for part, line in ((shown.removeprefix(label).lstrip(), address_line), (title, title_line)):
        if part:
            text += ("\n" * (line - text.count("\n")) or " ") + part
    composed = unicodedata.normalize("NFC", _trim_line_edges(text))
    return InlineContent(composed, inlines=(LinkInline(text=label, href=address),))


def _line_ends_of(token: Token) -> tuple[int, int]:
    """Return the number of line ends of a link or picture that no token holds, and of those before its address."""
    return token.meta.get(HIDDEN_LINES, 0), token.meta.get(ADDRESS_LINES, 0)


def find_tags(text: str) -> list[str]:
    """Return the tags of a text in order, with repetitions. The text holds no code, links and headings."""
    names = (match[1].strip("/") for match in _TAG.finditer(text))
    return [name for name in names if any(char.isalpha() for char in name)]


def _join_words(children: Sequence[Inline | str]) -> tuple[Inline, ...]:
    """Return the inlines, with neighbouring words joined to one text."""
    joined: list[Inline] = []
    for is_words, group in groupby(children, key=lambda child: isinstance(child, str)):
        if is_words:
            joined.append(TextInline(text="".join(str(words) for words in group)))
        else:
            joined.extend(child for child in group if not isinstance(child, str))
    return tuple(joined)


def _count_skipped(text: str) -> int:
    """Return the number of line ends before the first visible character."""
    return text.count("\n", 0, len(text) - len(text.lstrip()))


def _trim_line_edges(text: str) -> str:
    """Return the text without blanks around its line ends and at its ends."""
    return _BLANK_EDGES.sub("\n", text).strip() if "\n" in text else text.strip()
