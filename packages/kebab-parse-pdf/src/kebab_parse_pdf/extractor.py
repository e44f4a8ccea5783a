"""The extractor `pdf-v3`: from the bytes of a PDF to a document with a text for each page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from kebab_core import (
    MAX_NAME_CHARS,
    CanonicalDocument,
    ExtractContext,
    ExtractorServices,
    Message,
    Model,
    ParserVersion,
    PdfIngestSettings,
    shorten,
)
from kebab_parse import IsolatedExtractor, read_given_title
from pydantic import JsonValue

from kebab_parse_pdf.annotations import read_annotations
from kebab_parse_pdf.outline import read_outline
from kebab_parse_pdf.page_blocks import build_blocks
from kebab_parse_pdf.pdfium import open_pdf, read_text
from kebab_parse_pdf.segments import PageSegments, place_comments, read_segments

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

PDF_VERSION = ParserVersion("pdf-v3")
_UNREADABLE_SHARE = 0.5
"""Share of characters without a meaning above which the text of a page is left out."""
_SCANNED_SHARE = 0.5
"""Share of a page that pictures cover if it is scanned."""
_ILLUSTRATED_SHARE = 0.03
"""Share of a page that pictures beside its text cover at least, which logos and lines that are drawn as pictures do not."""
_STAMP_CHARS = 100
"""Characters below which the text of a scanned page is only a stamp, such as a watermark or a Bates number."""
_FORM_DEPTH = 5
"""Forms in forms that are searched for pictures."""
_SHOWN_PAGES = 10
_MAX_LISTED_PAGES = 1000
"""Scanned pages that the metadata list, of which a document has 16,384 characters at most."""
_NO_PAGE = PageSegments((), 0.0, 0.0, 0, 0)

_DATE = re.compile(
    r"D?:?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?'?)?",
)
_SEPARATORS = re.compile(r"[,;·、]")
_MAX_LABEL_RUNS = 100
_LAST_NUMBER = re.compile(r"(?<!\d)\d++$")
_LABEL_KINDS = (re.compile(r"[ivxlcdm]+"), re.compile(r"[IVXLCDM]+"))


class PageState(StrEnum):
    """What a page holds for a reader of text."""

    TEXT = "text"
    SCANNED = "scanned"
    """A picture and no text."""
    STAMPED = "stamped"
    """A picture that covers half of it or more, and few characters."""
    EMPTY = "empty"
    DRAWN = "drawn"
    """Lines or small pictures, and no text."""
    UNREADABLE = "unreadable"
    """Its text has characters that its fonts give no meaning."""
    SHIFTED = "shifted"
    """Its fonts give its text other characters than it shows."""
    DAMAGED = "damaged"
    RECOGNISED = "recognised"
    """A picture whose text was recognised."""


_SCANNED = {PageState.SCANNED, PageState.STAMPED}
_PICTURES = _SCANNED | {PageState.DRAWN, PageState.UNREADABLE, PageState.SHIFTED}
"""States of pages whose text can be recognised in their picture only."""


@dataclass(frozen=True, slots=True)
class _Page:
    state: PageState
    content: PageSegments = _NO_PAGE
    is_illustrated: bool = False
    """Whether a picture stands beside its text."""


class PdfExtractor(IsolatedExtractor):
    """Extractor of PDFs: paragraphs, tables and headings in reading order, a part of the text for each page.

    Args:
        settings: Passwords.
    """

    kind = "pdf"
    version = PDF_VERSION
    agent = "kebab-parse-pdf"

    def __init__(self, settings: PdfIngestSettings) -> None:
        self._settings = settings

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `PageSpan`s with characters and rectangles.

        Text that was recognised on a page stands behind its own, in `RegionSpan`s of the page drawn at `PAGE_DPI`. Running headers and footers stand in the text of each of their pages and in one block, page numbers in none. Comments stand
        behind the text of their page. Pages that
        are scanned have no text or little, and those whose text cannot be read have none; `metadata.user["scanned_pages"]` has
        the numbers of the former.

        Returns:
            The document. Its warnings say which pages have no text, and why. The title is that of its metadata unless a
            program made it up, else as for all documents.

        Raises:
            UnsupportedMediaError: The bytes are no PDF.
            DocumentDamagedError: The file cannot be opened.
            DocumentEncryptedError: It needs a password that the settings do not have.
        """
        warnings: list[Message] = []
        with open_pdf(content, [each.get_secret_value() for each in self._settings.passwords]) as pdf:
            metadata, outline = read_metadata(pdf), read_outline(pdf, warnings)
            pages = [_read_page(pdf, index) for index in range(len(pdf))]
        scanned = [number for number, page in enumerate(pages, 1) if page.state in _SCANNED]
        pictures = [number for number, page in enumerate(pages, 1) if page.state in _PICTURES]
        illustrated = [number for number, page in enumerate(pages, 1) if page.is_illustrated]
        values = metadata.to_values()
        if scanned:
            values["scanned_pages"] = [*scanned[:_MAX_LISTED_PAGES]]
        if metadata.attachments:
            names = ", ".join(metadata.attachments)
            warnings.append(Message("files attached to the document are not read: {names}", names=names))
        blocks, text = build_blocks(
            self._identify(context),
            [page.content for page in pages],
            labels=metadata.labels,
            outline=outline,
            pictures=pictures,
            illustrated=illustrated,
            recognised=context.ocr,
            captions=context.captions,
        )
        for number in context.ocr.keys() & set(pictures):
            pages[number - 1] = replace(pages[number - 1], state=PageState.RECOGNISED)
        return self._build(context, blocks, text, values=values, warnings=[*warnings, *_list_warnings(pages)])


