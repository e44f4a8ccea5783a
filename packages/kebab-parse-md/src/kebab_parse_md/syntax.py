"""The configured markdown-it parser: CommonMark, GFM tables and strikethrough, footnotes, Obsidian's wikilinks.

`blocks` parses texts window by window with `parse_windows`, so that a long one is never whole in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import InternalError

from kebab_parse_md.inline_events import Event, read_events
from kebab_parse_md.markdown_rules import DEFINITION, dispatch_rules, use_lossless_rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

    _BlockRule = Callable[[StateBlock, int, int, bool], bool]


MAX_NESTING = 100
"""Deepest nesting of blocks. markdown-it drops deeper ones, so they are read as raw lines."""

MAX_INLINE_CHARS = 200_000
MAX_INLINE_MARKS = 4_000
"""Limits for the inline rules, some of which are quadratic and would take seconds. A larger text stays as it is."""

_MARKUP = re.compile(r"[\\`*\[<]|(?<!\w)_|_(?!\w)|~~|&[#\w]")
"""Signs of markup; a text without them is plain. An underscore between letters is no emphasis."""
_OPENERS = re.compile(r"[`\[<*_~]")
_IMAGE_SOURCE = re.compile(r"\]\(data:[^()\s]*\)")


class Opening(NamedTuple):
    """The first blocks of a text."""

    tokens: list[Token]
    end_line: int
    """The line after the blocks, 0-based."""
    end: int
    """Offset of that line in the text."""


class _Checkpoint(NamedTuple):
    """State of the parser before a block."""

    line: int
    tokens: int
    definitions: dict[str, int]


@dataclass(frozen=True, slots=True)
class Window:
    """Some neighbouring outermost blocks of a long text."""

    text: str
    """The lines of the window. Those of its last block may be missing from the tokens."""
    first_line: int
    """First line of `text` in the document, 0-based."""
    tokens: list[Token]
    """The block tokens. Their maps count from `first_line`."""


def parse_windows(pieces: Iterable[str], syntax: MarkdownSyntax, env: EnvType) -> Iterator[Window]:
    """Yield all blocks of a text in order, with the tokens that parsing it at once would give.

    A block ends where the next line says so. Of each window all blocks but the last are therefore complete, and the
    next window begins with the last one. A block longer than a window is tried again with twice as many lines.

    Args:
        pieces: The normalised text in pieces of whole lines.
        syntax: The parser.
        env: The definitions of links and footnotes are added to it; complete only at the end.
    """
    source = iter(pieces)
    text, line = "", 0
    following = next(source, None)
    while following is not None:
        parts = [text]
        wanted = 2 * len(text)
        while following is not None and (len(parts) == 1 or wanted > 0):
            parts.append(following)
            wanted -= len(following)
            following = next(source, None)
        text = "".join(parts)
        parsed = syntax.parse_opening(text, env, is_whole=following is None)
        yield Window(text, line, parsed.tokens)
        text = text[parsed.end :]
        line += parsed.end_line


class MarkdownSyntax:
    """A configured markdown-it parser, for one document and one thread at a time.

    `asks_every_rule` turns off the dispatch by first character (`markdown_rules`) and the compiled parser of inline
    content (`inline_events`), which change only the time.
    """

    def __init__(self, *, asks_every_rule: bool = False) -> None:
        self._parser = _build_parser()
        self._asks_every_rule = asks_every_rule
        if not asks_every_rule:
            dispatch_rules(self._parser)

    def parse_opening(self, text: str, env: EnvType, *, is_whole: bool) -> Opening:
        """Return the block tokens of a text without its last outermost block, which later lines may continue.

        Args:
            text: Whole lines of a normalised text.
            env: The link definitions are added to it.
            is_whole: No lines follow, so the last block is included.
        """
        from markdown_it.rules_block import StateBlock

        state = StateBlock(text, self._parser, env, [])
        rules = self._parser.block.ruler.getRules("")
        line, before = 0, None
        while (start := state.skipEmptyLines(line)) < state.lineMax:
            # A definition may turn out longer, unless a blank line or another block ends it.
            if before is None or start > line or _has_block(state.tokens, before.tokens):
                before = _Checkpoint(start, len(state.tokens), _count_definitions(env))
            state.line = start
            _apply_first(rules, state)
            line = state.line
        if is_whole or before is None:
            return Opening(state.tokens, state.lineMax, len(text))
        _forget_definitions(env, before.definitions)
        return Opening(state.tokens[: before.tokens], before.line, state.bMarks[before.line])

    def inline_events(self, content: str, env: EnvType) -> Iterable[Event] | None:
        """Return the inline content of one block as events of a compiled parser, for a draft of `inlines`.

        Returns:
            The events; None if the content holds what only the rules read.
        """
        if self._asks_every_rule or any(_definitions(env).values()):
            return None
        return read_events(content)

    def apply_rules(self, content: str, env: EnvType) -> Sequence[Token]:
        """Return the inline tokens of a text."""
        tokens: list[Token] = []
        self._parser.inline.parse(content, self._parser, env, tokens)
        return tokens


def has_markup(content: str) -> bool:
    """Return True if a text is neither plain nor too large for the inline rules."""
    return _MARKUP.search(content) is not None and not is_oversized(content)


def is_oversized(content: str) -> bool:
    """Return True if the text of one block is too large for the inline rules."""
    if len(content) > MAX_INLINE_CHARS:
        return True
    return len(content) > MAX_INLINE_MARKS and sum(1 for _ in _OPENERS.finditer(content)) > MAX_INLINE_MARKS


def strip_embedded_data(content: str) -> str:
    """Return an oversized text without the data of embedded pictures."""
    return _IMAGE_SOURCE.sub("]", content)


def _has_block(tokens: Sequence[Token], first: int) -> bool:
    """Return True if the last of the tokens from this position on is of another block than a link definition."""
    return len(tokens) > first and tokens[-1].type != DEFINITION


def _apply_first(rules: Sequence[_BlockRule], state: StateBlock) -> None:
    """Parse the block at `state.line` with the first rule that matches. The rule for paragraphs always does.

    Raises:
        InternalError: No rule matched, or one did not advance.
    """
    line, end = state.line, state.lineMax
    if not any(rule(state, line, end, False) for rule in rules) or state.line <= line:  # noqa: FBT003 - as theirs
        raise InternalError("no rule of Markdown takes line {line}", _line=line + 1)


def _definitions(env: EnvType) -> dict[str, dict[str, object]]:
    return {"links": env.get("references", {}), "footnotes": env.get("footnotes", {}).get("refs", {})}


def _count_definitions(env: EnvType) -> dict[str, int]:
    return {kind: len(found) for kind, found in _definitions(env).items()}


def _forget_definitions(env: EnvType, counts: Mapping[str, int]) -> None:
    """Remove the definitions after the first `counts` of each kind."""
    for kind, found in _definitions(env).items():
        for name in list(found)[counts.get(kind, 0) :]:
            del found[name]


def _build_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    from kebab_parse_md.markdown_rules import placeholder_rule, wikilink_rule

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    parser.block.ruler.before("table", "placeholder", placeholder_rule, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("link", "wikilink", wikilink_rule)
    use_lossless_rules(parser)
    # Addresses stay as written, so that a path in Hangul can be found by its name, not percent-encoded.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser
