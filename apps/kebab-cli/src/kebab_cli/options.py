"""Flags that every command takes, before or after its name."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

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
    ]


def read_global_options(context: click.Context) -> GlobalOptions:
    """Return the flags given before and after the command's name."""
    return GlobalOptions(**context.find_root().meta.get(_META_KEY, {}))


class KebabCommand(click.Command):
    """A command that takes the global flags too."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params = [*self.params, *global_options()]
        self.help = keep_lines(self.help)


class KebabGroup(click.Group):
    """A group of such commands."""

    command_class = KebabCommand

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params = [*self.params, *global_options()]
        self.help = keep_lines(self.help)


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
