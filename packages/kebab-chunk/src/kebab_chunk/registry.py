"""The chunkers by label. A new chunker is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kebab_core import Chunker, ChunkerVersion, InvalidInputError, Remedy, TokenCounter

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, PAGE_CHUNKER_VERSION, HeadingChunker
from kebab_chunk.code_paragraphs import CODE_TEXT_CHUNKER_VERSION, CodeTextChunker
from kebab_chunk.code_units import CODE_UNIT_CHUNKER_VERSIONS, CodeUnitChunker

_CHUNKERS: Mapping[str, Callable[[TokenCounter], Chunker]] = {
    HEADING_CHUNKER_VERSION: HeadingChunker,
    PAGE_CHUNKER_VERSION: partial(HeadingChunker, version=PAGE_CHUNKER_VERSION),
    CODE_TEXT_CHUNKER_VERSION: CodeTextChunker,
    **{version: partial(CodeUnitChunker, version=version) for version in CODE_UNIT_CHUNKER_VERSIONS},
}

CHUNKER_VERSIONS: tuple[ChunkerVersion, ...] = tuple(ChunkerVersion(version) for version in _CHUNKERS)
"""Labels that `build_chunker` accepts."""


def build_chunker(version: str, counter: TokenCounter) -> Chunker:
    """Return the chunker with this label.

    Raises:
        InvalidInputError: No chunker has it.
    """
    build = _CHUNKERS.get(version)
    if build is None:
        known = ", ".join(_CHUNKERS)
        raise InvalidInputError(
            "there is no chunker {version!r}", remedy=Remedy(kind="choose", name=known), version=version
        )
    return build(counter)
