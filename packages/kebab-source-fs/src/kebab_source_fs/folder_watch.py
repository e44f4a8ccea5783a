"""Events of folders: paths that change are reported in batches, as the operating system tells of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from kebab_core import Clock, Message, Remedy, StorageError

from kebab_source_fs.folder import CACHE_MARK, ENVIRONMENT_MARK, is_never_content

_STEP_MS = 50
"""Milliseconds without a further event after which a batch is complete: editors save by several."""
_MAX_BATCH_MS = 500
"""Milliseconds after which a batch is complete although events go on."""
_MAX_PAUSE_S = 5.0
"""The thread runs every 50 ms; a longer pause means that process or machine was stopped."""
_RULE_FILES = frozenset({".gitignore", ".kebabignore", "Cargo.toml", "pom.xml", CACHE_MARK, ENVIRONMENT_MARK})
"""Files that decide what is content in their folder."""


class FolderWatch:
    """Follows folders with everything below them, from `__init__` to `close`.

    A batch holds paths on disk: of files, or of folders that were made, renamed or whose rules changed. What can never be
    content by its name is left out. Events of other things may be among them, and one change may be in several batches.

    Args:
        folders: Absolute, existing.
        without: Folders whose events are left out.
        report: Called in another thread with each batch, with None where events may be missing: after the process or the
            machine was stopped, and once, for the last time, where the folders cannot be followed any more.
        clock: Tells of pauses.

    Raises:
        StorageError: The folders cannot be followed.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        *,
        without: Sequence[Path],
        report: Callable[[frozenset[str] | None], None],
        clock: Clock,
    ) -> None:
        self._folders = [str(folder) for folder in folders]
        prefixes = {f"{str(folder).rstrip('/')}/" for folder in folders}
        self._prefixes = sorted(prefixes, key=len, reverse=True)  # of nested folders the inner one
        self._without = tuple(f"{folder}/" for folder in without)
        self._report = report
        self._clock = clock
        self._beat = clock.now()
        self._is_ready, self._is_closed = Event(), False
        self._error: Exception | None = None
        self._thread = Thread(target=self._follow, name="folder-watch", daemon=True)
        self._thread.start()
        self._is_ready.wait()
        if self._error is not None:
            raise StorageError(
                "the folders cannot be followed: {reason}",
                remedy=Remedy(
                    advice=Message(
                        "raise the limits of your system for watched folders (on Linux fs.inotify.max_user_watches), or make all folders of the source readable"
                    )
                ),
                _reason=str(self._error),
            ) from self._error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether the folders are followed."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop; nothing is reported after that. Closing twice is fine."""
        self._is_closed = True
        self._thread.join()

    def is_set(self) -> bool:
        """Whether to stop; the watch asks every 50 ms, the first time when it is set up."""
        now = self._clock.now()
        pause_s, self._beat = (now - self._beat).total_seconds(), now
        if self._is_ready.is_set() and pause_s > _MAX_PAUSE_S and not self._is_closed:
            self._report(None)
        self._is_ready.set()
        return self._is_closed

    def _follow(self) -> None:
        from watchfiles import watch
        from watchfiles._rust_notify import WatchfilesRustInternalError

        try:
            for changes in watch(
                *self._folders,
                watch_filter=None,
                debounce=_MAX_BATCH_MS,
                step=_STEP_MS,
                rust_timeout=0,
                stop_event=self,
                raise_interrupt=False,
                ignore_permission_denied=False,
            ):
                paths = frozenset(filter(None, (self._place_of(path) for _, path in changes)))
                if paths and not self._is_closed:
                    self._report(paths)
        except (OSError, WatchfilesRustInternalError) as error:
            self._error = error
            if self._is_ready.is_set():
                self._report(None)
            self._is_ready.set()

    def _place_of(self, path: str) -> str | None:
        """The path to look at for an event; None where it can be no content."""
        prefix = next((prefix for prefix in self._prefixes if path.startswith(prefix)), None)
        if prefix is None:
            return path if f"{path}/" in self._prefixes else None
        # a followed folder may itself lie in one that is left out
        if any(path.startswith(each) and each.startswith(prefix) for each in self._without):
            return None
        *above, name = path.removeprefix(prefix).split("/")
        if any(is_never_content(each, is_folder=True) for each in above if each):
            return None
        if name in _RULE_FILES:
            return "/".join([prefix.rstrip("/"), *above])
        is_never = is_never_content(name, is_folder=True) or is_never_content(name, is_folder=False)
        return None if is_never else path
