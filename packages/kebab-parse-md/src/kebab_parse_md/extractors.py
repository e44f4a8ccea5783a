"""The extractors `md-v2` (Markdown) and `text-v2` (plain text): from the bytes of a file to a document.

`extract_long` gives blocks as they are taken, so that a large file is never whole in memory.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice

from kebab_core import (
    Block,
    CanonicalDocument,
    ExtractContext,
    ExtractorServices,
    LanguageDetector,
    LongDocument,
    MediaType,
    Model,
    ParserVersion,
    SourceType,
)
from pydantic import TypeAdapter

from kebab_parse_md.assembly import NO_TEXT, assemble_document, build_blocks, hold_whole, identify_document
from kebab_parse_md.blocks import LongBody, read_blocks
from kebab_parse_md.decoding import TextPieces, decode_text, normalize_text
from kebab_parse_md.frontmatter import FrontMatter, read_all_lines, read_prose_lines, split_front_matter
from kebab_parse_md.metadata import build_metadata
from kebab_parse_md.parsed import Lines, ParsedBlock, ParsedParagraph, prose_of
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_parse_md.title_language_sample import (
    MAX_DERIVED_TITLE_CHARS,
    BodySummary,
    TitleLanguageSample,
    choose_title,
    detect_language,
    sample_opening,
)

MARKDOWN_VERSION = ParserVersion("md-v2")
TEXT_VERSION = ParserVersion("text-v2")
_TITLE_MARKS = re.compile(r"(?:#\+title:|[*=#~\s-]+)\s*", re.IGNORECASE)
_BLOCKS_PER_BATCH = 256
_FASTEST = 1


class MarkdownExtractor:
    """Extractor of Markdown: CommonMark, GFM tables, front matter, Obsidian's additions.

    `detector` detects the language where front matter names none.
    """

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return True for Markdown."""
        return media_type.kind == "markdown"

    def parser_version(self) -> ParserVersion:
        """Return `md-v2`."""
        return MARKDOWN_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `LineSpan`s.

        An empty file gives a document without blocks, with a warning. Front matter becomes a block if the file holds
        nothing else, or if the metadata cannot hold all of it.

        Returns:
            The document. Its warnings name unreadable front matter, bad values and other encodings than UTF-8.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        decoded = decode_text(content)
        text = normalize_text(decoded.text)
        front = split_front_matter(text)
        # Front matter becomes blank lines, so that the parser's line numbers are the file's.
        body = read_blocks(_blank_lines(text, front.blank_lines), self._syntax)
        summary = BodySummary(body.tags, body.blocks, has_blocks=bool(body.blocks))
        blocks = build_blocks(identify_document(context, MARKDOWN_VERSION), body.blocks)
        return hold_whole(
            self._assemble(context, decoded.warning, (text, front), summary=summary, blocks=blocks)
        )

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Parse one file as `extract` does, with neither its text nor its blocks whole in memory.

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
        spool, sample = _BlockSpool(), TitleLanguageSample()
        for block in build_blocks(identify_document(context, MARKDOWN_VERSION), sample.collect(body)):
            spool.add(block)
        summary = BodySummary(body.tags, sample.blocks, has_blocks=sample.has_any)
        return self._assemble(
            context, pieces.warning, (opening, front), summary=summary, blocks=spool.take_all()
        )

    def _assemble(
        self,
        context: ExtractContext,
        decoding: str | None,
        opening: tuple[str, FrontMatter],
        *,
        summary: BodySummary,
        blocks: Iterator[Block],
    ) -> LongDocument:
        text, front = opening
        facts = build_metadata(
            front.values, context=context, body_tags=summary.tags, default_source_type=SourceType.MARKDOWN
        )
        if facts.is_cut or not summary.has_blocks:
            front_blocks = read_all_lines(text, front)
        else:
            front_blocks = read_prose_lines(text, front, facts.metadata.user)
        decoding_warnings = () if decoding is None else (decoding,)
        return assemble_document(
            context,
            parser_version=MARKDOWN_VERSION,
            title=choose_title(facts.title, summary.blocks, stem=context.asset.workspace_path.stem),
            lang=facts.lang or detect_language(self._detector, summary.blocks or front_blocks),
            facts=facts,
            warnings=(
                *decoding_warnings,
                *front.warnings,
                *(() if summary.has_blocks or front_blocks else (NO_TEXT,)),
            ),
            blocks=chain(build_blocks(identify_document(context, MARKDOWN_VERSION), front_blocks), blocks),
        )

    @cached_property
    def _syntax(self) -> MarkdownSyntax:
        return MarkdownSyntax()


