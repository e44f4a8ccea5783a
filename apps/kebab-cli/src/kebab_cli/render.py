"""The console: everything that is printed goes through here, made safe for a terminal.

Also the standard streams, and the pager: `$PAGER`, else `less`, for results that are longer than the screen.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import click
from kebab_core import Message

from kebab_cli.exit_codes import has_flag
from kebab_cli.language import localize, tr

if TYPE_CHECKING:
    from pydantic import BaseModel

_LINK = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_DEFAULT = "less"
_LESS_FLAGS = "FRX"
"""End on a short text, show colours, leave the text on the screen. Used unless LESS is set, as git does."""


class Pager(NamedTuple):
    """A program that shows text by screens."""

    command: Sequence[str]
    environ: Mapping[str, str]

    def show(self, text: str) -> None:
        """Print a text, by the program if it is longer than the screen.

        Args:
            text: With the escape sequences of styles and links.
        """
        columns, rows = shutil.get_terminal_size()
        if count_rows(text, columns) < rows:
            sys.stdout.write(text)
            return
        import signal
        import subprocess

        # Older versions of less show links as what they are made of.
        shown = _LINK.sub("", text).encode(sys.stdout.encoding or "utf-8", errors="replace")
        environ = {"LESS": _LESS_FLAGS, **self.environ}
        sys.stdout.flush()
        held = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
        try:
            subprocess.run(self.command, input=shown, env=environ, check=False)  # noqa: S603 - the user's own
        except OSError:
            sys.stdout.write(text)
        finally:
            signal.signal(signal.SIGINT, held)


def find_pager(environ: Mapping[str, str]) -> Pager | None:
    """Return the pager of the environment; None where there is none."""
    import shlex

    try:
        command = shlex.split(environ.get("PAGER", _DEFAULT))
    except ValueError:
        return None
    found = command and shutil.which(command[0], path=environ.get("PATH"))
    return Pager(command, environ) if found else None


def count_rows(text: str, columns: int) -> int:
    """Count the rows that a text takes on a terminal of so many columns."""
    from rich.cells import cell_len

    lines = _STYLE.sub("", _LINK.sub("", text)).expandtabs().splitlines()
    return sum(max(1, -(-cell_len(line) // columns)) for line in lines)


_Report = TypeVar("_Report", bound="BaseModel")
_BREAKS = re.compile(r"[\t\n\u2028\u2029]")
_LEAST_WIDTH = 20
_WIDE_MARK = "\x00"
SHOWN_ROWS = 10
"""Rows of each list; `--json` has all of them."""


@dataclass(frozen=True, kw_only=True)
class Console:
    """Output of one command.

    Colours, links, bars and the pager appear only where the stream is a terminal; with `json`, stdout carries wire objects
    and stderr errors, nothing else.
    """

    json: bool = False
    quiet: bool = False
    terminal: bool = False
    """True if stdout is a terminal that can do more than print: text is wrapped, and links can be clicked."""
    color: bool = False
    """True if it is one with colours enabled."""
    page: StringIO | None = None
    """Takes result text in place of stdout."""
    pager: Pager | None = None
    """Shows what is longer than the screen."""
    live: bool = False
    """True if stderr is a terminal that can show a moving bar."""
    color_errors: bool = False
    """True if stderr is a terminal with colours enabled."""

    @classmethod
    def of_arguments(cls, arguments: Sequence[str], environ: Mapping[str, str]) -> Console:
        """Detect the console before the command line is parsed."""
        return cls.detect(
            json=has_flag(arguments, "--json"), quiet=has_flag(arguments, "--quiet"), environ=environ
        )

    @classmethod
    def detect(
        cls,
        *,
        json: bool,
        quiet: bool,
        environ: Mapping[str, str] | None = None,
        paged: bool = False,
    ) -> Console:
        """Detect the console of this process.

        Args:
            json: Print wire objects only.
            quiet: Print no progress and no remarks.
            environ: With NO_COLOR there are no colours; a terminal whose TERM is "dumb" prints and does nothing else.
            paged: Show what is longer than the screen in a pager, where somebody sits at the terminal.
        """
        environ = environ or {}
        decorated = not json and environ.get("TERM") != "dumb"
        coloured = decorated and not environ.get("NO_COLOR")
        terminal = decorated and sys.stdout.isatty()
        at_terminal = terminal and sys.stdin is not None and sys.stdin.isatty()
        return cls(
            json=json,
            quiet=quiet or json,
            terminal=terminal,
            color=coloured and sys.stdout.isatty(),
            pager=find_pager(environ) if paged and at_terminal else None,
            live=decorated and not quiet and sys.stderr.isatty(),
            color_errors=coloured and sys.stderr.isatty(),
        )

    @contextmanager
    def paged(self) -> Iterator[Console]:
        """Show what is printed inside the block in a pager if it is longer than the screen.

        Yields:
            The console to print with.
        """
        if self.pager is None:
            yield self
            return
        text = StringIO()
        yield replace(self, page=text, pager=None)
        self.pager.show(text.getvalue())

    @property
    def width(self) -> int:
        """Columns to wrap at on a terminal."""
        return min(max(shutil.get_terminal_size().columns, _LEAST_WIDTH), 110)

    def wire(self, value: BaseModel) -> None:
        """Write one wire object to stdout, on a line of its own."""
        from kebab_wire import wire_json

        click.echo(wire_json(value))

    def show(self, report: _Report, render: Callable[[Console, _Report], None]) -> None:
        """Write a result: as a wire object with `json`, else as `render` prints it."""
        if self.json:
            self.wire(report)
        else:
            render(self, report)

    def show_change(self, report: _Report, render: Callable[[Console, _Report], None]) -> None:
        """Write the report of a change that was made: as `show`, and nothing if it is to be quiet."""
        if self.json or not self.quiet:
            self.show(report, render)

    def wire_error(self, value: BaseModel) -> None:
        """Write one wire object to stderr, on a line of its own."""
        from kebab_wire import wire_json

        click.echo(wire_json(value), err=True)

    def line(self, text: str = "") -> None:
        """Write result text to stdout."""
        click.echo(localize(text), file=self.page, color=self.terminal)

    def part(self, text: str) -> None:
        """Write a piece of result text to stdout at once, without line end."""
        click.echo(text, file=self.page, nl=False, color=self.terminal)

    def raw(self, text: str) -> None:
        """Write text of a document to stdout, whole; control characters are replaced, since the reader may be a terminal."""
        shown = safe(text)
        click.echo(shown, file=self.page, nl=not shown.endswith("\n"))

    def remark(self, text: str) -> None:
        """Write a remark to stderr, unless it is to be quiet; on one screen with a page, into the page."""
        if not self.quiet:
            on_page = self.page is not None and sys.stderr.isatty()
            click.echo(localize(text), file=self.page if on_page else sys.stderr)

    def alert(self, text: str) -> None:
        """Write a remark from a signal handler, where buffered streams must not be touched."""
        if not self.quiet:
            os.write(sys.stderr.fileno(), f"{localize(text)}\n".encode())

    def error(self, message: str, hint: str | None) -> None:
        """Write an error to stderr."""
        for word, colour, text in ((tr("error:"), "red", message), (tr("hint:"), "cyan", hint)):
            if text:
                shown = click.style(word, fg=colour) if self.color_errors else word
                click.echo(f"{shown} {safe(text)}", err=True)

    def error_detail(self, text: str) -> None:
        """Write a detail of an error to stderr."""
        click.echo(f"  {safe(text)}", err=True)

    def style(self, text: str, **attributes: bool | str) -> str:
        """Colour text where colours are shown."""
        text = localize(text)
        if not self.color:
            attributes.pop("fg", None)
        if not self.terminal or not attributes:
            return text
        return click.style(text, **attributes)  # type: ignore[arg-type]  # click's own names

    def fit(self, text: str, *, used: int, least: int = _LEAST_WIDTH) -> str:
        """Shorten text on one line to what is left of a terminal's width, at least so many columns."""
        if not self.terminal:
            return text
        from rich.cells import cell_len, set_cell_size

        room = max(self.width - used, least)
        return text if cell_len(text) <= room else set_cell_size(text, room - 1).rstrip() + "…"

    def hang(self, text: str, *, used: int) -> str:
        """Wrap text to what is left of a terminal's width; lines but the first are indented by the columns that are used."""
        room = max(self.width - used, _LEAST_WIDTH)
        if not self.terminal or columns_of(text) <= room:
            return text
        import textwrap

        lines = textwrap.wrap(mark_wide(text), room, break_long_words=False, break_on_hyphens=False)
        return unmark_wide(f"\n{' ' * used}".join(lines))

    def link(self, text: str, target: str | None) -> str:
        """Make text clickable where the terminal allows it (OSC 8)."""
        if not self.terminal or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def safe(text: str) -> str:
    """Put a message into the user's language, and replace what drives a terminal or reorders a line; tabs and line feeds stay."""
    from kebab_text import visible

    return visible(localize(text).replace("\r\n", "\n"))