def build_pdf_extractor(settings: Model | None, _services: ExtractorServices) -> PdfExtractor:
    """Build the extractor of PDFs. Implements `ExtractorFactory`; its settings are `PdfIngestSettings`."""
    own = settings if isinstance(settings, PdfIngestSettings) else PdfIngestSettings()
    return PdfExtractor(own)


def _read_page(pdf: PdfDocument, index: int) -> _Page:
    from pypdfium2 import PdfiumError, raw

    page = None
    try:
        page = pdf[index]
        notes = read_annotations(page)
        if notes.is_written_on:  # is made a part of the text
            raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY)
            page.close()
            page = pdf[index]
        found = _read_content(page)
        comments = place_comments(page, notes.comments) if notes.comments else ()
        return replace(found, content=replace(found.content, comments=comments))
    except PdfiumError:
        return _Page(PageState.DAMAGED)
    finally:
        if page is not None:
            page.close()


def _read_content(page: PdfPage) -> _Page:
    content = read_segments(page)
    if content.unreadable > _UNREADABLE_SHARE * content.visible:
        return _Page(PageState.SHIFTED if content.has_shifted else PageState.UNREADABLE)
    if content.segments:
        share = _share_of_pictures(page)
        if content.visible < _STAMP_CHARS and share >= _SCANNED_SHARE:
            return _Page(PageState.STAMPED, content)
        return _Page(PageState.TEXT, content, is_illustrated=share >= _ILLUSTRATED_SHARE)
    if _share_of_pictures(page) >= _SCANNED_SHARE:
        return _Page(PageState.SCANNED, content)
    return _Page(PageState.DRAWN if _is_drawn(page) else PageState.EMPTY)


def _share_of_pictures(page: PdfPage) -> float:
    """Return the share of a page that pictures cover, above 1 where they overlap."""
    from pypdfium2 import PdfObject, raw

    width, height = page.get_size()
    covered: float = 0.0
    handle = page.raw
    for index in range(
        raw.FPDFPage_CountObjects(handle)
    ):  # by handles: an object for each text is a tenth of all time
        each = raw.FPDFPage_GetObject(handle, index)
        kind = raw.FPDFPageObj_GetType(each)
        # Places of pictures in a form are those of the form, so that the form counts in their place.
        if kind == raw.FPDF_PAGEOBJ_IMAGE or (kind == raw.FPDF_PAGEOBJ_FORM and _has_picture(each)):
            left, bottom, right, top = PdfObject(each, page=page).get_bounds()
            covered += max(right - left, 0) * max(top - bottom, 0)
    return covered / (width * height or 1)


