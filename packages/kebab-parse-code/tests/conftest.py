"""Short ways to read source code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeMedia
from kebab_parse_code import LANGUAGES, CodeExtractor
from kebab_testing.documents import make_context


def _read(lang: str, source: str | bytes, *, path: str = "pkg/sample.src") -> CanonicalDocument:
    content = source.encode() if isinstance(source, str) else source
    context = make_context(content, path=path, media_type=CodeMedia(lang=lang))
    return CodeExtractor(LANGUAGES[lang]).extract(context, content)


def _units(lang: str, source: str, *, path: str = "pkg/sample.src") -> list[str]:
    return [
        f"{block.source_span.line_start}-{block.source_span.line_end} {block.source_span.symbol}"
        for block in _read(lang, source, path=path).blocks
        if block.source_span.kind == "code"
    ]


def _symbols(lang: str, source: str, *, path: str = "pkg/sample.src") -> list[str]:
    return [
        f"{symbol.kind} {symbol.symbol}"
        for block in _read(lang, source, path=path).blocks
        if isinstance(block, CodeBlock)
        for symbol in block.symbols or ()
    ]


@pytest.fixture
def read() -> Callable[..., CanonicalDocument]:
    """Read a file of a language to a document."""
    return _read


@pytest.fixture
def units() -> Callable[..., list[str]]:
    """Read a file to `first-last symbol` of each unit."""
    return _units


@pytest.fixture
def symbols() -> Callable[..., list[str]]:
    """Read a file to `kind symbol` of all its definitions, those of a unit together."""
    return _symbols
