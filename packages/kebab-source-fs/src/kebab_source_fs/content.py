"""The verdict on the content of a file that has been read: what is left out all the same."""

from __future__ import annotations

import codecs
import re

from kebab_core import CodeIngestSettings, CodeMedia, MediaType, SkipReason, TextMedia
from kebab_text import is_generated

SNIFF_VERSION = "sniff@4"
"""Raised when the same content gets another verdict: files that were left out are then looked into again."""

_BINARY_BYTES = 8000
"""Bytes that git searches for a zero byte before it calls a file text."""
_CONTROLS = bytes([*range(9), *range(14, 32), 127])
"""Control characters that are no white space."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SECRET_BYTES = 4000
"""Bytes at the beginning of a text in which a secret is looked for."""
_SECRET = re.compile(
    rb"^(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]"
    rb"|[ \t]*aws_secret_access_key[ \t]*=)",
    re.MULTILINE | re.IGNORECASE,
)
"""A line of a private key, or of a file of access keys."""


def sniff_skip(media: MediaType, content: bytes, settings: CodeIngestSettings) -> SkipReason | None:
    """The reason why a file that has been read is left out all the same, or None.

    Only source code and texts are judged: a note that says "do not edit" is a note. Of source code, in this order: binary content (a
    zero byte), too many bytes or lines, a generator's mark in the first ten lines, lines too long to be written by a person. Of a text that is
    no Markdown: nothing but control characters, a private key or an access key near its beginning.

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
    if content.strip() and not content[:_BINARY_BYTES].translate(None, _CONTROLS).strip():
        return SkipReason.BINARY_CONTENT
    return SkipReason.SECRET if _SECRET.search(content[:_SECRET_BYTES]) else None
