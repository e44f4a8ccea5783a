"""The extractor `email-v1`: mails, and mailboxes as one document with a section for each mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.message import Message as MimeMessage
from itertools import islice

from kebab_core import (
    CanonicalDocument,
    CellSpan,
    DocumentEncryptedError,
    EmailMedia,
    EmbeddedFileReader,
    ExtractContext,
    ExtractorServices,
    KebabError,
    LanguageDetector,
    Message,
    Model,
    PageSpan,
    ParserVersion,
    Remedy,
    SlideSpan,
    SourceSpan,
    UnsupportedMediaError,
    read_no_file,
)
from kebab_parse import IsolatedExtractor, Item, TextWriter
from pydantic import JsonValue

from kebab_parse_html.block_reader import BlockReader
from kebab_parse_html.elements import build_elements
from kebab_parse_html.html_extractor import AGENT
from kebab_parse_html.mail import (
    MAX_DEPTH,
    AttachedFile,
    MailText,
    heading_of,
    is_encrypted,
    parse_mail,
    read_header,
    read_parts,
    split_mailbox,
)
from kebab_parse_html.main_text import remove_hidden
from kebab_parse_html.page_metadata import read_instant, split_keywords
from kebab_parse_html.quoted_mail import find_quoted_mail, mark_quoted_mail

EMAIL_VERSION = ParserVersion("email-v1")
MAX_MAILS = 20_000
_BYTES_PER_MB = 1024 * 1024
MAX_FILES, MAX_FILE_BYTES = 100, 20 * _BYTES_PER_MB
"""Attached files of a mail or mailbox that are read, and their bytes in all: it has the time and memory of one file."""
_MAX_WARNINGS = 10
_SHOWN_FIELDS = ("From", "To", "Cc", "Date")
_KEPT_FIELDS = {"from": "From", "to": "To", "cc": "Cc", "message_id": "Message-ID"}
_QUOTE_MARKS = re.compile(r"^(?:>[ \t]?)+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_SEEN_SHARE = 0.9


class EmailExtractor(IsolatedExtractor):
    """Extractor of mails (`.eml`) and mailboxes (`.mbox`).

    Args:
        detector: Detects the language.
        read_embedded: Reads attached files.
    """

    kind = "email"
    version = EMAIL_VERSION
    agent = AGENT

    def __init__(self, detector: LanguageDetector, read_embedded: EmbeddedFileReader = read_no_file) -> None:
        super().__init__(detector)
        self._read_embedded = read_embedded

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read a mail or a mailbox. Spans are `LineSpan`s of the text that is read.

        Each mail is a section under its subject: header fields, the message, the names of attached files, then the text of those
        that can be read under their names, in sections for their pages (`plan.pdf#p=3`), slides (`#slide=3`) and sheets (`#sheet=예산`). What a mail quotes is a quote; in a mailbox that holds it already, its first line.

        Returns:
            The document. Its warnings name mails and attached files that are encrypted or could not be read.

        Raises:
            DocumentEncryptedError: The mail is encrypted.
            UnsupportedMediaError: It is no mail.
        """
        media = context.asset.media_type
        is_mailbox = isinstance(media, EmailMedia) and media.format == "mbox"
        writer = TextWriter(self._identify(context))
        warnings: list[Message] = []
        attached = _AttachedFiles(writer, context, self._read_embedded, warnings)
        values = (
            _write_mailbox(MailWriter(writer, attached, seen=set()), content, warnings)
            if is_mailbox
            else _write_single(MailWriter(writer, attached), content)
        )
        attached.warn()
        return self._build(context, writer.blocks, writer.finish(), values=values, warnings=warnings)


def build_email_extractor(_settings: Model | None, services: ExtractorServices) -> EmailExtractor:
    """Build the extractor of mails. Implements `ExtractorFactory`; there are no settings."""
    return EmailExtractor(services.detector, services.read_embedded)


