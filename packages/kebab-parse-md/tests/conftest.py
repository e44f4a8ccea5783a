"""Short ways to read Markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import Block, CanonicalDocument, CodeBlock, ImageRefBlock, LineSpan, ListBlock, TableBlock
from kebab_parse_md import MarkdownExtractor
from kebab_testing.documents import make_context

Outline = list[tuple[int, int, str, str]]


def _read(text: str, *, path: str = "notes/sample.md") -> CanonicalDocument:
    content = text.encode()
    return MarkdownExtractor().extract(make_context(content, path=path), content)


def _text_of(block: Block) -> str:
    if isinstance(block, CodeBlock):
        return block.code
    if isinstance(block, ListBlock):
        return "\n".join(item.text for item in block.items)
    if isinstance(block, TableBlock):
        return "\n".join(" | ".join(row) for row in (block.headers, *block.rows))
    if isinstance(block, ImageRefBlock):
        return f"{block.src} {block.alt}".strip()
    return str(getattr(block, "text", ""))


def _outline(text: str) -> Outline:
    found: Outline = []
    for block in _read(text).blocks:
        span = block.source_span
        assert isinstance(span, LineSpan)
        found.append((span.start, span.end, block.kind, _text_of(block)))
    return found


@pytest.fixture(scope="session")
def read() -> Callable[..., CanonicalDocument]:
    """Read a document."""
    return _read


@pytest.fixture(scope="session")
def outline() -> Callable[[str], Outline]:
    """List (first line, last line, kind, text) of every block."""
    return _outline


@pytest.fixture(scope="session")
def text_of() -> Callable[[Block], str]:
    """Give the words of any block."""
    return _text_of
