"""The use case `watch`: sources are followed, and what changes in them is ingested at once; vectors are made beside it.

Each run takes the files that events named. A whole run takes the place of lost events: at the start, after many events
at once, after a pause of the machine, when a source returns, and now and then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple, Self

from kebab_core import (
    CancelToken,
    IngestReport,
    InvalidInputError,
    KebabError,
    LockedError,
    Message,
    NotIndexedError,
    Remedy,
    SourceId,
    StorageError,
    WatchNotice,
    WatchNoticeKind,
    WorkspacePath,
)
from kebab_ingest import NOTES_SOURCE, IngestRequest, IngestRun, SourceTarget, find_parts

from kebab_app.ingest import IngestOptions, embed, run_ingest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.store import hold_watch_lock

if TYPE_CHECKING:
    from kebab_ingest import EventSink
    from kebab_source_fs import FolderWatch

    from kebab_app.knowledge_base import KnowledgeBase

_TICK_S = 0.5
"""Seconds between two looks at roots, settings and the stop signal."""
_RENAME_S = 0.2
"""Seconds for which the new name of something is waited for: more than a batch of events takes."""
MAX_PLACES = 256
"""Changed files and folders of a source above which all of it is looked at."""
_CALM_MS = 10_000
"""Milliseconds after many events at once, when everything is looked at again: the system may have dropped some."""
_EVERY_MS, _EVERY_BLIND_MS = 15 * 60_000, 30_000
"""Milliseconds between two looks at everything, and where events cannot be had."""
_FIRST_RETRY_MS, _LAST_RETRY_MS = 2_000, 60_000
"""Milliseconds until a failed run is repeated; doubled each time."""


class WatchEnd(StrEnum):
    """Reason why a watch ended."""

    STOPPED = "stopped"
    SETTINGS_CHANGED = "settings_changed"


WatchSink = Callable[[WatchNotice | IngestReport], None]
"""Gets the report of each run, and what is to be told beside runs; called from two threads."""


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """Options of a watch."""

    tell: WatchSink
    sink: EventSink | None = None
    """Gets the events of each run."""
    cancel: CancelToken
    """Ends the watch."""
    with_vectors: bool = True
    """Make vectors, in a second thread: passages are searched by their words at once."""
    is_outdated: Callable[[], bool] = lambda: False
    """Whether the settings of the base have changed since; that ends the watch."""


def watch(base: KnowledgeBase, options: WatchOptions) -> WatchEnd:
    """Follow the folders of all sources until a cancel, and ingest what changes in them.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process watches already.
        KebabError: A run failed in a way that a repetition cannot help.
    """
    base.require_writable()
    base.open_for_writing()
    base.notes_source.root.mkdir(mode=0o700, exist_ok=True)  # followed from the start, whenever notes come
    with hold_watch_lock(base.data_dir):
        return SourceWatch(base, options).run()


class _Root(NamedTuple):
    """Identity of a source's folder: another disk in its place has another."""

    device: int
    inode: int