def _write_single(mails: MailWriter, content: bytes) -> dict[str, JsonValue]:
    message = parse_mail(content)
    if is_encrypted(message):
        raise DocumentEncryptedError("the mail is encrypted", remedy=Remedy(kind="save_unprotected"))
    mails.write(message)
    fields = {key: read_header(message, name) for key, name in _KEPT_FIELDS.items()}
    values: dict[str, JsonValue] = {key: text for key, text in fields.items() if text}
    if subject := read_header(message, "Subject"):
        values["title"] = subject
    if created := read_instant(read_header(message, "Date")):
        values["created"] = created
    if keywords := split_keywords([read_header(message, "Keywords")]):
        values["tags"] = list[JsonValue](keywords)
    return values


def _write_mailbox(mails: MailWriter, content: bytes, warnings: list[Message]) -> dict[str, JsonValue]:
    encrypted = unread = 0
    dates: list[str] = []
    sources = split_mailbox(content)
    for number, source in enumerate(islice(sources, MAX_MAILS)):
        try:
            message = parse_mail(source)
        except UnsupportedMediaError:
            if not number:
                raise
            unread += 1
            continue
        encrypted += is_encrypted(message)
        mails.write(message)
        if date := read_instant(read_header(message, "Date")):
            dates.append(date)
    if encrypted:
        warnings.append(
            Message("{count} mail is encrypted", plural="{count} mails are encrypted", count=encrypted)
        )
    if unread:
        warnings.append(
            Message(
                "{count} part of the mailbox is no mail",
                plural="{count} parts of the mailbox are no mails",
                count=unread,
            )
        )
    if next(sources, None) is not None:
        warnings.append(Message("only the first {mails:,} mails of the mailbox are read", mails=MAX_MAILS))
    return {"created": min(dates), "updated": max(dates)} if dates else {}


class _AttachedFiles:
    """Text of attached files, up to limits for all of a document.

    Args:
        writer: Gets the blocks.
        context: The mail or mailbox.
        read: Reads a file.
        warnings: Get what could not be read, and what the readers say.
    """

    def __init__(
        self, writer: TextWriter, context: ExtractContext, read: EmbeddedFileReader, warnings: list[Message]
    ) -> None:
        self._writer, self._context, self._read, self._warnings = writer, context, read, warnings
        self._files = self._bytes = self._more = self._over = 0

    def write(self, file: AttachedFile, *, level: int) -> None:
        """Write the text of a file under its name; nothing where it cannot be read."""
        content = file.read()
        if not content:
            return
        if self._files >= MAX_FILES or self._bytes + len(content) > MAX_FILE_BYTES:
            self._over += 1
            return
        try:
            document = self._read(file.name, content, self._context)
        except KebabError as error:
            self.note(
                Message(
                    "the attached file {name} cannot be read: {reason}", name=file.name, reason=error.message
                )
            )
            return
        if document is None:
            return
        self._files, self._bytes = self._files + 1, self._bytes + len(content)
        for warning in document.provenance.warnings:
            self.note(Message("the attached file {name}: {warning}", name=file.name, warning=warning))
        if document.blocks:
            self._writer.heading(level, file.name)
            place = ""
            for block in document.blocks:
                here = _name_place(block.source_span)
                if here != place:
                    place = here
                    self._writer.heading(level + 1, f"{file.name}#{place}" if place else "")
                self._writer.copy(block, level=level + bool(place))

    def note(self, warning: Message) -> None:
        """Add a warning."""
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings.append(warning)
        else:
            self._more += 1

    def warn(self) -> None:
        """Warn of files beyond the limits, and of those that had too many warnings."""
        if self._over:
            self._warnings.append(
                Message(
                    "{count} attached file was not read: only {files} files of {megabytes} MB in all are",
                    plural="{count} attached files were not read: only {files} files of {megabytes} MB in all are",
                    count=self._over,
                    files=MAX_FILES,
                    megabytes=MAX_FILE_BYTES // _BYTES_PER_MB,
                )
            )
        if self._more:
            self._warnings.append(
                Message(
                    "{count} more warning about attached files",
                    plural="{count} more warnings about attached files",
                    count=self._more,
                )
            )


