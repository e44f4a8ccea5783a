"""Plain text files into documents of paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    LanguageDetector,
    LongDocument,
    MediaType,
    ParserVersion,
    SourceType,
)

from kebab_parse_md.assembly import (
    NO_TEXT,
    assemble_document,
    detect_language,
    hold_whole,
    identify_document,
    sample_opening,
)
from kebab_parse_md.metadata import build_metadata
from kebab_parse_md.normalize import build_blocks
from kebab_parse_md.parsed import Lines, ParsedBlock, ParsedParagraph, prose_of
from kebab_parse_md.text_pieces import TextPieces
from kebab_parse_md.titles import MAX_DERIVED_TITLE_CHARS

TEXT_VERSION = ParserVersion("text-v2")
_TITLE_MARKS = re.compile(r"(?:#\+title:|[*=#~\s-]+)\s*", re.IGNORECASE)


class TextExtractor:
    """Extractor of `.txt`, `.rst` and `.org`: paragraphs between blank lines, no markup understood.

    `detector` is asked about every document.
    """

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return whether the medium is plain text."""
        return media_type.kind == "text"

    def parser_version(self) -> ParserVersion:
        """Return `text-v2`."""
        return TEXT_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Cut one file at its blank lines; spans are `LineSpan`s, a paragraph keeps its lines as they are.

        Returns:
            The document, titled by its first line if that is short, else by the file's stem.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        return hold_whole(self.extract_long(context, content))

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read one file as `extract` does; only the content is held while its paragraphs are taken.

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


def split_paragraphs(pieces: Iterable[str]) -> Iterator[ParsedParagraph]:
    """Yield the runs of lines that are not blank; blanks at line ends are dropped.

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
