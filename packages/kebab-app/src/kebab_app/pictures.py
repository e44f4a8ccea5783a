"""Pictures that are documents of their own, as bytes for a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocumentNotFoundError, Remedy, UnsupportedMediaError

from kebab_app.documents import find_address
from kebab_app.rendering import render_page

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_MAX_BYTES = 32 << 20
"""Of a file that is handed out as it is."""
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


def read_picture(base: KnowledgeBase, address: str, *, src: str | None = None) -> Picture:
    """Read the picture that an address names, or that the document there shows; no path on disk is looked up.

    Args:
        base: The knowledge base.
        address: Of a picture, or of a page of one; with `src` that of the document that shows it.
        src: As in that document: a path from it or from the root of its source, or a name as in `![[name.png]]`. Only pictures
            of the same source are found.

    Returns:
        The file as it is where browsers show it, else a PNG, upright: of HEIC, TIFF and BMP.

    Raises:
        InvalidInputError: It is no address, or the picture has no such page.
        DocumentNotFoundError: It names no document, or the document shows no such picture.
        UnsupportedMediaError: The document is no picture of pixels.
        DocumentDamagedError: It must be drawn, and cannot be.
        DocumentTooLargeError: It has too many pixels to be drawn.
        OperationTimeoutError: Drawing takes longer than extraction may take.
        StorageError: The content of the file is gone.
    """
    found = find_address(base, address, files=False)
    if src is not None:
        entries = base.index.documents.list_entries()
        own = next((each for each in entries if each.doc_id == found.document.doc_id), None)
        shown = own and base.link_resolver.resolve(own, src)
        if shown is None:
            raise DocumentNotFoundError(
                "{address} shows no picture {src!r} that is indexed",
                remedy=Remedy(kind="fetch_address", document=found.address),
                _address=found.address,
                src=src,
            )
        found = find_address(base, shown.doc_id, files=False)
    asset = base.index.documents.get_asset(found.document.doc_id)
    if asset is None:
        raise DocumentNotFoundError(
            "no document has the address {address!r}",
            remedy=Remedy(kind="list_documents"),
            address=found.address,
        )
    if found.document.media != "image":
        raise UnsupportedMediaError(
            "{address} is no picture that can be shown",
            remedy=Remedy(kind="fetch_address", document=found.address),
            _address=found.address,
            media=found.document.media,
        )
    content = base.index.documents.read_asset(asset.asset_id)
    kind = next((kind for sign, at, kind in _SIGNATURES if content[at:].startswith(sign)), None)
    if kind is None or len(content) > _MAX_BYTES:
        return Picture(render_page(base, found, marked=False).png, "image/png")
    return Picture(content, kind)
