"""Reads Markdown and plain text into kebab documents.

Reads CommonMark with GFM tables, YAML and TOML front matter and Obsidian's additions. It opens no files, makes no
chunks and builds no index.

    extractor = MarkdownExtractor(detector)
    document = extractor.extract(context, b"# Title")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_md.extractors import (
        MARKDOWN_VERSION as MARKDOWN_VERSION,
        TEXT_VERSION as TEXT_VERSION,
        MarkdownExtractor as MarkdownExtractor,
        TextExtractor as TextExtractor,
        build_markdown_extractor as build_markdown_extractor,
        build_text_extractor as build_text_extractor,
    )
    from kebab_parse_md.frontmatter import (
        add_front_matter as add_front_matter,
        has_body as has_body,
        read_front_matter as read_front_matter,
        split_front_matter as split_front_matter,
    )

__getattr__, __dir__ = lazy_exports(__name__)
