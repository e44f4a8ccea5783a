"""Files of other projects, each against a table of its units that was checked by reading both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeSpan

FILES = Path(__file__).parent / "files"
LANGUAGES = {
    ".c": "c",
    ".h": "cpp",
    ".hpp": "cpp",
    ".cc": "cpp",
    ".go": "go",
    ".java": "java",
    ".js": "javascript",
    ".kt": "kotlin",
    ".python": "python",
    ".rs": "rust",
    ".ts": "typescript",
}


def format_units(document: CanonicalDocument) -> Iterator[str]:
    """Return a line for each unit, and one for each symbol that it defines."""
    for block in document.blocks:
        assert isinstance(block, CodeBlock)
        assert isinstance(block.source_span, CodeSpan)
        span = block.source_span
        yield f"{span.line_start}-{span.line_end} {block.role} {span.symbol}"
        for symbol in block.symbols or ():
            yield f"    {symbol.kind} {symbol.symbol} {symbol.line_start}-{symbol.line_end}: {symbol.signature}"


@pytest.mark.parametrize("path", sorted(FILES.glob("*.units")), ids=lambda path: str(path.stem))
def test_a_file_has_the_units_of_its_table(read: Callable[..., CanonicalDocument], path: Path) -> None:
    source = path.with_suffix("")
    document = read(LANGUAGES[source.suffix], source.read_text(encoding="utf-8"), path=f"src/{source.name}")
    assert list(format_units(document)) == path.read_text(encoding="utf-8").splitlines()
