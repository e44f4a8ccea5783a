"""Exports that content alone tells, since their names are those of any JSON or text: notes of Google Keep, clippings of Kindle."""

from __future__ import annotations

import re

from kebab_core import CodeMedia, MediaType, StructuredMedia, TextMedia

KEEP_VERSION = "keep-v2"
CLIPPINGS_VERSION = "clippings-v1"
_KEEP = b'"userEditedTimestampUsec"'
_FIRST_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[^\r\n]{1,500}\r?\n- [^\r\n]{1,300}\r?\n\r?\n")
"""Of the first clipping of a Kindle: book, place, an empty line."""
_CLIPPING_END = b"\n=========="
_MOST_CLIPPING_BYTES = 100_000


def find_export(named: MediaType, content: bytes) -> MediaType | None:
    """Return the medium of an export by its content; None where it is none.

    Args:
        named: The medium that its name stands for.
        content: The whole file.
    """
    match named:
        case CodeMedia(lang="json") if _KEEP in content and content.lstrip().startswith(b"{"):
            return StructuredMedia(format="keep")
        case TextMedia(format="plain") if (
            _FIRST_LINES.match(content) and _CLIPPING_END in content[:_MOST_CLIPPING_BYTES]
        ):
            return StructuredMedia(format="kindle")
    return None


def list_export_parsers(named: MediaType) -> tuple[str, ...]:
    """Return the labels of the parsers of exports that files of a medium may turn out to be."""
    match named:
        case CodeMedia(lang="json"):
            return (KEEP_VERSION,)
        case TextMedia(format="plain"):
            return (CLIPPINGS_VERSION,)
    return ()
