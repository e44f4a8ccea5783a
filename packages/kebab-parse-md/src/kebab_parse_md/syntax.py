"""The Markdown that kebab reads: CommonMark, GFM tables and strikethrough, footnotes, Obsidian's double brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_parse_md.dispatch import dispatch_rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

MAX_NESTING = 100
"""Blocks inside blocks; markdown-it drops what lies deeper, so deeper blocks are read as raw lines."""

MAX_INLINE_CHARS = 200_000
MAX_INLINE_MARKS = 4_000
"""Beyond these the inline rules, some of them quadratic, would take seconds: the text is taken as it is."""

_MARKUP = re.compile(r"[\\`*\[<]|(?<!\w)_|_(?!\w)|~~|&[#\w]")
"""Without one of these a text is plain: an underscore between letters, say, neither opens nor closes emphasis."""
_OPENERS = re.compile(r"[`\[<*_~]")
_IMAGE_SOURCE = re.compile(r"\]\(data:[^)\s]*\)")


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
    # Addresses stay as written: a path of Hangul is looked for under its own name, not percent-encoded.
    parser.normalizeLink = _keep_address  # type: ignore[method-assign]
    return parser


def _keep_address(url: str) -> str:
    return url
