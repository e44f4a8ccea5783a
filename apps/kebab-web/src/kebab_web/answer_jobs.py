"""Answers while they are written: each in a thread, its events kept for pages that listen."""

from __future__ import annotations

import secrets
import threading
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from kebab_core import CancelToken, KebabError, WorkCancelledError
from kebab_runtime import guard_model_waits
from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from kebab_app import App, AskRequest
    from kebab_core import AnswerEvent

TOO_MANY = 429
_MAX_RUNNING = 4
_MAX_KEPT = 16
"""Finished jobs that a page may still read."""


class AnswerJob:
    """One question and the events of its answer so far."""

    def __init__(self, question: str) -> None:
        self.id = secrets.token_urlsafe(12)
        self.question = question
        self.events: list[AnswerEvent | KebabError] = []
        """An error is the last one."""
        self.is_done = False
        self.cancel = CancelToken()
        self._changed = threading.Condition()
        self._end_wait: Callable[[], None] = lambda: None

    def stop(self) -> None:
        """Ask to stop, and end a wait for a model."""
        self.cancel.cancel()
        self._end_wait()

    def wait_for_model(self, end_wait: Callable[[], None]) -> AbstractContextManager[None]:
        """Let `stop` end a wait for a model; see `kebab_runtime.WaitGuard`."""
        self._end_wait = end_wait
        if self.cancel.is_cancelled:
            end_wait()
        return nullcontext()

    def add(self, *events: AnswerEvent | KebabError, is_done: bool = False) -> None:
        """Add events, and say whether they are the last; wakes who waits."""
        with self._changed:
            self.events.extend(events)
            self.is_done = is_done
            self._changed.notify_all()

    def wait(self, seen: int, *, timeout_s: float) -> list[AnswerEvent | KebabError]:
        """Return the events after the first `seen`; waits for one, and returns none at the end or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.events) > seen or self.is_done, timeout_s)
            return self.events[seen:]

    def wait_for_end(self, *, timeout_s: float | None = None) -> None:
        """Wait until no event will come, or for the timeout if there is one."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_done, timeout_s)


class AnswerJobs:
    """The answers of a server."""

    def __init__(self) -> None:
        self._jobs: dict[str, AnswerJob] = {}
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """Number of answers that are being written."""
        return sum(not each.is_done for each in list(self._jobs.values()))

    def start(self, app: App, request: AskRequest) -> AnswerJob:
        """Begin an answer from a knowledge base.

        Raises:
            HTTPException: As many as may be are being written.
        """
        job = AnswerJob(request.question)
        with self._lock:
            if self.running >= _MAX_RUNNING:
                raise HTTPException(TOO_MANY)
            for old in [each.id for each in self._jobs.values() if each.is_done][:-_MAX_KEPT]:
                del self._jobs[old]
            self._jobs[job.id] = job
        threading.Thread(target=self._write, args=(app, job, request), name="answer", daemon=True).start()
        return job

    def find(self, job_id: str) -> AnswerJob | None:
        """Find a job by its id."""
        return self._jobs.get(job_id)

    def stop(self, *, wait_s: float) -> None:
        """Stop all, and wait for the end of each so many seconds."""
        for job in list(self._jobs.values()):
            job.stop()
        for job in list(self._jobs.values()):
            job.wait_for_end(timeout_s=wait_s)

    def _write(self, app: App, job: AnswerJob, request: AskRequest) -> None:
        try:
            stream = app.ask_stream(request, cancel=job.cancel)
            with guard_model_waits(job.wait_for_model), closing(stream) as events:
                for event in events:
                    job.add(event)
                    if job.cancel.is_cancelled:
                        break
        except WorkCancelledError:
            pass  # it was stopped while it searched: nothing is written yet
        except KebabError as error:
            if not job.cancel.is_cancelled:
                job.add(error)
        finally:
            job.add(is_done=True)