def safe_name(text: str) -> str:
    """Safe path on one line: line breaks and tabs show as a replacement character."""
    return _BREAKS.sub("�", safe(text))


def one_line(text: str) -> str:
    """Safe title or heading on one line; line breaks and tabs become spaces."""
    return safe(_BREAKS.sub(" ", localize(text).replace("\r\n", "\n")))


def drop_unwritten_output() -> None:
    """Drop output that cannot be written, so that the exit code is the command's and not that of a failed flush."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def prepare_output(*, json: bool) -> None:
    """Set encodings so that every character can be written in any locale; wire objects are UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if json else None, errors="backslashreplace")


def show_hint(console: Console, text: str) -> None:
    """Print what to do next."""
    console.line(f"{tr('hint:')} {localize(text)}")


def show_note(console: Console, text: str) -> None:
    """Print a remark on a result."""
    console.line(f"{tr('note:')} {localize(text)}")


def show_warning(console: Console, text: str) -> None:
    """Print what needs care."""
    console.line(f"{tr('warning:')} {localize(text)}")


Noun = Literal[
    "answer",
    "conversation",
    "document",
    "evaluation file",
    "external document",
    "file",
    "format",
    "hit",
    "page",
    "page or picture",
    "recording",
    "passage",
    "picture",
    "scanned page",
    "stale document",
    "token",
]


