"""Mails: header fields as text, the message itself, and what is attached, from the parts of a MIME message."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import errors, message_from_bytes
from email.header import decode_header
from email.message import Message as MimeMessage
from itertools import islice

from kebab_core import DocumentDamagedError, Message, UnsupportedMediaError

from kebab_parse_html.charset import decode_declared, decode_page
from kebab_parse_html.page_parser import parse_page

MAX_DEPTH = 100
"""Deepest nesting of the parts of a mail, and of mails attached to mails, that is read."""
MAX_PARTS = 1000
"""Parts of a mail that are read."""
_BETWEEN_MAILS = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From \S[^\r\n]{0,200}[ \t]"
    rb"(?:\d\d?:\d\d|\d{4}-\d\d-\d\d|(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec) {1,3}\d)[^\r\n]{0,200}\r?\n"
    rb"(?=[!-9;-~]{1,100}:(?!//))"
)
"""Line before a mail: its sender and its date, with a header line below. A line of a text rarely has both."""
_ESCAPED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_FLOWED = re.compile(r"(?<![ \n]--)(?<=[^ \n]) \n(?!>|\s|$)")
"""End of a line that the next one continues (RFC 3676); not that of the line before a signature."""
_MISSING_SHARE = 0.05
"""Share of the words of a message in HTML, which readers see, that its plain text may lack."""
_WORD = re.compile(r"\w{2,}")
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_PLAIN_LABELS = frozenset({"", "us-ascii", "utf-8"})
"""Encodings of attached texts that need not be named."""
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_DAMAGES = (
    errors.InvalidBase64CharactersDefect,
    errors.InvalidBase64LengthDefect,
    errors.InvalidBase64PaddingDefect,
)
_UNCLOSED = frozenset({errors.CloseBoundaryNotFoundDefect})
_UNNAMED = {"text/calendar": "invite.ics", "text/vcard": "contact.vcf", "text/x-vcard": "contact.vcf"}
"""Kind of a text that is a file, not the message in another form, to the name of one without a name."""
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
        return _read_content(self.part) or b""


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


_COUNTED = re.compile(rb"(\d{1,10}) *\r?\n")
"""First line of a mail as Apple Mail stores it: the bytes of the mail, behind which its marks stand."""


def parse_mail(content: bytes) -> MimeMessage:
    """Parse one mail.

    Raises:
        DocumentDamagedError: Its parts are nested so deep that it cannot be read, deeper than `MAX_DEPTH`.
        UnsupportedMediaError: It has no header lines.
    """
    try:
        content = content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
        if counted := _COUNTED.match(content):
            content = content[counted.end() : counted.end() + int(counted[1])]
        message = message_from_bytes(content)
    except RecursionError:
        raise DocumentDamagedError("its parts are nested deeper than {depth}", depth=MAX_DEPTH) from None
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


def read_parts(message: MimeMessage, warnings: list[Message]) -> list[MailPart]:
    """Return the parts of a mail in order; of a message that is there as plain text and as HTML, one of the two.

    `warnings` gets a message for each part that is damaged, and for parts beyond `MAX_DEPTH` and `MAX_PARTS`.
    """
    reader = _PartReader(warnings)
    found = reader.read(message, depth=0)
    parts = list(islice(found, MAX_PARTS))
    if next(found, None) is not None:
        reader.warn(Message("only the first {parts:,} parts of a mail are read", parts=MAX_PARTS))
    return parts


def heading_of(mail: MimeMessage) -> str:
    """Return what the section of a mail is named after: its subject, else its date."""
    return read_header(mail, "Subject") or read_header(mail, "Date") or "-"


class _PartReader:
    """Reads the parts of one mail, and notes what is wrong with them."""

    def __init__(self, warnings: list[Message]) -> None:
        self._warnings = warnings

    def warn(self, message: Message) -> None:
        if message not in self._warnings:
            self._warnings.append(message)

    def read(self, part: MimeMessage, *, depth: int) -> Iterator[MailPart]:
        if "\0" in (part.get_content_charset() or ""):
            # The standard library looks the name up and ends in an error of its own.
            part.del_param("charset")
        payload = part.get_payload()
        kind = part.get_content_type()
        if not isinstance(payload, list):
            yield self._read_leaf(part, kind)
            return
        children = [child for child in payload if isinstance(child, MimeMessage)]
        if _UNCLOSED.intersection(map(type, part.defects)):
            self.warn(Message("the mail is cut: the end of its parts is missing"))
        if kind == "message/rfc822":
            yield from children
        elif kind == "message/delivery-status":
            yield MailText("\n".join(filter(None, map(_show_fields, children))), is_html=False)
        elif depth >= MAX_DEPTH:
            self.warn(
                Message("parts of a mail that are nested deeper than {depth} were left out", depth=MAX_DEPTH)
            )
        elif kind == "multipart/alternative":
            yield from _choose([list(self.read(child, depth=depth + 1)) for child in children])
        else:
            for child in children:
                yield from self.read(child, depth=depth + 1)

    def _read_leaf(self, part: MimeMessage, kind: str) -> MailPart:
        name = _file_name(part) or _UNNAMED.get(kind, "")
        is_html = kind in {"text/html", "application/xhtml+xml"} or name.lower().endswith((".html", ".htm"))
        is_split = part.get_content_maintype() == "multipart"
        file = MailFile(name or kind, part)
        if is_split:
            self.warn(Message("the parts of the mail cannot be told apart, and are read as one text"))
        if is_split or part.get_content_maintype() == "text" or is_html or _TEXT_NAME.search(name):
            text = self._decode(part, file.name, is_html=is_html)
            if text is not None:
                content = _file_content(part, text, is_html=is_html) if name else b""
                return MailText(text, is_html, name, content)
        elif _is_damaged(part, file.content):
            self._warn_of_damage(file.name)
        if not name.lower().endswith(".eml"):
            return file
        try:
            return parse_mail(file.content)
        except (UnsupportedMediaError, DocumentDamagedError) as error:
            self.warn(
                Message("the attached mail {name} was not read: {reason}", name=name, reason=error.message)
            )
            return file

    def _decode(self, part: MimeMessage, name: str, *, is_html: bool) -> str | None:
        content = _read_content(part)
        if content is None:
            return None
        label = part.get_content_charset()
        try:
            decoded = decode_page(content) if is_html and not label else decode_declared(content, label)
        except UnsupportedMediaError:
            self.warn(Message("the part {name} of the mail is no text and was left out", name=name))
            return None
        if _is_damaged(part, content):
            self._warn_of_damage(name)
        if decoded.warning:
            self.warn(decoded.warning)
        text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
        is_flowed = str(part.get_param("format", "")).lower() == "flowed"
        return _FLOWED.sub(" ", text) if is_flowed else text

    def _warn_of_damage(self, name: str) -> None:
        self.warn(Message("the part {name} of the mail is damaged and was read as far as it goes", name=name))


def _read_content(part: MimeMessage) -> bytes | None:
    """Return what a part holds; of base64 that is cut, as far as it goes."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return None
    if any(isinstance(defect, errors.InvalidBase64LengthDefect) for defect in part.defects):
        letters = _NO_BASE64.sub(b"", content)
        return b64decode(letters[: len(letters) // 4 * 4])
    return content


def _is_damaged(part: MimeMessage, content: bytes) -> bool:
    """Return True for a part whose content is not what its transfer encoding allows; known after it was decoded."""
    return any(isinstance(defect, _DAMAGES) for defect in part.defects) and bool(content)


def _show_fields(message: MimeMessage) -> str:
    """Return the fields of a report about delivery, which has no other text."""
    return "\n".join(f"{name}: {_decode_header(str(value))}" for name, value in message.raw_items())


def _choose(forms: Sequence[list[MailPart]]) -> list[MailPart]:
    """Return the parts of a message that is there in several forms, in one of them, with the files of all."""
    plain = next((form for form in forms if _joined(form, is_html=False).strip()), None)
    page = next((form for form in forms if any(part.is_html for part in _texts(form))), None)
    chosen = plain or page
    if plain is not None and page is not None and plain is not page:
        seen = _list_words(_strip_tags(_joined(page, is_html=True)))
        missing = seen - _list_words(_joined(plain, is_html=False))
        chosen = page if len(missing) > len(seen) * _MISSING_SHARE else plain
    return [
        part
        for form in forms
        for part in form
        if form is chosen or not isinstance(part, MailText) or part.name
    ]


def _list_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _texts(form: Sequence[MailPart]) -> list[MailText]:
    return [part for part in form if isinstance(part, MailText) and not part.name]


def _joined(form: Sequence[MailPart], *, is_html: bool) -> str:
    return "\n".join(part.text for part in _texts(form) if part.is_html == is_html)


def _strip_tags(page: str) -> str:
    body = parse_page(page)
    body.strip_tags(["script", "style"])
    return " ".join(body.text(separator=" ").split())


def _file_content(part: MimeMessage, text: str, *, is_html: bool) -> bytes:
    content = _read_content(part)
    label = (part.get_content_charset() or "").lower()
    if content is not None and (is_html or label in _PLAIN_LABELS):
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
        words = decode_header(
            " ".join(text.splitlines())
        )  # which drops the blank that a folded line begins with
    except (errors.HeaderParseError, ValueError):
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
