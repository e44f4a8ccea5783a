"""Markdown files into documents."""

from __future__ import annotations

from functools import cached_property

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    LanguageDetector,
    MediaType,
    ParserVersion,
    SourceType,
)

from kebab_parse_md.assembly import NO_TEXT, assemble_document, detect_language
from kebab_parse_md.blocks import read_blocks
from kebab_parse_md.decode import decode_text
from kebab_parse_md.frontmatter import split_front_matter
from kebab_parse_md.lines import normalize_text
from kebab_parse_md.metadata import build_metadata
from kebab_parse_md.normalize import build_blocks
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_parse_md.titles import choose_title

MARKDOWN_VERSION = ParserVersion("md-v1")


class MarkdownExtractor:
    """Extractor of Markdown: CommonMark, GFM tables, front matter, Obsidian's additions.

    `detector` is asked where front matter names no language.
    """

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return whether the medium is Markdown."""
        return media_type.kind == "markdown"

    def parser_version(self) -> ParserVersion:
        """Return `md-v1`."""
        return MARKDOWN_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file; spans are `LineSpan`s.

        An empty file, or one of front matter only, is a document without blocks and with a warning.

        Returns:
            The document; unreadable front matter, bad values and foreign encodings are its warnings.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        decoded = decode_text(content)
        text = normalize_text(decoded.text)
        front = split_front_matter(text)
        # Front matter becomes blank lines, so that the parser's line numbers are the file's.
        body = read_blocks(_blank_lines(text, front.line_count), self._syntax)
        facts = build_metadata(
            front.values, context=context, body_tags=body.tags, default_source_type=SourceType.MARKDOWN
        )
        decoding = () if decoded.warning is None else (decoded.warning,)
        return assemble_document(
            context,
            parser_version=MARKDOWN_VERSION,
            title=choose_title(facts.title, body.blocks, stem=context.asset.workspace_path.stem),
            lang=facts.lang or detect_language(self._detector, body.blocks),
            facts=facts,
            warnings=(*decoding, *front.warnings, *(() if body.blocks else (NO_TEXT,))),
            build=lambda doc_id: build_blocks(doc_id, body.blocks),
        )

    @cached_property
    def _syntax(self) -> MarkdownSyntax:
        return MarkdownSyntax()


def _blank_lines(text: str, count: int) -> str:
    if not count:
        return text
    position = -1
    for _ in range(count):
        position = text.find("\n", position + 1)
        if position < 0:
            return "\n" * count
    return "\n" * count + text[position + 1 :]
