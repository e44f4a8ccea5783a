"""What a page says about itself: title, language, dates, author, keywords, description, canonical address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from kebab_parse import read_given_title
from pydantic import JsonValue

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "title": ("citation_title", "dc.title", "dcterms.title", "og:title"),
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "byl"),
    "description": ("description", "dc.description", "og:description", "twitter:description"),
    "site_name": ("og:site_name", "application-name"),
    "created": (
        "article:published_time",
        "citation_publication_date",
        "date",
        "dc.date",
        "dcterms.created",
        "dcterms.date",
        "dc.date.issued",
        "datepublished",
        "pubdate",
        "og:published_time",
    ),
    "updated": (
        "article:modified_time",
        "og:updated_time",
        "last-modified",
        "dcterms.modified",
        "datemodified",
    ),
    "keywords": ("keywords", "news_keywords", "article:tag", "citation_keywords"),
}
"""Fields with the names that pages give them in `<meta>`, the first that is there counts."""
_LANG = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_SEPARATORS = re.compile(r"[,;、|]")
_MAX_KEYWORDS = 30
"""More keywords than that are of a site, not of a page."""
_MAX_JSON_CHARS = 200_000
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def read_page_metadata(page: LexborHTMLParser) -> dict[str, JsonValue]:
    """Return what the page says about itself, under the keys of front matter; what it does not say is missing."""
    given: dict[str, list[str]] = {}
    for node in page.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        content = " ".join((attributes.get("content") or "").split())
        if name and content:
            given.setdefault(name.strip().lower(), []).append(content)
    found = {
        field: next((given[name] for name in names if name in given), []) for field, names in _FIELDS.items()
    }
    values: dict[str, JsonValue] = {}
    title = page.css_first("head title") or page.css_first("title")
    titles = [*([title.text()] if title is not None else []), *found["title"][:1]]
    if given_title := next(filter(None, map(read_given_title, titles)), None):
        values["title"] = given_title
    for field in ("description", "site_name"):
        if found[field]:
            values[field] = found[field][0]
    said = {" ".join(text.split()).casefold() for text in (*titles, *found["description"])}
    if keywords := split_keywords(text for text in found["keywords"] if text.casefold() not in said):
        values["tags"] = list[JsonValue](keywords)
    values |= _dates_and_author(found, dict(_linked_data(page)))
    canonical = page.css_first('link[rel~="canonical"][href]')
    address = canonical.attributes.get("href") if canonical is not None else None
    address = address or next(iter(given.get("og:url", [])), None)
    if address and _ADDRESS.match(address):
        values["canonical_url"] = address.strip()
    return values


def _dates_and_author(found: Mapping[str, list[str]], linked: Mapping[str, str]) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    for field, key in (("created", "datePublished"), ("updated", "dateModified")):
        texts = [*found[field], linked.get(key, "")]
        if instant := next(filter(None, map(read_instant, texts)), None):
            values[field] = instant
    authors = [author for author in found["author"] if not _ADDRESS.match(author)] or [
        linked.get("author", "")
    ]
    if author := ", ".join(dict.fromkeys(filter(None, authors))):
        values["author"] = author
    return values


def read_page_language(page: LexborHTMLParser) -> str | None:
    """Return the language that a page declares, as a primary tag in lower case."""
    node = page.css_first("html[lang]") or page.css_first("body[lang]")
    texts = [node.attributes.get("lang") or ""] if node is not None else []
    declared = page.css('meta[http-equiv="content-language" i][content], meta[property="og:locale"][content]')
    texts += [node.attributes.get("content") or "" for node in declared]
    return next(filter(None, map(find_language, texts)), None)


def find_language(text: str) -> str | None:
    """Return the primary tag in lower case of a language as pages and books declare it; None if it is none."""
    found = _LANG.match(text.strip())
    return found[0].lower() if found else None


def split_keywords(texts: Iterable[str]) -> list[str]:
    """Return the keywords of lists with commas or semicolons, each once; none if there are too many to say anything."""
    names = dict.fromkeys(
        name for text in texts for part in _SEPARATORS.split(text) if (name := " ".join(part.split()))
    )
    return list(names) if len(names) <= _MAX_KEYWORDS else []


def read_instant(text: str) -> str | None:
    """Return a time in ISO 8601 and UTC of one in ISO 8601 or as mails write it; None for anything else.

    A time of ISO 8601 without a zone is one of this machine's; mails without one write UTC (RFC 5322, 3.3: `-0000`).
    """
    for read in (datetime.fromisoformat, _read_mail_date):
        with suppress(ValueError, TypeError, OverflowError, IndexError):
            return read(text.strip()).astimezone(UTC).isoformat()
    return None


def _read_mail_date(text: str) -> datetime:
    instant = parsedate_to_datetime(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _linked_data(page: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Yield dates and authors of the page's JSON-LD, those that count last."""
    for node in reversed(page.css('script[type="application/ld+json"]')):
        text = node.text()
        if len(text) > _MAX_JSON_CHARS:
            continue
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        objects = (
            data if isinstance(data, list) else data.get("@graph", [data]) if isinstance(data, dict) else []
        )
        for item in objects if isinstance(objects, list) else []:
            if not isinstance(item, dict):
                continue
            dates = {key: item.get(key) for key in ("datePublished", "dateModified")}
            yield from ((key, date) for key, date in dates.items() if isinstance(date, str))
            names = [_name(author) for author in _listed(item.get("author"))]
            if any(names):
                yield "author", ", ".join(filter(None, names))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _name(author: object) -> str:
    name = author.get("name") if isinstance(author, dict) else author
    return " ".join(name.split()) if isinstance(name, str) else ""
