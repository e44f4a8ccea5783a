"""Every chunker there is, by its label."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kebab_core import Chunker, ChunkerVersion, InvalidInputError, TokenCounter

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, HeadingChunker

_CHUNKERS: Mapping[str, Callable[[TokenCounter], Chunker]] = {
    HEADING_CHUNKER_VERSION: HeadingChunker,
}

CHUNKER_VERSIONS: tuple[ChunkerVersion, ...] = tuple(ChunkerVersion(version) for version in _CHUNKERS)
"""Labels that `build_chunker` knows."""


def build_chunker(version: str, counter: TokenCounter) -> Chunker:
    """Return the chunker of that label.

    Raises:
        InvalidInputError: There is none.
    """
    build = _CHUNKERS.get(version)
    if build is None:
        known = ", ".join(_CHUNKERS)
        raise InvalidInputError(f"there is no chunker {version!r}", hint=f"one of: {known}", version=version)
    return build(counter)
