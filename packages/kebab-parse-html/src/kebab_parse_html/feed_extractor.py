"""The extractor `feed-v1` of feeds, and of blogs that are exported as one: RSS with what WordPress adds, Atom."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message, ParserVersion
from kebab_parse import IsolatedExtractor, TextWriter, parse_xml

from kebab_parse_html.block_reader import BlockReader
from kebab_parse_html.elements import build_elements
from kebab_parse_html.html_extractor import AGENT
from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from kebab_core import CanonicalDocument, ExtractContext
    from lxml.etree import _Element

FEED_VERSION = ParserVersion("feed-v1")
MAX_ENTRIES = 20_000
_TEXTS = ("{http://purl.org/rss/1.0/modules/content/}encoded", "{*}content", "description", "{*}summary")
"""Elements with the text of an entry, the whole one first."""
_TIMES = ("pubDate", "{*}published", "{*}date", "{*}updated")


class FeedExtractor(IsolatedExtractor):
    """Extractor of RSS and Atom: each entry a section, its text read as a web page."""

    kind = "structured"
    formats = frozenset({"feed"})
    version = FEED_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one feed. Spans are `LineSpan`s of the text that is read.

        Raises:
            DocumentDamagedError: It is no feed.
        """
        warnings: list[Message] = []
        root = parse_xml(content, "feed", warnings)
        feed = root.find("channel") if root.tag == "rss" else root
        if feed is None or not str(root.tag).endswith(("rss", "}feed", "}RDF")):
            raise DocumentDamagedError("it is no feed")
        writer = TextWriter(self._identify(context))
        entries = list(islice(root.iter("item", "{*}item", "{*}entry"), MAX_ENTRIES + 1))
        if len(entries) > MAX_ENTRIES:
            warnings.append(
                Message("only the first {entries:,} entries of the feed are read", entries=MAX_ENTRIES)
            )
        _write_text(writer, _text(feed, "description", "{*}subtitle"), warnings)
        for entry in entries[:MAX_ENTRIES]:
            _write_entry(writer, entry, warnings)
        title = _text(feed, "title", "{*}title")
        return self._build(
            context, writer.blocks, writer.finish(), values={}, own_title=title, warnings=warnings
        )


def _write_entry(writer: TextWriter, entry: _Element, warnings: list[Message]) -> None:
    writer.end_sections()
    writer.heading(1, _text(entry, "title", "{*}title"))
    link = entry.find("{http://www.w3.org/2005/Atom}link")
    facts = (
        _time_of(_text(entry, *_TIMES)),
        _text(entry, "author", "{*}creator", "{*}author/{*}name"),
        ", ".join(filter(None, map(_words, entry.iterfind("category")))),
        _text(entry, "link") or (link.get("href", "") if link is not None else ""),
    )
    writer.paragraph("\n".join(filter(None, facts)))
    _write_text(writer, _text(entry, *_TEXTS), warnings)
    for comment in entry.iterfind("{*}comment"):
        writer.paragraph(
            f"[{_text(comment, '{*}comment_author') or '?'}] {_text(comment, '{*}comment_content')}"
        )


def _write_text(writer: TextWriter, text: str, warnings: list[Message]) -> None:
    body = parse_page(f"<div>{text}</div>").body if text.strip() else None
    if body is not None:
        BlockReader(writer, level_offset=1).read(build_elements(body, warnings))


def _time_of(text: str) -> str:
    """Return a time of RFC 5322 or ISO 8601 as `2026-03-13 06:21 +0000`; any other as it is."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return f"{read(text):%Y-%m-%d %H:%M %z}".rstrip()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return text


def _text(element: _Element, *names: str) -> str:
    """Return the text of the first of these elements that has one, of one in XHTML its markup."""
    for name in names:
        found = element.find(name)
        if found is not None and (text := _words(found)):
            return text
    return ""


def _words(element: _Element) -> str:
    from lxml import etree

    if len(element):  # XHTML of Atom
        return "".join(etree.tostring(child, encoding="unicode") for child in element)
    return (element.text or "").strip()
