"""Errors as results: what went wrong, for the model to read and mend."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_wire import ErrorV1

_LOG = logging.getLogger("kebab.mcp")


def describe_failure(error: Exception) -> ErrorV1:
    """Return an error for the wire; one that is a bug is also in the log, under the id that it carries."""
    from kebab_core import KebabError, StorageError
    from kebab_wire import ErrorCode, classify_error

    from kebab_mcp.hints import tell_agents

    if isinstance(error, OSError):
        name = f": {error.filename}" if error.filename else ""
        error = StorageError(
            f"{(error.strerror or str(error)).lower()}{name}",
            hint="check the path, its permissions and the space on the disk",
            kind=type(error).__name__,
        )
    if isinstance(error, KebabError) and not error.hint:
        error.hint = "call `doctor`"
    failure = classify_error(error)
    if failure.hint:
        failure = failure.model_copy(update={"hint": tell_agents(failure.hint)})
    if failure.code is ErrorCode.INTERNAL:
        error_id = failure.details.get("error_id")
        _LOG.error("internal error %s", error_id, exc_info=error, extra={"error_id": error_id})
    return failure
