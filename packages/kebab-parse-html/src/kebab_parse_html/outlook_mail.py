"""Mails of Outlook (`.msg`): a compound file with a stream for each property, turned into a MIME message ([MS-OXMSG])."""

from __future__ import annotations

import codecs
import io
import struct
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.message import Message as MimeMessage
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from olefile import OleFileIO

_UNICODE, _BYTES, _BINARY = "001F", "001E", "0102"
_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_SHOWN_TO, _SHOWN_CC, _MESSAGE_ID = "0E04", "0E03", "1035"
_FILE_NAME, _SHORT_NAME, _DATA, _INNER = "3707", "3704", "3701", "3701000D"
_PROPERTIES = "__properties_version1.0"
_HEADER_BYTES = 32
"""Before the properties of the mail itself; those of one in it have 24."""
_SENT, _CODE_PAGE = 0x00390040, 0x3FFD0003
_UTF_8 = 65001
_PROPERTY = struct.Struct("<IIQ")
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_TICKS_PER_MS = 10_000
_MOST_FILES = 1000
_MOST_DEPTH = 20
_DAMAGE = (OSError, ValueError, IndexError, TypeError, AttributeError, OverflowError, struct.error)
"""What olefile raises over damaged files."""


def read_outlook_mail(content: bytes, warnings: list[Message]) -> MIMEMultipart:
    """Return a mail of Outlook as a MIME message, with attached files and mails.

    Args:
        content: The file.
        warnings: Get what could not be read.

    Raises:
        DocumentDamagedError: It is none.
    """
    import olefile

    try:
        file = olefile.OleFileIO(io.BytesIO(content))
    except _DAMAGE as error:
        raise DocumentDamagedError("it is no mail of Outlook, or a damaged one") from error
    with file:
        return _MailFolder(file, [], warnings).read()


class _MailFolder:
    """A mail in a compound file: the file itself, or a storage in it."""

    def __init__(self, file: OleFileIO, path: list[str], warnings: list[Message]) -> None:
        self._file = file
        self._path = path
        self._warnings = warnings
        self._numbers = self._read_numbers()
        self._encoding = _encoding_of(self._numbers.get(_CODE_PAGE, 0) & 0xFFFFFFFF)

    def read(self) -> MIMEMultipart:
        """Return the mail."""
        mail = MIMEMultipart("mixed")
        sender = self._text(_SENDER_SMTP) or self._text(_SENDER_ADDRESS)
        fields = {
            "Subject": self._text(_SUBJECT),
            "From": _address(self._text(_SENDER_NAME), sender),
            "To": self._text(_SHOWN_TO),
            "Cc": self._text(_SHOWN_CC),
            "Date": self._date(),
            "Message-ID": self._text(_MESSAGE_ID),
        }
        for name, value in fields.items():
            if shown := " ".join(_plain(value).split()):
                mail[name] = shown if shown.isascii() else Header(shown, "utf-8").encode()
        texts = MIMEMultipart("alternative")
        for text, kind in ((self._text(_BODY), "plain"), (self._html(), "html")):
            if text.strip("\0 \r\n"):
                texts.attach(MIMEText(text.replace("\0", ""), kind, "utf-8"))
        mail.attach(texts)
        for part in self._attached():
            mail.attach(part)
        return mail

    def _attached(self) -> Iterator[MimeMessage]:
        """Yield the attached files and mails."""
        depth = len(self._path)
        entries = self._file.listdir(streams=True, storages=False)
        inside = (each for each in entries if each[:depth] == self._path and len(each) > depth + 1)
        names = sorted({each[depth] for each in inside if each[depth].startswith("__attach_version1.0_")})
        for name in names[:_MOST_FILES]:
            path = [*self._path, name, f"__substg1.0_{_INNER}"]
            if self._file.exists(path):
                if depth < _MOST_DEPTH:
                    yield MIMEMessage(_MailFolder(self._file, path, self._warnings).read())
                continue
            folder = _MailFolder(self._file, path[:-1], self._warnings)
            if data := folder._stream(_DATA + _BINARY):
                part = MIMEApplication(data)
                file_name = _plain(folder._text(_FILE_NAME) or folder._text(_SHORT_NAME)) or "attachment"
                part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file_name))
                yield part

    def _stream(self, tag: str) -> bytes:
        path = [*self._path, f"__substg1.0_{tag}"]
        try:
            if not self._file.exists(path):
                return b""
            with self._file.openstream(path) as stream:
                return bytes(stream.read())
        except _DAMAGE:
            warning = Message("a part of the mail is damaged and was left out")
            if warning not in self._warnings:
                self._warnings.append(warning)
            return b""

    def _text(self, tag: str) -> str:
        if content := self._stream(tag + _UNICODE):
            return content.decode("utf-16-le", errors="replace")
        return self._stream(tag + _BYTES).decode(self._encoding, errors="replace")

    def _html(self) -> str:
        content = self._stream(_HTML + _BINARY)
        return content.decode(self._encoding, errors="replace") if content else self._text(_HTML)

    def _date(self) -> str:
        ticks = self._numbers.get(_SENT, 0)
        try:
            return format_datetime(_EPOCH + timedelta(milliseconds=ticks // _TICKS_PER_MS)) if ticks else ""
        except (OverflowError, ValueError):
            return ""

    def _read_numbers(self) -> dict[int, int]:
        """Return the numbers among the properties, by tag."""
        path = [*self._path, _PROPERTIES]
        try:
            if not self._file.exists(path):
                return {}
            with self._file.openstream(path) as stream:
                content = bytes(stream.read())
        except _DAMAGE:
            return {}
        start = _HEADER_BYTES if not self._path else 8 if self._path[-1].startswith("__attach") else 24
        end = start + (max(len(content) - start, 0) // _PROPERTY.size) * _PROPERTY.size
        return {tag: value for tag, _, value in _PROPERTY.iter_unpack(content[start:end])}


def _encoding_of(code_page: int) -> str:
    for name in ("utf-8" if code_page == _UTF_8 else f"cp{code_page}", "cp1252"):
        try:
            codecs.lookup(name)
        except LookupError:
            continue
        return name
    return "cp1252"


def _address(name: str, address: str) -> str:
    if "@" not in address:
        return name or address
    return f"{name} <{address}>" if name and name != address else address


def _plain(name: str) -> str:
    return "".join(char if char.isprintable() else " " for char in name).strip()
