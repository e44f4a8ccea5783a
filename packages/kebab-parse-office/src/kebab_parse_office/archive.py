"""Parts of an office file: XML in its transitional form, as a tree or as a stream, and relationships between parts.

Numbers in attributes are read by `read_integer`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote
from xml.sax.saxutils import unescape

from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Message,
    Remedy,
    UnsupportedMediaError,
)
from kebab_parse import (
    COMPOUND_FILE,
    MAX_HUGE_DEPTH,
    cut_member,
    describe_damage,
    has_entities,
    lost_member,
    open_archive,
    parse_xml,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_TREE_BYTES = 80 * 1024 * 1024
"""Largest part that is held as a tree, which takes eight times as much; the text of 2,000 pages has 30 MB."""
MAX_DEPTH = 40
"""Most tables, boxes and lists inside each other that are read."""
UNPROTECTED = Remedy(advice=Message("open it in its own program and save it without protection"))
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
"""Namespace of attributes that hold ids of relationships."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MANIFEST, _ENCRYPTION = "META-INF/manifest.xml", b":encryption-data"
_LISTED = re.compile(rb'full-path="((?:[^"]{1,500}/)?(?:content|styles|meta)\.xml)"')
"""Members in the manifest of an OpenDocument file that are read."""
_INTEGER = re.compile(r"[0-9]{1,18}")
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_READ_KINDS = {
    "authors",
    "chart",
    "commentAuthors",
    "comments",
    "diagramData",
    "drawing",
    "endnotes",
    "footer",
    "footnotes",
    "header",
    "notesSlide",
    "numbering",
    "person",
    "sharedStrings",
    "slide",
    "styles",
    "threadedComment",
    "worksheet",
}
"""Relationships to parts that are read; without the others, such as pictures, no text is lost."""
_STRICT = "http://purl.oclc.org/ooxml/"
_STRICT_HEAD = 20_000
_OPEN_XML = "http://schemas.openxmlformats.org/"
_STRICT_NAMESPACES = re.compile(
    rb'"http://purl\.oclc\.org/ooxml/(wordprocessingml|spreadsheetml|presentationml|drawingml|officeDocument)/'
)


class Relationship(NamedTuple):
    """A link from one part of a package to another, or to an address outside."""

    kind: str
    """Last segment of its type, such as `slide`."""
    target: str
    """Name of the part, or the address."""
    is_external: bool


