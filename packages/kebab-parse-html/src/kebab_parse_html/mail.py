"""Mails: header fields as text, the message itself, and what is attached, from the parts of a MIME message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as MimeMessage
from itertools import islice

from kebab_core import UnsupportedMediaError

from kebab_parse_html.charset import decode_declared, decode_page

MAX_DEPTH = 8
"""Deepest nesting of parts and of mails attached to mails that is read."""
MAX_PARTS = 1000
_BETWEEN_MAILS = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S[^\r\n]{0,200}[ \t]"
    rb"(?:\d\d?:\d\d|\d{4}-\d\d-\d\d|(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec) {1,3}\d)[^\r\n]{0,200}\r?\n"
    rb"(?=[!-9;-~]{1,100}:(?!//))"
)
"""Line before a mail: its sender and its date, with a header line below. A line of a text rarely has both."""
_ESCAPED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_FLOWED = re.compile(r"(?<![ \n]--)(?<=[^ \n]) \n(?!>|\s|$)")
"""End of a line that the next one continues (RFC 3676); not that of the line before a signature."""
_PLAIN_SHARE = 3
"""A plain text with less than a third of the words of the same message in HTML is only a hint to open that."""
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_PLAIN_LABELS = frozenset({"", "us-ascii", "utf-8"})
"""Encodings of attached texts that need not be named."""
_TEXT_NAME = re.compile(r"\.(?:txt|text|md|markdown|html?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailText:
    """A text of a mail: the message, or an attached file."""

    text: str
    is_html: bool
    name: str = ""
    """File name; empty for the message."""
    content: bytes = b""
    """The file; in UTF-8 where the mail names another encoding than the text shows by itself."""


@dataclass(frozen=True, slots=True)
class MailFile:
    """An attached file that is not text."""

    name: str
    part: MimeMessage

    @property
    def content(self) -> bytes:
        """The file; empty where it has none."""
        content = self.part.get_payload(decode=True)
        return content if isinstance(content, bytes) else b""


MailPart = MailText | MailFile | MimeMessage
"""A text, a file, or a mail attached to a mail."""


def split_mailbox(content: bytes) -> Iterator[bytes]:
    """Yield the mails of a mailbox (mbox), without the lines between them."""
    starts = [found.span() for found in _BETWEEN_MAILS.finditer(content)]
    if not starts or content[: starts[0][0]].strip():
        starts.insert(0, (0, 0))
    ends = [*(start for start, _ in starts[1:]), len(content)]
    for (_, start), end in zip(starts, ends, strict=True):
        yield _ESCAPED_FROM.sub(rb"\1", content[start:end])


def parse_mail(content: bytes) -> MimeMessage:
    """Parse one mail.

    Raises:
        UnsupportedMediaError: It has no header lines.
    """
    message = message_from_bytes(content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
    if not message.keys():
        if not content:
            raise UnsupportedMediaError("the file is empty")
        raise UnsupportedMediaError("it is no mail: it does not begin with header lines")
    return message


def read_header(message: MimeMessage, name: str) -> str:
    """Return a header field as people read it, on one line; empty if there is none, several joined by commas."""
    values = [value for key, value in message.raw_items() if key.lower() == name.lower()]
    return ", ".join(text for value in values if (text := _decode_header(str(value))))


def is_encrypted(message: MimeMessage) -> bool:
    """Return True for a mail that nobody reads without a key."""
    kind = message.get_content_type()
    return kind in _ENCRYPTED and str(message.get_param("smime-type", "enveloped-data")) == "enveloped-data"


def read_parts(message: MimeMessage) -> Iterator[MailPart]:
    """Return the parts of a mail in order; of a message that is there as plain text and as HTML, one of the two."""
    return islice(_read_parts(message, depth=0), MAX_PARTS)


def heading_of(mail: MimeMessage) -> str:
    """Return what the section of a mail is named after: its subject, else its date."""
    return read_header(mail, "Subject") or read_header(mail, "Date") or "-"


def _read_parts(part: MimeMessage, *, depth: int) -> Iterator[MailPart]:
    if "\0" in (part.get_content_charset() or ""):
        # The standard library looks the name up and ends in an error of its own.
        part.del_param("charset")
    payload = part.get_payload()
    kind = part.get_content_type()
    if isinstance(payload, list) and depth < MAX_DEPTH:
        children = [child for child in payload if isinstance(child, MimeMessage)]
        if kind == "message/rfc822":
            yield from children
        else:
            parts = [found for child in children for found in _read_parts(child, depth=depth + 1)]
            yield from _choose(parts) if kind == "multipart/alternative" else parts
        return
    name = _file_name(part)
    is_html = kind in {"text/html", "application/xhtml+xml"} or name.lower().endswith((".html", ".htm"))
    if part.get_content_maintype() == "text" or is_html or _TEXT_NAME.search(name):
        text = _decode_payload(part, is_html=is_html)
        if text is not None:
            yield MailText(text, is_html, name, _file_content(part, text, is_html=is_html) if name else b"")
            return
    file = MailFile(name or kind, part)
    try:
        yield parse_mail(file.content) if name.lower().endswith(".eml") else file
    except UnsupportedMediaError:
        yield file


def _choose(parts: list[MailPart]) -> list[MailPart]:
    """Return the parts of a message that is there in several forms, in one of them."""
    texts = [part for part in parts if isinstance(part, MailText) and not part.name]
    plain = next((part for part in texts if not part.is_html and part.text.strip()), None)
    page = next((part for part in texts if part.is_html), None)
    chosen = plain or page
    if (
        plain is not None
        and page is not None
        and _PLAIN_SHARE * len(plain.text) < len(_strip_tags(page.text))
    ):
        chosen = page
    return [part for part in parts if part is chosen or not isinstance(part, MailText) or part.name]


def _strip_tags(page: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(page)
    body.strip_tags(["script", "style"])
    return " ".join(body.text(separator=" ").split())


def _decode_payload(part: MimeMessage, *, is_html: bool) -> str | None:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return None
    label = part.get_content_charset()
    try:
        text = (decode_page(content) if is_html and not label else decode_declared(content, label)).text
    except UnsupportedMediaError:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _FLOWED.sub(" ", text) if str(part.get_param("format", "")).lower() == "flowed" else text


def _file_content(part: MimeMessage, text: str, *, is_html: bool) -> bytes:
    content = part.get_payload(decode=True)
    label = (part.get_content_charset() or "").lower()
    if isinstance(content, bytes) and (is_html or label in _PLAIN_LABELS):
        return content
    return text.encode("utf-8", "replace")


def _file_name(part: MimeMessage) -> str:
    """Return the name of an attached file without folders; empty for the message itself."""
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError):
        name = None
    if name is None:
        is_attached = str(part.get("Content-Disposition", "")).strip().lower().startswith("attachment")
        return part.get_content_type() if is_attached else ""
    return re.split(r"[/\\]", _decode_header(name))[-1]


def _decode_header(value: str) -> str:
    """Return a header field decoded: of encoded words (RFC 2047), and of bytes that are neither ASCII nor encoded."""
    raw = value.encode("ascii", "surrogateescape") if value.isascii() or _has_bytes(value) else value.encode()
    try:
        text = decode_declared(raw, None).text
    except UnsupportedMediaError:
        text = raw.decode("ascii", "replace")
    if "=?" not in text:
        return " ".join(text.split())
    try:
        words = decode_header(text)
    except (HeaderParseError, ValueError):
        return " ".join(text.split())
    return " ".join("".join(_decode_word(word, label) for word, label in words).split())


def _has_bytes(value: str) -> bool:
    return all(char < "\x80" or "\udc80" <= char <= "\udcff" for char in value)


def _decode_word(word: bytes | str, label: str | None) -> str:
    if isinstance(word, str):
        return word
    if label is None:
        return word.decode("raw-unicode-escape", "replace")
    try:
        return decode_declared(word, label).text
    except UnsupportedMediaError:
        return word.decode("ascii", "replace")
