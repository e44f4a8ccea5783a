"""The extractors of texts that are no Markdown: `text-v4`, `markup-v1` for markup with headings, `records-v1` and `log-v2`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import ClassVar

from kebab_core import (
    Block,
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    HeadingBlock,
    LineSpan,
    LongDocument,
    MediaType,
    Message,
    ParserVersion,
    SourceType,
    TextFormat,
    TextMedia,
)
from kebab_parse import (
    MAX_DERIVED_TITLE_CHARS,
    NO_TEXT,
    BlockBuilder,
    TextPieces,
    TitleLanguageSample,
    assemble_document,
    build_metadata,
    decode_escapes,
    identify_document,
    language_of,
    prose_of,
    sample_opening,
)

from kebab_parse_md.extractors import AGENT
from kebab_parse_md.markup import MARKUP_FORMATS, MarkupReader, TextPart, find_stated_title
from kebab_parse_md.name_dates import find_name_dates

TEXT_VERSION = ParserVersion("text-v4")
MARKUP_VERSION = ParserVersion("markup-v1")
RECORDS_VERSION = ParserVersion("records-v1")
LOG_VERSION = ParserVersion("log-v2")
LOG_BYTES = 256 * 1024
"""Newest bytes of a log that are read: the rest would fill the index with what nobody looks for."""
_LINES_PER_BLOCK = 40
"""Lines of a log in one block."""
_TITLE_MARKS = re.compile(r"(?:#\+title:|[*=#~\s-]+)\s*", re.IGNORECASE)
_TITLED_BY_FIRST_LINE = frozenset({"plain", "unnamed", "org", "rst", "asciidoc"})


class TextExtractor:
    """Extractor of plain text: paragraphs between blank lines, no markup understood. Implements `LongExtractor`."""

    formats: ClassVar[frozenset[TextFormat]] = frozenset({"plain", "unnamed", "diagram"})
    version: ClassVar[ParserVersion] = TEXT_VERSION

    def supports(self, media_type: MediaType) -> bool:
        """Return True for texts of its formats."""
        return isinstance(media_type, TextMedia) and media_type.format in self.formats

    def parser_version(self) -> ParserVersion:
        """Return its label."""
        return self.version

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Split one file as `extract_long` does, and return the document whole."""
        return self.extract_long(context, content).take_whole()

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Split one file at its blank lines, with only the bytes whole in memory. Spans are `LineSpan`s; a paragraph keeps its lines as they are.

        Returns:
            The document. Its title is the one that the text states, else its only first heading, else its first line if
            that is short, else the stem of the file's name.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        return self._read(context, TextPieces(content))

    def _read(
        self,
        context: ExtractContext,
        pieces: TextPieces,
        *,
        first_line: int = 1,
        warning: Message | None = None,
    ) -> LongDocument:
        media = context.asset.media_type
        name = media.format if isinstance(media, TextMedia) else "plain"
        builder = BlockBuilder(identify_document(context, self.version))
        parts = self._parts(name, _split_paragraphs(pieces, first_line=first_line))
        opening, blocks = sample_opening(_build_block(builder, part) for part in parts)
        return assemble_document(
            context,
            parser_version=self.version,
            agent=AGENT,
            title=_find_title(name, next(iter(pieces), ""), opening) or context.asset.workspace_path.stem,
            lang=language_of(opening),
            facts=build_metadata(
                {},
                context=context,
                name_dates=find_name_dates(context.asset.workspace_path),
                default_source_type=SourceType.NOTE,
            ),
            warnings=(pieces.warning, warning, None if opening else NO_TEXT),
            blocks=blocks,
        )

    def _parts(self, _name: TextFormat, paragraphs: Iterable[TextPart]) -> Iterator[TextPart]:
        """Yield the parts of the text, each of which becomes a block."""
        yield from paragraphs


