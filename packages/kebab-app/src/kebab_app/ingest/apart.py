"""Preparing the large ones among a few files in a process of their own, and all others here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Self

from kebab_app.ingest.memory import LARGE_FILE_BYTES
from kebab_app.ingest.prepare import FileTask, Prepared
from kebab_app.ingest.workers import PrepareFactory, Workers


class LargeFilesApart:
    """Keeps this process small and awake while a large file is prepared; a context manager.

    Args:
        prepare: Prepares a file here.
        factory: How the other process prepares; it is started for the first large file.
        large_bytes: From which size on a file is large.
    """

    def __init__(
        self,
        prepare: Callable[[FileTask], Prepared],
        factory: PrepareFactory,
        *,
        large_bytes: int = LARGE_FILE_BYTES,
    ) -> None:
        self._prepare = prepare
        self._workers = Workers(factory, count=1)
        self._is_started = False
        self._large_bytes = large_bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_started:
            self._workers.__exit__(kind, error, trace)

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Yield what came of each task, in their order, each worked out when it is asked for.

        Args:
            tasks: Files of any size.

        Yields:
            One answer for each.
        """
        for task in tasks:
            if task.entry.stamp.byte_len < self._large_bytes:
                yield self._prepare(task)
            else:
                yield from self._started().prepare_all([task])

    def _started(self) -> Workers:
        if not self._is_started:
            self._workers.__enter__()
            self._is_started = True
        return self._workers
