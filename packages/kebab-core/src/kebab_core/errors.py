"""Every error kebab raises on purpose, and the cancellation of work, which is none.

    KebabError
      InputError                        the caller can fix the call
        ConfigInvalidError              config_invalid
        ConfigNotFoundError             config_not_found
        InvalidInputError               invalid_input
        AmbiguousAddressError           ambiguous_address
        TooManyQueriesError             too_many_queries
        StaleCursorError                stale_cursor
        UnsupportedMediaError           unsupported_media
        SpanNotSupportedError           span_not_supported
        ReadonlyModeError               readonly_mode
        DependencyMissingError          dependency_missing
        PluginConflictError             plugin_conflict
      MissingError
        NotIndexedError                 not_indexed
        ChunkNotFoundError              chunk_not_found
        DocumentNotFoundError           doc_not_found
      DocumentError
        DocumentEncryptedError          document_encrypted
        DocumentDamagedError            document_damaged
        DocumentTooLargeError           document_too_large
      ExternalError                     something outside failed
        ModelUnreachableError           model_unreachable
        ModelNotPulledError             model_not_pulled
        ModelMissingError               model_missing
        ModelCorruptError               model_corrupt
        ContextOverflowError            context_overflow
        OperationTimeoutError           timeout
      StorageError                      io_error
        LockedError                     locked
        StaleRevisionError              stale_revision
        IndexModelMismatchError         index_model_mismatch
        SchemaTooOldError               schema_too_old
        SchemaTooNewError               schema_too_new
        DatabaseCorruptError            database_corrupt
        RetrievalError                  retrieval_error
      InternalError                     internal

Each class has one stable `code` (the wire's `error.v1.code`), an optional `remedy` saying what to do next and
`details`, a flat mapping of JSON values. Groups without a code are for `except` only and are never raised.
A refusal, an empty result and a skipped file are values, not errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kebab_core.messages import Message, shorten_message

if TYPE_CHECKING:
    from kebab_core.remedies import Remedy

DetailValue = str | int | float | bool | None | list[str]
"""Value of one detail of an error."""


class KebabError(Exception):
    """Base of the tree. `str(error)` is one sentence in lower case; the remedy is separate.

    `StorageError("cannot read {path!r}: {reason}", path=path, _reason=reason)`: the sentence is a template, as of a
    `Message`. Its arguments are the details; a keyword that begins with an underscore is an argument and no detail.

    Attributes:
        code: Stable snake_case identifier; empty on the groups.
        message: The sentence.
        hint: Words of a face about an error of its own; below the faces None, they give a `remedy`.
        remedy: What to do next; a face turns it into words. None if there is nothing to suggest.
        details: Facts about the failure, by name.

    Of a text of more than 2,000 characters the middle is left out.
    """

    code: ClassVar[str] = ""

    def __init__(
        self,
        message: Message | str,
        /,
        *,
        hint: str | None = None,
        remedy: Remedy | None = None,
        **details: DetailValue,
    ) -> None:
        arguments = {name.removeprefix("_"): value for name, value in details.items()}
        self.message = message if isinstance(message, Message) else Message(message, plural=None, **arguments)
        super().__init__(self.message)
        self.hint = None if hint is None else shorten_message(hint)
        self.remedy = remedy
        self.details: dict[str, DetailValue] = {
            name: _shorten_detail(value) for name, value in details.items() if not name.startswith("_")
        }

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments for pickle: workers report the errors of this tree across processes."""
        return (_rebuild, (type(self), self.message, (self.hint, self.remedy), self.details))


def _shorten_detail(value: DetailValue) -> DetailValue:
    if isinstance(value, list):
        return [shorten_message(item) for item in value]
    return shorten_message(value) if isinstance(value, str) else value


def _rebuild(
    kind: type[KebabError],
    message: Message,
    advice: tuple[str | None, Remedy | None],
    details: dict[str, DetailValue],
) -> KebabError:
    error = kind(message, hint=advice[0], remedy=advice[1])
    error.details = details
    return error


class InputError(KebabError):
    """The caller can fix the call."""


class ConfigInvalidError(InputError):
    """The configuration file, an environment override or a flag does not validate."""

    code = "config_invalid"


class ConfigNotFoundError(InputError):
    """The configuration file that the caller names does not exist."""

    code = "config_not_found"


class InvalidInputError(InputError):
    """An argument is outside what the operation accepts."""

    code = "invalid_input"


class AmbiguousAddressError(InputError):
    """An address names several documents; `details["candidates"]` lists addresses that name one each."""

    code = "ambiguous_address"


