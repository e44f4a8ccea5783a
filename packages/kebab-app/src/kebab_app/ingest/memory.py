"""What large files cost in memory, and what is said of one that costs too much."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kebab_core import IngestFailure, SourceEntry, StorageError

LARGE_FILE_BYTES = 16 * 1024 * 1024
"""From here on a file is prepared in a process of its own. It holds the file and what is in hand of it: 200 MB of text
took 299 MB in all processes (2026-11-22), but a single block of many megabytes, such as a table, takes up to two hundred
times its size, and a system that runs out of memory ends the process that takes most: not the run, then."""

LONG_FILE_BYTES = 2 * 1024 * 1024
"""From here on what is made of a file goes to disk part by part: all of it at once takes 37 to 65 times its size."""

NO_MEMORY_EXIT = 70
"""Exit code of a process that could not get enough memory."""

_KILLED = -9
"""How `subprocess` tells of a process that the system ended, as it does when memory runs out."""
_SCORE_FILE = Path("/proc/self/oom_score_adj")
_SCORE = "500"
_BYTES_PER_MB = 1024 * 1024


def describe_shortage(entry: SourceEntry) -> IngestFailure:
    """Return the failure of a file that takes more memory than there is, with what to do about it."""
    size = entry.stamp.byte_len / _BYTES_PER_MB
    message = (
        f"there is not enough memory to read {entry.workspace_path} ({size:.1f} MB); "
        "split it, or leave such files out with `max_file_mb` under `[ingest]`"
    )
    return IngestFailure(code=StorageError.code, message=message)


def is_shortage(exit_code: int, entry: SourceEntry) -> bool:
    """Return whether a process that died over a file did so for want of memory, as far as anybody can tell."""
    is_large = entry.stamp.byte_len >= LARGE_FILE_BYTES
    return exit_code == NO_MEMORY_EXIT or (exit_code == _KILLED and is_large)


def offer_to_be_ended_first() -> None:
    """Ask the system to end this process before others when memory runs out; only Linux can be asked."""
    with suppress(OSError):
        _SCORE_FILE.write_text(_SCORE, encoding="ascii")
