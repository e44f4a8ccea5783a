"""Exports that content alone tells, since their names are those of any JSON or text: notes of many programs, clippings of Kindle."""

from __future__ import annotations

import json
import re

from kebab_core import CodeMedia, MediaType, StructuredMedia, TextMedia

KEEP_VERSION = "keep-v2"
CLIPPINGS_VERSION = "clippings-v1"
JSON_VERSION = "json-export-v1"
ANKI_VERSION = "anki-v1"
FEED_VERSION = "feed-v1"
_FEED = re.compile(rb"<rss[\s>]|<feed\s[^<>]{0,500}http://www.w3.org/2005/Atom")
_ANKI = re.compile(rb"(?:\xef\xbb\xbf)?#separator:[^\r\n]{1,20}\r?\n")
_HEAD_BYTES = 4096
_KEEP = b'"userEditedTimestampUsec"'
_FIRST_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[^\r\n]{1,500}\r?\n- [^\r\n]{1,300}\r?\n\r?\n")
"""Of the first clipping of a Kindle: book, place, an empty line."""
_CLIPPING_END = b"\n=========="
_MOST_CLIPPING_BYTES = 100_000
_LEAST_DATA_BYTES, _DATA_LINE_BYTES = 200, 1000
"""Size and mean length of lines from which on data is read as text, since nobody reads such lines."""
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?')
"""A text, and the sign that it is a key."""
_WORDS = re.compile(r"\w\W{0,3}\s\W{0,3}\w")
_BLOB_CHARS = 200
"""Length of a text without blanks from which on it is a picture or the like."""
_LEAST_PROSE = 0.05
"""Share of texts with several words in data that somebody wrote, pictures and the like left out."""


def find_export(named: MediaType, content: bytes) -> MediaType | None:
    """Return the medium of an export by its content; None where it is none.

    Args:
        named: The medium that its name stands for.
        content: The whole file.
    """
    match named:
        case CodeMedia(lang="json") if _KEEP in content and content.lstrip().startswith(b"{"):
            return StructuredMedia(format="keep")
        case CodeMedia(lang="json"):
            from kebab_parse_structured.json_shapes import find_shape

            shape = find_shape(content)
            return None if shape is None else StructuredMedia(format=shape.app)
        case CodeMedia(lang="xml") if _FEED.search(content[:_HEAD_BYTES]):
            return StructuredMedia(format="feed")
        case TextMedia(format="plain") if _ANKI.match(content):
            return StructuredMedia(format="anki")
        case TextMedia(format="plain") if (
            _FIRST_LINES.match(content) and _CLIPPING_END in content[:_MOST_CLIPPING_BYTES]
        ):
            return StructuredMedia(format="kindle")
    return None


def find_data(named: MediaType, content: bytes) -> MediaType | None:
    """Return the medium of JSON that is read as text, which is no source code; None for all else.

    It has texts of several words in lines too long to be read, or a name without an extension.

    Args:
        named: The medium that its name stands for.
        content: The whole file.
    """
    is_unnamed = named == TextMedia(format="unnamed")
    if not (is_unnamed or named == CodeMedia(lang="json")) or content.lstrip()[:1] not in {b"{", b"["}:
        return None
    lines = content.count(b"\n") + 1
    is_unread = lines <= 2 or len(content) > lines * _DATA_LINE_BYTES  # noqa: PLR2004 - one line, with or without its end
    if len(content) < _LEAST_DATA_BYTES or not (is_unnamed or is_unread):
        return None
    try:
        text = content.decode("utf-8-sig")
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    texts = [(len(each), _WORDS.search(each)) for each, is_key in _TEXT.findall(text) if not is_key]
    prose = sum(size for size, words in texts if words)
    chars = len(text) - sum(size for size, words in texts if not words and size >= _BLOB_CHARS)
    return StructuredMedia(format="data") if is_unnamed or prose > _LEAST_PROSE * chars else None


def list_export_parsers(named: MediaType) -> tuple[str, ...]:
    """Return the labels of the parsers of exports that files of a medium may turn out to be."""
    match named:
        case CodeMedia(lang="xml"):
            return (FEED_VERSION,)
        case CodeMedia(lang="json"):
            return (KEEP_VERSION, JSON_VERSION)
        case TextMedia(format="plain"):
            return (CLIPPINGS_VERSION, ANKI_VERSION)
        case TextMedia(format="unnamed"):
            return (JSON_VERSION,)
    return ()