class MarkupExtractor(TextExtractor):
    """Extractor of markup: as plain text, with its headings as sections."""

    formats = MARKUP_FORMATS
    version = MARKUP_VERSION

    def _parts(self, name: TextFormat, paragraphs: Iterable[TextPart]) -> Iterator[TextPart]:
        reader = MarkupReader(name)
        for paragraph in paragraphs:
            yield from reader.split(paragraph.line, paragraph.lines)


class RecordsExtractor(TextExtractor):
    r"""Extractor of JSON with one value a line: as plain text, with the characters that `\uXXXX` stand for.

    A file with such an escape has a text of its own, with the lines of the file.
    """

    formats = frozenset({"records"})
    version = RECORDS_VERSION

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read one file as plain text is read.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        pieces = TextPieces(content)
        if not pieces.may_hold("\\u"):
            return self._read(context, pieces)
        text = decode_escapes("".join(pieces))
        document = self._read(context, TextPieces(text.encode()), warning=pieces.warning)
        return LongDocument(
            document.head.model_copy(update={"text": ExtractedText(text=text)}), document.blocks
        )


class LogExtractor(TextExtractor):
    """Extractor of logs: the newest `LOG_BYTES`, in blocks of some lines; a warning says where they begin."""

    formats = frozenset({"log"})
    version = LOG_VERSION

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read the end of one file, of which lines are numbered from its beginning. UTF-16 is read whole.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        cut = content.find(b"\n", len(content) - LOG_BYTES) + 1 if len(content) > LOG_BYTES else 0
        if not cut or b"\0" in content[:100]:
            return self._read(context, TextPieces(content))
        first_line = content.count(b"\n", 0, cut) + 1
        warning = Message(
            "only the newest {kilobytes} KB of this log are read, from line {line}",
            kilobytes=LOG_BYTES >> 10,
            line=first_line,
        )
        return self._read(context, TextPieces(content[cut:]), first_line=first_line, warning=warning)

    def _parts(self, _name: TextFormat, paragraphs: Iterable[TextPart]) -> Iterator[TextPart]:
        for part in paragraphs:
            for at in range(0, len(part.lines), _LINES_PER_BLOCK):
                yield TextPart(part.line + at, part.lines[at : at + _LINES_PER_BLOCK])


def _build_block(builder: BlockBuilder, part: TextPart) -> Block:
    if part.heading is None:
        return builder.plain_paragraph(part.line, "\n".join(part.lines))
    level = min(part.heading.level, 6)
    span = LineSpan(start=part.line, end=part.line + len(part.lines) - 1)
    builder.open_section(level, part.heading.text)
    return HeadingBlock(**builder.place("heading", span), level=level, text=part.heading.text)


def _split_paragraphs(pieces: Iterable[str], *, first_line: int = 1) -> Iterator[TextPart]:
    """Yield the paragraphs of a normalised text: runs of lines that are not blank, without blanks at line ends."""
    run: list[str] = []
    lines = (line for piece in pieces for line in piece.removesuffix("\n").split("\n"))
    for number, line in enumerate(chain(lines, [""]), start=first_line):
        if line.strip():
            run.append(line.rstrip())
        elif run:
            yield TextPart(number - len(run), run)
            run = []


def _find_title(name: TextFormat, first_piece: str, opening: Sequence[Block]) -> str:
    """Return the title that the text states, else that of its only first heading, else its first line if that is short."""
    sample = TitleLanguageSample()
    for block in opening:
        sample.note(block)
    stated = find_stated_title(name, first_piece) or sample.leading_heading
    if stated:
        return stated
    return _first_line(opening) if name in _TITLED_BY_FIRST_LINE else ""


def _first_line(paragraphs: Sequence[Block]) -> str:
    lines = prose_of(paragraphs[0]).split("\n") if paragraphs else []
    first = next((line for line in lines if any(char.isalnum() for char in line)), "")
    marks = _TITLE_MARKS.match(first)
    title = " ".join(first[marks.end() if marks else 0 :].split())
    return title if len(title) <= MAX_DERIVED_TITLE_CHARS else ""