def _has_picture(form: Any, depth: int = _FORM_DEPTH) -> bool:
    """Return True if a picture is in a form, a handle of PDFium, or in one of its forms."""
    from pypdfium2 import raw

    for index in range(raw.FPDFFormObj_CountObjects(form)):
        each = raw.FPDFFormObj_GetObject(form, index)
        kind = raw.FPDFPageObj_GetType(each)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            return True
        if kind == raw.FPDF_PAGEOBJ_FORM and depth > 1 and _has_picture(each, depth - 1):
            return True
    return False


def _is_drawn(page: PdfPage) -> bool:
    from pypdfium2 import raw

    return any(each.type != raw.FPDF_PAGEOBJ_TEXT for each in page.get_objects(max_depth=1))


def _list_warnings(pages: Sequence[_Page]) -> list[Message]:
    total = len(pages)
    by_state = {
        state: [page for page, own in enumerate(pages, 1) if own.state is state] for state in PageState
    }
    warnings: list[Message] = []
    if scanned := by_state[PageState.SCANNED]:
        warnings.append(
            Message(
                "{count} of {total} pages is scanned and has no text; it waits for OCR (page {pages})",
                plural="{count} of {total} pages are scanned and have no text; they wait for OCR (pages {pages})",
                count=len(scanned),
                total=total,
                pages=_show_pages(scanned),
            )
        )
    if stamped := by_state[PageState.STAMPED]:
        warnings.append(
            Message(
                "{count} of {total} pages is a picture with little text; what the picture shows waits for OCR (page {pages})",
                plural="{count} of {total} pages are pictures with little text; what the pictures show waits for OCR (pages {pages})",
                count=len(stamped),
                total=total,
                pages=_show_pages(stamped),
            )
        )
    if (drawn := by_state[PageState.DRAWN]) and by_state[PageState.TEXT]:
        warnings.append(
            Message(
                "{count} of {total} pages is drawn and has no text; it waits for OCR (page {pages})",
                plural="{count} of {total} pages are drawn and have no text; they wait for OCR (pages {pages})",
                count=len(drawn),
                total=total,
                pages=_show_pages(drawn),
            )
        )
    if unreadable := by_state[PageState.UNREADABLE]:
        warnings.append(
            Message(
                "the text of {count} of {total} pages was left out: its fonts do not say which characters they show (page {pages})",
                plural="the text of {count} of {total} pages was left out: the fonts do not say which characters they show (pages {pages})",
                count=len(unreadable),
                total=total,
                pages=_show_pages(unreadable),
            )
        )
    shifted = [
        page for page, own in enumerate(pages, 1) if own.state is PageState.SHIFTED or own.content.has_shifted
    ]
    if shifted:
        warnings.append(
            Message(
                "text of {count} of {total} pages was left out: its fonts name other characters than they show (page {pages})",
                plural="text of {count} of {total} pages was left out: the fonts name other characters than they show (pages {pages})",
                count=len(shifted),
                total=total,
                pages=_show_pages(shifted),
            )
        )
    if decoded := [page for page, own in enumerate(pages, 1) if own.content.is_decoded]:
        warnings.append(
            Message(
                "the Korean text of {count} of {total} pages is shown as Latin letters; it was read as CP949 (page {pages})",
                plural="the Korean text of {count} of {total} pages is shown as Latin letters; it was read as CP949 (pages {pages})",
                count=len(decoded),
                total=total,
                pages=_show_pages(decoded),
            )
        )
    if damaged := by_state[PageState.DAMAGED]:
        warnings.append(
            Message(
                "{count} of {total} pages is damaged and was left out (page {pages})",
                plural="{count} of {total} pages are damaged and were left out (pages {pages})",
                count=len(damaged),
                total=total,
                pages=_show_pages(damaged),
            )
        )
    if not by_state[PageState.TEXT] and not by_state[PageState.RECOGNISED] and not warnings:
        warnings.append(Message("the document has no text: its pages are blank or drawn"))
    return warnings


