"""The terminal: drawn on through standard error, with its cursor shown."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from textual.drivers.linux_driver import LinuxDriver


class Terminal(LinuxDriver):
    """A terminal whose cursor stays visible, since an input method composes where it stands."""

    def start_application_mode(self) -> None:
        """Take the terminal over, at the start and after another program."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.write("\x1b[?25h")
        self.flush()

    def write(self, data: str) -> None:
        """Send to the terminal; nothing where it is gone, since nobody takes it from the queue of its thread any more."""
        if self._writer_thread is None or self._writer_thread.is_alive():
            super().write(data)

    def _get_terminal_size(self) -> tuple[int, int]:
        # standard output, which Textual asks, may be a pipe that takes the address
        for stream in (sys.__stderr__, sys.__stdin__):
            with suppress(OSError, ValueError, AttributeError):
                size = os.get_terminal_size(stream.fileno())  # type: ignore[union-attr]  # AttributeError: closed
                return size.columns or 80, size.lines or 24
        return super()._get_terminal_size()
