"""Text of blocks that contain blocks: list items, quotes, footnotes.

The text has exactly one line for each source line, so that a part of it can be cited by its own lines. Nested items
keep their marker and indent, nested quotes their `>`. Fences and table rules become empty lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import Inline, TextInline

from kebab_parse_md.inlines import InlineReader, read_definition
from kebab_parse_md.markdown_rules import DEFINITION
from kebab_parse_md.visible_html import visible_html

if TYPE_CHECKING:
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class ContainerText:
    """The visible text of a container."""

    text: str
    inlines: tuple[Inline, ...]
    """Empty if the text holds no link, code or emphasis."""


@dataclass(slots=True)
class _Margin:
    """Text to the left of the lines of an open container."""

    first: str
    rest: str
    is_used: bool = False
    next_number: int | None = None
    """Number of the next item of an ordered list; None for other containers."""

    def take(self) -> str:
        margin = self.rest if self.is_used else self.first
        self.is_used = True
        return margin


@dataclass(slots=True)
class _Page:
    """Lines being filled. `start` is the source line of the first, 0-based."""

    start: int
    lines: list[str]
    margins: list[_Margin] = field(default_factory=list)

    def place(self, text: str, *, line: int, joint: str = " ") -> None:
        """Append text to its source lines. Lines after the end of the page are appended to its last line."""
        for offset, words in enumerate(text.split("\n")):
            at = min(max(line - self.start + offset, 0), len(self.lines) - 1)
            if words.strip():
                margin = "".join(frame.take() for frame in self.margins)
                self.lines[at] = f"{self.lines[at]}{joint}{words}" if self.lines[at] else margin + words


def render_container(
    tokens: Sequence[Token], *, start: int, end: int, reader: InlineReader, marker: str = ""
) -> ContainerText:
    """Return the text of the blocks inside a container.

    Args:
        tokens: The tokens between its opening and its closing token.
        start: Its first source line, 0-based.
        end: Its end, exclusive, greater than `start`.
        reader: Reads inline content.
        marker: Beginning of the first line, such as `3. `; the other lines are indented by its width.

    Returns:
        Text of at most `end - start` lines; blank lines at its end are left out.
    """
    page = _Page(start, [""] * (end - start))
    if marker:
        page.margins.append(_Margin(marker, " " * len(marker)))
    inlines: list[Inline] = []
    in_row = False
    for token in tokens:
        if token.type in {"tr_open", "tr_close"}:
            in_row = token.type == "tr_open"
        elif token.type in _OPENING:
            _OPENING[token.type](page, token)
        elif token.type in _CLOSING:
            page.margins.pop()
        elif token.map and token.type == "inline":
            content = reader.read(token.content)
            inlines.extend((*content.inlines, TextInline(text="\n")) if content.inlines else ())
            line = token.map[0] + content.skipped_lines
            page.place(content.text, line=line, joint=" | " if in_row else " ")
        elif token.map and token.type == DEFINITION:
            content = read_definition(token)
            inlines.extend((*content.inlines, TextInline(text="\n")))
            page.place(content.text, line=token.map[0])
        elif token.map and token.type in {"fence", "code_block", "html_block"}:
            _place_raw(page, token, token.map[0])
    return ContainerText("\n".join(page.lines).rstrip(), tuple(inlines[:-1]))


def footnote_mark(opening: Token) -> str:
    """Return what stands before the text of a footnote."""
    return f"[^{opening.meta['label']}]: "


def _place_raw(page: _Page, token: Token, line: int) -> None:
    if token.type == "html_block":
        page.place(visible_html(token.content), line=line)
    else:
        page.place(token.content.rstrip("\n"), line=line + (token.type == "fence"))


def _open_list(page: _Page, token: Token) -> None:
    start = token.attrs.get("start", 1) if token.type == "ordered_list_open" else None
    page.margins.append(_Margin("", "", next_number=None if start is None else int(start)))


def _open_item(page: _Page, token: Token) -> None:
    parent = page.margins[-1]
    marker = "- "
    if parent.next_number is not None:
        marker = f"{parent.next_number}{token.markup or '.'} "
        parent.next_number += 1
    page.margins.append(_Margin(marker, " " * len(marker)))


_OPENING: dict[str, Callable[[_Page, Token], None]] = {
    "bullet_list_open": _open_list,
    "ordered_list_open": _open_list,
    "list_item_open": _open_item,
    "blockquote_open": lambda page, _: page.margins.append(_Margin("> ", "> ")),
    "footnote_reference_open": lambda page, token: page.margins.append(_Margin(footnote_mark(token), "")),
}
_CLOSING = {
    "bullet_list_close",
    "ordered_list_close",
    "list_item_close",
    "blockquote_close",
    "footnote_reference_close",
}
