"""onnxruntime, kept from telling its makers about it.

Since 1.29 its wheels for Linux note an identifier of the machine in the home folder and report models and sessions to
a server, from the moment they are loaded and unless a variable of the environment forbids it; what its API has against
it comes too late. Nothing leaves this machine through kebab, so this is the only way to it.
"""

from __future__ import annotations

import os
from types import ModuleType

_FORBIDS = "ORT_DISABLE_TELEMETRY"


def load_onnxruntime() -> ModuleType:
    """Return onnxruntime, loaded in silence."""
    forbid_reports()
    import onnxruntime

    # Another part of the program may have loaded it before.
    onnxruntime.disable_telemetry_events()
    loaded: ModuleType = onnxruntime
    return loaded


def forbid_reports() -> None:
    """Set what onnxruntime looks at when it is loaded; call it before anything that loads it.

    Set for the library and for child processes, not in `os.environ`: it is no setting, and nothing in Python reads it.
    """
    os.putenv(_FORBIDS, "1")
