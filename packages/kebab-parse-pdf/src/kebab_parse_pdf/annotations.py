"""Annotations of a page: what readers wrote beside its text, and what was filled in or written over it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_parse import split_lines

if TYPE_CHECKING:
    from pypdfium2 import PdfPage


class PageComment(NamedTuple):
    """A comment on a page."""

    text: str
    """`Comment (author): …`, as of other formats."""
    left: float
    bottom: float
    right: float
    top: float


class PageAnnotations(NamedTuple):
    """What is of use among the annotations of a page."""

    comments: tuple[PageComment, ...]
    """In the order of the file; places are those of the page, from its lower left corner."""
    is_written_on: bool
    """Whether fields were filled in, or text was written over the page."""


def read_annotations(page: PdfPage) -> PageAnnotations:
    """Read the annotations of a page. Links and pop-up windows, which repeat others, are left out."""
    from pypdfium2 import raw

    comments: list[PageComment] = []
    is_written_on = False
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        with _open(page, number) as annotation:
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            is_drawn = kind == raw.FPDF_ANNOT_FREETEXT and _has_appearance(annotation)
            is_written_on = is_written_on or is_drawn or kind == raw.FPDF_ANNOT_WIDGET
            if is_drawn or kind in {raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP}:
                continue
            said = split_lines(_read_value(annotation, b"Contents"))
            place = raw.FS_RECTF()
            if said and raw.FPDFAnnot_GetRect(annotation, place):
                author = " ".join(" ".join(split_lines(_read_value(annotation, b"T"))).split())
                lead = f"Comment ({author}): " if author else "Comment: "
                (left, right), (bottom, top) = (
                    sorted((place.left, place.right)),
                    sorted((place.bottom, place.top)),
                )
                comments.append(PageComment(lead + "\n".join(said), left, bottom, right, top))
    return PageAnnotations(tuple(comments), is_written_on)


@contextmanager
def _open(page: PdfPage, number: int) -> Iterator[Any]:
    from pypdfium2 import raw

    annotation = raw.FPDFPage_GetAnnot(page.raw, number)
    try:
        yield annotation
    finally:
        raw.FPDFPage_CloseAnnot(annotation)


def _has_appearance(annotation: Any) -> bool:
    from pypdfium2 import raw

    return bool(raw.FPDFAnnot_GetAP(annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > _EMPTY_BYTES)


_EMPTY_BYTES = 2
"""Bytes of an empty text: its end."""


def _read_value(annotation: Any, key: bytes) -> str:
    from pypdfium2 import raw

    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if size <= _EMPTY_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[: size - _EMPTY_BYTES].decode("utf-16-le", "replace")
