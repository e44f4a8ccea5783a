"""The extractor `epub-v3`: books as their chapters in reading order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    ExtractContext,
    Message,
    ParserVersion,
    UnsupportedMediaError,
)
from kebab_parse import IsolatedExtractor, TextWriter, cut_member, lost_member, open_archive

from kebab_parse_html.block_reader import HEADINGS, BlockReader
from kebab_parse_html.elements import Element, build_elements
from kebab_parse_html.epub_package import ContentsEntry, read_book
from kebab_parse_html.html_extractor import AGENT, choose_language
from kebab_parse_html.page_metadata import find_language
from kebab_parse_html.xhtml import parse_chapter

if TYPE_CHECKING:
    from pydantic import JsonValue

EPUB_VERSION = ParserVersion("epub-v3")
_MAX_WARNINGS = 20
_END = re.compile(rb"</(?:html|body|dtbook|book)\s*>", re.IGNORECASE)


class EpubExtractor(IsolatedExtractor):
    """Extractor of EPUB 2 and 3: all chapters, their headings below the titles of the table of contents.

    The language is detected where the book names none, or one of another script.
    """

    kind = "epub"
    formats = frozenset({"epub"})
    version = EPUB_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one book. Spans are `LineSpan`s of the text that is read.

        A chapter without a heading gets its title in the table of contents. Headings of a chapter are moved to the level
        that the table of contents gives it, so that those of a part stand above it.

        Returns:
            The document. Its warnings name chapters and other parts that are missing, damaged, cut or not text.

        Raises:
            DocumentDamagedError: It is no archive, or has no chapters.
            DocumentEncryptedError: Its chapters are encrypted.
            DocumentTooLargeError: It unpacks to more than is read.
        """
        members = open_archive(content)
        warnings = [*members.warnings]
        book = read_book(members, warnings)
        writer = TextWriter(self._identify(context))
        level = 1
        for chapter in book.chapters:
            entries = [entry for entry in book.contents if entry.member == chapter]
            level = entries[0].level if entries else level
            if chapter not in members:
                warnings.append(Message("the chapter {member} is missing", member=chapter))
                continue
            try:
                page, is_whole = members.salvage(chapter)
                body = parse_chapter(page).body
            except DocumentDamagedError:
                warnings.append(lost_member(chapter))
                continue
            except UnsupportedMediaError:
                warnings.append(Message("the chapter {member} is no text", member=chapter))
                continue
            if not is_whole or not _END.search(page.replace(b"\0", b"")):  # of UTF-16, too
                warnings.append(cut_member(chapter))
            if body is not None:
                _write_chapter(writer, build_elements(body, warnings), entries, level=level)
        values: dict[str, JsonValue] = dict(book.values)
        sample = " ".join(text for block in writer.blocks[:100] if (text := getattr(block, "text", "")))
        lang = choose_language(find_language(str(values.pop("lang", ""))), sample)
        if lang is not None:
            values["lang"] = lang
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=values,
            warnings=_shorten(warnings),
        )


def _shorten(warnings: list[Message]) -> list[Message]:
    """Return the first warnings, and how many more there are."""
    kept = list(dict.fromkeys(warnings))
    more = len(kept) - _MAX_WARNINGS
    if more > 0:
        kept[_MAX_WARNINGS:] = [Message("{count} more warning", plural="{count} more warnings", count=more)]
    return kept


def _write_chapter(
    writer: TextWriter, body: Element, entries: Sequence[ContentsEntry], *, level: int
) -> None:
    levels = [
        HEADINGS[element.tag] for element in body.iterate() if element.tag in HEADINGS and element.chars
    ]
    anchors: dict[str, tuple[int, str]] = {}
    if not levels:
        for entry in entries:
            if entry.anchor:
                anchors.setdefault(entry.anchor, (entry.level, entry.title))
        if entries and (not entries[0].anchor or entries[0].anchor not in _ids(body)):
            anchors.pop(entries[0].anchor, None)
            writer.heading(entries[0].level, entries[0].title)
            _remove_text(body, entries[0].title)
    BlockReader(writer, level_offset=level - min(levels, default=level), anchors=anchors).read(body)


def _remove_text(body: Element, title: str) -> None:
    """Remove a title from the beginning of a chapter that has it as a paragraph."""
    size = len("".join(title.split()))
    begun = (element for element in body.iterate() if element.chars)
    for element in begun:
        if element.chars == size and element.text() == title:
            element.children = []
            return
        if element.chars <= size:
            return


def _ids(body: Element) -> set[str]:
    return {element.get("id") for element in body.iterate()}
