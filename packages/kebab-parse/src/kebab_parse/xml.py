"""XML of documents, read without entities, document types and anything from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message

if TYPE_CHECKING:
    from lxml.etree import _Element, _ListErrorLog

MAX_DEPTH = 256
"""Deepest nesting of elements that the parser reads."""
MAX_HUGE_DEPTH = 2048
"""The same of a parser with `huge_tree`."""


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
    warning = describe_damage(parser.error_log, name) or (cut_member(name) if has_entities(root) else None)
    if warning is not None and warning not in warnings:
        warnings.append(warning)
    return root


def describe_damage(log: _ListErrorLog, name: str, *, depth: int = MAX_DEPTH) -> Message | None:
    """Return the warning of a member that is not well-formed, or beyond a bound of the parser; None for one that is whole.

    Args:
        log: Errors of the parser.
        name: The member.
        depth: Deepest nesting that the parser reads.
    """
    from lxml import etree

    fatal = log.filter_from_fatals()
    if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in fatal):
        return Message(
            "{member} in it is nested deeper than {depth} elements, or too large, and was read as far as that",
            member=name,
            depth=depth,
        )
    return cut_member(name) if len(fatal) else None


def has_entities(element: _Element) -> bool:
    """Return True if there are entities in an element that were not replaced; readers skip what follows them."""
    from lxml import etree

    # Only a file with a document type can have them, others are not searched.
    return bool(element.getroottree().docinfo.doctype) and next(element.iter(etree.Entity), None) is not None


def cut_member(name: str) -> Message:
    """Return the warning of a member of which only a part was read."""
    return Message("{member} in it is damaged and was read as far as it goes", member=name)


def lost_member(name: str) -> Message:
    """Return the warning of a member of which nothing was read."""
    return Message("{member} in it is damaged and was left out", member=name)
