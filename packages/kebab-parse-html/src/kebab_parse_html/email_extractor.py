"""The extractor `email-v5`: mails, and mailboxes as one document with a section for each mail."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from email.message import Message as MimeMessage
from itertools import count, islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from kebab_core import (
    AttachedFile,
    CanonicalDocument,
    DocumentDamagedError,
    DocumentEncryptedError,
    EmailMedia,
    ExtractContext,
    LinkInline,
    Message,
    ParserVersion,
    Remedy,
    UnsupportedMediaError,
)
from kebab_parse import COMPOUND_FILE, IsolatedExtractor, Item, TextWriter
from pydantic import JsonValue

from kebab_parse_html.block_reader import BlockReader
from kebab_parse_html.elements import Element, build_elements
from kebab_parse_html.html_extractor import AGENT
from kebab_parse_html.mail import (
    MAX_DEPTH,
    MailFile,
    MailText,
    heading_of,
    is_encrypted,
    parse_mail,
    read_header,
    read_parts,
    split_mailbox,
)
from kebab_parse_html.main_text import remove_hidden
from kebab_parse_html.outlook_mail import read_outlook_mail
from kebab_parse_html.page_metadata import read_instant, split_keywords
from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from kebab_core import KebabError

EMAIL_VERSION = ParserVersion("email-v5")
MAX_MAILS = 20_000
_BYTES_PER_MB = 1024 * 1024
MAX_FILES, MAX_FILE_BYTES = 100, 20 * _BYTES_PER_MB
"""Attached files of a mail or mailbox that are read, and their bytes in all: it has the time and memory of one file."""
_UNSPELLABLE = re.compile(r"[\x00-\x1f\x7f/\ud800-\udfff]")
"""Characters that no path and no report can hold."""
_SHOWN_FIELDS = ("From", "To", "Cc", "Date")
_KEPT_FIELDS = {"subject": "Subject", "from": "From", "to": "To", "cc": "Cc", "message_id": "Message-ID"}
_QUOTE_MARKS = re.compile(r"^(?:>[ \t]?)+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_SEEN_SHARE = 0.9

_FIRST_FIELD = r"\*?(?:From|보낸[ ]?사람|발신인?)\*?[ ]?:"
_NEXT_FIELD = r"\*?(?:Sent|Date|To|Cc|Subject|(?:보낸|받은)[ ]?(?:날짜|시간|일시)|받는[ ]?사람|수신인?|참조|날짜|제목)\*?[ ]?:"
_PLAIN = re.compile(
    r"^[ \t]*-{3,20}[^\n]{3,60}-{3,20}[ \t]*+\n(?=\s*+\*?[\w -]{2,30}\*?:)"
    rf"|^{_FIRST_FIELD}[^\n]*(?:\n{_NEXT_FIELD}[^\n]*){{2}}",
    re.MULTILINE,
)
"""Line that some programs put above the mail that is answered, whose header lines follow; or these lines alone."""
_PAGE = re.compile(rf"{_FIRST_FIELD}(?>.{{1,500}}?\s{_NEXT_FIELD}).{{1,500}}?\s{_NEXT_FIELD}")
_MAX_HEADER_CHARS = 4000
"""Elements with more text are not compared: one in them holds the header lines."""
_QUOTE_CLASSES = frozenset({"gmail_quote", "yahoo_quoted", "protonmail_quote"})


class EmailExtractor(IsolatedExtractor):
    """Extractor of mails (`.eml`, `.msg` of Outlook) and mailboxes (`.mbox`). Implements `AttachmentExtractor`."""

    kind = "email"
    version = EMAIL_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read a mail or a mailbox. Spans are `LineSpan`s of the text that is read.

        Each mail is a section under its subject: header fields, the message, the names of attached files, then attached texts
        and mails under their names. What a mail quotes is a quote; in a mailbox that holds it already, its first line.

        Returns:
            The document. Its warnings name mails and parts that are encrypted, damaged or beyond a limit.

        Raises:
            DocumentDamagedError: The parts of the mail are nested too deep.
            DocumentEncryptedError: The mail is encrypted.
            UnsupportedMediaError: It is no mail.
        """
        return self.extract_attached(context, content, reads=lambda _name: False)[0]

    def extract_attached(
        self, context: ExtractContext, content: bytes, *, reads: Callable[[str], bool]
    ) -> tuple[CanonicalDocument, tuple[AttachedFile, ...]]:
        """Read a mail or a mailbox as `extract` does, without the attached files that become documents.

        Files of one name and other content get a number, `plan (2).pdf`.

        Returns:
            The document, and at most `MAX_FILES` attached files, those of attached mails included.

        Raises:
            DocumentDamagedError: The parts of the mail are nested too deep.
            DocumentEncryptedError: The mail is encrypted.
            UnsupportedMediaError: It is no mail.
        """
        media = context.asset.media_type
        kind = media.format if isinstance(media, EmailMedia) else "eml"
        writer = TextWriter(self._identify(context))
        warnings: list[Message] = []
        attached = AttachmentCollector(context.asset.workspace_path.name, reads)
        values = (
            _write_mailbox(MailWriter(writer, attached, warnings, seen=set()), content, warnings)
            if kind == "mbox"
            else _write_outlook(MailWriter(writer, attached, warnings), content, warnings)
            if kind == "msg"
            else _write_single(MailWriter(writer, attached, warnings), content)
        )
        warnings += attached.warnings()
        subject = str(values.pop("subject", ""))
        document = self._build(
            context, writer.blocks, writer.finish(), values=values, own_title=subject, warnings=warnings
        )
        return document, attached.files


