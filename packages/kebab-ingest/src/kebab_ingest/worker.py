"""A worker process that prepares files: `python -m kebab_ingest.worker`, started by `kebab_ingest.workers`.

Pickled values pass through its pipes: first the factory of `Prepare`, then tasks, with one answer for each in their
order. It ends when its input does, so it dies with its parent however that dies.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kebab_ingest.preparation import Answer, FileTask

READY = "ready"
"""First answer, once everything is loaded."""

NO_MEMORY_EXIT = 70
"""Exit code of a worker process that could not get enough memory."""

_SCORE_FILE = Path("/proc/self/oom_score_adj")
_SCORE = "500"

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python looks for cycles after 700 new objects, of which one document makes thousands, and they have none: that
took a tenth of the time."""


def main() -> None:
    """Answer tasks until there are no more."""
    _raise_oom_score()
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


def _raise_oom_score() -> None:
    """Ask the system to end this process before others when memory runs out; only Linux can be asked."""
    with suppress(OSError):
        _SCORE_FILE.write_text(_SCORE, encoding="ascii")


def _claim_output() -> BinaryIO:
    """Take standard output for the answers alone: whatever is printed goes to standard error."""
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
    """Pass tasks on; the end of the input ends the process, since nobody waits for an answer then."""
    while True:
        try:
            tasks.put(pickle.load(source))  # noqa: S301 - from our own parent
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    main()
