"""Plain text files into documents of paragraphs."""

from __future__ import annotations

import re

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    LanguageDetector,
    MediaType,
    ParserVersion,
    SourceType,
)

from kebab_parse_md.assembly import NO_TEXT, assemble_document, detect_language
from kebab_parse_md.decode import decode_text
from kebab_parse_md.lines import normalize_text
from kebab_parse_md.metadata import build_metadata
from kebab_parse_md.normalize import build_blocks
from kebab_parse_md.parsed import Lines, ParsedParagraph
from kebab_parse_md.titles import MAX_DERIVED_TITLE_CHARS

TEXT_VERSION = ParserVersion("text-v1")
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
        """Return `text-v1`."""
        return TEXT_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Cut one file at its blank lines; spans are `LineSpan`s, a paragraph keeps its lines as they are.

        Returns:
            The document, titled by its first line if that is short, else by the file's stem.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        decoded = decode_text(content)
        paragraphs = split_paragraphs(normalize_text(decoded.text))
        facts = build_metadata({}, context=context, default_source_type=SourceType.NOTE)
        decoding = () if decoded.warning is None else (decoded.warning,)
        return assemble_document(
            context,
            parser_version=TEXT_VERSION,
            title=_first_line(paragraphs) or context.asset.workspace_path.stem,
            lang=detect_language(self._detector, paragraphs),
            facts=facts,
            warnings=(*decoding, *(() if paragraphs else (NO_TEXT,))),
            build=lambda doc_id: build_blocks(doc_id, paragraphs),
        )


def split_paragraphs(text: str) -> list[ParsedParagraph]:
    """Return the runs of lines that are not blank; blanks at line ends are dropped."""
    paragraphs: list[ParsedParagraph] = []
    run: list[str] = []
    for number, line in enumerate((*text.split("\n"), ""), start=1):
        if line.strip():
            run.append(line.rstrip())
        elif run:
            paragraphs.append(ParsedParagraph(Lines(number - len(run), number - 1), "\n".join(run)))
            run = []
    return paragraphs


def _first_line(paragraphs: list[ParsedParagraph]) -> str:
    lines = paragraphs[0].text.split("\n") if paragraphs else []
    first = next((line for line in lines if any(char.isalnum() for char in line)), "")
    marks = _TITLE_MARKS.match(first)
    title = " ".join(first[marks.end() if marks else 0 :].split())
    return title if len(title) <= MAX_DERIVED_TITLE_CHARS else ""