class SourceWatch:
    """A watch of sources; `run` is called once."""

    def __init__(self, base: KnowledgeBase, options: WatchOptions) -> None:
        self._base = base
        self._options = options
        self._events: SimpleQueue[frozenset[str] | None] = SimpleQueue()
        self._targets = base.targets
        self._sources = {SourceId(target.source.id): target for target in self._targets}
        self._roots: dict[SourceId, _Root | None] = {}
        """Folder of each source as seen last; None where it is missing."""
        self._changed: dict[SourceId, set[WorkspacePath]] = {}
        self._whole: set[SourceId] = set()
        """Sources to look at whole."""
        self._followed: dict[SourceId, _Root] = {}
        self._folder_watch: FolderWatch | None = None
        self._open = ExitStack()
        now = self._now()
        self._looked_at_ms = self._follow_at_ms = self._retry_at_ms = now
        self._calm_at_ms: int | None = None
        self._retry_ms = 0
        self._is_blind = False

    def run(self) -> WatchEnd:
        """Watch until the token is cancelled or the settings change.

        Raises:
            KebabError: A run failed in a way that a repetition cannot help.
        """
        with self._open, _VectorThread(self._base, self._options) as vectors:
            while not self._options.cancel.is_cancelled:
                if self._options.is_outdated():
                    return WatchEnd.SETTINGS_CHANGED
                self._look_at_roots()
                self._follow()
                self._plan_looks()
                if (self._whole or self._changed) and self._now() >= self._retry_at_ms:
                    self._await_renames()
                    self._ingest(vectors)
                self._take_events()
        return WatchEnd.STOPPED

    def _now(self) -> int:
        return self._base.clock.monotonic_ms()

    def _present(self) -> dict[SourceId, _Root]:
        return {source_id: root for source_id, root in self._roots.items() if root is not None}

    def _look_at_roots(self) -> None:
        """Notice folders that vanish or return; of one that is missing nothing is ingested, so that nothing is removed."""
        for source_id, target in self._sources.items():
            is_first, before = source_id not in self._roots, self._roots.get(source_id)
            root = _read_root(target.root)
            if root == before and not is_first:
                continue
            # what is empty now is taken for the place of a disk that is not mounted
            if root is not None and source_id != NOTES_SOURCE and _is_empty(target.root):
                root = None if self._has_documents(source_id) else root
            if root is not None:
                self._whole.add(source_id)
                if not is_first and before is None:
                    self._notify("source_returned", Message("{root} is back", root=str(target.root)), target)
            elif is_first or before is not None:
                self._forget(source_id)
                self._notify(
                    "source_missing",
                    Message(
                        "{root} is missing or empty; what was indexed of it stays", root=str(target.root)
                    ),
                    target,
                    remedy=Remedy(
                        advice=Message(
                            "check that the drive is mounted and that the configuration names the right folder"
                        )
                    ),
                )
            self._roots[source_id] = root

    def _forget(self, *source_ids: SourceId) -> None:
        for source_id in source_ids:
            self._whole.discard(source_id)
            self._changed.pop(source_id, None)

    def _follow(self) -> None:
        """Follow the folders that are there; the new watch begins before the old one ends, so that no event is lost."""
        wanted = self._present()
        is_alive = self._folder_watch is not None and self._folder_watch.is_alive
        if (wanted == self._followed and (is_alive or not wanted)) or self._now() < self._follow_at_ms:
            return
        roots = [self._sources[source_id].root for source_id in wanted]
        opened = ExitStack()
        try:
            watch = opened.enter_context(self._open_folder_watch(roots)) if roots else None
        except StorageError as error:
            self._follow_at_ms = self._now() + _EVERY_BLIND_MS
            if not self._is_blind:
                self._notify("polling", error.message, remedy=error.remedy)
            self._is_blind = True
            return
        self._open.close()
        self._open.push(opened)
        self._folder_watch, self._followed, self._is_blind = watch, wanted, False
        self._look_at_everything()
        if roots:
            self._notify("watching", Message("watching {roots}", roots=", ".join(map(str, roots))))

    def _open_folder_watch(self, folders: Sequence[Path]) -> FolderWatch:
        from kebab_source_fs import FolderWatch

        own = (self._base.data_dir, self._base.loaded.paths.log_dir)
        return FolderWatch(folders, without=own, report=self._events.put, clock=self._base.clock)

    def _plan_looks(self) -> None:
        now = self._now()
        every = _EVERY_BLIND_MS if self._is_blind else _EVERY_MS
        is_calm = self._calm_at_ms is not None and now >= self._calm_at_ms
        if is_calm or now - self._looked_at_ms >= every:
            self._look_at_everything()

    def _look_at_everything(self) -> None:
        self._whole |= self._present().keys()
        self._looked_at_ms, self._calm_at_ms = self._now(), None

    def _ingest(self, vectors: _VectorThread) -> None:
        """Ingest what has changed; what fails stays to be done.

        Raises:
            KebabError: A repetition would fail, too.
        """
        whole, changed = set(self._whole), dict(self._changed)
        targets: tuple[SourceTarget, ...] = ()
        try:
            if whole or self._has_changes(self._targets_of(whole, changed)):
                self._await_renames()  # of what has gone since
                whole, changed = set(self._whole), dict(self._changed)
                targets = self._targets_of(whole, changed)
                self._run(targets)
        except KebabError as error:
            if type(error) not in {StorageError, LockedError, NotIndexedError}:
                raise
            self._postpone(error)
            return
        self._retry_ms = 0
        self._forget(*whole, *changed)
        if targets:
            vectors.wake()

    def _run(self, targets: tuple[SourceTarget, ...]) -> None:
        request, options = self._request(targets), self._options
        report = run_ingest(
            self._base,
            lambda: request,
            targets=targets,
            sink=options.sink,
            cancel=options.cancel,
            options=IngestOptions(wait=True, embed=False),
        )
        options.tell(report)

    def _has_changes(self, targets: tuple[SourceTarget, ...]) -> bool:
        """Return whether a run over these targets would find anything to do."""
        resources = build_ingest_resources(self._base, embed=False)
        run = IngestRun(resources, self._request(targets), sink=lambda _: None, cancel=self._options.cancel)
        return run.has_changes()

    def _request(self, targets: tuple[SourceTarget, ...]) -> IngestRequest:
        return IngestRequest(
            targets=targets,
            is_everything=targets == self._base.targets,
            keep_items=True,
            is_watched=self._options.sink is not None,
        )

    def _has_documents(self, source_id: SourceId) -> bool:
        return self._base.has_database and bool(self._base.index.source_files.file_states(source_id))

    def _targets_of(
        self, whole: Collection[SourceId], changed: Mapping[SourceId, Collection[WorkspacePath]]
    ) -> tuple[SourceTarget, ...]:
        parts = (
            replace(self._sources[source_id], among=tuple(sorted(_outermost(places))))
            for source_id, places in changed.items()
            if source_id not in whole
        )
        return (*(self._sources[source_id] for source_id in sorted(whole)), *parts)

    def _postpone(self, error: KebabError) -> None:
        self._retry_ms = min(max(2 * self._retry_ms, _FIRST_RETRY_MS), _LAST_RETRY_MS)
        self._retry_at_ms = self._now() + self._retry_ms
        message = Message(
            "{reason}; trying again in {seconds} s", reason=error.message, seconds=self._retry_ms // 1000
        )
        self._notify("failed", message, remedy=error.remedy)

    def _await_renames(self) -> None:
        """Take further events where something is gone: its new name may be among them."""
        roots = {source_id: self._sources[source_id].root for source_id in self._changed}
        if any(not (roots[each] / place).exists() for each, some in self._changed.items() for place in some):
            self._take_events(timeout_s=_RENAME_S)

    def _take_events(self, *, timeout_s: float = _TICK_S) -> None:
        """Wait for events, and take all that are there."""
        with suppress(Empty):
            self._add(self._events.get(timeout=timeout_s))
            while True:
                self._add(self._events.get_nowait())

    def _add(self, paths: frozenset[str] | None) -> None:
        if paths is None:
            self._look_at_everything()
            return
        for path in paths:
            with suppress(InvalidInputError):  # no document can have such a name
                for target in find_parts(self._targets, Path(path)):
                    self._add_place(SourceId(target.source.id), target.under)

    def _add_place(self, source_id: SourceId, place: WorkspacePath | None) -> None:
        if self._roots.get(source_id) is None or source_id in self._whole:
            return
        places = self._changed.setdefault(source_id, set())
        if place is not None:
            places.add(place)
        if place is None or len(places) > MAX_PLACES:
            del self._changed[source_id]
            self._whole.add(source_id)
            self._calm_at_ms = self._now() + _CALM_MS

    def _notify(
        self,
        kind: WatchNoticeKind,
        message: Message,
        source: SourceTarget | None = None,
        *,
        remedy: Remedy | None = None,
    ) -> None:
        _notify(self._base, self._options, kind, message, source=source, remedy=remedy)