class TextExtractor:
    """Extractor of `.txt`, `.rst` and `.org`: paragraphs between blank lines, no markup understood.

    `detector` detects the language of every document.
    """

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return True for plain text."""
        return media_type.kind == "text"

    def parser_version(self) -> ParserVersion:
        """Return `text-v2`."""
        return TEXT_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Split one file at its blank lines. Spans are `LineSpan`s; a paragraph keeps its lines as they are.

        Returns:
            The document. Its title is its first line if that is short, else the stem of the file's name.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        return hold_whole(self.extract_long(context, content))

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read one file as `extract` does, with only the bytes whole in memory.

        Returns:
            The document.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        pieces = TextPieces(content)
        opening, paragraphs = sample_opening(split_paragraphs(pieces))
        facts = build_metadata({}, context=context, default_source_type=SourceType.NOTE)
        decoding = () if pieces.warning is None else (pieces.warning,)
        return assemble_document(
            context,
            parser_version=TEXT_VERSION,
            title=_first_line(opening) or context.asset.workspace_path.stem,
            lang=detect_language(self._detector, opening),
            facts=facts,
            warnings=(*decoding, *(() if opening else (NO_TEXT,))),
            blocks=build_blocks(identify_document(context, TEXT_VERSION), paragraphs),
        )


def build_markdown_extractor(_settings: Model | None, services: ExtractorServices) -> MarkdownExtractor:
    """Build the extractor of Markdown. Implements `ExtractorFactory`; there are no settings."""
    return MarkdownExtractor(services.detector)


def build_text_extractor(_settings: Model | None, services: ExtractorServices) -> TextExtractor:
    """Build the extractor of plain text. Implements `ExtractorFactory`; there are no settings."""
    return TextExtractor(services.detector)


def split_paragraphs(pieces: Iterable[str]) -> Iterator[ParsedParagraph]:
    """Yield the paragraphs: runs of lines that are not blank, without blanks at line ends.

    Args:
        pieces: A normalised text in pieces, each but the last ending with a line end.
    """
    run: list[str] = []
    number = 0
    for number, line in enumerate(chain.from_iterable(map(_lines, pieces)), start=1):
        if line.strip():
            run.append(line.rstrip())
        elif run:
            yield ParsedParagraph(Lines(number - len(run), number - 1), "\n".join(run))
            run = []
    if run:
        yield ParsedParagraph(Lines(number + 1 - len(run), number), "\n".join(run))


def _lines(piece: str) -> list[str]:
    return piece.removesuffix("\n").split("\n")


def _first_line(paragraphs: Sequence[ParsedBlock]) -> str:
    lines = prose_of(paragraphs[0]).split("\n") if paragraphs else []
    first = next((line for line in lines if any(char.isalnum() for char in line)), "")
    marks = _TITLE_MARKS.match(first)
    title = " ".join(first[marks.end() if marks else 0 :].split())
    return title if len(title) <= MAX_DERIVED_TITLE_CHARS else ""


@dataclass(frozen=True, slots=True)
class _BlankedPieces:
    """Pieces of a text with some lines of the first piece made blank."""

    pieces: TextPieces
    lines: Sequence[range]

    def __iter__(self) -> Iterator[str]:
        pieces = iter(self.pieces)
        for first in islice(pieces, 1):
            yield _blank_lines(first, self.lines)
        yield from pieces


def _blank_lines(text: str, blank: Sequence[range]) -> str:
    """Return the text with the content of these lines removed, but not the lines. Ranges are in order."""
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


class _BlockSpool:
    """Blocks in order, compressed in memory until title and language of the document are known.

    Objects take twenty times the memory of their text, compressed JSON two thirds of it. The models write and read
    JSON five times as fast as pickles.
    """

    def __init__(self) -> None:
        self._open: list[Block] = []
        self._packed: deque[bytes] = deque()

    def add(self, block: Block) -> None:
        """Append a block."""
        self._open.append(block)
        if len(self._open) == _BLOCKS_PER_BATCH:
            self._packed.append(zlib.compress(_batch_type().dump_json(tuple(self._open)), _FASTEST))
            self._open = []

    def take_all(self) -> Iterator[Block]:
        """Yield the blocks in order and free their memory."""
        while self._packed:
            yield from _batch_type().validate_json(zlib.decompress(self._packed.popleft()))
        yield from self._open


@cache
def _batch_type() -> TypeAdapter[tuple[Block, ...]]:
    return TypeAdapter(tuple[Block, ...])
