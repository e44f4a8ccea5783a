"""Answers while they are written: each in a thread, its events kept for pages that listen."""

from __future__ import annotations

import secrets
import threading
from contextlib import closing
from typing import TYPE_CHECKING

from kebab_core import AnswerFinal, AnswerToken, CancelToken, KebabError, RetrievalDone, WorkCancelledError

if TYPE_CHECKING:
    from kebab_app import App, AskRequest
    from kebab_core import AnswerEvent

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

    def add(self, event: AnswerEvent | KebabError) -> None:
        """Add an event and wake who waits."""
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def finish(self) -> None:
        """Say that no event will come."""
        with self._changed:
            self.is_done = True
            self._changed.notify_all()

    def wait(self, seen: int, *, timeout_s: float) -> list[AnswerEvent | KebabError]:
        """Return the events after the first `seen`; waits for one, and returns none at the end or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.events) > seen or self.is_done, timeout_s)
            return self.events[seen:]


class AnswerJobs:
    """The answers of a server.

    Args:
        app: The knowledge base.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._jobs: dict[str, AnswerJob] = {}
        self._lock = threading.Lock()

    def start(self, request: AskRequest) -> AnswerJob | None:
        """Begin an answer; None where as many as may be are being written."""
        job = AnswerJob(request.question)
        with self._lock:
            if sum(not each.is_done for each in self._jobs.values()) >= _MAX_RUNNING:
                return None
            for old in [each.id for each in self._jobs.values() if each.is_done][:-_MAX_KEPT]:
                del self._jobs[old]
            self._jobs[job.id] = job
        threading.Thread(target=self._write, args=(job, request), name="answer", daemon=True).start()
        return job

    def find(self, job_id: str) -> AnswerJob | None:
        """Find a job by its id."""
        return self._jobs.get(job_id)

    def stop(self) -> None:
        """Stop all."""
        for job in list(self._jobs.values()):
            job.cancel.cancel()

    def _write(self, job: AnswerJob, request: AskRequest) -> None:
        try:
            with closing(self._app.ask_stream(request, cancel=job.cancel)) as events:
                for event in events:
                    if isinstance(event, RetrievalDone | AnswerToken | AnswerFinal):
                        job.add(event)
                    if job.cancel.is_cancelled:
                        break
        except WorkCancelledError:
            pass  # it was stopped while it searched: nothing is written yet
        except KebabError as error:
            job.add(error)
        finally:
            job.finish()
