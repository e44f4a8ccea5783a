"""Deleting stored answers: which ones are meant, and erasing them from the files of the database."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kebab_core import DocumentNotFoundError, InvalidInputError, SourceId, TraceId, WorkspacePath

from kebab_app.writer_lock import hold_writer_lock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kebab_store_sqlite import SqliteAnswerRepo
    from kebab_wire import ErasureReportV1

    from kebab_app.knowledge_base import KnowledgeBase

_ID_PREFIX = "ret_"


@dataclass(frozen=True, kw_only=True)
class AnswerChoice:
    """Which answers are meant. Without any condition it is all of them."""

    ids: tuple[str, ...] = ()
    """Ids, or beginnings that only one id has."""
    before: datetime | None = None
    """Given before this time."""
    quoting: str | None = None
    """That rest on this document: a path, `source:path`, or an id."""


class NamedPlace(NamedTuple):
    """Where a document is or was."""

    source_id: SourceId | None
    """None is any source."""
    path: WorkspacePath


def find_answers(base: KnowledgeBase, choice: AnswerChoice) -> tuple[TraceId, ...]:
    """Return the ids of the answers that are meant, newest first.

    Raises:
        InvalidInputError: No answer, or more than one, has an id that begins so; or no document can be meant.
    """
    from kebab_store_sqlite import SqliteAnswerRepo

    if not base.has_database:
        if choice.ids:
            _raise_unknown(choice.ids[0])
        return ()
    repo = SqliteAnswerRepo(base.open_for_reading())
    if choice.ids:
        return tuple(dict.fromkeys(find_answer(repo, name) for name in choice.ids))
    if choice.quoting is None:
        return tuple(repo.find(before=choice.before))
    source_id, path = find_place(base, choice.quoting)
    return tuple(repo.find(before=choice.before, path=path, source_id=source_id))


def find_answer(repo: SqliteAnswerRepo, name: str) -> TraceId:
    """Return the one id that begins so.

    Raises:
        InvalidInputError: No id does, or more than one.
    """
    found = [trace_id for trace_id in repo.find() if trace_id.startswith(name)] if name else []
    if name in found:
        return TraceId(name)
    if len(found) > 1:
        raise InvalidInputError(
            f"the ids of {len(found)} answers begin with {name!r}", hint="kebab answers list", trace_id=name
        )
    if not found or _ID_PREFIX.startswith(name):
        _raise_unknown(name)
    return found[0]


def _raise_unknown(name: str) -> NoReturn:
    raise InvalidInputError(f"no answer is stored as {name!r}", hint="kebab answers list", trace_id=name)


def find_place(base: KnowledgeBase, name: str) -> NamedPlace:
    """Return where a document is or was; it need not be known any more.

    Raises:
        InvalidInputError: It is a folder, or cannot be the path of a document.
    """
    from kebab_app.diagnose import locate_file

    with suppress(DocumentNotFoundError, InvalidInputError):
        file = locate_file(base, name)
        if file.tracked is not None:
            return NamedPlace(file.tracked.source_id, file.tracked.workspace_path)
        if file.location is not None and file.location.under is not None:
            return NamedPlace(SourceId(file.location.source.id), file.location.under)
    source, colon, rest = name.partition(":")
    if colon:
        return NamedPlace(SourceId(source), WorkspacePath(rest))
    return NamedPlace(None, WorkspacePath(name))


def delete_answers(base: KnowledgeBase, trace_ids: Sequence[TraceId]) -> ErasureReportV1:
    """Delete answers and erase them from the files of the database.

    Args:
        base: The knowledge base.
        trace_ids: Their ids, as `find_answers` gives them.

    Returns:
        What was deleted.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
        StorageError: The disk is full.
    """
    from kebab_store_sqlite import SqliteAnswerRepo, erase_deleted
    from kebab_wire import ErasureReportV1

    base.require_writable()
    if not trace_ids or not base.has_database:
        return ErasureReportV1()
    with hold_writer_lock(base.data_dir):
        database = base.open_for_writing()
        SqliteAnswerRepo(database).delete(trace_ids)
        is_erased = erase_deleted(database, compact=True)
    return ErasureReportV1(answers=tuple(map(str, trace_ids)), erased=is_erased)
