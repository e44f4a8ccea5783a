"""Cuts kebab documents into passages.

Works by headings, sizes and sentence ends. It parses no files, analyses no words and calls no model.

    chunks = HeadingChunker(counter).chunk(document, policy)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_chunk.by_heading import (
        HEADING_CHUNKER_VERSION as HEADING_CHUNKER_VERSION,
        HeadingChunker as HeadingChunker,
    )
    from kebab_chunk.code_units import CODE_TEXT_CHUNKER_VERSION as CODE_TEXT_CHUNKER_VERSION
    from kebab_chunk.registry import (
        CHUNKER_VERSIONS as CHUNKER_VERSIONS,
        CodeChunker as CodeChunker,
        build_chunker as build_chunker,
    )

__getattr__, __dir__ = lazy_exports(__name__)
