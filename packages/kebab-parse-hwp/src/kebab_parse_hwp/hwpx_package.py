"""The package of an HWPX: XML parts in a ZIP, parsed piece by piece, damaged ones as far as they go."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, DocumentEncryptedError, Message, Remedy
from kebab_parse import ArchiveMembers, cut_member, describe_damage, open_archive

if TYPE_CHECKING:
    from lxml.etree import _Element

_NUMBER = re.compile(r"\d+")
_MANIFEST = "META-INF/manifest.xml"


def open_package(content: bytes) -> ArchiveMembers:
    """Open an HWPX.

    Raises:
        DocumentDamagedError: It is no ZIP, or not all there.
        DocumentTooLargeError: It has too many members.
        DocumentEncryptedError: Its parts are encrypted.
    """
    members = open_archive(content)
    if _MANIFEST in members and b"encryption-data" in members[_MANIFEST]:
        raise DocumentEncryptedError(
            "it is protected by a password",
            remedy=Remedy(advice=Message("open it in its own program and save it without protection")),
        )
    return members


def part_names(members: ArchiveMembers, pattern: re.Pattern[str]) -> list[str]:
    """Return the names of the parts that match a pattern whole, ordered by the numbers in them."""
    found = [name for name in members if pattern.fullmatch(name)]
    return sorted(found, key=lambda name: ([digits.zfill(20) for digits in _NUMBER.findall(name)], name))


def parse_part(members: ArchiveMembers, name: str, warnings: list[Message]) -> _Element:
    """Parse a part whole; raises what `parse_children` does."""
    *_, root = parse_children(members, name, "-", warnings)  # a name that no element can have
    return root


def parse_children(
    members: ArchiveMembers, name: str, tag: str, warnings: list[Message]
) -> Iterator[_Element]:
    """Parse a part piece by piece. What is damaged is read as far as it goes.

    Args:
        members: The package.
        name: The part.
        tag: Local name of children of the root element, each of which is emptied after it was taken.
        warnings: Gets one where text can be lost.

    Yields:
        These children in their order, and at last the root, which holds the others.

    Raises:
        DocumentDamagedError: Nothing of the part can be unpacked, there is no element in it, or it declares a document
            type, which no such part needs.
        DocumentTooLargeError: It is larger than what is read.
    """
    from lxml import etree

    content, is_whole = members.salvage(name)
    # Without huge_tree, lxml bounds depth (256), the length of texts, and what entities grow to.
    events = etree.iterparse(
        io.BytesIO(content),
        events=("end",),
        tag=f"{{*}}{tag}",
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
        recover=True,
    )
    is_checked = False
    try:
        for _, element in events:
            parent = element.getparent()
            if not is_checked:
                _refuse_document_type(element, name)
                is_checked = True
            if parent is not None and parent.getparent() is None:
                yield element
                element.clear()
        root = events.root
    except etree.XMLSyntaxError as error:
        raise DocumentDamagedError("{member} in it is no XML", member=name) from error
    if root is None:
        raise DocumentDamagedError("{member} in it is empty", member=name)
    _refuse_document_type(root, name)
    if damage := describe_damage(events.error_log, name) or (None if is_whole else cut_member(name)):
        warnings.append(damage)
    yield root


def _refuse_document_type(element: _Element, name: str) -> None:
    if element.getroottree().docinfo.doctype:
        raise DocumentDamagedError("{member} in it declares a document type", member=name)
