"""What onnxruntime raises, in kebab's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kebab_core import DetailValue, ModelCorruptError, ModelMissingError

from kebab_embed_local.runtime import forbid_reports

MISSING = ("NoModel", "NoSuchFile", "NotFound")
"""Its errors for files that are not there."""
BROKEN = (
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
"""Its errors for models that cannot be loaded or run."""


@contextmanager
def mapped_onnx_errors(path: Path, hint: str) -> Iterator[None]:
    """Turn errors of onnxruntime into those of kebab.

    Args:
        path: The model's file, named in the error.
        hint: What helps.

    Yields:
        Nothing.

    Raises:
        ModelMissingError: The model or a part of it is not there.
        ModelCorruptError: The model is damaged, or none that can be run here.
    """
    forbid_reports()
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    missing = tuple(getattr(state, name) for name in MISSING if hasattr(state, name))
    broken = tuple(getattr(state, name) for name in BROKEN if hasattr(state, name))
    try:
        yield
    except missing as error:
        raise ModelMissingError(
            "files of the embedding model are not on this machine", hint=hint, **_facts(path, error)
        ) from error
    except broken as error:
        raise ModelCorruptError(
            "the embedding model cannot be loaded or run", hint=hint, **_facts(path, error)
        ) from error


def _facts(path: Path, error: Exception) -> dict[str, DetailValue]:
    return {"file": str(path), "reason": str(error)[:300]}
