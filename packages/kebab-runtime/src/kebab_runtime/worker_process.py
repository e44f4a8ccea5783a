"""A worker process: `python -m kebab_runtime.worker_process`, started by `kebab_runtime.worker_pool`.

Pickled values pass through its pipes: first a factory of the function that does the work, then tasks with their limits,
with one answer for each in their order. It ends when its input does, so it dies with its parent however that dies. Input is
read from the start, also while modules and dictionaries are loaded: so it is pickled twice, and the bytes that are read
import nothing.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kebab_core import InternalError, KebabError

READY = "ready"
"""First answer, once everything is loaded."""

NO_MEMORY_EXIT = 70
"""Exit code of a worker process that could not get enough memory."""

_SCORE_FILE = Path("/proc/self/oom_score_adj")
_SCORE = "500"
_M_ARENA_MAX = -8
"""Number of the option in glibc."""
_SIZE_FILE = Path("/proc/self/statm")
"""Pages of address space come first in it."""

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python looks for cycles after 700 new objects, of which one document makes thousands, and they have none: that
took a tenth of the time."""

_Task = tuple[object, float | None, float | None, int | None]
"""What to work on, seconds of CPU time and by the clock that it may take, and bytes of memory that it may take."""


def main() -> None:
    """Answer tasks until there are no more."""
    _raise_oom_score()
    _keep_one_heap()
    answers = _claim_output()
    sent: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, sent), daemon=True).start()
    work = pickle.loads(sent.get())()  # noqa: S301 - from our own parent
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    _answer(answers, READY)
    while True:
        _answer(answers, (_carry_out(work, pickle.loads(sent.get())),))  # noqa: S301 - from our own parent


def _keep_one_heap() -> None:
    """Have the allocator of glibc keep one heap instead of one for each thread: of a worker's threads one does the work.

    Models start threads of their own, whose heaps are never given back: hearing a recording took 431 instead of 395 MB with them
    (2026-11-30). Other allocators stay as they are.
    """
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _raise_oom_score() -> None:
    """Ask the system to end this process before others when memory runs out; only Linux can be asked."""
    with suppress(OSError):
        _SCORE_FILE.write_text(_SCORE, encoding="ascii")


def _claim_output() -> BinaryIO:
    """Take standard output for the answers alone: whatever is printed goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _carry_out(work: Callable[[object], object], task: _Task) -> object:
    """Work on a task; an error is its result, and a want of memory ends the process."""
    value, cpu_s, wall_s, memory_bytes = task
    try:
        with _limited_time(cpu_s, wall_s), _limited_memory(memory_bytes):
            return work(value)
    except KebabError as error:
        return error
    except MemoryError:
        os._exit(NO_MEMORY_EXIT)  # what is left of this process is fragments; a new one starts with none
    except Exception as error:  # noqa: BLE001 - a bug met in one task must not cost the others
        return InternalError("{kind}: {error}", _kind=type(error).__name__, _error=str(error))


@contextmanager
def _limited_time(cpu_s: float | None, wall_s: float | None) -> Iterator[None]:
    """Let the system end this process once a limit is passed, whatever code is running then.

    By `SIGPROF` after so much CPU time, user and system, of all its threads; by `SIGALRM` after so much time by the clock.
    """
    timers = [
        (number, timer, seconds)
        for number, timer, seconds in (
            (signal.SIGPROF, signal.ITIMER_PROF, cpu_s),
            (signal.SIGALRM, signal.ITIMER_REAL, wall_s),
        )
        if seconds is not None
    ]
    for number, timer, seconds in timers:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)


@contextmanager
def _limited_memory(extra_bytes: int | None) -> Iterator[None]:
    """Allow so much address space beyond what is in use; only Linux tells how much that is."""
    used = None if extra_bytes is None else _address_space()
    if extra_bytes is None or used is None:
        yield
        return
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_AS)
    limits = [used + extra_bytes, *(limit for limit in (before, most) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), most))  # noqa: TID251 - files are not cut short
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, most))  # noqa: TID251 - the same


def _address_space() -> int | None:
    """Bytes of address space that this process uses; None where the system does not say."""
    try:
        return int(_SIZE_FILE.read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def _answer(answers: BinaryIO, value: object) -> None:
    try:
        pickle.dump(value, answers, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        os._exit(NO_MEMORY_EXIT)  # half an answer is out, and no other can follow it
    answers.flush()


def _listen(source: BinaryIO, sent: queue.SimpleQueue[bytes]) -> None:
    """Pass on what is sent; the end of the input ends the process, since nobody waits for an answer then."""
    while True:
        try:
            sent.put(pickle.load(source))  # noqa: S301 - from our own parent
        except (EOFError, OSError):
            os._exit(0)


if __name__ == "__main__":
    main()
