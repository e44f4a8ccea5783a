"""The one place that writes to the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pydantic import BaseModel

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # drive a terminal
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # reorder the line, or once shaped it: none is ever visible
    r"\ufff9-\ufffb]"  # hide a remark in a text
)
_BREAKS = re.compile(r"[\t\n\u2028\u2029]")
_LEAST_WIDTH = 20


@dataclass(frozen=True, kw_only=True)
class Console:
    """How and where to print.

    Colours, links and bars appear only where the stream is a terminal; with `json`, stdout carries wire objects
    and stderr errors, nothing else.
    """

    json: bool = False
    quiet: bool = False
    color: bool = False
    """Whether stdout is a terminal that wants colours and links."""
    live: bool = False
    """Whether stderr is a terminal that can show a moving bar."""
    color_errors: bool = False
    """Whether stderr is a terminal that wants colours."""

    @classmethod
    def of_arguments(cls, arguments: Sequence[str], environ: Mapping[str, str]) -> Console:
        """Return how to print before the command line is understood."""
        return cls.detect(
            json="--json" in arguments, quiet="--quiet" in arguments, plain=wants_plain(environ)
        )

    @classmethod
    def detect(cls, *, json: bool, quiet: bool, plain: bool = False) -> Console:
        """Return how to print here and now.

        Args:
            json: Print wire objects only.
            quiet: Print no progress and no remarks.
            plain: Neither colours nor bars, whatever the terminal can do.
        """
        decorated = not json and not plain
        return cls(
            json=json,
            quiet=quiet or json,
            color=decorated and sys.stdout.isatty(),
            live=decorated and not quiet and sys.stderr.isatty(),
            color_errors=decorated and sys.stderr.isatty(),
        )

    @property
    def width(self) -> int:
        """Columns to wrap at on a terminal."""
        return min(max(shutil.get_terminal_size().columns, _LEAST_WIDTH), 110)

    def wire(self, value: BaseModel) -> None:
        """Write one wire object to stdout, on a line of its own."""
        from kebab_wire import wire_json

        click.echo(wire_json(value))

    def wire_error(self, value: BaseModel) -> None:
        """Write one wire object to stderr, on a line of its own."""
        from kebab_wire import wire_json

        click.echo(wire_json(value), err=True)

    def line(self, text: str = "") -> None:
        """Write result text to stdout."""
        click.echo(text, color=self.color)

    def part(self, text: str) -> None:
        """Write a piece of result text to stdout at once, without line end."""
        click.echo(text, nl=False, color=self.color)

    def raw(self, text: str) -> None:
        """Write a document's own text to stdout, whole and unadorned; what it goes to may show it on a terminal."""
        shown = safe(text)
        click.echo(shown, nl=not shown.endswith("\n"))

    def remark(self, text: str) -> None:
        """Write something worth knowing to stderr."""
        if not self.quiet:
            click.echo(text, err=True)

    def alert(self, text: str) -> None:
        """Write a remark from a signal handler, where buffered streams must not be touched."""
        if not self.quiet:
            os.write(sys.stderr.fileno(), f"{text}\n".encode())

    def error(self, message: str, hint: str | None) -> None:
        """Write an error to stderr."""
        for word, colour, text in (("error:", "red", message), ("hint:", "cyan", hint)):
            if text:
                shown = click.style(word, fg=colour) if self.color_errors else word
                click.echo(f"{shown} {safe(text)}", err=True)

    def error_detail(self, text: str) -> None:
        """Write more about an error to stderr."""
        click.echo(f"  {safe(text)}", err=True)

    def style(self, text: str, **attributes: bool | str) -> str:
        """Return text in colour where colours are shown, else as it is."""
        return click.style(text, **attributes) if self.color else text  # type: ignore[arg-type]  # click's own names

    def link(self, text: str, target: str | None) -> str:
        """Return text that can be clicked where the terminal allows it (OSC 8)."""
        if not self.color or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def wants_plain(environ: Mapping[str, str]) -> bool:
    """Return whether the environment asks for neither colours nor bars."""
    return bool(environ.get("NO_COLOR")) or environ.get("TERM") == "dumb"


def safe(text: str) -> str:
    """Return text that cannot drive a terminal, nor show its line in another order; tabs and line feeds stay."""
    return _CONTROL.sub("�", text.replace("\r\n", "\n"))


def safe_name(text: str) -> str:
    """Return a path on one line: what would break the line shows as a replacement character."""
    return _BREAKS.sub("�", safe(text))


def one_line(text: str) -> str:
    """Return a title or heading on one line."""
    return _BREAKS.sub(" ", safe(text))


def settle_output() -> None:
    """Drop what could not be written, so that the exit code is the command's and not that of a failed flush."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def prepare_output(*, json: bool) -> None:
    """Make sure that everything can be written, whatever the locale: wire objects are UTF-8 in any case."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if json else None, errors="backslashreplace")


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
