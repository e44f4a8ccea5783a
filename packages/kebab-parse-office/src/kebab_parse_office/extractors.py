"""Extractors of office files: text documents, presentations and sheets."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import UNDETERMINED_LANG, OfficeMedia, ParserVersion
from kebab_parse import IsolatedExtractor
from kebab_text import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kebab_core import (
        CanonicalDocument,
        ExtractContext,
        Message,
    )
    from pydantic import JsonValue

    from kebab_parse_office.sheets import Sheet

TEXT_DOCUMENT_VERSION = ParserVersion("office-text-v4")
RICH_TEXT_VERSION = ParserVersion("rtf-v2")
SHEET_VERSION = ParserVersion("office-sheet-v4")
PRESENTATION_VERSION = ParserVersion("office-slides-v4")
_AGENT = "kebab-parse-office"
_LANGUAGE_SAMPLE_CHARS = 4096


class TextDocumentExtractor(IsolatedExtractor):
    """Extractor of text documents: DOCX, ODT and DOC."""

    kind = "office"
    formats = frozenset({"docx", "odt", "doc"})
    version = TEXT_DOCUMENT_VERSION
    agent = _AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `LineSpan`s, which count the lines of the document's text.

        Returns:
            The document, as it reads with all tracked changes accepted, without tables of contents; headers and footers
            stand at its end, each text once. Its title is that of its properties, else its title paragraph or only leading heading of level 1, else the
            stem of the file's name.

        Raises:
            DocumentEncryptedError: The file is locked with a password.
            UnsupportedMediaError: The file is not what its name says.
            DocumentDamagedError: It cannot be read.
            DocumentTooLargeError: It unpacks to too much.
        """
        from kebab_parse import TextWriter

        from kebab_parse_office.archive import OfficeArchive
        from kebab_parse_office.older_office import OlderOfficeFile, read_older_properties
        from kebab_parse_office.open_document_text import OpenTextDocument
        from kebab_parse_office.properties import read_core_properties, read_open_document_properties
        from kebab_parse_office.text_document_writer import TextDocumentWriter
        from kebab_parse_office.word_document import WordDocument

        writer = TextWriter(self._identify(context))
        if _format_of(context) == "doc":
            OlderOfficeFile(content, "doc").write_text(TextDocumentWriter(writer))
            values = read_older_properties(content)
            return self._build(context, writer.blocks, writer.finish(), values=values)
        archive = OfficeArchive(content)
        if _format_of(context) == "odt":
            values = read_open_document_properties(archive)
            title, warnings = OpenTextDocument(archive, TextDocumentWriter(writer)).describe()
        else:
            values = read_core_properties(archive)
            title, warnings = WordDocument(archive, TextDocumentWriter(writer)).describe()
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=values,
            own_title=title,
            warnings=[*archive.warnings, *warnings],
        )


class RichTextExtractor(IsolatedExtractor):
    """Extractor of Rich Text (`.rtf`)."""

    kind = "office"
    formats = frozenset({"rtf"})
    version = RICH_TEXT_VERSION
    agent = _AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `LineSpan`s, which count the lines of the document's text.

        Returns:
            The document, with notes and remarks behind what refers to them; headers and footers stand at its end, each line once,
            and pictures are left out. Its title is that of its properties, else its only leading
            heading of level 1, else the stem of the file's name.

        Raises:
            DocumentDamagedError: It is no Rich Text.
        """
        from kebab_parse import TextWriter

        from kebab_parse_office.rich_text_file import RichTextFile

        writer = TextWriter(self._identify(context))
        file = RichTextFile(writer)
        file.read(content)
        title = " ".join(file.title.split())
        return self._build(context, writer.blocks, writer.finish(), values={"title": title} if title else {})


class SheetExtractor(IsolatedExtractor):
    """Extractor of sheets: XLSX, XLS, ODS, CSV and TSV."""

    kind = "office"
    formats = frozenset({"xlsx", "xls", "ods", "csv", "tsv"})
    version = SHEET_VERSION
    agent = _AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `CellSpan`s; the only sheet of delimited text has the stem of the file's name.

        Returns:
            The document: a table for each run of rows without an empty one between them, cells as they are shown, with
            the name of the sheet as heading. Hidden sheets are read, and a warning names them.

        Raises:
            DocumentEncryptedError: The file is locked with a password.
            UnsupportedMediaError: The file is not what its name says.
            DocumentDamagedError: It cannot be read.
            DocumentTooLargeError: It unpacks to too much.
        """
        from kebab_core import Message
        from kebab_parse import NO_TEXT

        from kebab_parse_office.sheet_writer import SheetWriter

        writer = SheetWriter(self._identify(context))
        workbook = _read_sheets(content, _format_of(context), context.asset.workspace_path.stem)
        hidden: list[str] = []
        for sheet in workbook.sheets:
            writer.add(sheet)
            hidden += [sheet.name] if sheet.is_hidden and sheet.rows else []
        text = writer.finish()
        lang = detect_language(text.text[:_LANGUAGE_SAMPLE_CHARS]) if writer.blocks else UNDETERMINED_LANG
        hidden_sheets = (
            Message("hidden sheets were read, too: {names}", names=", ".join(hidden)) if hidden else None
        )
        return self._build(
            context,
            writer.blocks,
            text,
            values={"lang": lang, **workbook.properties},
            warnings=(workbook.warning, *workbook.damage, hidden_sheets, None if writer.blocks else NO_TEXT),
        )


