"""A full disk without a disk: no file may grow beyond so many bytes.

Python writes the compiled form of what it imports, and takes a write that was cut short for a whole one:
a limit of some hundred bytes would leave modules behind that no later process can load. So nothing is
compiled to a file where a limit holds.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager


def run_with_small_files(
    command: Sequence[str], *, max_bytes: int, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in the given environment, where no file may grow beyond so many bytes.

    Returns:
        How it ended and what it said.
    """
    return subprocess.run(  # noqa: S603 - tests say what is run
        list(command),
        env={**env, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes)),
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def small_files(max_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes.

    Yields:
        Nothing; the limit ends with the block.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    compiles = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = compiles
