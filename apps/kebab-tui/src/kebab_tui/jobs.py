"""Background jobs: a thread for each kind, which drops waiting jobs for the newest one."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from kebab_core import CancelToken, InternalError, KebabError, WorkCancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_app import App

    from kebab_tui.app import KebabApp

    Job = Callable[[App, "Turn"], None]
    """Function that reads the knowledge base in a thread."""

_LOG = logging.getLogger("kebab.tui")


class Turn:
    """Cancellation of one job."""

    def __init__(self) -> None:
        self.cancel = CancelToken()
        """Cancelled by `Worker.stop`, and by a newer job where `is_dispensable`."""
        self.is_dispensable = False
        """True once a newer job may cancel this one."""
        self._newer = threading.Event()

    def rest(self, seconds: float) -> bool:
        """Wait; return False as soon as a newer job waits or this one is cancelled."""
        return not self._newer.wait(seconds) and not self.cancel.is_cancelled

    @property
    def is_newest(self) -> bool:
        """True while no newer job waits and nobody has cancelled this one."""
        return not self._newer.is_set()

    def give_way(self) -> None:
        """Tell the job that a newer one waits."""
        self._newer.set()
        if self.is_dispensable:
            self.cancel.cancel()

    def stop(self) -> None:
        """Cancel the job."""
        self.cancel.cancel()
        self._newer.set()


class Worker:
    """A thread for jobs of one kind.

    Args:
        name: Of the thread.
        kebab: Has the knowledge base, for which the jobs wait.
        fail: Takes the error of a job that failed.
    """

    def __init__(self, name: str, kebab: KebabApp, fail: Callable[[KebabError], None]) -> None:
        self._name, self._kebab, self._fail = name, kebab, fail
        self._waiting: Job | None = None
        self._turn: Turn | None = None
        self._has_job = threading.Condition()
        self._thread: threading.Thread | None = None

    def start(self, job: Job) -> None:
        """Do a job next, in place of one that waits."""
        with self._has_job:
            self._waiting = job
            if self._turn is not None:
                self._turn.give_way()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._has_job.notify()

    def stop(self) -> bool:
        """Cancel the job and forget one that waits; return whether there was any.

        The thread is left to notice it when it can, since a model may be silent for long; the next job gets another.
        """
        with self._has_job:
            was_busy = self._turn is not None or self._waiting is not None
            self._waiting = None
            if self._turn is not None:
                self._turn.stop()
                self._turn, self._thread = None, None
            return was_busy

    def _work(self) -> None:
        me = threading.current_thread()
        while True:
            with self._has_job:
                if self._thread is not me:
                    return
                self._turn = None
                self._has_job.wait_for(lambda: self._waiting is not None or self._thread is not me)
                if self._thread is not me or self._waiting is None:
                    return
                job, self._waiting = self._waiting, None
                self._turn = turn = Turn()
            self._do(job, turn)

    def _do(self, job: Job, turn: Turn) -> None:
        try:
            job(self._kebab.wait_for_base(), turn)
        except WorkCancelledError:
            pass
        except KebabError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - a bug ends the job, not the screen
            _LOG.exception("a job of %s failed", self._name)
            self._fail(
                InternalError(
                    "a bug in kebab ({kind}: {error})",
                    error_id="",
                    _kind=type(error).__name__,
                    _error=str(error),
                )
            )
