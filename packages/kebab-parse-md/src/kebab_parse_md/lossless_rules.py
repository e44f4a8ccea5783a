"""Rules of markdown-it that keep what the standard ones drop: cells beyond a table's header, and line ends in markup.

Every line end of an inline text has to be accounted for, since lines are what passages are cited by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    _InlineRule = Callable[[StateInline, bool], bool]

HIDDEN_LINES = "hidden_lines"
"""Key of `Token.meta`: line ends of the source, between a link's text and its end, that no other token shows."""


def use_lossless_rules(parser: MarkdownIt) -> None:
    """Replace the rules for tables, code spans, links and images."""
    from markdown_it.rules_inline import image, link

    parser.block.ruler.at("table", _table_rule, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("backticks", _code_rule)
    parser.inline.ruler.at("link", _count_lines(link))
    parser.inline.ruler.at("image", _count_lines(image))


def _table_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - as theirs
    """Return whether a table was read, in which rows may have more cells than the header."""
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
    """Return whether backticks were read; line ends of a code span stay line ends."""
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


def _count_lines(rule: _InlineRule) -> _InlineRule:
    """Return a rule that notes the line ends which none of its tokens shows."""

    def counted(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - as theirs
        start, first = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        lines = 0 if silent else state.src.count("\n", start, state.pos)
        if lines and len(state.tokens) > first:
            hidden = lines - sum(map(_shown_lines, state.tokens[first:]))
            state.tokens[-1].meta = {**state.tokens[-1].meta, HIDDEN_LINES: hidden}
        return True

    return counted


def _shown_lines(token: Token) -> int:
    """Return how many line ends of the source a token stands for, its children included."""
    if token.type in {"softbreak", "hardbreak"}:
        return 1
    if token.type in {"code_inline", "html_inline"}:
        return token.content.count("\n")
    children = sum(map(_shown_lines, token.children or ()))
    return children + int(token.meta.get(HIDDEN_LINES, 0))
