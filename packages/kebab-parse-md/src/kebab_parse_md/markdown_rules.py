"""Changes to the rules of markdown-it: dispatch by character, lossless tables and line ends, placeholders, wikilinks.

- Dispatch: the parser tries every rule at every place, though most reject the first character at once. That took half
  of its time. A dispatcher tries only the rules that can match the character, in the same order.
- Lossless rules keep what the standard ones drop: table cells beyond the header, link definitions, and line ends inside
  markup. Every line end of an inline text must be counted, since citations name lines.
- Placeholders: lines in whose place a site generator puts a table of contents or another file. Markdown would join
  them to the list or the paragraph below.
- Wikilinks: `[[note#heading|alias]]` and `![[embed]]` (Obsidian help, "Internal links" and "Embed files").

`syntax` applies all of them to its parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import Ruler
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    _BlockRule = Callable[[StateBlock, int, int, bool], bool]
    _InlineRule = Callable[[StateInline, bool], bool]


_Rule = TypeVar("_Rule")
HIDDEN_LINES = "hidden_lines"
"""Key of `Token.meta`: number of line ends between the text of a link and its end, which no other token holds."""
ADDRESS_LINES = "address_lines"
"""Key of `Token.meta`: number of those before the address."""
DEFINED = "label"
"""Key of `Token.meta` of links and images whose address is that of a definition (markdown-it's `store_labels`)."""
DEFINITION = "definition"
"""Type of the token of a link definition: `[label]: address "title"`."""
WIKILINK = "wikilink"
WIKI_IMAGE = "wiki_image"
_BRACKETED_LINK = re.compile(r"\[|\([^()\s]*[/.:#]")
"""Target of a CommonMark link whose label is in brackets itself: `[[1]](page.md)`, `[[1]][ref]`. Round brackets without an
address, as in `[[two-factor authentication]](2FA)`, are text behind a wikilink."""
_GAP = re.compile(r"\]\(\s*")
"""What stands between the text of a link and its address."""
_MAX_TARGET_CHARS = 500
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif", ".tif", ".tiff")
_PLACEHOLDER = re.compile(
    r"(?:(?:[*+-]|1\.)[ \t]+\S[^\n]*\n[ \t]*)?\{:[ \t]*toc\b[^{}\n]*\}[ \t]*$"
    r"|(?:\[TOC\]|\[\[_?TOC_?\]\]|\{toc\}|\{%-?[ \t]*include\w*[ \t]+[\w./-]+[ \t]*%\})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Placeholders of a table of contents in kramdown, Python-Markdown, GitLab and Gitit, and files that Liquid includes.

An include with parameters is text: they may hold the caption of a picture."""
_BLOCK_SIGNS = {
    "placeholder": "*+-1{[",
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "footnote_def": "[",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""First characters of a line that a rule can match. Rules that are not listed are tried everywhere."""
_INLINE_SIGNS = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "wikilink": "![",
    "link": "[",
    "image": "!",
    "footnote_ref": "[",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
}
_LABEL_END = "]"
"""End of a link's label. No rule begins with it, but the link rule looks for it between tokens."""
_DELIMITER_ROW = "|-:"
_CODE_INDENT = 4


def dispatch_rules(parser: MarkdownIt) -> None:
    """Make a parser try only the rules that can match a character. Its rules must be final; its output is unchanged."""
    blocks, inlines = parser.block, parser.inline
    block_chains = {
        name: [_dispatch_block(_named(blocks.ruler, name))]
        for name in ("", "paragraph", "reference", "blockquote", "list", "footnote_def")
    }
    inline_chains = {"": [_dispatch_inline(_named(inlines.ruler, ""))]}
    blocks.ruler.getRules = block_chains.__getitem__  # type: ignore[method-assign, assignment]
    inlines.ruler.getRules = inline_chains.__getitem__  # type: ignore[method-assign, assignment]
    signs = "".join(_INLINE_SIGNS.values()) + _LABEL_END
    inlines.terminator_re = re.compile(f"[{re.escape(signs)}]")


def _named(ruler: Ruler[_Rule], chain: str) -> dict[str, _Rule]:
    """Return the active rules of a chain by name, in their order."""
    names = {id(rule.fn): rule.name for rule in ruler.__rules__}
    return {names[id(rule)]: rule for rule in ruler.getRules(chain)}


def _by_sign(rules: Mapping[str, _Rule], signs: Mapping[str, str]) -> dict[str, tuple[_Rule, ...]]:
    every = {sign for name in rules for sign in signs.get(name, "")}
    return {
        sign: tuple(rule for name, rule in rules.items() if sign in signs.get(name, sign)) for sign in every
    }


def _elsewhere(rules: Mapping[str, _Rule], signs: Mapping[str, str]) -> tuple[_Rule, ...]:
    return tuple(rule for name, rule in rules.items() if name not in signs)


def _dispatch_block(rules: Mapping[str, _BlockRule]) -> _BlockRule:
    guards = {"table": _guard_table, "code": _guard_code}
    guarded = {name: guards[name](rule) if name in guards else rule for name, rule in rules.items()}
    by_sign = _by_sign(guarded, _BLOCK_SIGNS)
    elsewhere = _elsewhere(guarded, _BLOCK_SIGNS)

    def dispatch(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        at = state.bMarks[start] + state.tShift[start]
        for rule in by_sign.get(state.src[at : at + 1], elsewhere):  # noqa: SIM110 - `any` costs a generator
            if rule(state, start, end, silent):
                return True
        return False

    return dispatch


def _dispatch_inline(rules: Mapping[str, _InlineRule]) -> _InlineRule:
    by_sign = _by_sign(rules, _INLINE_SIGNS)
    elsewhere = _elsewhere(rules, _INLINE_SIGNS)

    def dispatch(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        for rule in by_sign.get(state.src[state.pos], elsewhere):  # noqa: SIM110 - `any` costs a generator
            if rule(state, silent):
                return True
        return False

    return dispatch


def _guard_table(rule: _BlockRule) -> _BlockRule:
    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        if start + 2 > end:
            return False
        at = state.bMarks[start + 1] + state.tShift[start + 1]
        return state.src[at : at + 1] in _DELIMITER_ROW and rule(state, start, end, silent)

    return guarded


def _guard_code(rule: _BlockRule) -> _BlockRule:
    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        return state.sCount[start] - state.blkIndent >= _CODE_INDENT and rule(state, start, end, silent)

    return guarded


def use_lossless_rules(parser: MarkdownIt) -> None:
    """Replace the rules for tables, link definitions, code spans, links and images by lossless ones."""
    from markdown_it.rules_inline import image, link

    parser.options.update({"inline_definitions": True, "store_labels": True})
    parser.block.ruler.at("reference", _definition_rule)
    parser.block.ruler.at("table", _table_rule, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("backticks", _code_rule)
    parser.inline.ruler.at("link", _count_lines(link, label_at=0))
    parser.inline.ruler.at("image", _count_lines(image, label_at=1))


def placeholder_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    """Pass over a placeholder that stands in no list or quotation, without a token; return True if there was one."""
    if state.level or state.blkIndent or state.is_code_block(start):
        return False
    found = _PLACEHOLDER.match(state.src, state.bMarks[start] + state.tShift[start])
    if found is None:
        return False
    if not silent:
        state.line = min(start + 1 + found[0].count("\n"), end)
    return True


def _definition_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
    """Read a link definition; its token has the `lines` of its address and title, from 0. Return True if there was one."""
    from markdown_it.rules_block import reference

    if not reference(state, start, end, silent):
        return False
    if not silent:
        token = state.tokens[-1]
        in_label, in_title = (token.meta[part].count("\n") for part in ("label", "title"))
        last = start + in_label
        is_below = state.src[state.bMarks[last] : state.eMarks[last]].rstrip().endswith("]:")
        token.meta["lines"] = (in_label + is_below, state.line - start - 1 - in_title)
    return True


def _table_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
    """Read a table whose rows may have more cells than the header; return True if there was one."""
    from markdown_it.rules_block import table

    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    if not silent:
        state.tokens[first:] = _with_all_cells(state, state.tokens[first:])
    return True


def _with_all_cells(state: StateBlock, table: list[Token]) -> list[Token]:
    width = sum(token.type == "th_open" for token in table)
    kept: list[Token] = []
    line = 0
    for token in table:
        if token.type == "tr_open" and token.map:
            line = token.map[0]
        elif token.type == "tr_close":
            opening, inline, closing = kept[-3:]
            for cell in _split_row(state, line)[width:]:
                kept += [opening.copy(), inline.copy(content=cell.strip(), children=[]), closing.copy()]
        kept.append(token)
    return kept


def _split_row(state: StateBlock, line: int) -> list[str]:
    """Return the cells of a row (GFM 4.10: pipes at its ends are optional)."""
    from markdown_it.rules_block.table import escapedSplit

    cells = escapedSplit(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip())
    return cells[not cells[0] : len(cells) - (not cells[-1])]


def _code_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as theirs
    """Read backticks, keeping the line ends of a code span; return True if there were any."""
    from markdown_it.rules_inline import backtick

    start = state.pos
    if not backtick(state, silent):
        return False
    token = state.tokens[-1] if state.tokens and not silent else None
    if token is not None and token.type == "code_inline" and "\n" in state.src[start : state.pos]:
        width = len(token.markup)
        if state.src.startswith(token.markup, start) and not state.pending:
            lines = state.src[start + width : state.pos - width].split("\n")
            token.content = "\n".join(line.strip(" ") for line in lines)
    return True


def _count_lines(rule: _InlineRule, *, label_at: int) -> _InlineRule:
    """Return the rule, extended to store the number of line ends that none of its tokens holds.

    Its last token gets `HIDDEN_LINES` and `ADDRESS_LINES`. The text in brackets begins `label_at` characters behind the start.
    """

    def counted(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        start, first = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        lines = 0 if silent else state.src.count("\n", start, state.pos)
        if lines and len(state.tokens) > first:
            hidden = lines - sum(map(_shown_lines, state.tokens[first:]))
            end = state.md.helpers.parseLinkLabel(state, start + label_at)
            gap = _GAP.match(state.src, end)
            before = gap[0].count("\n") if gap else 0
            counts = {HIDDEN_LINES: hidden, ADDRESS_LINES: before}
            state.tokens[-1].meta = {**state.tokens[-1].meta, **counts}
        return True

    return counted


def _shown_lines(token: Token) -> int:
    """Return the number of line ends that a token and its children hold."""
    if token.type in {"softbreak", "hardbreak"}:
        return 1
    if token.type in {"code_inline", "html_inline"}:
        return token.content.count("\n")
    children = sum(map(_shown_lines, token.children or ()))
    return children + int(token.meta.get(HIDDEN_LINES, 0))


def wikilink_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    """Push a `wikilink` or `wiki_image` token, with the shown text as content and the target in its meta.

    Returns:
        True if there is a wikilink at the current position.
    """
    source, position = state.src, state.pos
    is_embed = source.startswith("![[", position)
    if not is_embed and not source.startswith("[[", position):
        return False
    start = position + (3 if is_embed else 2)
    end = source.find("]]", start, start + _MAX_TARGET_CHARS)
    if end < 0 or any(char in source[start:end] for char in "\n[]"):
        return False
    if _BRACKETED_LINK.match(source, end + 2) or not source[start:end].strip():
        return False
    if not silent:
        _push(state, source[start:end], is_embed=is_embed)
    state.pos = end + 2
    return True


def _push(state: StateInline, inner: str, *, is_embed: bool) -> None:
    target, _, alias = inner.partition("|")
    target, alias = target.strip(), alias.strip()
    is_image = is_embed and target.lower().endswith(_IMAGE_SUFFIXES)
    token = state.push(WIKI_IMAGE if is_image else WIKILINK, "", 0)
    if is_image:
        # `![[chart.png|300x200]]` gives a size, not a description.
        token.content = "" if alias.replace("x", "").isdigit() else alias
    else:
        token.content = alias or target
    token.meta = {"target": target}
