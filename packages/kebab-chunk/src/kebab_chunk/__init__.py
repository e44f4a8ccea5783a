"""Cuts kebab documents into passages.

Knows sizes, headings and natural places to cut; does not parse files, analyse words or call models.

    chunks = HeadingChunker(counter).chunk(document, policy)
"""

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, HeadingChunker
from kebab_chunk.registry import CHUNKER_VERSIONS, build_chunker

__all__ = ["CHUNKER_VERSIONS", "HEADING_CHUNKER_VERSION", "HeadingChunker", "build_chunker"]