def _notify(
    base: KnowledgeBase,
    options: WatchOptions,
    kind: WatchNoticeKind,
    message: Message,
    *,
    source: SourceTarget | None = None,
    remedy: Remedy | None = None,
) -> None:
    source_id = None if source is None else SourceId(source.source.id)
    options.tell(
        WatchNotice(ts=base.clock.now(), kind=kind, message=message, source_id=source_id, remedy=remedy)
    )


class _VectorThread:
    """Makes vectors in a thread, whenever it is woken, and once at the start."""

    def __init__(self, base: KnowledgeBase, options: WatchOptions) -> None:
        self._base = base
        self._options = options
        self._cancel = CancelToken()
        self._woken = Event()
        self._thread: Thread | None = None
        if options.with_vectors and base.wants_vectors:
            self._thread = Thread(target=self._run, name="watch-vectors", daemon=True)
        self._failure = ""

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._cancel.cancel()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()

    def wake(self) -> None:
        """Make the vectors of what waits for them."""
        self._woken.set()

    def _run(self) -> None:
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._cancel.is_cancelled:
                return
            try:
                self._embed()
                self._failure = ""
            except KebabError as error:
                if error.message != self._failure:
                    _notify(self._base, self._options, "vectors_failed", error.message, remedy=error.remedy)
                self._failure = error.message

    def _embed(self) -> None:
        report = embed(self._base, sink=self._options.sink, cancel=self._cancel, wait=True, embed_for_s=None)
        self._options.tell(report)


def _read_root(path: Path) -> _Root | None:
    try:
        status = path.stat()
        return _Root(status.st_dev, status.st_ino) if path.is_dir() else None
    except OSError:
        return None


def _is_empty(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError:
        return True


def _outermost(places: Collection[WorkspacePath]) -> Iterable[WorkspacePath]:
    """Leave out what lies in another place.

    Yields:
        The other places.
    """
    for place in places:
        steps = place.split("/")
        if not any("/".join(steps[:end]) in places for end in range(1, len(steps))):
            yield place
