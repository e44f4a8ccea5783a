"""Which rules of markdown-it are asked about a place, told by the character that stands there.

The parser asks every rule in turn, though all but a few look at one character first and say no: that was half of
its time. A dispatcher stands in for a chain of rules and asks, in the same order, those that could say yes.
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

_Rule = TypeVar("_Rule")
_BlockRule = Callable[["StateBlock", int, int, bool], bool]
_InlineRule = Callable[["StateInline", bool], bool]

_BLOCK_SIGNS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "footnote_def": "[",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""By rule: what the first character of its line must be. Rules that are not here are asked everywhere."""
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
"""No rule begins with it, but the end of a link's label is looked for between tokens."""
_DELIMITER_ROW = "|-:"
_CODE_INDENT = 4


def dispatch_rules(parser: MarkdownIt) -> None:
    """Let a parser whose rules are settled ask only those that could match; what it reads stays the same."""
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