def _write_single(mails: MailWriter, content: bytes) -> dict[str, JsonValue]:
    message = parse_mail(content)
    if is_encrypted(message):
        raise DocumentEncryptedError(
            "the mail is encrypted",
            remedy=Remedy(advice=Message("open it in its own program and save it without protection")),
        )
    mails.write(message)
    return _values_of(message)


def _values_of(message: MimeMessage) -> dict[str, JsonValue]:
    fields = {key: read_header(message, name) for key, name in _KEPT_FIELDS.items()}
    values: dict[str, JsonValue] = {key: text for key, text in fields.items() if text}
    if created := read_instant(read_header(message, "Date")):
        values["created"] = created
    if keywords := split_keywords([read_header(message, "Keywords")]):
        values["tags"] = list[JsonValue](keywords)
    return values


def _write_outlook(mails: MailWriter, content: bytes, warnings: list[Message]) -> dict[str, JsonValue]:
    if not content.startswith(COMPOUND_FILE):
        return _write_single(mails, content)
    message = read_outlook_mail(content, warnings)
    mails.write(message)
    return _values_of(message)


def _write_mailbox(mails: MailWriter, content: bytes, warnings: list[Message]) -> dict[str, JsonValue]:
    encrypted = written = 0
    unread: list[KebabError] = []
    dates: list[str] = []
    sources = split_mailbox(content)
    for source in islice(sources, MAX_MAILS):
        try:
            message = parse_mail(source)
        except (UnsupportedMediaError, DocumentDamagedError) as error:
            unread.append(error)
            continue
        written += 1
        encrypted += is_encrypted(message)
        mails.write(message)
        if date := read_instant(read_header(message, "Date")):
            dates.append(date)
    if unread and not written:
        raise unread[0]
    if encrypted:
        warnings.append(
            Message("{count} mail is encrypted", plural="{count} mails are encrypted", count=encrypted)
        )
    if unread:
        warnings.append(
            Message(
                "{count} mail of the mailbox was not read, the first since {reason}",
                plural="{count} mails of the mailbox were not read, the first since {reason}",
                count=len(unread),
                reason=unread[0].message,
            )
        )
    if next(sources, None) is not None:
        warnings.append(Message("only the first {mails:,} mails of the mailbox are read", mails=MAX_MAILS))
    return {"created": min(dates), "updated": max(dates)} if dates else {}


