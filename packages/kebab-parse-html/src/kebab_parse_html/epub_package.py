"""The package of an EPUB: what the book says about itself, its chapters in reading order, its table of contents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kebab_core import DocumentDamagedError, DocumentEncryptedError, Message, UnsupportedMediaError
from kebab_parse import ArchiveMembers, lost_member, parse_xml, read_given_title
from pydantic import JsonValue

from kebab_parse_html.elements import Element, build_elements
from kebab_parse_html.page_metadata import read_instant
from kebab_parse_html.xhtml import parse_chapter

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Algorithms that only fonts are hidden with; a book with them can be read."""
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_PAGE_ENDINGS = (".xhtml", ".html", ".htm")
_MAX_LEVEL = 5
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """An entry of a table of contents."""

    title: str
    level: int
    """From 1."""
    member: str
    anchor: str
    """Id of the element that it leads to; empty for the beginning of the chapter."""


@dataclass(frozen=True, slots=True)
class Book:
    """A book by its package document."""

    values: Mapping[str, JsonValue]
    """What it says about itself, under the keys of front matter; `lang` as it is declared."""
    chapters: tuple[str, ...]
    """Members with its text in reading order, without the table of contents."""
    contents: tuple[ContentsEntry, ...]


def read_book(members: ArchiveMembers, warnings: list[Message]) -> Book:
    """Read the package of a book; `warnings` gets a message for each of its parts that is damaged.

    Where the package document is damaged, all its pages are chapters, in the order of the archive.

    Raises:
        DocumentDamagedError: There is no package document in it, or it names no chapters.
        DocumentEncryptedError: Chapters of it are encrypted.
    """
    path = _package_path(members, warnings)
    package = _parse(members, path, warnings)
    if package is None:
        return Book({}, _require(tuple(name for name in members if name.lower().endswith(_PAGE_ENDINGS))), ())
    items = {
        item.get("id", ""): item for item in package.iter("{*}item") if item.get("id") and item.get("href")
    }
    members_of = {name: _resolve(path, item.get("href", ""))[0] for name, item in items.items()}
    spine = package.find("{*}spine")
    references = [] if spine is None else [ref.get("idref", "") for ref in spine.iter("{*}itemref")]
    navigation = next(
        (name for name, item in items.items() if "nav" in item.get("properties", "").split()), None
    )
    chapters = tuple(
        dict.fromkeys(
            members_of[name]
            for name in references
            if name in items and name != navigation and items[name].get("media-type") in _PAGES
        )
    )
    _require_readable(members, _require(chapters), warnings)
    contents: list[ContentsEntry] = []
    if navigation is not None and members_of[navigation] in members:
        contents = list(_read_navigation(members, members_of[navigation], warnings))
    index = members_of.get("" if spine is None else spine.get("toc", ""))
    if not contents and index is not None and (points := _parse(members, index, warnings)) is not None:
        contents = list(_read_index(points, index))
    return Book(_read_values(package), chapters, tuple(contents))


def _parse(members: ArchiveMembers, name: str, warnings: list[Message]) -> _Element | None:
    """Parse a member; None if it is missing, or damaged, which is a warning."""
    try:
        return parse_xml(members[name], name, warnings) if name in members else None
    except DocumentDamagedError:
        warnings.append(lost_member(name))
        return None


def _require(chapters: tuple[str, ...]) -> tuple[str, ...]:
    if not chapters:
        raise _no_chapters()
    return chapters


def _no_chapters() -> DocumentDamagedError:
    return DocumentDamagedError("it is no EPUB: no list of its chapters was found")


def _package_path(members: ArchiveMembers, warnings: list[Message]) -> str:
    container = _parse(members, _CONTAINER, warnings)
    for root in () if container is None else container.iter("{*}rootfile"):
        if (path := unquote(root.get("full-path", ""))) in members:
            return path
    found = next((name for name in members if name.lower().endswith(".opf")), None)
    if found is None:
        raise _no_chapters()
    return found