def _show_pages(pages: Sequence[int]) -> str:
    shown = ", ".join(map(str, pages[:_SHOWN_PAGES]))
    return f"{shown}, …" if len(pages) > _SHOWN_PAGES else shown


@dataclass(frozen=True, slots=True)
class PdfMetadata:
    """What a PDF says about itself, all text in NFC, a line each."""

    title: str | None
    author: str
    subject: str
    keywords: tuple[str, ...]
    created: datetime | None
    modified: datetime | None
    labels: tuple[str, ...]
    """Label of each page as it is printed, empty where the file has none."""
    attachments: tuple[str, ...]
    """Names of the files inside, up to 100."""

    def to_values(self) -> dict[str, JsonValue]:
        """Convert it to the keys of front matter; what is not known is left out."""
        values: dict[str, JsonValue] = {
            "title": self.title,
            "tags": list(self.keywords),
            "created": self.created.isoformat() if self.created else None,
            "updated": self.modified.isoformat() if self.modified else None,
            "author": self.author,
            "subject": self.subject,
            "pages": len(self.labels),
            "page_labels": _list_label_runs(self.labels),
            "attachments": list(self.attachments),
        }
        return {name: value for name, value in values.items() if value}


def read_metadata(pdf: PdfDocument) -> PdfMetadata:
    """Read what a document says about itself. Values that cannot be read are left out."""
    values = {name: _clean(read_text(partial(pdf.get_metadata_value, name))) for name in pdf.METADATA_KEYS}
    names = (_clean(read_text(partial(_read_name, pdf, index))) for index in range(pdf.count_attachments()))
    keywords = (
        shorten(word, MAX_NAME_CHARS)
        for word in _SEPARATORS.split(values.get("Keywords", ""))
        if word.strip()
    )
    return PdfMetadata(
        title=read_given_title(values.get("Title", "")),
        author=values.get("Author", ""),
        subject=values.get("Subject", ""),
        keywords=tuple(dict.fromkeys(keywords)),
        created=read_date(values.get("CreationDate", "")),
        modified=read_date(values.get("ModDate", "")),
        labels=tuple(_clean(read_text(partial(pdf.get_page_label, index))) for index in range(len(pdf))),
        attachments=tuple(filter(None, names)),
    )


def _read_name(pdf: PdfDocument, index: int) -> str:
    name: str = pdf.get_attachment(index).get_name()
    return name


def read_date(text: str) -> datetime | None:
    """Read a date as PDFs have it, `D:20240131120000+09'00'`; None where it is none. Missing parts are the earliest."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    try:
        zone = timezone(-offset if match[7] == "-" else offset)
        return datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _clean(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable() or char.isspace())
    return unicodedata.normalize("NFC", " ".join(kept.split()))


def _list_label_runs(labels: Sequence[str]) -> dict[str, JsonValue]:
    """Return the label of the first page of each run of labels of one kind, by the number of that page from 1.

    Empty where the labels are the numbers of the pages.
    """
    runs: dict[str, JsonValue] = {}
    last: tuple[str, int | None] | None = None
    for page, label in enumerate(labels, 1):
        if not label:
            continue
        digits = _LAST_NUMBER.search(label)
        kind = (
            label[: digits.start()] + "#"
            if digits
            else next((str(at) for at, form in enumerate(_LABEL_KINDS) if form.fullmatch(label)), label)
        )
        offset = page - int(digits[0]) if digits else None
        if (kind, offset) not in {last, ("#", 0) if not runs else None}:
            runs[str(page)] = label
            if len(runs) == _MAX_LABEL_RUNS:
                break
        last = kind, offset
    return runs
