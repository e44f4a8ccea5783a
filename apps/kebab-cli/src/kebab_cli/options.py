"""Flags that every command takes, before or after its name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from kebab_cli.render import Console

_META_KEY = "kebab.globals"
_NOT_TEXT = re.compile(r"[\ud800-\udfff]")
"""How Python shows bytes that are no text in the encoding of the locale."""
_PREFORMATTED = re.compile(r"^(Examples?|First steps):$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class GlobalOptions:
    """What was given, wherever it stood."""

    config: Path | None = None
    json: bool = False
    readonly: bool = False
    quiet: bool = False
    verbose: bool = False
    debug: bool = False


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and value is not False and parameter.name is not None:
        context.find_root().meta.setdefault(_META_KEY, {})[parameter.name] = value


def _option(*names: str, **attributes: Any) -> click.Option:
    return click.Option([*names], expose_value=False, callback=_remember, is_eager=True, **attributes)


def global_options() -> list[click.Parameter]:
    """Return fresh parameters for one command."""
    return [
        _option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Use this configuration file instead of the default one.",
        ),
        _option("--json", is_flag=True, help="Print JSON objects (see the wire reference) and nothing else."),
        _option("--readonly", is_flag=True, help="Refuse every write (also KEBAB_READONLY=1)."),
        _option("--quiet", is_flag=True, help="No progress and no remarks; errors still show."),
        _option("--verbose", is_flag=True, help="Show the details and causes of errors."),
        _option("--debug", is_flag=True, help="Log everything, and show tracebacks."),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and do nothing else.",
        ),
    ]


def _print_version(context: click.Context, _parameter: click.Parameter, value: object) -> None:
    # Not eager: `--json` must be known, wherever it stands.
    if not value or context.resilient_parsing:
        return
    from importlib.metadata import version

    number = version("kebab-cli")
    console = Console(json=read_global_options(context).json)
    if console.json:
        from kebab_wire import VersionV1

        console.wire(VersionV1(kebab_version=number))
    else:
        console.line(f"kebab {number}")
    context.exit()


def read_global_options(context: click.Context) -> GlobalOptions:
    """Return the flags given before and after the command's name."""
    return GlobalOptions(**context.find_root().meta.get(_META_KEY, {}))


class KebabCommand(click.Command):
    """A command that takes the global flags too."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params = [*self.params, *global_options()]
        self.help = keep_lines(self.help)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return what is left of the arguments; every complaint about them knows its command."""
        with _complaints_of(ctx):
            return super().parse_args(ctx, args)


class KebabGroup(click.Group):
    """A group of such commands."""

    command_class = KebabCommand

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params = [*self.params, *global_options()]
        self.help = keep_lines(self.help)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return what is left of the arguments; every complaint about them knows its command."""
        with _complaints_of(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, with its name and what follows.

        Raises:
            NoSuchCommand: There is none; the message names the nearest ones.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            # click suggests commands that it has as objects; ours are modules until they are asked for.
            names = self.list_commands(ctx)
            raise click.NoSuchCommand(error.command_name, possibilities=names, ctx=ctx) from error


@contextmanager
def _complaints_of(context: click.Context) -> Iterator[None]:
    """Name the command in errors that click raises without it, so that they lead to its help.

    Raises:
        UsageError: As click raised it.
    """
    try:
        yield
    except click.UsageError as error:
        error.ctx = error.ctx or context
        raise


def keep_lines(text: str | None) -> str | None:
    """Return help whose examples click prints line by line instead of filling them like prose."""
    return _PREFORMATTED.sub("\b\n\\g<0>", cleandoc(text)) if text else text


KebabGroup.group_class = KebabGroup


def require_text(arguments: Sequence[str]) -> None:
    """Do nothing where every argument is text.

    Raises:
        InvalidInputError: One is not, in the encoding of the locale.
    """
    from kebab_core import InvalidInputError

    for argument in arguments:
        if _NOT_TEXT.search(argument):
            raise InvalidInputError(
                f"the argument {argument!r} is not text in {sys.getfilesystemencoding()}",
                hint="type it in UTF-8, under a UTF-8 locale such as LANG=C.UTF-8",
            )
