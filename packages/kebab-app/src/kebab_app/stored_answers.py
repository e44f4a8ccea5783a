"""Stored answers: listed, shown, found by id, time or document, and erased."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kebab_core import DocumentNotFoundError, InvalidInputError, Remedy, SourceId, TraceId, WorkspacePath

from kebab_app.store import begin_erasure, end_erasure, erase_deleted, hold_writer_lock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from kebab_core import Answer, AnswerRepo, SessionId

    from kebab_app.knowledge_base import KnowledgeBase

_ID_PREFIX = "ret_"


@dataclass(frozen=True, kw_only=True)
class AnswerChoice:
    """Conditions on stored answers, which must all hold; none selects all of them."""

    ids: tuple[str, ...] = ()
    """Ids, or unique prefixes of ids."""
    before: datetime | None = None
    """Given before this time."""
    quoting: str | None = None
    """Based on this document: a path, `source:path`, or an id."""


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """Result of a deletion on request."""

    documents: tuple[str, ...] = ()
    """Documents that left the index: their paths, after source and colon where the source is not the default one."""
    removed_paths: tuple[Path, ...] = ()
    """Deleted files."""
    trash_path: Path | None = None
    """Folder that the files were moved to."""
    answers: tuple[TraceId, ...] = ()
    """Deleted answers."""
    sessions: tuple[SessionId, ...] = ()
    """Deleted conversations."""
    erased: bool = True
    """Nothing of it is left in the files of the database; False where a reader was in the way."""


class NamedPlace(NamedTuple):
    """Present or former place of a document."""

    source_id: SourceId | None
    """None is any source."""
    path: WorkspacePath


def list_answers(base: KnowledgeBase, *, limit: int) -> list[tuple[str, Answer]]:
    """List stored questions and answers, newest first; none where there is no database yet."""
    return base.history.answers.recent(limit=limit) if base.has_database else []


def show_answer(base: KnowledgeBase, trace_id: str) -> tuple[str, Answer]:
    """Return a stored question and its answer.

    Args:
        base: The knowledge base.
        trace_id: The id of the answer, or a unique prefix of it.

    Raises:
        InvalidInputError: No answer is stored under this trace id, or several are.
    """
    repo = base.history.answers if base.has_database else None
    found = repo.get(find_answer(repo, trace_id)) if repo else None
    if found is None:
        raise InvalidInputError(
            "no answer is stored as {trace_id!r}",
            remedy=Remedy(kind="list_stored", name="answers"),
            trace_id=trace_id,
        )
    return found


def find_answers(base: KnowledgeBase, choice: AnswerChoice) -> tuple[TraceId, ...]:
    """Find stored answers, newest first.

    Raises:
        InvalidInputError: No answer, or more than one, has an id with a given prefix; or no document has the name.
    """
    if not base.has_database:
        if choice.ids:
            _raise_unknown(choice.ids[0])
        return ()
    repo = base.history.answers
    if choice.ids:
        return tuple(dict.fromkeys(find_answer(repo, name) for name in choice.ids))
    if choice.quoting is None:
        return tuple(repo.find(before=choice.before))
    source_id, path = find_place(base, choice.quoting)
    return tuple(repo.find(before=choice.before, path=path, source_id=source_id))


def find_answer(repo: AnswerRepo, name: str) -> TraceId:
    """Find the one id with a prefix.

    Raises:
        InvalidInputError: No id has it, or more than one.
    """
    found = [trace_id for trace_id in repo.find() if trace_id.startswith(name)] if name else []
    if name in found:
        return TraceId(name)
    if len(found) > 1:
        raise InvalidInputError(
            "the ids of {count} answers begin with {trace_id!r}",
            remedy=Remedy(kind="list_stored", name="answers"),
            trace_id=name,
            _count=len(found),
        )
    if not found or _ID_PREFIX.startswith(name):
        _raise_unknown(name)
    return found[0]


def _raise_unknown(name: str) -> NoReturn:
    raise InvalidInputError(
        "no answer is stored as {trace_id!r}",
        remedy=Remedy(kind="list_stored", name="answers"),
        trace_id=name,
    )


def find_place(base: KnowledgeBase, name: str) -> NamedPlace:
    """Find the present or former place of a document; it need not be in the index any more.

    Raises:
        InvalidInputError: It is a folder, or cannot be the path of a document.
    """
    from kebab_app.why import locate_file

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


def delete_answers(base: KnowledgeBase, trace_ids: Sequence[TraceId]) -> Erasure:
    """Delete answers and erase them from the files of the database.

    Args:
        base: The knowledge base.
        trace_ids: Their ids, from `find_answers`.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
        StorageError: The disk is full.
    """
    base.require_writable()
    if not trace_ids or not base.has_database:
        return Erasure()
    with hold_writer_lock(base.data_dir):
        database = base.open_for_writing()
        begin_erasure(database, at=base.clock.now())
        base.history.answers.delete(trace_ids)
        if is_erased := erase_deleted(database, compact=True):
            end_erasure(database)
    return Erasure(answers=tuple(trace_ids), erased=is_erased)
