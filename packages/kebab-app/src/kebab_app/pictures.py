"""Pictures that are documents of their own, as bytes for a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocumentNotFoundError, Remedy, UnsupportedMediaError

from kebab_app.documents import find_address

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_MAX_BYTES = 32 << 20
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
)
"""Bytes, their offset and the type that they say; SVG, which may hold scripts, is none of them."""


class Picture(NamedTuple):
    """A picture."""

    content: bytes
    media_type: str
    """By its content: PNG, JPEG, GIF or WebP."""


def read_picture(base: KnowledgeBase, address: str) -> Picture:
    """Read the picture that an address names; no path on disk is looked up.

    Raises:
        InvalidInputError: It is no address.
        DocumentNotFoundError: It names no document.
        UnsupportedMediaError: The document is no such picture, or larger than 32 MB.
        StorageError: The content of the file is gone.
    """
    found = find_address(base, address, files=False)
    asset = base.index.documents.get_asset(found.document.doc_id)
    if asset is None:
        raise DocumentNotFoundError(
            "no document has the address {address!r}",
            remedy=Remedy(kind="list_documents"),
            address=found.address,
        )
    content = base.index.assets.read_asset(asset.asset_id) if found.document.media == "image" else b""
    kind = next((kind for sign, at, kind in _SIGNATURES if content[at:].startswith(sign)), None)
    if kind is None or len(content) > _MAX_BYTES:
        raise UnsupportedMediaError(
            "{address} is no picture that can be shown",
            remedy=Remedy(kind="fetch_address", document=found.address),
            _address=found.address,
            media=found.document.media,
        )
    return Picture(content, kind)
