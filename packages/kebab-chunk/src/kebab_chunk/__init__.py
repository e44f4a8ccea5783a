"""Cuts kebab documents into passages.

Works by headings, sizes and sentence ends. It parses no files, analyses no words and calls no model.

    chunks = HeadingChunker(counter).chunk(LongDocument.of(document), policy)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_chunk.registry import (
        CHUNKER_VERSIONS as CHUNKER_VERSIONS,
        HEADING_CHUNKER_VERSION as HEADING_CHUNKER_VERSION,
        CodeChunker as CodeChunker,
        HeadingChunker as HeadingChunker,
        build_chunker as build_chunker,
    )

__getattr__, __dir__ = lazy_exports(__name__)
