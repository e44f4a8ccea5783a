"""Formats that are known by how they begin, whatever a file is called."""

from __future__ import annotations

import re

_ANYTHING_ELSE = re.compile(
    rb"%PDF-\d"
    rb"|\x89PNG\r\n\x1a\n"
    rb"|\xff\xd8\xff"  # JPEG
    rb"|GIF8[79]a(?=[^\n]{0,4}[\x00-\x08\x80-\xff])"
    rb"|PK(?:\x03\x04|\x05\x06|\x07\x08)"  # ZIP, office documents, EPUB
    rb"|\x7fELF"
    rb"|\x1f\x8b\x08"  # gzip
    rb"|BZh[1-9]1AY&SY"
    rb"|\xfd7zXZ\x00"
    rb"|7z\xbc\xaf\x27\x1c"
    rb"|\x28\xb5\x2f\xfd"  # Zstandard
    rb"|Rar!\x1a\x07"
    rb"|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # older office documents
    rb"|SQLite format 3\x00"
)


def has_binary_signature(content: bytes) -> bool:
    """Return whether the content begins like a picture, an archive, a program or another format that is not text.

    A PDF may be written in ASCII letters throughout and is still no text to read.
    """
    return _ANYTHING_ELSE.match(content) is not None
