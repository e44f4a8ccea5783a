"""How many threads a model gets that may choose."""

from __future__ import annotations

import os
from pathlib import Path

_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/core_cpus_list"


def physical_cores() -> int:
    """Return how many cores this process may use, at least 1; two threads of one core count once.

    onnxruntime, left to choose, counts the machine's cores whatever the process is allowed, and pins threads to them.
    """
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    return max(1, len({_siblings(cpu) for cpu in usable}))


def _siblings(cpu: int) -> str:
    try:
        return Path(_TOPOLOGY.format(cpu)).read_text("utf-8")
    except OSError:
        return str(cpu)
