"""Extractors of office files: text documents, presentations and sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kebab_core import OfficeMedia, ParserVersion

if TYPE_CHECKING:
    from kebab_core import (
        CanonicalDocument,
        ExtractContext,
        ExtractorServices,
        LanguageDetector,
        MediaType,
        Model,
    )

TEXT_DOCUMENT_VERSION = ParserVersion("office-text-v1")
_AGENT = "kebab-parse-office"


class TextDocumentExtractor:
    """Extractor of text documents: DOCX and ODT.

    `detector` detects the language.
    """

    isolated: Final = True

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return True for DOCX and ODT."""
        return isinstance(media_type, OfficeMedia) and media_type.format in {"docx", "odt"}

    def parser_version(self) -> ParserVersion:
        """Return `office-text-v1`."""
        return TEXT_DOCUMENT_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `LineSpan`s, which count the lines of the document's text.

        Returns:
            The document, as it reads with all tracked changes accepted, without headers, footers and tables of contents.
            Its title is that of its properties, else its title paragraph or only leading heading of level 1, else the
            stem of the file's name.

        Raises:
            DocumentEncryptedError: The file is locked with a password.
            UnsupportedMediaError: The file is not what its name says.
            DocumentDamagedError: It cannot be read.
            DocumentTooLargeError: It unpacks to too much.
        """
        from kebab_parse import TextWriter, build_document, identify_document

        from kebab_parse_office.archive import OfficeArchive
        from kebab_parse_office.flowing_text import FlowingText
        from kebab_parse_office.open_document_text import OpenTextDocument
        from kebab_parse_office.properties import read_core_properties, read_open_document_properties
        from kebab_parse_office.word_document import WordDocument

        archive = OfficeArchive(content)
        writer = TextWriter(identify_document(context, TEXT_DOCUMENT_VERSION))
        if _format_of(context) == "odt":
            values = read_open_document_properties(archive)
            title, warnings = OpenTextDocument(archive, FlowingText(writer)).describe()
        else:
            values = read_core_properties(archive)
            title, warnings = WordDocument(archive, FlowingText(writer)).describe()
        return build_document(
            context,
            parser_version=TEXT_DOCUMENT_VERSION,
            agent=_AGENT,
            detector=self._detector,
            blocks=writer.blocks,
            text=writer.finish(),
            values={"title": title, **values},
            warnings=warnings,
        )


def build_text_document_extractor(
    _settings: Model | None, services: ExtractorServices
) -> TextDocumentExtractor:
    """Build the extractor of text documents. Implements `ExtractorFactory`; there are no settings."""
    return TextDocumentExtractor(services.detector)


def _format_of(context: ExtractContext) -> str | None:
    media = context.asset.media_type
    return media.format if isinstance(media, OfficeMedia) else None
