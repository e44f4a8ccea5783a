"""Markdown as HTML: no HTML of the note, no foreign address is loaded, and cited lines are marked.

Blocks carry their lines in `data-l`; blocks that share a line with what is cited have the class `cited`, and its words are marked.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import nh3
from kebab_core import PIXEL_SUFFIXES
from kebab_text import visible
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kebab_web.site import build_url, document_url

if TYPE_CHECKING:
    from kebab_app import WordRange
    from markdown_it.rules_inline import StateInline

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "mark", "ol", "p", "pre", "s", "span",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"class", "data-l", "id"},
    "a": {"href", "title", "target", "rel"},
    "ol": {"start"},
    "img": {"src", "alt"},
}
_SCHEMES = {"http", "https", "mailto"}
_WIKI = re.compile(r"(!?)\[\[([^\[\]\n|]{1,500})(?:\|([^\[\]\n]{1,500}))?\]\]")
_ON, _OFF = "\ue000", "\ue001"
"""Characters for private use that stand around marked words while a line is parsed."""
_SIGNS = re.compile(f"([{_ON}{_OFF}])")
_LINE_BEGINNING = re.compile(
    r"[ \t>]*(?:(?:[-*+]|#{1,6}|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?|[ \t>]*\[\^?[^\]]*\]:"
)
"""Indentation and signs of a block, before the words of a line."""
_TASK = re.compile(r"^\[([ xX])\]\s+")
_CODE = frozenset({"fence", "code_block"})
_BLOCKS = _CODE | {"paragraph_open", "heading_open", "tr_open", "hr"}
_PLACE = re.compile(r"L\d+(-L\d+)?|p=\d+")
"""A place in a document that a link may name."""


def render_markdown(
    source: str,
    *,
    cited: tuple[int, int] | None = None,
    words: Sequence[WordRange] = (),
    first_line: int = 1,
    address: str = "",
) -> str:
    """Render Markdown as HTML.

    Args:
        source: The text.
        cited: First and last cited line of the file.
        words: Words to mark, by line of the file.
        first_line: Number of the first line of `source` in the file.
        address: Of the document; without it pictures, and links inside its source, are text.
    """
    parser = _parser()
    tokens = parser.parse(_place_signs(visible(source), words, first_line))
    _mark_lines(tokens, cited, first_line - 1)
    for token in tokens:
        token.info = _SIGNS.sub("", token.info)
        if token.children:
            token.children = [*_safe_inlines(token.children, address)]
    _mark_tasks(tokens)
    html: str = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html.replace(_ON, "<mark>").replace(_OFF, "</mark>"),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel=None,
        attribute_filter=_keep_own_pictures,
    )


def restore_blocks(text: str, quotes: Iterable[str]) -> str:
    """Return the text of a claim with code and rows of tables as Markdown, which the text itself lacks.

    Args:
        text: What the claim says; blank lines between its blocks.
        quotes: Markdown of the lines that it rests on.
    """
    shown = f"\n\n{text}\n\n"
    for quote in quotes:
        for token in _parser().parse(quote):
            if token.type in _CODE and (code := token.content.strip("\n")):
                shown = shown.replace(f"\n\n{code}\n\n", f"\n\n~~~~\n{code}\n~~~~\n\n")
    return "\n\n".join(_restore_table(each) for each in shown.strip("\n").split("\n\n"))


def _restore_table(paragraph: str) -> str:
    rows = paragraph.split("\n")
    columns = {row.count(" | ") for row in rows}
    if len(rows) == 1 or len(columns) != 1 or columns == {0} or rows[0].startswith("|"):
        return paragraph
    head, *others = (f"| {row} |" for row in rows)
    return "\n".join([head, "|" + "-|" * (columns.pop() + 1), *others])


def _place_signs(source: str, words: Sequence[WordRange], first_line: int) -> str:
    """Put a sign before and after the words that are marked; inside of what a line begins with, where it would change it, behind that."""
    source = _SIGNS.sub("\ufffd", source)
    if not words:
        return source
    lines = source.split("\n")
    for number, start, end in sorted(words, reverse=True):
        at = number - first_line
        if not 0 <= at < len(lines) or not any(map(str.isalnum, lines[at][start:end])):
            continue
        line = lines[at]
        begun = _LINE_BEGINNING.match(line)
        start = max(start, begun.end() if begun else 0)
        while start and line[start - 1] == "<":
            start -= 1
        while line[end : end + 1] == ">":
            end += 1
        if start < end:
            lines[at] = f"{line[:start]}{_ON}{line[start:end]}{_OFF}{line[end:]}"
    return "\n".join(lines)


def _keep_own_pictures(tag: str, name: str, value: str) -> str | None:
    """Drop the source of a picture that is not read from the base."""
    return value if (tag, name) != ("img", "src") or value.startswith("/picture?") else None


def _resolve(target: str, address: str) -> str:
    """Return the address of the document that a relative link of one leads to; empty where it leads to none."""
    path, _, fragment = unquote(target).partition("#")
    source, colon, document = address.rpartition(":")
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(document), path))
    if not address or not path or path.startswith(("/", "\\")) or joined.startswith(".."):
        return ""
    return source + colon + joined + (f"#{fragment}" if _PLACE.fullmatch(fragment) else "")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)
    return parser


def _wiki_link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as the library calls it
    """Read `[[target|text]]` and `![[target]]`."""
    if state.src[state.pos] not in "![" or (found := _WIKI.match(state.src, state.pos)) is None:
        return False
    if not silent:
        token = state.push("wiki_link", "", 0)
        token.content = found[3] or found[2]
        token.meta = {"target": found[2].strip(), "embedded": bool(found[1])}
    state.pos = found.end()
    return True


def _mark_lines(tokens: Sequence[Token], cited: tuple[int, int] | None, before: int) -> None:
    """Give blocks their lines, and those that are cited a class; the first of them an id."""
    item, is_first = None, True
    for token in tokens:
        item = token if token.type == "list_item_open" else item
        if token.map is None or token.type not in _BLOCKS:
            continue
        first, last = before + token.map[0] + 1, before + token.map[1]
        shown = (
            item if item is not None and token.hidden else token
        )  # a paragraph of a tight list is its item
        shown.attrSet("data-l", f"{first}-{last}")
        if cited is not None and first <= cited[1] and cited[0] <= last:
            shown.attrJoin("class", "cited")
            if is_first:
                shown.attrSet("id", "cited")
                is_first = False


def _safe_inlines(inlines: Sequence[Token], address: str) -> Iterator[Token]:
    """Yield inlines with links that lead to documents or name their host, and pictures as text."""
    for token in inlines:
        match token.type:
            case "link_open":
                _set_link(token, _unsigned(str(token.attrGet("href") or "")), address)
                yield token
            case "image":
                yield _picture(_unsigned(str(token.attrGet("src") or "")), token.content, address)
            case "wiki_link" if token.meta["embedded"]:
                yield _picture(_unsigned(token.meta["target"]), token.content, address)
            case "wiki_link":
                target = _unsigned(token.meta["target"]).partition("#")[0]
                yield Token("link_open", "a", 1, attrs=_lead_to(target))
                yield Token("text", "", 0, content=token.content)
                yield Token("link_close", "a", -1)
            case _:
                yield token


def _set_link(token: Token, target: str, address: str) -> None:
    scheme, token.attrs = _scheme(target), {}
    if scheme in _SCHEMES:
        token.attrs = {"href": target, "rel": "noreferrer noopener", "target": "_blank", "class": "out"}
    elif not scheme:
        token.attrs = _lead_to(_resolve(target, address))


def _lead_to(address: str) -> dict[str, str | int | float]:
    """Return the attributes of a link to a document; none where there is none."""
    return {"href": document_url(address), "class": "doc-link"} if address else {}


def _scheme(target: str) -> str:
    """Return the scheme of an address in lower case; empty without one."""
    try:
        return urlsplit(target).scheme
    except ValueError:
        return ""


def _picture(source: str, alt: str, address: str) -> Token:
    """A picture of the source of the document, which this server reads; of any other the text that stands for it, since nothing foreign is loaded."""
    name, scheme = posixpath.basename(source), _scheme(source)
    if address and not scheme and source.lower().endswith(PIXEL_SUFFIXES):
        url = build_url("/picture", d=address, src=source)
        return Token("shown_picture", "img", 0, attrs={"src": url, "alt": _unsigned(alt) or name})
    host = urlsplit(source).netloc if "//" in source and scheme else ""
    said = " · ".join(part for part in ("▢", alt or name, host) if part)
    return Token("code_inline", "code", 0, content=said, attrs={"class": "quiet"})


def _unsigned(target: str) -> str:
    """Return the target of a link without signs, which the parser writes in percent."""
    return _SIGNS.sub("", target.replace("%EE%80%80", "").replace("%EE%80%81", ""))


def _mark_tasks(tokens: Sequence[Token]) -> None:
    """Show `[ ]` and `[x]` at the beginning of an item as a box."""
    for item, _, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type == "list_item_open" and inline.type == "inline" and inline.children:
            text = inline.children[0]
            if text.type == "text" and (found := _TASK.match(text.content)):
                text.content = ("☐ " if found[1] == " " else "☑ ") + text.content[found.end() :]
                item.attrJoin("class", "task")