def _require_readable(members: ArchiveMembers, chapters: tuple[str, ...], warnings: list[Message]) -> None:
    encryption = _parse(members, _ENCRYPTION, warnings)
    for data in () if encryption is None else encryption.iter("{*}EncryptedData"):
        method, reference = data.find("{*}EncryptionMethod"), next(data.iter("{*}CipherReference"), None)
        algorithm = "" if method is None else method.get("Algorithm", "")
        member = "" if reference is None else unquote(reference.get("URI", "")).lstrip("/")
        if algorithm not in _FONT_OBFUSCATION and member in chapters:
            raise DocumentEncryptedError("the book is protected: its chapters are encrypted")


def _read_values(package: _Element) -> dict[str, JsonValue]:
    given: dict[str, list[str]] = {}
    for element in package.iter("{http://purl.org/dc/elements/1.1/}*"):
        text = " ".join(_TAG.sub(" ", "".join(element.itertext())).split())
        if text:
            given.setdefault(element.tag.rpartition("}")[2], []).append(text)
    values: dict[str, JsonValue] = {}
    for key, name in (
        ("publisher", "publisher"),
        ("identifier", "identifier"),
        ("description", "description"),
        ("lang", "language"),
    ):
        if name in given:
            values[key] = given[name][0]
    values["title"] = read_given_title(given.get("title", [""])[0])
    if authors := dict.fromkeys(given.get("creator", [])):
        values["author"] = ", ".join(authors)
    if subjects := list(dict.fromkeys(given.get("subject", []))):
        values["tags"] = list[JsonValue](subjects)
    modified = [
        element.text or ""
        for element in package.iter("{*}meta")
        if element.get("property") == "dcterms:modified"
    ]
    for key, texts in (("created", given.get("date", [])), ("updated", modified)):
        if instant := next(filter(None, map(read_instant, texts)), None):
            values[key] = instant
    return values


def _read_navigation(
    members: ArchiveMembers, member: str, warnings: list[Message]
) -> Iterator[ContentsEntry]:
    """Yield the table of contents of an EPUB 3; nothing if it is damaged, which is a warning."""
    try:
        body = parse_chapter(members[member]).body
    except (DocumentDamagedError, UnsupportedMediaError):
        warnings.append(lost_member(member))
        return
    if body is None:
        return
    lists = [element for element in build_elements(body, warnings).iterate() if element.tag == "nav"]
    for element in lists:
        if "toc" in element.get("epub:type").split() or element.get("role") == "doc-toc" or len(lists) == 1:
            yield from _read_entries(element, member, level=0)
            return


def _read_entries(element: Element, member: str, *, level: int) -> Iterator[ContentsEntry]:
    for child in element.elements:
        if child.tag == "a" and child.get("href"):
            target, anchor = _resolve(member, child.get("href"))
            yield ContentsEntry(child.text(), min(max(level, 1), _MAX_LEVEL), target, anchor)
        else:
            yield from _read_entries(child, member, level=level + (child.tag == "ol"))


def _read_index(index: _Element, member: str) -> Iterator[ContentsEntry]:
    """Yield the table of contents of an EPUB 2."""
    for point in index.iter("{*}navPoint"):
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        title = "" if label is None else " ".join("".join(label.itertext()).split())
        if title and content is not None:
            target, anchor = _resolve(member, content.get("src", ""))
            level = 1 + sum(1 for above in point.iterancestors() if above.tag == point.tag)
            yield ContentsEntry(title, min(level, _MAX_LEVEL), target, anchor)


def _resolve(member: str, reference: str) -> tuple[str, str]:
    """Return the member that a reference in another one leads to, and the anchor in it."""
    path, _, anchor = reference.partition("#")
    if not path:
        return member, anchor
    return posixpath.normpath(posixpath.join(posixpath.dirname(member), unquote(path))), anchor
