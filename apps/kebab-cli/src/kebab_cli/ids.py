"""Ids as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import ChunkId, DocumentId


def read_chunk_id(text: str) -> ChunkId:
    """Return a chunk id.

    Raises:
        InvalidInputError: It does not look like one.
    """
    from kebab_core import ChunkId, InvalidInputError

    try:
        return ChunkId(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{text!r} is not the id of a chunk: those have 32 hexadecimal digits",
            hint="kebab search --explain shows the ids of chunks",
        ) from error


def read_document_id(text: str) -> DocumentId:
    """Return a document id.

    Raises:
        InvalidInputError: It does not look like one.
    """
    from kebab_core import DocumentId, InvalidInputError

    try:
        return DocumentId(text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{text!r} is not the id of a document: those have 32 hexadecimal digits",
            hint="kebab list docs shows the ids of documents",
        ) from error
