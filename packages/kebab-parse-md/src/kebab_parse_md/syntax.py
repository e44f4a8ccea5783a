"""The Markdown that kebab reads: CommonMark, GFM tables and strikethrough, footnotes, Obsidian's double brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import InternalError

from kebab_parse_md.dispatch import dispatch_rules
from kebab_parse_md.lossless_rules import use_lossless_rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

    _BlockRule = Callable[[StateBlock, int, int, bool], bool]

MAX_NESTING = 100
"""Blocks inside blocks; markdown-it drops what lies deeper, so deeper blocks are read as raw lines."""

MAX_INLINE_CHARS = 200_000
MAX_INLINE_MARKS = 4_000
"""Beyond these the inline rules, some of them quadratic, would take seconds: the text is taken as it is."""

_MARKUP = re.compile(r"[\\`*\[<]|(?<!\w)_|_(?!\w)|~~|&[#\w]")
"""Without one of these a text is plain: an underscore between letters, say, neither opens nor closes emphasis."""
_OPENERS = re.compile(r"[`\[<*_~]")
_IMAGE_SOURCE = re.compile(r"\]\(data:[^()\s]*\)")


class Opening(NamedTuple):
    """The first blocks of a text."""

    tokens: list[Token]
    end_line: int
    """The line after them, 0-based."""
    end: int
    """Where in the text that line begins."""


class _Place(NamedTuple):
    """How far parsing had come before a block."""

    line: int
    tokens: int
    definitions: dict[str, int]


class MarkdownSyntax:
    """A configured markdown-it parser. One document at a time per instance and thread.

    `asks_every_rule` leaves out the shortcut of `dispatch`, which changes the time and nothing else.
    """

    def __init__(self, *, asks_every_rule: bool = False) -> None:
        self._parser = _build_parser()
        if not asks_every_rule:
            dispatch_rules(self._parser)

    def parse_blocks(self, text: str) -> tuple[list[Token], EnvType]:
        """Return the block tokens of a normalised text and the link definitions found on the way.

        Maps are lines of `text`, 0-based, end exclusive. Inline tokens have no children yet.
        """
        tokens: list[Token] = []
        env: EnvType = {}
        self._parser.block.parse(text, self._parser, env, tokens)
        return tokens, env

    def parse_opening(self, text: str, env: EnvType, *, is_whole: bool) -> Opening:
        """Return the block tokens of a text but for its last outermost block, which what follows may continue.

        Args:
            text: Whole lines of a normalised text.
            env: Is given the definitions found on the way.
            is_whole: Nothing follows: the last block is parsed like the others.
        """
        from markdown_it.rules_block import StateBlock

        state = StateBlock(text, self._parser, env, [])
        rules = self._parser.block.ruler.getRules("")
        line, before = 0, None
        while (start := state.skipEmptyLines(line)) < state.lineMax:
            # A definition without tokens may turn out longer, unless a blank line ends it.
            if before is None or start > line or len(state.tokens) > before.tokens:
                before = _Place(start, len(state.tokens), _count_definitions(env))
            state.line = start
            _apply_first(rules, state)
            line = state.line
        if is_whole or before is None:
            return Opening(state.tokens, state.lineMax, len(text))
        _forget_definitions(env, before.definitions)
        return Opening(state.tokens[: before.tokens], before.line, state.bMarks[before.line])

    def parse_inlines(self, content: str, env: EnvType) -> Sequence[Token] | None:
        """Return the inline tokens of one block, None where it is plain text or too big to be anything else."""
        if not has_markup(content) or is_oversized(content):
            return None
        return self.apply_rules(content, env)

    def apply_rules(self, content: str, env: EnvType) -> Sequence[Token]:
        """Return the inline tokens of any text, plain or not."""
        tokens: list[Token] = []
        self._parser.inline.parse(content, self._parser, env, tokens)
        return tokens


def _apply_first(rules: Sequence[_BlockRule], state: StateBlock) -> None:
    """Let the first rule that matches read the block at `state.line`; the one for paragraphs always does.

    Raises:
        InternalError: None did, or one stood still.
    """
    line, end = state.line, state.lineMax
    if not any(rule(state, line, end, False) for rule in rules) or state.line <= line:  # noqa: FBT003 - as theirs
        raise InternalError(f"no rule of Markdown takes line {line + 1}")


def _definitions(env: EnvType) -> dict[str, dict[str, object]]:
    return {"links": env.get("references", {}), "footnotes": env.get("footnotes", {}).get("refs", {})}


def _count_definitions(env: EnvType) -> dict[str, int]:
    return {kind: len(found) for kind, found in _definitions(env).items()}


def _forget_definitions(env: EnvType, counts: Mapping[str, int]) -> None:
    """Take out what was defined since there were so many."""
    for kind, found in _definitions(env).items():
        for name in list(found)[counts.get(kind, 0) :]:
            del found[name]


def has_markup(content: str) -> bool:
    """Return whether a text may be anything but plain."""
    return _MARKUP.search(content) is not None


def is_oversized(content: str) -> bool:
    """Return whether one block's text is too large for the inline rules."""
    if len(content) > MAX_INLINE_CHARS:
        return True
    return len(content) > MAX_INLINE_MARKS and sum(1 for _ in _OPENERS.finditer(content)) > MAX_INLINE_MARKS


def strip_embedded_data(content: str) -> str:
    """Return oversized text without pictures that are written into it as base64."""
    return _IMAGE_SOURCE.sub("]", content)


def _build_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    from kebab_parse_md.wikilinks import wikilink_rule

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    parser.inline.ruler.before("link", "wikilink", wikilink_rule)
    use_lossless_rules(parser)
    # Addresses stay as written: a path of Hangul is looked for under its own name, not percent-encoded.
    parser.normalizeLink = _keep_address  # type: ignore[method-assign]
    return parser


def _keep_address(url: str) -> str:
    return url
