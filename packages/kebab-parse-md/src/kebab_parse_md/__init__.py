"""Reads Markdown and plain text into kebab documents.

Reads CommonMark with GFM tables, YAML and TOML front matter and Obsidian's additions. It opens no files, makes no
chunks and builds no index.

    extractor = MarkdownExtractor()
    document = extractor.extract(context, b"# Title")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_md.extractors import (
        MARKDOWN_VERSION as MARKDOWN_VERSION,
        MarkdownExtractor as MarkdownExtractor,
    )
    from kebab_parse_md.frontmatter import (
        add_front_matter as add_front_matter,
        has_body as has_body,
        read_front_matter as read_front_matter,
        split_front_matter as split_front_matter,
    )
    from kebab_parse_md.text_extractor import (
        LOG_VERSION as LOG_VERSION,
        MARKUP_VERSION as MARKUP_VERSION,
        TEXT_VERSION as TEXT_VERSION,
        LogExtractor as LogExtractor,
        MarkupExtractor as MarkupExtractor,
        RecordsExtractor as RecordsExtractor,
        TextExtractor as TextExtractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