def _name_place(span: SourceSpan) -> str:
    """Return the page, slide or sheet of a span as addresses name it; empty for lines."""
    match span:
        case PageSpan(page=page):
            return f"p={page}"
        case SlideSpan(slide=slide):
            return f"slide={slide}"
        case CellSpan(sheet=sheet):
            return f"sheet={sheet}"
    return ""


class MailWriter:
    """Writes mails as sections.

    Args:
        writer: Gets the blocks.
        attached: Writes attached files that are not text.
        seen: Lines of the mails of a mailbox so far, so that quotes of them are folded; None for a mail alone.
    """

    def __init__(self, writer: TextWriter, attached: _AttachedFiles, *, seen: set[str] | None = None) -> None:
        self._writer = writer
        self._attached = attached
        self._seen = seen

    def write(self, message: MimeMessage, *, level: int = 1) -> None:
        """Write a mail, and mails attached to it one level deeper."""
        self._writer.end_sections(level)
        self._writer.heading(level, heading_of(message))
        fields = [(name, read_header(message, name)) for name in _SHOWN_FIELDS]
        self._writer.paragraph("\n".join(f"{name}: {text}" for name, text in fields if text))
        if is_encrypted(message):
            if level > 1:
                subject = read_header(message, "Subject")
                self._attached.note(
                    Message("the attached mail {subject} is encrypted", subject=repr(subject))
                )
            return
        parts = list(read_parts(message))
        for part in parts:
            if isinstance(part, MailText) and not part.name:
                self._text(part, level=level)
        names = [part.name for part in parts if isinstance(part, AttachedFile | MailText) and part.name]
        self._writer.items([Item(name) for name in names])
        for part in parts:
            if isinstance(part, MailText) and part.name:
                self._writer.heading(level + 1, part.name)
                self._text(part, level=level + 1)
            elif isinstance(part, AttachedFile):
                self._attached.write(part, level=level + 1)
            elif isinstance(part, MimeMessage) and level < MAX_DEPTH:
                self.write(part, level=level + 1)

    def _text(self, part: MailText, *, level: int) -> None:
        if part.is_html:
            from selectolax.lexbor import LexborHTMLParser

            body = LexborHTMLParser(part.text).body
            if body is not None:
                shown = mark_quoted_mail(remove_hidden(build_elements(body)))
                BlockReader(self._writer, level_offset=level).read(shown)
            return
        end = find_quoted_mail(part.text)
        has_headings = part.name.lower().endswith((".md", ".markdown"))
        self._plain(part.text[:end], level=level, has_headings=has_headings)
        self._quote(part.text[end:].split("\n"))

    def _plain(self, text: str, *, level: int, has_headings: bool) -> None:
        run: list[str] = []
        quoted: list[str] = []
        for line in [*text.split("\n"), ""]:
            if line.startswith(">"):
                self._paragraph(run)
                quoted.append(_QUOTE_MARKS.sub("", line))
                continue
            if quoted:
                self._quote(quoted)
                quoted = []
            heading = _HEADING.fullmatch(line) if has_headings else None
            if heading:
                self._paragraph(run)
                self._writer.heading(level + len(heading[1]), heading[2])
            elif line.strip():
                run.append(line)
            else:
                self._paragraph(run)

    def _paragraph(self, run: list[str]) -> None:
        if run:
            self._writer.paragraph("\n".join(run))
            self._note(run)
            run.clear()

    def _quote(self, lines: Sequence[str]) -> None:
        shown = [line for line in lines if line.strip()]
        if not shown:
            return
        seen = self._seen or set()
        known = sum(" ".join(line.split()) in seen for line in shown)
        if known >= len(shown) * _SEEN_SHARE:
            self._writer.quote(f"{shown[0]} […]")
        else:
            self._writer.quote("\n".join(shown))
            self._note(shown)

    def _note(self, lines: Sequence[str]) -> None:
        if self._seen is not None:
            self._seen.update(" ".join(line.split()) for line in lines)
