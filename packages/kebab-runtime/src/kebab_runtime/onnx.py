"""onnxruntime sessions: loaded without telemetry, one thread each, errors mapped to those of kebab.

Since 1.29 the wheels of onnxruntime for Linux write an identifier of the machine into the home folder and report
models and sessions to a server, from the moment the library is loaded. Only an environment variable forbids it; the
calls of its API come too late. Nothing leaves this machine through kebab, so every use of onnxruntime goes through here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from kebab_core import Message, ModelCorruptError, ModelMissingError, Remedy

_TELEMETRY_VARIABLE = "ORT_DISABLE_TELEMETRY"
_FATAL_ONLY = 4
"""Log level: only what ends the process. Errors are raised as well."""
_CORE_LIST = "/sys/devices/system/cpu/cpu{}/topology/core_cpus_list"

MISSING_FILE_ERRORS = ("NoModel", "NoSuchFile", "NotFound")
"""Errors of onnxruntime for files that are not there."""
MODEL_ERRORS = (
    "DeviceReset",
    "EngineError",
    "EPFail",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoadCanceled",
    "ModelLoaded",
    "ModelRequiresCompilation",
    "NotImplemented",
    "RuntimeException",
)
"""Errors of onnxruntime for models that cannot be loaded or run."""


def disable_telemetry() -> None:
    """Set the environment variable that onnxruntime reads when it is loaded; call it before anything loads it.

    It is set for C libraries and child processes, not in `os.environ`: it is no setting, and nothing in Python reads it.
    """
    os.putenv(_TELEMETRY_VARIABLE, "1")


def load_onnxruntime() -> ModuleType:
    """The module `onnxruntime`, with telemetry disabled."""
    disable_telemetry()
    import onnxruntime

    # Another part of the program may have loaded it before.
    onnxruntime.disable_telemetry_events()
    loaded: ModuleType = onnxruntime
    return loaded


def open_session(path: Path) -> Any:
    """Load a model as an `onnxruntime.InferenceSession` that runs on one thread of the CPU.

    Raises errors of onnxruntime; use it inside `mapped_onnx_errors`.

    Args:
        path: The graph; external data lies beside it.
    """
    onnxruntime = load_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL_ONLY
    # Shapes change from batch to batch, so the memory pattern of one does not fit the next.
    options.enable_mem_pattern = False
    # Planned when a model is loaded, which takes a third to half of that time; a run is as fast and as small without it
    # (2026-11, 340 nodes: 31 instead of 62 ms).
    options.enable_mem_reuse = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@contextmanager
def mapped_onnx_errors(path: Path, *, model: str, remedy: Remedy) -> Iterator[None]:
    """Turn errors of onnxruntime into those of kebab.

    Args:
        path: The model's file, named in the error.
        model: The model's role in messages, such as "embedding model".
        remedy: Remedy where the file is missing or damaged.

    Yields:
        Nothing.

    Raises:
        ModelMissingError: The model or a part of it is not there.
        ModelCorruptError: The model is damaged, or none that can be run here.
    """
    disable_telemetry()
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    missing = tuple(getattr(state, name) for name in MISSING_FILE_ERRORS if hasattr(state, name))
    broken = tuple(getattr(state, name) for name in MODEL_ERRORS if hasattr(state, name))
    try:
        yield
    except missing as error:
        message = Message("files of the {model} are not on this machine", model=model)
        raise ModelMissingError(message, remedy=remedy, file=str(path), reason=_reason(error)) from error
    except broken as error:
        message = Message("the {model} cannot be loaded or run", model=model)
        raise ModelCorruptError(message, remedy=remedy, file=str(path), reason=_reason(error)) from error


def _reason(error: Exception) -> str:
    return str(error)[:300]


def physical_cores() -> int:
    """Number of cores this process may use, at least 1; two threads of one core count once.

    onnxruntime itself counts the cores of the machine, whatever the process is allowed, and pins threads to them.
    """
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    return max(1, len({_core_list(cpu) for cpu in usable}))


def _core_list(cpu: int) -> str:
    """The CPUs that share a core with one, as Linux lists them."""
    try:
        return Path(_CORE_LIST.format(cpu)).read_text("utf-8")
    except OSError:
        return str(cpu)
