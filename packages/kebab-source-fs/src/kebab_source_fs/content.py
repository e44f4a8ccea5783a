"""The verdict on the content of a file that has been read: what is left out all the same."""

from __future__ import annotations

import codecs
import re

from kebab_core import CodeIngestSettings, CodeMedia, MediaType, SkipReason, TextMedia
from kebab_text import is_generated

SNIFF_VERSION = "sniff@5"
"""Raised when the same content gets another verdict: files that were left out are then looked into again."""

_BINARY_BYTES = 8000
"""Bytes that git searches for a zero byte before it calls a file text."""
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))
"""Control characters that are neither white space nor ESC, with which terminals are told colours."""
_MOST_CONTROLS = 0.1
"""Share of bytes from which on a text is none. No encoding of letters has these bytes but UTF-16 and UTF-32, which have zero bytes, too."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SECRET_BYTES = 4000
"""Bytes at the beginning of a text in which a secret is looked for."""
_SECRET = re.compile(
    rb"^(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]"
    rb"|[ \t]*aws_secret_access_key[ \t]*=[ \t]*[\"']?[a-z0-9/+]{40}(?![a-z0-9/+])"
    rb"|\[[^\]\n]{1,100}\][ \t\r]*\n(?:[^\n\[]{0,400}\n){0,20}[ \t]*aws_secret_access_key[ \t]*=)",
    re.MULTILINE | re.IGNORECASE,
)
"""A line of a private key, an access key, or a line for one in a section of settings. Code passes it on under the same name."""


def sniff_skip(media: MediaType, content: bytes, settings: CodeIngestSettings) -> SkipReason | None:
    """The reason why a file that has been read is left out all the same, or None.

    Only source code and texts are judged: a note that says "do not edit" is a note. Of source code, in this order: binary content (a
    zero byte), too many bytes or lines, a generator's mark in the first ten lines, lines too long to be written by a person. Of a text that is
    no Markdown: control characters instead of letters, a private key or an access key near its beginning.

    Args:
        media: The medium of the file.
        content: The whole file.
        settings: What to leave out.
    """
    if isinstance(media, TextMedia):
        return _sniff_text(content)
    if not isinstance(media, CodeMedia):
        return None
    if content.startswith(_UTF16_MARKS):
        content = content.decode("utf-16", errors="replace").encode()
    if b"\0" in content[:_BINARY_BYTES]:
        return SkipReason.BINARY_CONTENT
    lines = content.count(b"\n") + (content != b"" and not content.endswith(b"\n"))
    if len(content) > settings.max_file_bytes or lines > settings.max_file_lines:
        return SkipReason.SIZE_EXCEEDED
    if settings.skip_generated and is_generated(content):
        return SkipReason.GENERATED
    return None


def _sniff_text(content: bytes) -> SkipReason | None:
    beginning = content[:_BINARY_BYTES]
    left = beginning.translate(None, _CONTROLS)
    is_much = len(beginning) - len(left) > _MOST_CONTROLS * len(beginning)
    if is_much and (not left.strip() or b"\0" not in beginning):
        return SkipReason.BINARY_CONTENT
    return SkipReason.SECRET if _SECRET.search(content[:_SECRET_BYTES]) else None
