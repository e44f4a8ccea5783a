"""Addresses where commands of earlier versions took ids: of documents and of passages, as arguments and as `--doc-id`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_cli.session import expand_hit

if TYPE_CHECKING:
    from kebab_app import App

_ID = re.compile(r"[0-9a-fA-F]{32}")


def find_document_id(app: App, text: str) -> str:
    """Find the id of the document that an id, the beginning of one, or an address names; an id is taken as it is.

    Raises:
        InvalidInputError: It cannot be an address.
        DocumentNotFoundError: It names no document.
        AmbiguousAddressError: It names several.
    """
    return text if _ID.fullmatch(text) else app.find_address(expand_hit(app, text)).document.doc_id


def find_chunk_id(app: App, text: str) -> str:
    """Find the id of the passage that an id or an address names: of lines, the first one in them; of a document, its first.

    Raises:
        InvalidInputError: It cannot be an address.
        DocumentNotFoundError: It names no document.
        ChunkNotFoundError: The document has no passage there.
        AmbiguousAddressError: It names several documents.
    """
    from kebab_core import ChunkNotFoundError, Remedy

    if _ID.fullmatch(text):
        return text
    found = app.find_address(expand_hit(app, text))
    if found.chunk_id is not None:
        return found.chunk_id
    for chunk in app.base.index.documents.list_chunks(found.document.doc_id):
        if any(map(found.holds, chunk.source_spans)):
            return chunk.chunk_id
    raise ChunkNotFoundError(
        "no passage has the address {address!r}",
        remedy=Remedy(kind="fetch_address", document=found.document.to_address()),
        _address=text,
    )
