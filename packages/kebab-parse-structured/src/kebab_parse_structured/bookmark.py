"""The extractor `bookmark-v1` of files that hold one address: `.webloc` of macOS and `.url` of Windows."""

from __future__ import annotations

import plistlib
import re
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from kebab_core import DocumentDamagedError, LinkInline, ParserVersion

from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from kebab_core import Message
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

BOOKMARK_VERSION = ParserVersion("bookmark-v1")
_URL = re.compile(r"^[ \t]*URL[ \t]*=[ \t]*(\S.*)$", re.MULTILINE | re.IGNORECASE)
_DOCUMENT_TYPE = re.compile(rb"<!DOCTYPE[^>\[]{0,300}>")


class BookmarkExtractor(StructuredExtractor):
    """Extractor of bookmarks (`.webloc`, `.url`)."""

    formats = frozenset({"webloc", "url"})
    version = BOOKMARK_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the address; the title is the name of the file.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        address = _read_property_list(content)
        if address is None and (found := _URL.search(read_text(content, warnings))):
            address = found[1].strip()
        if not address:
            raise DocumentDamagedError("it holds no address")
        writer.paragraph(address, [LinkInline(text=address, href=address)])
        return {"canonical_url": address}


def _read_property_list(content: bytes) -> str | None:
    """Return the address in a property list, as XML or binary; None where there is none."""
    try:
        values = plistlib.loads(_DOCUMENT_TYPE.sub(b"", content, count=1))
    except (
        ValueError,
        ExpatError,
        plistlib.InvalidFileException,
        OverflowError,
        RecursionError,
        LookupError,
    ):
        return None
    address = values.get("URL") if isinstance(values, dict) else None
    return address if isinstance(address, str) else None
