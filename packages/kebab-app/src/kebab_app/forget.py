"""Removal of documents with all their traces: external ones with their copy, others once their own file is gone.

Lines of logs, results and caches that name them are traces too.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    DEFAULT_SOURCE_ID,
    CancelToken,
    DocumentNotFoundError,
    InvalidInputError,
    KebabError,
    Message,
    Remedy,
    SourceId,
    StorageError,
    WorkspacePath,
    parse_address,
)
from kebab_ingest import (
    NOTES_SOURCE,
    TRASH_FOLDER,
    IngestRequest,
    TrashFolder,
    is_file_copy,
    place_below,
)

from kebab_app.attached_files import find_holder
from kebab_app.ingest import (
    IngestOptions,
    publish_documents,
    require_own_documents,
    run_ingest,
    update_surroundings,
)
from kebab_app.reset import delete_path
from kebab_app.store import (
    LockWait,
    begin_erasure,
    end_erasure,
    erase_deleted,
    erase_traces,
    find_replaced,
    find_writer,
    hold_writer_lock,
)
from kebab_app.stored_answers import AnswerChoice, Erasure, NamedPlace, find_answers, find_place

if TYPE_CHECKING:
    from collections.abc import Collection

    from kebab_core import DocumentId, IngestReport, TraceId, TrackedFile
    from kebab_ingest import EventSink

    from kebab_app.knowledge_base import KnowledgeBase

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ForgetPlan:
    """Documents, copies and answers that `forget` would delete."""

    documents: tuple[TrackedFile, ...]
    """Documents that leave the index."""
    copies: tuple[Path, ...]
    """Files that kebab keeps of external documents."""
    replaced: tuple[Path, ...]
    """Folders of databases that were set aside and hold one of the documents; none unless they are erased."""
    answers: tuple[TraceId, ...]


def plan_forget(
    base: KnowledgeBase, names: Sequence[str], *, keep_answers: bool, erase: bool = False
) -> ForgetPlan:
    """List what `forget` would delete.

    Args:
        base: The knowledge base.
        names: Paths, with or without `source:`, or ids; also of documents that have left the index.
        keep_answers: Leave stored answers alone.
        erase: Leave nothing of the documents in any folder.

    Raises:
        InvalidInputError: No document is named, or one whose file lies in a folder of the user.
        DocumentNotFoundError: Neither the document nor an answer based on it is stored.
        ReadonlyModeError: The documents are those of a lake.
    """
    require_own_documents(base)
    if not names:
        raise InvalidInputError("no document is given", remedy=Remedy(kind="list_documents"))
    documents: dict[str, TrackedFile] = {}
    copies: dict[Path, None] = {}
    answers: dict[TraceId, None] = {}
    for name in names:
        place = _find_whole(base, name)
        tracked = _find_tracked(base, place)
        copy = None if tracked is None else _require_forgettable(base, tracked)
        quoting = () if keep_answers else find_answers(base, AnswerChoice(quoting=name))
        if tracked is None and not quoting:
            raise DocumentNotFoundError(
                "neither a document {doc_id!r} nor an answer that quotes it is stored",
                remedy=Remedy(kind="list_documents"),
                doc_id=name,
            )
        documents |= {each.doc_id: each for each in _with_attached(base, tracked)} if tracked else {}
        copies |= {copy: None} if copy else {}
        answers |= dict.fromkeys(quoting)
    planned = tuple(documents.values())
    return ForgetPlan(
        documents=planned,
        copies=tuple(copies),
        replaced=find_replaced(base.data_dir, planned) if erase else (),
        answers=tuple(answers),
    )


def _find_whole(base: KnowledgeBase, name: str) -> NamedPlace:
    """Find the place of a document.

    Raises:
        InvalidInputError: The name is the address of a part of it.
    """
    parsed, place = parse_address(name), find_place(base, name)
    if parsed.fragment and not place.path.endswith(f"#{name.rpartition('#')[2]}"):
        raise InvalidInputError(
            "{address!r} names a part of a document, and only a whole one can be forgotten",
            remedy=Remedy(advice=Message("write it as {value}", value=parsed.file)),
            address=name,
        )
    return place


def _find_tracked(base: KnowledgeBase, place: NamedPlace) -> TrackedFile | None:
    if not base.has_database:
        return None
    ids = base.source_roots if place.source_id is None else [place.source_id]
    found = (base.index.source_files.tracked_file(source_id, place.path) for source_id in ids)
    return next((file for file in found if file is not None), None)


def _with_attached(base: KnowledgeBase, tracked: TrackedFile) -> list[TrackedFile]:
    """Return the record of a file, and those of the files that it holds."""
    paths = base.index.source_files.file_states(tracked.source_id, among=[tracked.workspace_path])
    found = (base.index.source_files.tracked_file(tracked.source_id, WorkspacePath(path)) for path in paths)
    return [file for file in found if file is not None]


def _require_forgettable(base: KnowledgeBase, tracked: TrackedFile) -> Path | None:
    """Return the copy that kebab keeps of a document; None where its file is gone.

    Raises:
        InvalidInputError: The file exists and is the user's own, or another file holds it.
    """
    holder = find_holder(base, tracked.source_id, tracked.workspace_path)
    if holder is not None and os.path.lexists(holder):
        raise InvalidInputError(
            "{path!r} is attached to {holder!r}, and goes with it only",
            remedy=Remedy(advice=Message("move {path!r} away", path=str(holder)), then=Remedy(kind="retry")),
            path=tracked.workspace_path,
            holder=holder.name,
        )
    root = base.source_roots.get(tracked.source_id)
    if root is None:
        return None
    place = place_below(root, tracked)
    if not os.path.lexists(place):
        return None
    is_kept = tracked.source_id == NOTES_SOURCE or is_file_copy(tracked.source_id, tracked.workspace_path)
    if not is_kept:
        raise InvalidInputError(
            "{path!r} is a file of yours, which kebab does not delete",
            remedy=Remedy(advice=Message("move {path!r} away", path=str(place)), then=Remedy(kind="retry")),
            path=str(place),
        )
    return place


def forget(base: KnowledgeBase, names: Sequence[str], *, keep_answers: bool, erase: bool) -> Erasure:
    """Remove documents with their chunks, vectors, cached derivations, and the answers that quote them.

    The files that kebab keeps of them go to the folder of removed files, from where `undo_forget` takes them.

    Args:
        base: The knowledge base.
        names: See `plan_forget`.
        keep_answers: Leave stored answers alone.
        erase: Delete the files that kebab keeps, for good, and leave nothing of the documents in any folder: databases that
            were set aside and hold one, results of models, vectors in files, runs and lines of logs that name one.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: No document is named, or one whose file lies in a folder of the user.
        DocumentNotFoundError: Neither the document nor an answer based on it is stored.
        LockedError: Another process is writing.
        StorageError: A copy cannot be deleted, or the disk is full.
    """
    base.require_writable()
    plan_forget(base, names, keep_answers=keep_answers, erase=erase)
    with hold_writer_lock(base.data_dir):
        plan = plan_forget(base, names, keep_answers=keep_answers, erase=erase)
        begin_erasure(base.open_for_writing(), at=base.clock.now())
        trash = None if erase else _throw_away(base, plan)
        if erase:
            _erase(base, plan)
        for path in (*plan.copies, *plan.replaced):
            delete_path(path)
        doc_ids = {tracked.doc_id for tracked in plan.documents}
        _forget_vectors(base, doc_ids)  # first: after a kill here the documents can still be named again
        base.history.answers.delete(plan.answers)
        base.index.documents.remove_documents(sorted(doc_ids))
        is_erased = _finish_erasure(base)
        publish_documents(base)
    return Erasure(
        documents=tuple(_format_path(tracked) for tracked in plan.documents),
        removed_paths=(*plan.copies, *plan.replaced),
        trash_path=trash,
        answers=plan.answers,
        erased=is_erased,
    )


def finish_erasure(base: KnowledgeBase) -> None:
    """Finish an erasure whose command was killed. A failure, and another process that writes, leave it to the next command."""
    if not base.open_for_writing().is_erasure_begun or find_writer(base.data_dir) is not None:
        return
    try:
        with hold_writer_lock(base.data_dir, wait=LockWait(timeout_s=0)):
            if base.open_for_writing().is_erasure_begun:
                _finish_erasure(base)
                publish_documents(base)
    except KebabError as error:
        _LOG.warning("deleted text could not be erased yet: %s", error.message)


def _finish_erasure(base: KnowledgeBase) -> bool:
    """Take what was deleted out of neighbours, files and the database; return True unless a reader keeps the log open."""
    update_surroundings(base)
    base.index.documents.collect_assets()
    database = base.open_for_writing()
    is_erased = erase_deleted(database, compact=True)
    if latest := base.index.embeddings.latest_model():
        for identity in {latest, *base.index.embeddings.embedded_models()}:
            base.vectors.update(identity)
    if is_erased:
        end_erasure(database)
    return is_erased


def _throw_away(base: KnowledgeBase, plan: ForgetPlan) -> Path | None:
    """Move the files of a plan to the folder of removed files; return the place of this removal, None without files."""
    roots, at = base.source_roots, base.clock.now()
    trash = TrashFolder(root=base.data_dir / TRASH_FOLDER)
    for expired in trash.list_expired(now=at):
        delete_path(expired)
    files = [
        (each.source_id, each.workspace_path, place)
        for each in plan.documents
        if each.source_id in roots and (place := place_below(roots[each.source_id], each)) in plan.copies
    ]
    return trash.keep(files, at=at) if files else None


def _erase(base: KnowledgeBase, plan: ForgetPlan) -> None:
    """Delete what names or holds the documents outside of their files and the index; the index goes last."""
    if base.has_vectors:
        base.vectors.remove_files()
    erase_lines(base, plan.documents)
    spellings = [name for each in plan.documents for name in spell_path(str(each.workspace_path))]
    erase_traces(base.open_for_writing(), spellings)
    if plan.copies:
        places = [(each.source_id, each.workspace_path) for each in plan.documents]
        TrashFolder(root=base.data_dir / TRASH_FOLDER).erase(places, at=base.clock.now())


def undo_forget(
    base: KnowledgeBase, name: str | None, *, sink: EventSink | None, cancel: CancelToken | None
) -> IngestReport:
    """Bring back the documents that were forgotten last, or the text that one had before; answers do not come back.

    Args:
        base: The knowledge base.
        name: The one document, as in `plan_forget`.
        sink: Gets every event.
        cancel: Ends the run after the file in hand.

    Returns:
        The report of the run that ingests them.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: Nothing was forgotten or replaced, or another file has its place.
        LockedError: Another process is writing.
        StorageError: A file cannot be moved.
    """
    base.require_writable()

    def make_request() -> IngestRequest:
        roots = {**base.source_roots, base.notes_source.settings.id: base.notes_source.root}
        place = None if name is None else _find_whole(base, name)
        if place is not None and place.source_id is not None:
            roots = {place.source_id: roots[place.source_id]} if place.source_id in roots else {}
        trash = TrashFolder(root=base.data_dir / TRASH_FOLDER)
        places = trash.restore(roots, only=place and place.path, at=base.clock.now())
        targets = {SourceId(target.source.id): target for target in base.targets}
        restored = tuple(replace(targets[source_id], under=path) for source_id, path in places)
        return IngestRequest(targets=restored, is_single_files=True)

    return run_ingest(base, make_request, sink=sink, cancel=cancel or CancelToken(), options=IngestOptions())


def _forget_vectors(base: KnowledgeBase, doc_ids: Collection[DocumentId]) -> None:
    """Delete the vectors of the texts of documents; those of texts that another document has, too, stay."""
    embeddings = base.index.embeddings
    rows = chain.from_iterable(map(embeddings.rows, embeddings.embedded_models()))
    used = {text_hash for row in rows if row.doc_id not in doc_ids for text_hash in row.list_texts()}
    embeddings.delete(embeddings.text_hashes(doc_ids) - used)


def _format_path(tracked: TrackedFile) -> str:
    """Format the path of a document as in hits."""
    if tracked.source_id == DEFAULT_SOURCE_ID:
        return str(tracked.workspace_path)
    return f"{tracked.source_id}:{tracked.workspace_path}"


def spell_path(path: str) -> set[str]:
    """Return a path as JSON spells it, with letters beyond ASCII as they are and as escapes."""
    return {json.dumps(path, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)}


def erase_lines(base: KnowledgeBase, documents: Sequence[TrackedFile]) -> None:
    """Delete the lines that name some documents from logs, results of evaluations and places that terminals remember.

    Raises:
        StorageError: A file cannot be changed.
    """
    names = {one.encode() for each in documents for one in spell_path(str(each.workspace_path))}
    paths = base.loaded.paths
    for path in dict.fromkeys(
        _list_files(paths.log_dir, base.data_dir / "runs", paths.cache_dir / "terminals")
    ):
        try:
            with path.open("r+b") as file:  # in its place: a server may write to the log
                lines = file.read().splitlines(keepends=True)
                kept = [line for line in lines if not any(_is_named(line, name) for name in names)]
                if len(kept) < len(lines):
                    file.seek(0)
                    file.writelines(kept)
                    file.truncate()
        except OSError as error:
            raise StorageError(
                "cannot change {path!r}: {reason}",
                remedy=Remedy(kind="check_permissions", path=str(path)),
                path=str(path),
                _reason=error.strerror,
            ) from error


def _list_files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _is_named(line: bytes, name: bytes) -> bool:
    """Return True if a path stands in a line, not only as the end or the beginning of a longer name."""
    at = line.find(name)
    while at >= 0:
        around = line[:at][-1:] + line[at + len(name) :][:1]
        if not any(chr(byte).isalnum() or byte in b"-_" for byte in around):
            return True
        at = line.find(name, at + 1)
    return False
