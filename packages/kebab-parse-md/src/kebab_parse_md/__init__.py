"""Reads Markdown and plain text into kebab documents.

Knows CommonMark with GFM tables, YAML and TOML front matter and Obsidian's additions; does not read files, cut
documents into passages or index them.

    extractor = MarkdownExtractor(detector)
    document = extractor.extract(context, b"# Title")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_md.decode import DecodedText as DecodedText, decode_text as decode_text
    from kebab_parse_md.extractor import (
        MARKDOWN_VERSION as MARKDOWN_VERSION,
        MarkdownExtractor as MarkdownExtractor,
    )
    from kebab_parse_md.frontmatter_merge import add_front_matter as add_front_matter, has_body as has_body
    from kebab_parse_md.text import TEXT_VERSION as TEXT_VERSION, TextExtractor as TextExtractor

__getattr__, __dir__ = lazy_exports(__name__)
