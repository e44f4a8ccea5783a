"""What to do about a file that could not be ingested."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Message,
    OperationTimeoutError,
    Remedy,
    StorageError,
    UnsupportedMediaError,
)

if TYPE_CHECKING:
    from kebab_core import IngestFailure


def find_failure_remedy(failure: IngestFailure, path: str) -> Remedy:  # noqa: PLR0911 - a row for each kind of failure
    """Find what to do about a failure, besides another ingest.

    Args:
        failure: The failure. One that was stored has no remedy: those of the limits are told by code and text.
        path: The file, as the user knows it.
    """
    if failure.remedy is not None:
        return failure.remedy
    if failure.code == StorageError.code and os.strerror(errno.EACCES) in failure.message:
        return Remedy(kind="check_permissions", path=path)
    leave_out = Remedy(advice=Message("leave it out"))
    if failure.code == OperationTimeoutError.code:
        return Remedy(kind="raise_setting", setting="ingest.extract_timeout_s", otherwise=leave_out)
    if failure.code == StorageError.code and failure.message.endswith(" MB of memory"):
        return Remedy(kind="raise_setting", setting="ingest.extract_memory_mb", otherwise=leave_out)
    if failure.code == DocumentEncryptedError.code and path.casefold().endswith(".pdf"):
        return Remedy(kind="add_password", setting="ingest.pdf.passwords", otherwise=leave_out)
    lacks_memory = failure.code == StorageError.code and failure.message.startswith(
        "there is not enough memory"
    )
    if lacks_memory or failure.code == DocumentTooLargeError.code:
        return Remedy(advice=Message("split the file"), otherwise=leave_out)
    if failure.code == DocumentDamagedError.code:
        return Remedy(advice=Message("check what is in the file"), otherwise=leave_out)
    if failure.code == DocumentEncryptedError.code:
        return Remedy(
            advice=Message("open it in its own program and save it without protection"), otherwise=leave_out
        )
    if failure.code == UnsupportedMediaError.code and path.casefold().endswith(".hwp"):
        return Remedy(
            advice=Message("open it in its own program and save it as {name}", name="HWPX"),
            otherwise=leave_out,
        )
    return Remedy(advice=Message("edit {path}", path=path), otherwise=leave_out)
