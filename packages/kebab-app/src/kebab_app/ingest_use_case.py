"""Ingest as a use case: which sources, under the lock, with a log of the run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IngestEvent, InvalidInputError, WorkspacePath

from kebab_app import wiring
from kebab_app.ingest.request import CancelToken, IngestRequest, SourceTarget
from kebab_app.ingest.run import IngestParts, IngestRun
from kebab_app.logs import open_run_log
from kebab_app.writer_lock import hold_writer_lock

if TYPE_CHECKING:
    from kebab_core import IngestReport, SourceConnector

    from kebab_app.app import App
    from kebab_app.ingest.events import EventSink


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """How a run goes about it."""

    verify: bool = False
    """Compare checksums even where size, time and inode are equal."""
    force: bool = False
    """Process every file again."""
    prune: bool = False
    """Remove documents even where much is gone."""
    summary_only: bool = False
    """Leave the list of files out of the report."""
    wait: bool = False
    """Wait for another writer instead of failing."""


def ingest(
    app: App,
    path: Path | None,
    *,
    sink: EventSink | None,
    cancel: CancelToken | None,
    options: IngestOptions | None,
) -> IngestReport:
    """Bring the index in step with the files.

    Args:
        app: The knowledge base.
        path: Only this file or folder; None is every source whole.
        sink: Gets every event.
        cancel: Ends the run after the file in hand.
        options: How to go about it.

    Returns:
        What was done; also after a cancel.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: `path` lies outside every source.
        LockedError: Another process is writing.
        StorageError: The only source's root is missing or cannot be listed.
    """
    options = options or IngestOptions()
    app.require_writable()
    targets = find_targets(app, path)
    app.open_for_writing()
    request = IngestRequest(
        targets=targets,
        verify=options.verify,
        force=options.force,
        prune=options.prune,
        keep_items=not options.summary_only,
    )
    with hold_writer_lock(app.data_dir, wait=options.wait), open_run_log(app.loaded) as log:

        def tell(event: IngestEvent) -> None:
            log(event)
            if sink is not None:
                sink(event)

        run = IngestRun(_build_parts(app), request, sink=tell, cancel=cancel or CancelToken())
        return run.run()


def find_targets(app: App, path: Path | None) -> tuple[SourceTarget, ...]:
    """Return the sources, or the one part of a source, that a path names.

    Raises:
        InvalidInputError: The path lies outside every source.
    """
    sources = app.loaded.paths.sources
    if path is None:
        return tuple(SourceTarget(source=s.settings, root=s.root) for s in sources)
    absolute = path.expanduser().absolute()
    for source in sources:
        if absolute == source.root:
            return (SourceTarget(source=source.settings, root=source.root),)
        if absolute.is_relative_to(source.root):
            under = WorkspacePath(absolute.relative_to(source.root).as_posix())
            return (SourceTarget(source=source.settings, root=source.root, under=under),)
    roots = ", ".join(str(source.root) for source in sources)
    adding = "kebab config add-source" if app.loaded.config_path else "kebab init --root"
    raise InvalidInputError(
        f"{str(path)!r} lies outside every configured source ({roots})",
        hint=f"{adding} {shlex.quote(str(absolute))}",
        path=str(path),
    )


def _build_parts(app: App) -> IngestParts:
    from kebab_store_sqlite import SqliteIngestRunRepo, SqliteJobRepo

    settings, database = app.loaded.settings, app.open_for_writing()
    return IngestParts(
        connector=build_connector(app),
        documents=app.documents,
        runs=SqliteIngestRunRepo(database),
        jobs=SqliteJobRepo(database),
        processor=wiring.build_processor(settings.ingest.chunking, analyzer=app.analyzer),
        clock=app.clock,
        settings=settings.ingest,
        follow_symlinks=settings.workspace.follow_symlinks,
        internal_exclude={
            source.settings.id: internal_exclude(source.root, app.data_dir)
            for source in app.loaded.paths.sources
        },
    )


def build_connector(app: App) -> SourceConnector:
    """Return what scans and reads folders."""
    from kebab_source_fs import FilesystemConnector

    return FilesystemConnector(app.loaded.settings.ingest.code)


def internal_exclude(root: Path, data_dir: Path) -> tuple[str, ...]:
    """Return the pattern that keeps the data folder out of a source that contains it."""
    if not data_dir.is_relative_to(root):
        return ()
    return (f"/{data_dir.relative_to(root).as_posix()}/",)
