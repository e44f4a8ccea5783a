"""Reads Markdown and plain text into kebab documents.

Knows CommonMark with GFM tables, YAML and TOML front matter and Obsidian's additions; does not read files, cut
documents into passages or index them.

    extractor = MarkdownExtractor(detector)
    document = extractor.extract(context, b"# Title")
"""

from kebab_parse_md.decode import DecodedText, decode_text
from kebab_parse_md.extractor import MARKDOWN_VERSION, MarkdownExtractor
from kebab_parse_md.frontmatter_merge import add_front_matter, has_body
from kebab_parse_md.text import TEXT_VERSION, TextExtractor

__all__ = [
    "MARKDOWN_VERSION",
    "TEXT_VERSION",
    "DecodedText",
    "MarkdownExtractor",
    "TextExtractor",
    "add_front_matter",
    "decode_text",
    "has_body",
]