class AttachmentCollector:
    """Files of a mail or mailbox that become documents, up to limits.

    Args:
        holder: Name of the file that holds them.
        reads: Whether a file of this name becomes a document.
    """

    def __init__(self, holder: str, reads: Callable[[str], bool]) -> None:
        self._holder = holder
        self._reads = reads
        self._files: dict[str, bytes] = {}
        self._bytes = 0
        self._over = 0

    @property
    def files(self) -> tuple[AttachedFile, ...]:
        """The files in their order, each content of a name once."""
        return tuple(AttachedFile(name, content) for name, content in self._files.items())

    def add(self, part: MailFile | MailText | AttachedFile) -> Item | None:
        """Take a file; return its name among all as a link to its document, None for one that becomes none."""
        name = self._add(part)
        if name is None:
            return None
        link = LinkInline(text=name, href=quote(f"{self._holder}/{name}"))
        return Item(name, inlines=(link,))

    def _add(self, part: MailFile | MailText | AttachedFile) -> str | None:
        name = _UNSPELLABLE.sub("_", unicodedata.normalize("NFC", part.name)).strip()
        if name in {"", ".", ".."} or not self._reads(name) or not (content := part.content):
            return None
        stem, dot, extension = name.rpartition(".")
        for number in count(2):
            if name not in self._files:
                break
            if self._files[name] == content:
                return name
            name = f"{stem or extension} ({number}){dot}{extension}" if stem else f"{extension} ({number})"
        if len(self._files) >= MAX_FILES or self._bytes + len(content) > MAX_FILE_BYTES:
            self._over += 1
            return None
        self._files[name] = content
        self._bytes += len(content)
        return name

    def warnings(self) -> list[Message]:
        """Return the warnings about files beyond the limits."""
        if not self._over:
            return []
        return [
            Message(
                "{count} attached file was not read: only {files} files of {megabytes} MB in all are",
                plural="{count} attached files were not read: only {files} files of {megabytes} MB in all are",
                count=self._over,
                files=MAX_FILES,
                megabytes=MAX_FILE_BYTES // _BYTES_PER_MB,
            )
        ]


class MailWriter:
    """Writes mails as sections.

    Args:
        writer: Gets the blocks.
        attached: Takes attached files that become documents.
        warnings: Get what could not be read.
        seen: Lines of the mails of a mailbox so far, so that quotes of them are folded; None for a mail alone.
    """

    def __init__(
        self,
        writer: TextWriter,
        attached: AttachmentCollector,
        warnings: list[Message],
        *,
        seen: set[str] | None = None,
    ) -> None:
        self._writer = writer
        self._attached = attached
        self._warnings = warnings
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
                warning = Message("the attached mail {subject} is encrypted", subject=repr(subject))
                self._warnings.append(warning)
            return
        parts = read_parts(message, self._warnings)
        for part in parts:
            if isinstance(part, MailText) and not part.name:
                self._text(part, level=level)
        files = [part for part in parts if isinstance(part, MailFile | MailText) and part.name]
        taken = [self._attached.add(part) if message.is_multipart() else None for part in files]
        self._writer.items([item or Item(part.name) for item, part in zip(taken, files, strict=True)])
        for item, part in zip(taken, files, strict=True):
            if isinstance(part, MailText) and item is None:
                self._writer.heading(level + 1, part.name)
                self._text(part, level=level + 1)
        mails = [part for part in parts if isinstance(part, MimeMessage)]
        if mails and level >= MAX_DEPTH:
            warning = Message(
                "attached mails that are nested deeper than {depth} were left out", depth=MAX_DEPTH
            )
            self._warnings.append(warning)
            return
        for mail in mails:
            self.write(mail, level=level + 1)

    def _text(self, part: MailText, *, level: int) -> None:
        if part.is_html:
            if (body := parse_page(part.text).body) is not None:
                page = build_elements(body, self._warnings)
                remove_hidden(page)
                BlockReader(self._writer, level_offset=level).read(mark_quoted_mail(page))
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


def find_quoted_mail(text: str) -> int:
    """Return where the mail that is answered begins in a plain text; its length if it has none, or nothing before it."""
    found = _PLAIN.search(text)
    return found.start() if found and text[: found.start()].strip() else len(text)


def mark_quoted_mail(body: Element) -> Element:
    """Make quotes (`blockquote`) of the mails that a page quotes, unless it has nothing else; return the same element.

    Some programs put them into elements of known classes; others only put header lines above, which all that follows
    belongs to.
    """
    for element in body.iterate():
        if not element.classes.isdisjoint(_QUOTE_CLASSES) and element.chars < body.chars:
            element.tag = "blockquote"
    start = next((element for element in body.iterate() if _has_header_lines(element)), None)
    if start is None:
        return body
    quoted = _cut(body, start)
    if body.text():
        quoted = [Element("blockquote", {}, quoted)]
    body.children += quoted
    return body


def _has_header_lines(element: Element) -> bool:
    is_block = element.tag in {"div", "p", "td", "span", "blockquote"}
    return is_block and element.chars <= _MAX_HEADER_CHARS and _PAGE.match(element.text()) is not None


def _cut(element: Element, start: Element) -> list[Element | str]:
    """Remove an element below another one with all that follows it, and return these."""
    for number, child in enumerate(element.children):
        if child is start:
            cut = element.children[number:]
        elif isinstance(child, str) or not (cut := _cut(child, start)):
            continue
        else:
            cut += element.children[number + 1 :]
            number += 1
        del element.children[number:]
        return cut
    return []