class _Workbook(NamedTuple):
    sheets: Iterator[Sheet]
    properties: Mapping[str, JsonValue] = MappingProxyType({})
    warning: Message | None = None
    damage: Sequence[Message] = ()
    """What was missing or damaged; complete when all sheets were read."""


def _read_sheets(content: bytes, form: str | None, name: str) -> _Workbook:
    from kebab_parse import decode_text

    from kebab_parse_office.archive import OfficeArchive, require_unencrypted
    from kebab_parse_office.delimited_text import read_delimited
    from kebab_parse_office.excel_workbook import ExcelWorkbook
    from kebab_parse_office.open_document_sheets import read_open_sheets
    from kebab_parse_office.properties import read_core_properties, read_open_document_properties
    from kebab_parse_office.spreadsheet_xml import SPREADSHEET_XML, read_spreadsheet_xml
    from kebab_parse_office.xls_workbook import XlsWorkbook
    from kebab_parse_office.xlsb_workbook import read_xlsb_workbook

    if form in {"csv", "tsv"}:
        decoded = decode_text(content)
        sheet = read_delimited(decoded.text, name=name, delimiter="\t" if form == "tsv" else None)
        return _Workbook(iter([sheet]), warning=decoded.warning)
    if form == "xls" and SPREADSHEET_XML.match(content):
        damage: list[Message] = []
        return _Workbook(read_spreadsheet_xml(content, damage), damage=damage)
    if form == "xls":
        require_unencrypted(content)
        workbook = XlsWorkbook(content)
        return _Workbook(workbook.sheets(), damage=workbook.warnings)
    archive = OfficeArchive(content)
    if form == "ods":
        return _Workbook(
            read_open_sheets(archive), read_open_document_properties(archive), damage=archive.warnings
        )
    if "xl/workbook.bin" in archive:
        return _Workbook(
            read_xlsb_workbook(content, archive.warnings),
            read_core_properties(archive),
            damage=archive.warnings,
        )
    return _Workbook(ExcelWorkbook(archive).sheets(), read_core_properties(archive), damage=archive.warnings)


class PresentationExtractor(IsolatedExtractor):
    """Extractor of presentations: PPTX, ODP and PPT."""

    kind = "office"
    formats = frozenset({"pptx", "odp", "ppt"})
    version = PRESENTATION_VERSION
    agent = _AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `SlideSpan`s with the characters of each block on its slide.

        Returns:
            The document: for each slide its title as a heading, then all else in the order of the file, then the notes of
            the speaker and comments. Hidden slides are read and counted, and a warning names them. The title is that of
            the properties, else that of the first slide that has one, else the stem of the file's name.

        Raises:
            DocumentEncryptedError: The file is locked with a password.
            UnsupportedMediaError: The file is not what its name says.
            DocumentDamagedError: It cannot be read.
            DocumentTooLargeError: It unpacks to too much.
        """
        from kebab_core import Message
        from kebab_parse import NO_TEXT

        from kebab_parse_office.archive import OfficeArchive
        from kebab_parse_office.older_office import OlderOfficeFile, read_older_properties
        from kebab_parse_office.open_document_presentation import OpenPresentation
        from kebab_parse_office.powerpoint_presentation import PowerPointPresentation
        from kebab_parse_office.properties import read_core_properties, read_open_document_properties
        from kebab_parse_office.slide_writer import SlideWriter

        writer = SlideWriter(self._identify(context))
        if _format_of(context) == "ppt":
            title = OlderOfficeFile(content, "ppt").write_slides(writer)
            return self._build(
                context,
                writer.blocks,
                writer.finish(),
                values=read_older_properties(content),
                own_title=title,
                warnings=() if writer.blocks else (NO_TEXT,),
            )
        archive = OfficeArchive(content)
        if _format_of(context) == "odp":
            slides: OpenPresentation | PowerPointPresentation = OpenPresentation(archive, writer)
            values = read_open_document_properties(archive)
        else:
            slides, values = PowerPointPresentation(archive, writer), read_core_properties(archive)
        hidden = ", ".join(map(str, slides.hidden))
        hidden_slides = Message("hidden slides were read, too: {numbers}", numbers=hidden) if hidden else None
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=values,
            own_title=slides.title,
            warnings=(*archive.warnings, hidden_slides, None if writer.blocks else NO_TEXT),
        )


def _format_of(context: ExtractContext) -> str | None:
    media = context.asset.media_type
    return media.format if isinstance(media, OfficeMedia) else None
