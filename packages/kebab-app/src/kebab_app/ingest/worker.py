"""A process that prepares files: `python -m kebab_app.ingest.worker`, spoken to by `kebab_app.ingest.workers`.

Pickled values go both ways: first how to prepare, then tasks, one answer for each in their order. It ends when its
input does, so it dies with its parent however that dies.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO

from kebab_app.ingest.memory import NO_MEMORY_EXIT, offer_to_be_ended_first
from kebab_app.ingest.prepare import Answer, FileTask

READY = "ready"
"""First answer, once everything is loaded."""

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python looks for cycles after 700 new objects, of which one document makes thousands, and they have none: that
took a tenth of the time."""


def main() -> None:
    """Answer tasks until there are no more."""
    offer_to_be_ended_first()
    answers = _claim_output()
    tasks: queue.SimpleQueue[FileTask] = queue.SimpleQueue()
    source = sys.stdin.buffer
    prepare = pickle.load(source)()  # noqa: S301 - from our own parent
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _answer(answers, READY)
    threading.Thread(target=_listen, args=(source, tasks), daemon=True).start()
    while True:
        prepared = prepare(tasks.get())
        _answer(answers, Answer(prepared.outcome, prepared.ms))


def _claim_output() -> BinaryIO:
    """Return standard output for the answers alone: what anything prints goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _answer(answers: BinaryIO, value: object) -> None:
    try:
        pickle.dump(value, answers, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        os._exit(NO_MEMORY_EXIT)  # half an answer is out, and no other can follow it
    answers.flush()


def _listen(source: BinaryIO, tasks: queue.SimpleQueue[FileTask]) -> None:
    """Pass tasks on; when there can be no more, nobody waits for an answer either."""
    while True:
        try:
            tasks.put(pickle.load(source))  # noqa: S301 - from our own parent
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    main()
