"""The use case `watch`: follows the folders of all sources and ingests what changes in them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kebab_core import CancelToken
from kebab_ingest import IngestRequest, IngestRun, SourceWatch, WatchParts

from kebab_app.ingest import embed, run_ingest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.store import hold_watch_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kebab_core import IngestReport, SourceId, WatchNotice
    from kebab_ingest import EventSink, SourceTarget, WatchEnd
    from kebab_source_fs import FolderWatch

    from kebab_app.knowledge_base import KnowledgeBase


def watch(
    base: KnowledgeBase,
    *,
    notify: Callable[[WatchNotice], None],
    report: Callable[[IngestReport], None],
    sink: EventSink | None,
    cancel: CancelToken,
    with_vectors: bool,
    is_outdated: Callable[[], bool],
) -> WatchEnd:
    """Follow the folders of all sources until a cancel, and ingest what changes in them.

    Passages are searched by their words at once; their vectors follow in a second thread, which calls the same functions.

    Args:
        base: The knowledge base.
        notify: Gets what is to be told beside runs.
        report: Gets the report of each run.
        sink: Gets the events of each run.
        cancel: Ends the watch.
        with_vectors: Make vectors.
        is_outdated: Whether the settings of the base have changed since; that ends the watch.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process watches already.
        DatabaseCorruptError: The database is damaged.
    """
    base.require_writable()
    base.open_for_writing()
    base.notes_source.root.mkdir(mode=0o700, exist_ok=True)  # followed from the start, whenever notes come

    def request_of(targets: tuple[SourceTarget, ...]) -> IngestRequest:
        is_everything = targets == base.targets
        return IngestRequest(
            targets=targets, is_everything=is_everything, keep_items=True, is_watched=sink is not None
        )

    def ingest(targets: tuple[SourceTarget, ...]) -> IngestReport:
        request = request_of(targets)
        done = run_ingest(
            base, lambda: request, targets=targets, sink=sink, cancel=cancel, wait=True, embed=False
        )
        report(done)
        return done

    def make_vectors(stop: CancelToken) -> None:
        report(embed(base, sink=sink, cancel=stop, wait=True, embed_for_s=None))

    def has_changes(targets: tuple[SourceTarget, ...]) -> bool:
        resources = build_ingest_resources(base, embed=False)
        return IngestRun(resources, request_of(targets), sink=lambda _: None, cancel=cancel).has_changes()

    def has_documents(source_id: SourceId) -> bool:
        return base.has_database and bool(base.index.source_files.file_states(source_id))

    parts = WatchParts(
        sources=base.targets,
        open_folder_watch=partial(_open_folder_watch, base),
        has_documents=has_documents,
        has_changes=has_changes,
        ingest=ingest,
        embed=make_vectors if with_vectors and base.wants_vectors else None,
        have_settings_changed=is_outdated,
        notify=notify,
        clock=base.clock,
        cancel=cancel,
    )
    with hold_watch_lock(base.data_dir):
        return SourceWatch(parts).run()


def _open_folder_watch(
    base: KnowledgeBase, folders: Sequence[Path], report: Callable[[frozenset[str] | None], None]
) -> FolderWatch:
    from kebab_source_fs import FolderWatch

    own = (base.data_dir, base.loaded.paths.log_dir)
    return FolderWatch(folders, without=own, report=report, clock=base.clock)
