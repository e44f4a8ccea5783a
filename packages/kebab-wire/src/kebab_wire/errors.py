"""`error.v1`, and the conversion of exceptions to it."""

from __future__ import annotations

import hashlib
import traceback
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from kebab_core import DetailValue, KebabError, Remedy

from kebab_wire.base import WireObject, render_for_wire

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer


class ErrorCode(StrEnum):
    """Code of an error, for programs."""

    CONFIG_INVALID = "config_invalid"
    CONFIG_NOT_FOUND = "config_not_found"
    INVALID_INPUT = "invalid_input"
    AMBIGUOUS_ADDRESS = "ambiguous_address"
    TOO_MANY_QUERIES = "too_many_queries"
    STALE_CURSOR = "stale_cursor"
    UNSUPPORTED_MEDIA = "unsupported_media"
    SPAN_NOT_SUPPORTED = "span_not_supported"
    READONLY_MODE = "readonly_mode"
    NOT_INDEXED = "not_indexed"
    CHUNK_NOT_FOUND = "chunk_not_found"
    DOC_NOT_FOUND = "doc_not_found"
    DOCUMENT_ENCRYPTED = "document_encrypted"
    DOCUMENT_DAMAGED = "document_damaged"
    DOCUMENT_TOO_LARGE = "document_too_large"
    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_NOT_PULLED = "model_not_pulled"
    MODEL_MISSING = "model_missing"
    MODEL_CORRUPT = "model_corrupt"
    CONTEXT_OVERFLOW = "context_overflow"
    TIMEOUT = "timeout"
    DEPENDENCY_MISSING = "dependency_missing"
    PLUGIN_CONFLICT = "plugin_conflict"
    IO_ERROR = "io_error"
    LOCKED = "locked"
    STALE_REVISION = "stale_revision"
    INDEX_MODEL_MISMATCH = "index_model_mismatch"
    SCHEMA_TOO_OLD = "schema_too_old"
    SCHEMA_TOO_NEW = "schema_too_new"
    DATABASE_CORRUPT = "database_corrupt"
    RETRIEVAL_ERROR = "retrieval_error"
    INTERNAL = "internal"


class ErrorV1(WireObject):
    """The error that ended a command."""

    schema_version: Literal["error.v1"] = "error.v1"
    code: ErrorCode
    message: str
    """One sentence for people."""
    details: dict[str, DetailValue]
    """Facts about the failure, by name."""
    hint: str | None
    """Remedy: the next step."""


def classify_error(error: BaseException, *, render: RemedyRenderer | None = None) -> ErrorV1:
    """Return an exception as a wire object.

    Args:
        error: Anything that was raised. One outside kebab's tree of errors is a bug: code `internal`, its type
            but not its text, and an id that is the same whenever the same line fails in the same way.
        render: Words of remedies; None: the shared words.

    Returns:
        The wire object; text that UTF-8 cannot carry is replaced.
    """
    if not isinstance(error, KebabError) or not error.code:
        return _internal(error, render)
    hint = error.hint if error.remedy is None else render_for_wire(error.remedy, render)
    return ErrorV1(
        code=ErrorCode(error.code),
        message=_printable(error.message),
        details={_printable(name): _printable_detail(value) for name, value in error.details.items()},
        hint=None if hint is None else _printable(hint),
    )


def _internal(error: BaseException, render: RemedyRenderer | None) -> ErrorV1:
    name = type(error).__name__
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    error_id = hashlib.sha256("\n".join([name, *places]).encode()).hexdigest()[:12]
    return ErrorV1(
        code=ErrorCode.INTERNAL,
        message=f"a bug in kebab ({name})",
        details={"error_id": error_id, "type": name},
        hint=render_for_wire(Remedy(kind="debug"), render),
    )


def _printable_detail(value: DetailValue) -> DetailValue:
    if isinstance(value, str):
        return _printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return value if not isinstance(value, float) or abs(value) < float("inf") else str(value)


def _printable(text: str) -> str:
    return str(text).encode("utf-8", "replace").decode("utf-8")