class TooManyQueriesError(InputError):
    """More queries in one bulk call than allowed."""

    code = "too_many_queries"


class StaleCursorError(InputError):
    """A cursor that cannot be read, or whose result has changed since."""

    code = "stale_cursor"


class UnsupportedMediaError(InputError):
    """No parser takes this kind of file."""

    code = "unsupported_media"


class SpanNotSupportedError(InputError):
    """The document is not addressed so: lines of pages, pages of lines, times of either."""

    code = "span_not_supported"


class ReadonlyModeError(InputError):
    """A write was requested while writing is switched off or impossible."""

    code = "readonly_mode"


class DependencyMissingError(InputError):
    """An optional package is not installed; the remedy names it."""

    code = "dependency_missing"


class PluginConflictError(InputError):
    """Two distributions offer one plugin, or a plugin cannot be loaded or does not satisfy its Protocol."""

    code = "plugin_conflict"


class MissingError(KebabError):
    """The requested thing does not exist."""


class NotIndexedError(MissingError):
    """There is no index to search yet, or it was built by another analyser."""

    code = "not_indexed"


class ChunkNotFoundError(MissingError):
    """No chunk has this id."""

    code = "chunk_not_found"


class DocumentNotFoundError(MissingError):
    """No document has this id."""

    code = "doc_not_found"


class DocumentError(KebabError):
    """One document cannot be processed; others can."""


class DocumentEncryptedError(DocumentError):
    """The document needs a password."""

    code = "document_encrypted"


class DocumentDamagedError(DocumentError):
    """The file is not what its format asks for, or a part of it is missing."""

    code = "document_damaged"


class DocumentTooLargeError(DocumentError):
    """The document unpacks to more than is read, or has more parts."""

    code = "document_too_large"


class ExternalError(KebabError):
    """Something outside kebab failed."""


class ModelUnreachableError(ExternalError):
    """A model server does not answer."""

    code = "model_unreachable"


class ModelNotPulledError(ExternalError):
    """The model server does not have the model."""

    code = "model_not_pulled"


class ModelMissingError(ExternalError):
    """Model weights are not on this machine."""

    code = "model_missing"


class ModelCorruptError(ExternalError):
    """Model weights have another hash or shape than they should."""

    code = "model_corrupt"


class ContextOverflowError(ExternalError):
    """System prompt and question alone do not fit the model's context."""

    code = "context_overflow"


class OperationTimeoutError(ExternalError):
    """An operation took longer than its limit."""

    code = "timeout"


class StorageError(KebabError):
    """Reading or writing files or the database failed."""

    code = "io_error"


class LockedError(StorageError):
    """Another process is writing the index."""

    code = "locked"


class StaleRevisionError(StorageError):
    """Another process has published a revision of the lake meanwhile, so that this one is not published."""

    code = "stale_revision"


class IndexModelMismatchError(StorageError):
    """The vector index was built by another model."""

    code = "index_model_mismatch"


class SchemaTooOldError(StorageError):
    """The database was written by an older kebab whose schema is not migrated."""

    code = "schema_too_old"


class SchemaTooNewError(StorageError):
    """The database was written by a newer kebab."""

    code = "schema_too_new"


class DatabaseCorruptError(StorageError):
    """SQLite reports damage."""

    code = "database_corrupt"


class RetrievalError(StorageError):
    """A search could not be carried out."""

    code = "retrieval_error"


class InternalError(KebabError):
    """A bug in kebab. `details["error_id"]` is also in the log."""

    code = "internal"


MODEL_FAILURES = (
    MissingError,
    ExternalError,
    StorageError,
    DependencyMissingError,
    ConfigInvalidError,
)
"""Errors that mean: this model or its vectors cannot be used now, wrong settings included. A hybrid search then goes on
with the lexical leg; a request that names the model fails."""


class WorkCancelledError(Exception):
    """The work was cancelled.

    Not a `KebabError`, so that no code on the way handles it as a failure of its own and goes on.
    """


class CancelToken:
    """Asks work to stop after the file, batch or hit in hand; from any thread."""

    def __init__(self) -> None:
        self._is_cancelled = False

    def cancel(self) -> None:
        """Ask; may be called from a signal handler, and more than once."""
        self._is_cancelled = True

    @property
    def is_cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._is_cancelled

    def raise_if_cancelled(self) -> None:
        """Stop cancelled work.

        Raises:
            WorkCancelledError: `cancel` was called.
        """
        if self._is_cancelled:
            raise WorkCancelledError
