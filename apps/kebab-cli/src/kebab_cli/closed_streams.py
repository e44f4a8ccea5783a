"""Standard streams that are closed when the command starts (`>&-`)."""

from __future__ import annotations

import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def fill_closed_streams() -> None:
    """Put the null device where a standard stream is closed, so that no file opened later is taken for it."""
    closed = [name for name, _ in _STREAMS if getattr(sys, name) is None]
    for number, (name, mode) in enumerate(_STREAMS):
        if name in closed:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - as long as the process
