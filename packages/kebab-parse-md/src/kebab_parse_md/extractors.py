"""The extractor `md-v7` of Markdown: from the bytes of a file to a document.

`extract_long` gives blocks as they are taken, so that a large file is never whole in memory.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice

from kebab_core import (
    Block,
    CanonicalDocument,
    ExtractContext,
    LongDocument,
    MediaType,
    ParserVersion,
    SourceType,
)
from kebab_parse import (
    NO_TEXT,
    BlockBuilder,
    TextPieces,
    TitleLanguageSample,
    assemble_document,
    build_metadata,
    identify_document,
    language_of,
)
from pydantic import TypeAdapter

from kebab_parse_md.blocks import MarkdownBody
from kebab_parse_md.frontmatter import (
    read_all_lines,
    read_prose_lines,
    read_stated_lines,
    split_front_matter,
)
from kebab_parse_md.name_dates import find_name_dates
from kebab_parse_md.syntax import MarkdownSyntax

MARKDOWN_VERSION = ParserVersion("md-v7")
AGENT = "kebab-parse-md"
"""The distribution, as provenance names it."""
_BLOCKS_PER_BATCH = 256
_FASTEST = 1


class MarkdownExtractor:
    """Extractor of Markdown: CommonMark, GFM tables, front matter, Obsidian's additions. Implements `LongExtractor`.

    The language is detected where front matter names none.
    """

    def supports(self, media_type: MediaType) -> bool:
        """Return True for Markdown."""
        return media_type.kind == "markdown"

    def parser_version(self) -> ParserVersion:
        """Return `md-v7`."""
        return MARKDOWN_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file as `extract_long` does, and return the document whole."""
        return self.extract_long(context, content).take_whole()

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Parse one file, with neither its text nor its blocks whole in memory. Spans are `LineSpan`s.

        An empty file gives a document without blocks, with a warning. Front matter that the metadata cannot hold becomes
        a block; of a file that holds nothing else, the lines that say what it is. The title is that of the front matter,
        else the only heading of level 1 if the text begins with it, else the stem of the file's name as it is.

        Returns:
            The document. Its warnings name unreadable front matter, bad values and other encodings than UTF-8.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        pieces = TextPieces(content)
        opening = next(iter(pieces), "")
        front = split_front_matter(opening)
        doc_id = identify_document(context, MARKDOWN_VERSION)
        body = MarkdownBody(
            _BlankedPieces(pieces, front.blank_lines),
            self._syntax,
            BlockBuilder(doc_id),
            has_definitions=pieces.may_hold("]:"),
        )
        spool, sample = _BlockSpool(), TitleLanguageSample()
        for block in body:
            spool.add(block)
            sample.note(block)
        facts = build_metadata(
            front.values,
            context=context,
            body_tags=tuple(body.tags),
            name_dates=find_name_dates(context.asset.workspace_path),
            default_source_type=SourceType.MARKDOWN,
        )
        if facts.is_cut:
            front_texts = read_all_lines(opening, front)
        else:
            read_lines = read_stated_lines if spool.is_empty else read_prose_lines
            front_texts = read_lines(opening, front, facts.metadata.user)
        builder = BlockBuilder(doc_id)
        front_blocks = [builder.plain_paragraph(line, text) for line, text in front_texts]
        no_text = spool.is_empty and not front_blocks
        return assemble_document(
            context,
            parser_version=MARKDOWN_VERSION,
            agent=AGENT,
            title=facts.title or sample.leading_heading or context.asset.workspace_path.stem,
            lang=facts.lang or language_of(sample.blocks or front_blocks),
            facts=facts,
            warnings=(pieces.warning, *front.warnings, NO_TEXT if no_text else None),
            blocks=chain(front_blocks, spool.take_all()),
        )

    @cached_property
    def _syntax(self) -> MarkdownSyntax:
        return MarkdownSyntax()


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

    @property
    def is_empty(self) -> bool:
        """Whether there is no block."""
        return not self._open and not self._packed

    def take_all(self) -> Iterator[Block]:
        """Yield the blocks in order and free their memory."""
        while self._packed:
            yield from _batch_type().validate_json(zlib.decompress(self._packed.popleft()))
        yield from self._open


@cache
def _batch_type() -> TypeAdapter[tuple[Block, ...]]:
    return TypeAdapter(tuple[Block, ...])