_COUNTED: Mapping[Noun, Callable[[int], Message]] = {
    "answer": lambda count: Message("{count} answer", plural="{count} answers", count=count),
    "conversation": lambda count: Message(
        "{count} conversation", plural="{count} conversations", count=count
    ),
    "document": lambda count: Message("{count} document", plural="{count} documents", count=count),
    "evaluation file": lambda count: Message(
        "{count} evaluation file", plural="{count} evaluation files", count=count
    ),
    "external document": lambda count: Message(
        "{count} external document", plural="{count} external documents", count=count
    ),
    "file": lambda count: Message("{count} file", plural="{count} files", count=count),
    "format": lambda count: Message("{count} format", plural="{count} formats", count=count),
    "hit": lambda count: Message("{count} hit", plural="{count} hits", count=count),
    "page": lambda count: Message("{count} page", plural="{count} pages", count=count),
    "recording": lambda count: Message("{count} recording", plural="{count} recordings", count=count),
    "page or picture": lambda count: Message(
        "{count} page or picture", plural="{count} pages and pictures", count=count
    ),
    "picture": lambda count: Message("{count} picture", plural="{count} pictures", count=count),
    "scanned page": lambda count: Message(
        "{count} scanned page", plural="{count} scanned pages", count=count
    ),
    "passage": lambda count: Message("{count} passage", plural="{count} passages", count=count),
    "stale document": lambda count: Message(
        "{count} stale document", plural="{count} stale documents", count=count
    ),
    "token": lambda count: Message("{count} token", plural="{count} tokens", count=count),
}


def count_of(number: int, noun: Noun) -> str:
    """Number with its noun, in English in the plural unless it is 1."""
    return localize(_COUNTED[noun](number))


def list_or(parts: Sequence[str]) -> str:
    """Join alternatives: `a`, `a or b`, `a or b or c`."""
    first, *rest = parts
    return tr("{first} or {second}", first=first, second=list_or(rest)) if rest else first


def columns_of(text: str) -> int:
    """Columns that a text takes on a terminal: two for each East Asian character, none for one that combines."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def pad(text: str, columns: int) -> str:
    """Fill a text up with spaces to a width in columns."""
    return text + " " * (columns - columns_of(text))


def mark_wide(text: str) -> str:
    """Put a mark behind each East Asian character, so that characters are counted as columns."""
    if text.isascii():
        return text
    import unicodedata

    return "".join(
        f"{char}{_WIDE_MARK}" if unicodedata.east_asian_width(char) in "WF" else char
        for char in unmark_wide(text)
    )


def unmark_wide(text: str) -> str:
    """Take the marks of `mark_wide` away."""
    return text.replace(_WIDE_MARK, "")


def render_rest(console: Console, count: int) -> None:
    """Print how many rows of a list are not shown."""
    if count > SHOWN_ROWS:
        console.line(f"  {tr('and {count} more (--json)', count=count - SHOWN_ROWS)}")


_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def fill_closed_streams() -> None:
    """Open the null device for closed standard streams (`>&-`), so that no file opened later gets their descriptor."""
    closed = [name for name, _ in _STREAMS if getattr(sys, name) is None]
    for number, (name, mode) in enumerate(_STREAMS):
        if name in closed:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - as long as the process
