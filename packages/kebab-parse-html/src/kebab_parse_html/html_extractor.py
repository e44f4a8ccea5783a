"""The extractor `html-v4`: pages as they are saved, also with their pictures in one file (MHTML)."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    HeadingBlock,
    Message,
    ParserVersion,
    UnsupportedMediaError,
)
from kebab_parse import IsolatedExtractor, TextWriter, add_notes

from kebab_parse_html.block_reader import BlockReader
from kebab_parse_html.charset import decode_declared, decode_page
from kebab_parse_html.elements import build_elements
from kebab_parse_html.main_text import find_main_text
from kebab_parse_html.page_metadata import read_page_language, read_page_metadata
from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_parse import DecodedText
    from pydantic import JsonValue
    from selectolax.lexbor import LexborHTMLParser

    from kebab_parse_html.elements import Element

HTML_VERSION = ParserVersion("html-v4")
AGENT = "kebab-parse-html"
_PROPERTY_LIST = b"bplist00"
_ARCHIVE_BYTES = 8192
_ARCHIVE = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_HEADER_LINE = re.compile(rb"\s*[\w-]{2,60}:[ \t]")
_SCRIPTED = Message("the page has no text of its own: scripts write it when a browser opens it")
_SAMPLE_CHARS = 4096
"""Beginning of the text that its script is judged by."""
_COMPARED_CHARS = 80
"""Beginning of a description that is compared with the text; sites cut the rest."""
_SIGNS = re.compile(r"[\W_]+")


class HtmlExtractor(IsolatedExtractor):
    """Extractor of HTML: a page without its navigation and without what it hides.

    The language is detected where the page names none, or one of another script.
    """

    kind = "html"
    version = HTML_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one page. Spans are `LineSpan`s of the text that is read.

        The title is `<title>`, or the only heading of level 1 if it begins with that or only names the site; else as of any document. A
        description that the text does not hold is its first paragraph.

        Returns:
            The document. Its warnings name a detected encoding and a page without text, its notes what was left out.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        decoded, address, frames = _read_page(content)
        page = parse_page(decoded.text)
        values = read_page_metadata(page)
        if address:
            values.setdefault("canonical_url", address)
        writer = TextWriter(self._identify(context))
        warnings = [decoded.warning] if decoded.warning else []
        main, notes = read_main_text(page, warnings)
        if main is not None:
            _write_description(writer, values, main)
            BlockReader(writer, ends_sections=True).read(main)
        headings = [
            block.text for block in writer.blocks if isinstance(block, HeadingBlock) and block.level == 1
        ]
        own_title = _find_own_title(values, headings)
        if lang := choose_language(read_page_language(page), main.text() if main is not None else ""):
            values["lang"] = lang
        scripted = not writer.blocks and page.css_first("script") is not None
        document = self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=values | {"title": None} if own_title else values,
            own_title=own_title,
            warnings=[*warnings, frames, _SCRIPTED if scripted else None],
        )
        return add_notes(document, context, notes, agent=AGENT)


def read_main_text(page: LexborHTMLParser, warnings: list[Message]) -> tuple[Element | None, list[Message]]:
    """Return a page without what is not its text, and notes of what that is; all of it if nothing would be left.

    None without a body. `warnings` gets a message if the page is too large to be read whole.
    """
    body = page.body
    if body is None:
        return None, []
    main = find_main_text(build_elements(body, warnings))
    return (main.body, main.notes()) if main.body.chars else (build_elements(body, []), [])


def choose_language(declared: str | None, text: str) -> str | None:
    """Return the declared language unless the text is in another script; None leaves it to detection.

    Templates of sites declare English whatever is written with them.
    """
    from kebab_text import script_of_language, script_of_text

    if declared is None:
        return None
    sample = text[:_SAMPLE_CHARS]
    if not sample.strip():
        return declared
    return declared if script_of_language(declared) == script_of_text(sample) else None


def _read_page(content: bytes) -> tuple[DecodedText, str | None, Message | None]:
    """Return the page, of an archive its first one, the address that the archive has of it, and a warning about further ones.

    Raises:
        UnsupportedMediaError: It is not text, or the archive holds no page.
    """
    if content.startswith(_PROPERTY_LIST):
        return _read_web_archive(content)
    if not (_HEADER_LINE.match(content) and _ARCHIVE.search(content, 0, _ARCHIVE_BYTES)):
        return decode_page(content), None, None
    archive = message_from_bytes(content, policy=policy.default)
    pages = [
        part for part in archive.walk() if part.get_content_type() in {"text/html", "application/xhtml+xml"}
    ]
    part = next(iter(pages), None)
    payload = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(payload, bytes):
        raise UnsupportedMediaError("the archive holds no page")
    label = part.get_content_charset()
    decoded = decode_declared(payload, label) if label else decode_page(payload)
    address = part.get("Content-Location") or archive.get("Snapshot-Content-Location")
    frames = Message(
        "{count} frame of the page was not read",
        plural="{count} frames of the page were not read",
        count=len(pages) - 1,
    )
    page_address = str(address) if address and str(address).startswith("http") else None
    return decoded, page_address, frames if len(pages) > 1 else None


def _read_web_archive(content: bytes) -> tuple[DecodedText, str | None, Message | None]:
    """Return the page and the address of a web archive of Safari, which is a property list.

    Raises:
        UnsupportedMediaError: It is no such archive, or its page is no text.
    """
    from plistlib import InvalidFileException, loads

    try:
        archive = loads(content)
        resource = archive["WebMainResource"]
        payload, label = resource["WebResourceData"], resource.get("WebResourceTextEncodingName")
        address = resource.get("WebResourceURL")
    except (
        InvalidFileException,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise UnsupportedMediaError("the archive holds no page") from error
    if not isinstance(payload, bytes):
        raise UnsupportedMediaError("the archive holds no page")
    decoded = decode_declared(payload, label) if isinstance(label, str) else decode_page(payload)
    is_address = isinstance(address, str) and address.startswith("http")
    return decoded, address if is_address else None, None


def _write_description(writer: TextWriter, values: dict[str, JsonValue], main: Element) -> None:
    description = values.get("description")
    if isinstance(description, str) and _fold(description)[:_COMPARED_CHARS] not in _fold(main.text()):
        writer.paragraph(description)


def _find_own_title(values: Mapping[str, JsonValue], headings: list[str]) -> str:
    """Return the only heading if it names the page: `<title>` begins with it, or is the name of the site; else empty.

    A heading further back in `<title>` may itself be the name of the site.
    """
    title, site = values.get("title"), values.get("site_name")
    if not isinstance(title, str) or len(headings) != 1 or not _fold(headings[0]):
        return ""
    is_title = f"{_fold(title)} ".startswith(f"{_fold(headings[0])} ") or _fold(title) == _fold(str(site))
    return headings[0] if is_title else ""


def _fold(text: str) -> str:
    return _SIGNS.sub(" ", text.casefold()).strip()