class OfficeArchive:
    """Parts of an office file. Nothing outside of the file is ever read.

    Args:
        content: The bytes of the file.

    Raises:
        DocumentEncryptedError: It is locked with a password.
        UnsupportedMediaError: It is no archive, but perhaps an older file of the same program.
        DocumentDamagedError: The archive cannot be read.
        DocumentTooLargeError: It has too many members.
    """

    def __init__(self, content: bytes) -> None:
        self.warnings: list[Message] = []
        """Parts that were missing or damaged, of those read so far; each once."""
        if content.startswith(COMPOUND_FILE):
            require_unencrypted(content)
            raise UnsupportedMediaError(
                "the content is an older Office file, not what its name says",
                remedy=Remedy(advice=Message("check the file's extension")),
            )
        if not content.startswith(b"PK"):
            raise UnsupportedMediaError(
                "the content is no Office file", remedy=Remedy(advice=Message("check the file's extension"))
            )
        self._members = open_archive(content)
        self.warnings += self._members.warnings
        self._names = {name.lstrip("/").casefold(): name for name in self._members}
        manifest = self.read(_MANIFEST) if _MANIFEST in self else b""
        if _ENCRYPTION in manifest:
            raise DocumentEncryptedError("it is locked with a password", remedy=UNPROTECTED)
        for name in _LISTED.findall(manifest):
            if (part := unescape(name.decode(errors="replace"))) not in self:
                self.warn(Message("{member} is missing in it", member=part))

    def __contains__(self, name: str) -> bool:
        """Whether there is such a part; capital letters do not count."""
        return name.casefold() in self._names

    def read(self, name: str) -> bytes:
        """Read a part, as far as it can be unpacked; a warning says where that is not all.

        Raises:
            DocumentEncryptedError: It is encrypted.
            DocumentDamagedError: There is no such part, or nothing of it can be unpacked.
            DocumentTooLargeError: All parts that were read are too large together.
        """
        member = self._names.get(name.casefold())
        if member is None:
            raise DocumentDamagedError(
                "the file is damaged or no Office file: {member} is missing in it", member=name
            )
        content, is_whole = self._members.salvage(member)
        if not is_whole:
            self.warn(cut_member(name))
        return content

    def parse(self, name: str) -> _Element:
        """Parse a part to a tree, in which the namespaces are those of the transitional form.

        Raises:
            DocumentTooLargeError: It is too large for a tree. Otherwise as `read`.
        """
        content = self.read(name)
        if len(content) > MAX_TREE_BYTES:
            raise DocumentTooLargeError(
                "{member} in it has {megabytes} MB, too much to be read",
                member=name,
                megabytes=len(content) >> 20,
            )
        if _STRICT.encode() in content[:_STRICT_HEAD]:
            content = _STRICT_NAMESPACES.sub(_transitional, content)
        return parse_xml(content, name, self.warnings)

    def parse_optional(self, name: str | None) -> _Element | None:
        """Parse a part to a tree; None where there is none, or where it cannot be read: a warning."""
        try:
            return self.parse(name) if name is not None and name in self else None
        except DocumentDamagedError:
            self.warn(lost_member(name or ""))
            return None

    def warn(self, message: Message) -> None:
        """Add a warning, unless it is there."""
        if message not in self.warnings:
            self.warnings.append(message)

    def open_element(self, element: _Element, depth: int) -> list[_Element]:
        """Return the children of an element; none where it is nested deeper than `MAX_DEPTH`: a warning, if it has words."""
        if depth < MAX_DEPTH:
            return list(element)
        if any(text.strip() for text in element.itertext()):
            self.warn(
                Message(
                    "tables, boxes and lists nested deeper than {levels} levels were left out",
                    levels=MAX_DEPTH,
                )
            )
        return []

    def iterate(
        self, name: str, tags: tuple[str, ...], *, strip: Callable[[bytes], bytes] = bytes
    ) -> Iterator[_Element]:
        """Yield the elements with these tags as they end; each is emptied after it was yielded.

        What is not well-formed is repaired as far as it can be; a warning says so.

        Args:
            name: The part.
            tags: Of elements.
            strip: Removes what is not needed before the part is parsed.

        Raises:
            DocumentDamagedError: There is no element in it. Otherwise as `read`.
        """
        from lxml import etree

        events = etree.iterparse(
            BytesIO(strip(self.read(name))),
            events=("end",),
            tag=tags,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            remove_comments=True,
            remove_pis=True,
            huge_tree=True,
            recover=True,
        )
        try:
            for _, element in events:
                if has_entities(element):
                    self.warn(cut_member(name))
                yield element
                element.clear()
                parent = element.getparent()
                while parent is not None and (before := element.getprevious()) is not None:
                    parent.remove(before)
        except etree.XMLSyntaxError as error:
            raise DocumentDamagedError("{member} in it is no XML", member=name) from error
        if events.root is None:
            raise DocumentDamagedError("{member} in it is no XML", member=name)
        if damage := describe_damage(events.error_log, name, depth=MAX_HUGE_DEPTH):
            self.warn(damage)

    def relationships(self, name: str) -> dict[str, Relationship]:
        """Return the relationships of a part by their ids; of the package for an empty name. Warns of missing parts."""
        folder, base = posixpath.split(name)
        root = self.parse_optional(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, Relationship] = {}
        for each in () if root is None else root.iter(_RELATIONSHIP):
            target, is_external = each.get("Target", ""), each.get("TargetMode") == "External"
            if not is_external:
                path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                target = path if path in self else unquote(path)
            kind = each.get("Type", "").rpartition("/")[2]
            if kind in _READ_KINDS and not is_external and target not in self:
                self.warn(Message("{member} is missing in it", member=target))
            found[each.get("Id", "")] = Relationship(kind, target, is_external)
        return found

    def warn_of_lost_relationships(self, name: str) -> None:
        """Warn if a part has no relationships although there are other parts beside it, which only these lead to."""
        folder, base = posixpath.split(name.casefold())
        rels = posixpath.join(folder, "_rels", f"{base}.rels")
        beside = (each for each in self._names if each.startswith(f"{folder}/") and each.endswith(".xml"))
        if rels not in self._names and any(each != name.casefold() for each in beside):
            self.warn(Message("{member} is missing in it", member=rels))

    def find_related(self, name: str, kind: str) -> str | None:
        """Return the first part of a kind that a part refers to; None where there is none.

        Where all relationships of the part are lost, it is the part of the usual name.
        """
        relationships = self.relationships(name)
        found = (each.target for each in relationships.values() if each.kind == kind and not each.is_external)
        usual = () if relationships else (posixpath.join(posixpath.dirname(name), f"{kind}.xml"),)
        return next((target for target in (*found, *usual) if target in self), None)


def require_unencrypted(content: bytes) -> None:
    """Refuse a compound file that holds an encrypted package.

    Raises:
        DocumentEncryptedError: It is one.
    """
    if content.startswith(COMPOUND_FILE) and _ENCRYPTED in content:
        raise DocumentEncryptedError("it is locked with a password", remedy=UNPROTECTED)


def read_integer(text: str | None, *, default: int = 0, most: int = 1_000_000) -> int:
    """Return a whole number of a file, at most `most`; the default for none and for all that is no such number."""
    return min(int(text), most) if text and _INTEGER.fullmatch(text) else default


def _transitional(match: re.Match[bytes]) -> bytes:
    """Return the beginning of a namespace of ISO/IEC 29500 Strict in the transitional form."""
    return b'"' + _OPEN_XML.encode() + match[1] + b"/2006/"
