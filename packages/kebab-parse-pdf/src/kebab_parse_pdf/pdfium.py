"""Opening PDFs with PDFium: passwords, damage, and the one thread at a time that it allows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, DocumentEncryptedError, Message, Remedy, UnsupportedMediaError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_PDFIUM = threading.RLock()
"""PDFium keeps global state: two threads inside it at once crash the process."""
_MAGIC = b"%PDF-"
_HEADER_BYTES = 1024
"""Viewers accept other bytes before the header, up to this many."""


@contextmanager
def open_pdf(content: bytes, passwords: Sequence[str] = ()) -> Iterator[PdfDocument]:
    """Open a PDF for as long as the context lasts; other threads wait. Owner passwords are not needed.

    Args:
        content: The file.
        passwords: Tried in their order where the file does not open without.

    Yields:
        The document of pypdfium2.

    Raises:
        UnsupportedMediaError: The bytes are no PDF.
        DocumentDamagedError: The file cannot be opened, or PDFium fails in the context.
        DocumentEncryptedError: None of the passwords opens it.
    """
    if _MAGIC not in content[:_HEADER_BYTES]:
        raise UnsupportedMediaError("the file is not a PDF: it does not begin with %PDF-", media="pdf")
    from pypdfium2 import PdfiumError

    with _PDFIUM:
        document = _open(content, passwords)
        try:
            yield document
        except PdfiumError as error:
            raise DocumentDamagedError("a part of the PDF is damaged and cannot be read") from error
        finally:
            document.close()


def read_text(read: Callable[[], str]) -> str:
    """Return a text of a file, such as a title or a page label, as `read` gives it; empty where it cannot be decoded."""
    from pypdfium2 import PdfiumError

    try:
        return read()
    except (UnicodeDecodeError, PdfiumError):
        return ""


def _open(content: bytes, passwords: Sequence[str]) -> PdfDocument:
    from pypdfium2 import PdfDocument, PdfiumError, raw

    for password in (None, *passwords):
        try:
            document = PdfDocument(content, password=password)
        except PdfiumError as error:
            code = getattr(error, "err_code", None)
            if code == raw.FPDF_ERR_SECURITY:
                raise DocumentEncryptedError(
                    "the PDF is encrypted in a way that cannot be read",
                    remedy=Remedy(
                        advice=Message("open it in its own program and save it without protection")
                    ),
                ) from error
            if code != raw.FPDF_ERR_PASSWORD:
                raise DocumentDamagedError("the PDF is damaged and cannot be opened") from error
        else:
            if document.get_formtype() == raw.FORMTYPE_ACRO_FORM:
                document.init_forms()  # draws what the fields hold; scripts are not built into it
            return document
    remedy = Remedy(kind="add_password", setting="ingest.pdf.passwords")
    if passwords:
        raise DocumentEncryptedError("none of the passwords in the settings opens the PDF", remedy=remedy)
    raise DocumentEncryptedError("the PDF needs a password", remedy=remedy)
