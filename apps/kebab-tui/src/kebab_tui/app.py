"""`KebabApp`: the program of the screens, its terminal, and the knowledge base behind them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import KebabError
from textual.app import App as TextualApp
from textual.drivers.linux_driver import LinuxDriver

import kebab_tui.phrases as say

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from kebab_app import App
    from kebab_core import Message
    from kebab_words import Words
    from textual.screen import Screen

    from kebab_tui.options import Options

_GRACE_S = 2.0
_DEFAULT_COLOURS = re.compile(r"\x1b\[39;49m|;(?:39;)?49(?=m)")
"""Default colours where no others are in force: each run of text ends with a reset."""
_MOVES = re.compile(r"(?:\x1b\[\d+;\d+H\n?)+(?=\x1b\[\d+;\d+H)")
"""Moves of the cursor before another one."""
_SPACES = re.compile(r"(\x1b\[[\d;]+m[^\x1b]*\x1b\[0m)|( {12,})")
"""A run of text with attributes, or spaces without."""
_STYLE = """
Screen { background: ansi_default; color: ansi_default; }
#frame { border: round ansi_default; height: 100%; width: 100%; }
#panes { layout: horizontal; height: 1fr; }
#list { width: 2fr; }
#side { width: 3fr; border-left: solid ansi_default; }
.-stacked #panes, .-single #panes, .-low #panes { layout: vertical; }
.-stacked #list, .-single #list, .-low #list { width: 100%; height: 1fr; }
.-stacked #side, .-single #side, .-low #side { width: 100%; height: 1fr; border-left: none; }
.-single #side, .-low #side { display: none; }
.-single.-reading #list, .-low.-reading #list { display: none; }
.-single.-reading #side, .-low.-reading #side { display: block; }
Chooser { background: ansi_default; }
#chooser { border: round ansi_default; width: 100%; height: 100%; }
"""


def _shorten(data: str) -> str:
    """Return terminal output of the same effect in fewer bytes: runs of spaces become ECH and CUF (ECMA-48)."""
    data = _MOVES.sub("", _DEFAULT_COLOURS.sub("", data))
    return _SPACES.sub(lambda run: run[1] or f"\x1b[{len(run[2])}X\x1b[{len(run[2])}C", data)


class Terminal(LinuxDriver):
    """A terminal whose cursor stays visible, since an input method composes where it stands."""

    def start_application_mode(self) -> None:
        """Take the terminal over, at the start and after another program."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.write("\x1b[?25h")
        self.flush()

    def write(self, data: str) -> None:
        """Send to the terminal, in few bytes; nothing where it is gone, since nobody takes it from the queue of its thread any more."""
        if self._writer_thread is None or self._writer_thread.is_alive():
            super().write(_shorten(data))

    def _get_terminal_size(self) -> tuple[int, int]:
        # standard output, which Textual asks, may be a pipe that takes the address
        for stream in (sys.__stderr__, sys.__stdin__):
            with suppress(OSError, ValueError, AttributeError):
                size = os.get_terminal_size(stream.fileno())  # type: ignore[union-attr]  # AttributeError: closed
                return size.columns or 80, size.lines or 24
        return super()._get_terminal_size()


class KebabApp(TextualApp[str]):
    """The screens of one knowledge base; ends with the chosen address.

    Args:
        options: What is shown first, and what comes of a choice.
        words: The language of the reader.
        open_app: Opens the knowledge base; called off the screen, after the first frame.
        faces: Makes each screen by its name; the first is shown first.
    """

    CSS = _STYLE
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's
        (0, "-single"),
        (60, "-stacked"),
        (90, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-tall")]  # noqa: RUF012 - Textual's

    def __init__(
        self,
        options: Options,
        words: Words,
        open_app: Callable[[], App],
        faces: Mapping[str, Callable[[], Screen[object]]],
    ) -> None:
        super().__init__(driver_class=Terminal, ansi_color=True)
        self.theme = "ansi-dark"
        self.options, self.words = options, words
        self.crash: Exception | None = None
        """The error that ended the program."""
        self._open_app = open_app
        self.faces = faces
        self._opened: Future[App] | None = None
        self._lock = threading.Lock()

    def get_default_screen(self) -> Screen[object]:
        """The first screen."""
        return next(iter(self.faces.values()))()

    def on_mount(self) -> None:
        """End in order, with the terminal restored, where the system asks for an end."""
        loop = self._get_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with suppress(ValueError, NotImplementedError, RuntimeError):  # not in the main thread
                loop.add_signal_handler(number, self._end, 128 + number)

    @staticmethod
    def _get_loop() -> asyncio.AbstractEventLoop:
        import asyncio

        return asyncio.get_running_loop()

    def _end(self, code: int) -> None:
        """End in order, and in any case: drawing waits for ever once the terminal is gone."""
        last = threading.Timer(_GRACE_S, os._exit, (code,))
        last.daemon = True
        last.start()
        self.exit(None, code)

    def wait_for_base(self) -> App:
        """Return the knowledge base, once it is open; not for the thread of the screen.

        Raises:
            KebabError: It cannot be opened.
        """
        with self._lock:
            if self._opened is None:
                self._opened = Future()
                try:
                    self._opened.set_result(self._open_app())
                except KebabError as error:
                    self._opened.set_exception(error)
        return self._opened.result()

    @property
    def base(self) -> App | None:
        """The knowledge base; None until it is open."""
        opened = self._opened
        return (
            opened.result() if opened is not None and opened.done() and opened.exception() is None else None
        )

    def close_base(self) -> None:
        """Close the knowledge base, if it was opened."""
        if self.base is not None:
            self.base.close()

    def edit(self, address: str) -> Message | None:
        """Open a file at its place in the program of the user, and come back when that ends; return what is to be said of it."""
        from kebab_app import find_open_command
        from kebab_config import read_environment

        if self.base is None:
            return None
        try:
            found = self.base.find_address(address, files=False)
            command = find_open_command(self.base.base, found, environ=read_environment())
        except KebabError as error:
            return error.message
        said, program = command.remark, Path(command.words[0]).name
        with self.suspend():
            try:
                code = subprocess.run(command.words, check=False, stdout=2).returncode  # noqa: S603 - the user's own
            except OSError as error:
                said = say.not_run(program, (error.strerror or str(error)).lower())
            else:
                said = say.ended(program, code) if code else said
        return said

    def _fatal_error(self) -> None:
        """End without a traceback on the terminal; whoever has run the program logs it."""
        error = sys.exc_info()[1]
        self.crash = error if isinstance(error, Exception) else self._exception
        self._close_messages_no_wait()
