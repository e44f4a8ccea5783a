"""XML of documents, read without entities, document types and anything from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_DEPTH = 256
"""Deepest nesting of elements that the parser reads."""


def parse_xml(content: bytes, name: str, warnings: list[Message]) -> _Element:
    """Parse a member of a document.

    Entities that the file declares are not replaced, nothing is loaded from files or the network, and what is not
    well-formed is repaired as far as it can be; a warning says so, once for a member.

    Args:
        content: The member.
        name: Its name, for messages.
        warnings: Gets a message where text can be lost: the member is not well-formed, or has entities.

    Returns:
        The root element.

    Raises:
        DocumentDamagedError: There is no element in it.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        recover=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentDamagedError("{member} in it is no XML", member=name) from error
    if root is None:
        raise DocumentDamagedError("{member} in it is no XML", member=name)
    fatal = parser.error_log.filter_from_fatals()
    if fatal or has_entities(root):
        is_deep = any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in fatal)
        warning = _deep_member(name) if is_deep else cut_member(name)
        if warning not in warnings:
            warnings.append(warning)
    return root


def has_entities(element: _Element) -> bool:
    """Return True if there are entities in an element that were not replaced; readers skip what follows them."""
    from lxml import etree

    # Only a file with a document type can have them, others are not searched.
    return bool(element.getroottree().docinfo.doctype) and next(element.iter(etree.Entity), None) is not None


def _deep_member(name: str) -> Message:
    return Message(
        "{member} in it is nested deeper than {depth} elements, or too large, and was read as far as that",
        member=name,
        depth=MAX_DEPTH,
    )


def cut_member(name: str) -> Message:
    """Return the warning of a member of which only a part was read."""
    return Message("{member} in it is damaged and was read as far as it goes", member=name)


def lost_member(name: str) -> Message:
    """Return the warning of a member of which nothing was read."""
    return Message("{member} in it is damaged and was left out", member=name)
