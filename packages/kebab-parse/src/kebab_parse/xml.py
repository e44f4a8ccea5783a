"""XML of documents, read without entities, document types and anything from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError

if TYPE_CHECKING:
    from lxml.etree import _Element


def parse_xml(content: bytes, name: str) -> _Element:
    """Parse a member of a document.

    Entities that the file declares are not replaced, nothing is loaded from files or the network, and what is not
    well-formed is repaired as far as it can be.

    Args:
        content: The member.
        name: Its name, for messages.

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
    return root
