"""Ingest as a use case: which sources, under the lock, with a log of the run."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    IngestScope,
    InvalidInputError,
    JobKind,
    SourceId,
    StorageError,
    WorkspacePath,
)

from kebab_app.embedding.found_model import ReadyModel, find_model
from kebab_app.embedding.parts import build_embedding_parts
from kebab_app.embedding.second_pass import run_second_pass
from kebab_app.ingest.request import CancelToken, IngestRequest, SourceTarget
from kebab_app.ingest.run import IngestParts, IngestRun
from kebab_app.turn import take_turn
from kebab_app.wiring import EXTRACTORS, PreparerRecipe, build_processor

if TYPE_CHECKING:
    from kebab_config import ResolvedSource
    from kebab_core import IngestReport, LoggingSettings, SourceConnector, SourceExplainer

    from kebab_app.ingest.events import EventSink
    from kebab_app.knowledge_base import KnowledgeBase

_PATTERN_SIGNS = re.compile(r"[\\*?\[\]]")
"""Characters of a name that mean something in an ignore pattern."""
ERASURE_DELAY = timedelta(days=1)
"""How long words of an older version of a document may stay in the full-text index: all of it is written anew."""
_LOG = logging.getLogger("kebab.ingest")
_ESCAPED = r"\\\g<0>"
_WAIT = "wait for it to finish; `kebab ingest --wait` does"


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
    embed: bool = True
    """Make the vectors of what was read, too."""


def ingest(
    base: KnowledgeBase,
    path: Path | None,
    *,
    sink: EventSink | None,
    cancel: CancelToken | None,
    options: IngestOptions | None,
) -> IngestReport:
    """Bring the index in step with the files.

    Args:
        base: The knowledge base.
        path: Only this file or folder; None is every source whole.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the file in hand.
        options: How to go about it.

    Returns:
        What was done; also after a cancel.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: `path` lies outside every source.
        LockedError: Another process is writing.
        StorageError: The only source's root is missing or cannot be listed.
    """
    options, cancel = options or IngestOptions(), cancel or CancelToken()
    base.require_writable()
    targets = find_targets(base, path)
    request = IngestRequest(
        targets=targets,
        verify=options.verify,
        force=options.force,
        prune=options.prune,
        is_everything=path is None,
        keep_items=not options.summary_only,
        embed=options.embed,
        is_watched=sink is not None,
    )
    return run_in_turn(base, lambda: request, targets=targets, sink=sink, cancel=cancel, wait=options.wait)


def run_in_turn(
    base: KnowledgeBase,
    ask: Callable[[], IngestRequest],
    *,
    targets: Sequence[SourceTarget] = (),
    sink: EventSink | None,
    cancel: CancelToken,
    wait: bool,
) -> IngestReport:
    """Carry one run out, with the writer lock held and a log of its own.

    Args:
        base: The knowledge base, writable.
        ask: Returns what to do; called with the lock held, so that it may write.
        targets: What is known of it before, for the report of a run that never got its turn.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the file in hand.
        wait: Wait for another writer instead of failing.

    Returns:
        What was done; nothing, and aborted, where the wait was ended.

    Raises:
        LockedError: Another process is writing, and there was no wait.
        ReadonlyModeError: The data folder may not be written.
        StorageError: The data folder cannot be made.
    """
    return take_turn(
        base,
        lambda tell: _carry_out(base, ask(), sink=tell, cancel=cancel),
        scopes=[_describe(target) for target in targets],
        sink=sink,
        cancel=cancel,
        wait=wait,
        advice=_WAIT,
    )


def _describe(target: SourceTarget) -> IngestScope:
    source = target.source
    return IngestScope(
        source_id=SourceId(source.id),
        root=str(target.root),
        under=target.under,
        include=source.include,
        exclude=source.exclude,
    )


def _carry_out(
    base: KnowledgeBase, request: IngestRequest, *, sink: EventSink, cancel: CancelToken
) -> IngestReport:
    parts = build_parts(base, embed=request.embed)
    report = IngestRun(parts, request, sink=sink, cancel=cancel).run()
    _forget_old_runs(parts, base.loaded.settings.logging)
    if not report.aborted:
        _erase_deleted(base, has_removed=report.counts.removed > 0)
    return report


def _erase_deleted(base: KnowledgeBase, *, has_removed: bool) -> None:
    """Erase the text of removed documents at once, and daily that of older versions, which are many more.

    What fails here has no part in the report: it is due still, and a later run does it.
    """
    from kebab_store_sqlite import erase_deleted

    before = None if has_removed else base.clock.now() - ERASURE_DELAY
    try:
        erase_deleted(base.open_for_writing(), before=before)
    except StorageError as error:
        _LOG.warning("deleted text could not be erased yet: %s", error.message)


def _forget_old_runs(parts: IngestParts, settings: LoggingSettings) -> None:
    """Keep the rows of runs as long as their logs."""
    days, keep = settings.retention_days, settings.keep_runs
    before = parts.clock.now() - timedelta(days=days) if days else None
    parts.runs.forget_runs(keep=keep, before=before)
    parts.jobs.forget(JobKind.INGEST, keep=keep, before=before)


def find_targets(base: KnowledgeBase, path: Path | None) -> tuple[SourceTarget, ...]:
    """Return the sources, or the part of each source, that a path names.

    Raises:
        InvalidInputError: The path lies outside every source.
    """
    sources = base.loaded.paths.sources
    if path is None:
        return tuple(SourceTarget(source=s.settings, root=s.root) for s in sources)
    targets = find_parts(base, path)
    if targets:
        return targets
    absolute = _absolute(path)
    roots = ", ".join(str(source.root) for source in sources)
    adding = "kebab config add-source" if base.loaded.config_path else "kebab init --root"
    raise InvalidInputError(
        f"{str(path)!r} lies outside every configured source ({roots})",
        hint=f"{adding} {shlex.quote(str(absolute))}",
        path=str(path),
    )


def find_parts(base: KnowledgeBase, path: Path) -> tuple[SourceTarget, ...]:
    """Return the part of each source that a path names; none where it lies outside every source.

    Where one source lies inside another, a path in the inner one is part of both.
    """
    absolute = _absolute(path)
    found = (_target_in(source, absolute) for source in base.loaded.paths.sources)
    return tuple(target for target in found if target is not None)


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.expanduser().absolute()))


def _target_in(source: ResolvedSource, absolute: Path) -> SourceTarget | None:
    """Return the part of a source that a path names, as it is spelled or without the links in it."""
    if absolute.is_relative_to(source.root):
        inside = absolute.relative_to(source.root)
    else:
        place = Path(os.path.realpath(absolute.parent), absolute.name)
        root = Path(os.path.realpath(source.root))
        if not place.is_relative_to(root):
            place = Path(os.path.realpath(absolute))
        if not place.is_relative_to(root):
            return None
        inside = place.relative_to(root)
    under = WorkspacePath(inside.as_posix()) if inside.parts else None
    return SourceTarget(source=source.settings, root=source.root, under=under)


def build_parts(
    base: KnowledgeBase, *, extractors: Mapping[str, tuple[str, str]] = EXTRACTORS, embed: bool = True
) -> IngestParts:
    """Return what a run over the real files and the real store works with.

    Args:
        base: The knowledge base.
        extractors: What reads which medium, as in `kebab_app.wiring`.
        embed: Whether vectors are made; chunks wait for them in any case.

    Raises:
        ReadonlyModeError: Writing is switched off.
    """
    from kebab_store_sqlite import SqliteIngestRunRepo, SqliteJobRepo

    settings, database = base.loaded.settings, base.open_for_writing()
    model = find_model(lambda: base.embedder)
    second_pass = partial(run_second_pass, build_embedding_parts(base, model)) if model and embed else None
    identity = model.identity if isinstance(model, ReadyModel) else None
    return IngestParts(
        connector=build_connector(base),
        documents=base.documents,
        runs=SqliteIngestRunRepo(database),
        jobs=SqliteJobRepo(database),
        processor=build_processor(
            settings.ingest.chunking, analyzer=base.analyzer, embedding=identity, extractors=extractors
        ),
        clock=base.clock,
        settings=settings.ingest,
        follow_symlinks=settings.workspace.follow_symlinks,
        internal_exclude={
            source.settings.id: internal_exclude(source.root, base.data_dir)
            for source in base.loaded.paths.sources
        },
        worker_factory=PreparerRecipe(
            ingest=settings.ingest,
            data_dir=base.data_dir,
            copy_threshold_bytes=database.copy_threshold_bytes,
            extractors=extractors,
            embedding=identity,
        ),
        second_pass=second_pass,
    )


def build_connector(base: KnowledgeBase) -> SourceConnector:
    """Return what scans and reads folders."""
    from kebab_source_fs import FilesystemConnector

    return FilesystemConnector(base.loaded.settings.ingest.code)


def build_explainer(base: KnowledgeBase) -> SourceExplainer:
    """Return what tells why a path is taken or left out."""
    from kebab_source_fs import FilesystemConnector

    return FilesystemConnector(base.loaded.settings.ingest.code)


def internal_exclude(root: Path, data_dir: Path) -> tuple[str, ...]:
    """Return the pattern that keeps the data folder out of a source that contains it, whatever links lead there."""
    real_root, real_data = Path(os.path.realpath(root)), Path(os.path.realpath(data_dir))
    if not real_data.is_relative_to(real_root):
        return ()
    inside = real_data.relative_to(real_root).as_posix()
    return (f"/{_PATTERN_SIGNS.sub(_ESCAPED, inside)}/",)
