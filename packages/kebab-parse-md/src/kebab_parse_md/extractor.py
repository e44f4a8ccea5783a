"""Markdown files into documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from kebab_core import (
    Block,
    CanonicalDocument,
    ExtractContext,
    LanguageDetector,
    LongDocument,
    MediaType,
    ParserVersion,
    SourceType,
)

from kebab_parse_md.assembly import NO_TEXT, assemble_document, detect_language, hold_whole, identify_document
from kebab_parse_md.block_spool import BlockSpool
from kebab_parse_md.blocks import LongBody, read_blocks
from kebab_parse_md.decode import decode_text
from kebab_parse_md.frontmatter import FrontMatter, split_front_matter
from kebab_parse_md.frontmatter_text import read_all_lines, read_prose_lines
from kebab_parse_md.lines import normalize_text
from kebab_parse_md.metadata import build_metadata
from kebab_parse_md.normalize import build_blocks
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_parse_md.telling import BodyDigest, TellingBlocks
from kebab_parse_md.text_pieces import TextPieces
from kebab_parse_md.titles import choose_title

MARKDOWN_VERSION = ParserVersion("md-v2")


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
        """Return `md-v2`."""
        return MARKDOWN_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file; spans are `LineSpan`s.

        An empty file is a document without blocks and with a warning. Front matter is a block of its own where nothing
        else stands in the file, or where it says more than the metadata hold.

        Returns:
            The document; unreadable front matter, bad values and foreign encodings are its warnings.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        decoded = decode_text(content)
        text = normalize_text(decoded.text)
        front = split_front_matter(text)
        # Front matter becomes blank lines, so that the parser's line numbers are the file's.
        body = read_blocks(_blank_lines(text, front.blank_lines), self._syntax)
        digest = BodyDigest(body.tags, body.blocks, has_blocks=bool(body.blocks))
        blocks = build_blocks(identify_document(context, MARKDOWN_VERSION), body.blocks)
        return hold_whole(
            self._assemble(context, decoded.warning, (text, front), digest=digest, blocks=blocks)
        )

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Parse one file as `extract` does; neither its text nor its blocks are ever held whole.

        Returns:
            The document.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        pieces = TextPieces(content)
        opening = next(iter(pieces), "")
        front = split_front_matter(opening)
        body = LongBody(
            _BlankedPieces(pieces, front.blank_lines), self._syntax, has_definitions=pieces.may_hold("]:")
        )
        kept, telling = BlockSpool(), TellingBlocks()
        for block in build_blocks(identify_document(context, MARKDOWN_VERSION), telling.note_all(body)):
            kept.add(block)
        digest = BodyDigest(body.tags, telling.blocks, has_blocks=telling.has_any)
        return self._assemble(
            context, pieces.warning, (opening, front), digest=digest, blocks=kept.take_all()
        )

    def _assemble(
        self,
        context: ExtractContext,
        decoding: str | None,
        opening: tuple[str, FrontMatter],
        *,
        digest: BodyDigest,
        blocks: Iterator[Block],
    ) -> LongDocument:
        text, front = opening
        facts = build_metadata(
            front.values, context=context, body_tags=digest.tags, default_source_type=SourceType.MARKDOWN
        )
        if facts.is_cut or not digest.has_blocks:
            above = read_all_lines(text, front)
        else:
            above = read_prose_lines(text, front, facts.metadata.user)
        said = () if decoding is None else (decoding,)
        return assemble_document(
            context,
            parser_version=MARKDOWN_VERSION,
            title=choose_title(facts.title, digest.blocks, stem=context.asset.workspace_path.stem),
            lang=facts.lang or detect_language(self._detector, digest.blocks or above),
            facts=facts,
            warnings=(*said, *front.warnings, *(() if digest.has_blocks or above else (NO_TEXT,))),
            blocks=chain(build_blocks(identify_document(context, MARKDOWN_VERSION), above), blocks),
        )

    @cached_property
    def _syntax(self) -> MarkdownSyntax:
        return MarkdownSyntax()


@dataclass(frozen=True, slots=True)
class _BlankedPieces:
    """Pieces of a text some of whose lines, all of them in the first piece, are blank."""

    pieces: TextPieces
    lines: Sequence[range]

    def __iter__(self) -> Iterator[str]:
        pieces = iter(self.pieces)
        for first in islice(pieces, 1):
            yield _blank_lines(first, self.lines)
        yield from pieces


def _blank_lines(text: str, blank: Sequence[range]) -> str:
    """Return the text without what stands in these lines, which are in order; the lines stay."""
    kept, position, line = [], 0, 0
    for lines in blank:
        start = _skip_lines(text, position, lines.start - line)
        end = _skip_lines(text, start, len(lines))
        kept += [text[position:start], "\n" * text.count("\n", start, end)]
        position, line = end, lines.stop
    return "".join([*kept, text[position:]])


def _skip_lines(text: str, position: int, count: int) -> int:
    for _ in range(count):
        position = text.find("\n", position) + 1 or len(text)
    return position
