"""Global flags, the command classes that take them, flags of several commands, and values out of a fixed set."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from kebab_cli.language import localize_help, localize_text, tr
from kebab_cli.render import Console, mark_wide, unmark_wide

Decorator = Callable[[Any], Any]
"""Adds something to a command, such as a flag."""
_META_KEY = "kebab.globals"
_WORD_MARK = "\x00"
"""No argument of a process has one."""
_NOT_TEXT = re.compile(r"[\ud800-\udfff]")
"""Surrogates: bytes of the command line that are not text in the locale's encoding."""
_PREFORMATTED = re.compile(r"^(Examples?|First steps):$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class GlobalOptions:
    """Values of the global flags, given before or after the command's name."""

    config: Path | None = None
    json: bool = False
    readonly: bool = False
    quiet: bool = False
    verbose: bool = False
    debug: bool = False
    no_pager: bool = False


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and value is not False and parameter.name is not None:
        context.find_root().meta.setdefault(_META_KEY, {})[parameter.name] = value


def _option(*names: str, **attributes: Any) -> click.Option:
    return click.Option([*names], expose_value=False, callback=_remember, is_eager=True, **attributes)


def global_options() -> list[click.Parameter]:
    """Make the global flags for one command."""
    return [
        _option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Use this configuration file instead of the default one.",
        ),
        _option("--json", is_flag=True, help="Print JSON objects (see the wire reference) and nothing else."),
        _option("--readonly", is_flag=True, help="Refuse every write (also KEBAB_READONLY=1)."),
        _option(
            "--quiet",
            is_flag=True,
            help="Suppress progress, notes and reports of success; errors are still shown.",
        ),
        _option("--no-pager", is_flag=True, help="Do not use a pager for long output."),
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
    """Read the global flags of a command line."""
    return GlobalOptions(**context.find_root().meta.get(_META_KEY, {}))


class HelpPage(click.HelpFormatter):
    """Help wrapped by columns; click counts characters, of which Korean ones take two columns."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the first line."""
        super().write_usage(prog, args, prefix or mark_wide(f"{localize_text('Usage:')} "))

    def write_text(self, text: str) -> None:
        """Write a text, wrapped."""
        super().write_text(mark_wide(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], *widths: int) -> None:
        """Write a table of two columns, the second one wrapped."""
        super().write_dl([(mark_wide(first), mark_wide(second)) for first, second in rows], *widths)

    def getvalue(self) -> str:
        """Get the page."""
        return unmark_wide(super().getvalue())


class _HelpContext(click.Context):
    formatter_class = HelpPage


class _WithGlobalOptions(click.Command):
    """The global flags, added to those of a command or group, and help in the user's language."""

    context_class = _HelpContext

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params = [*self.params, *global_options()]
        self.help = _PREFORMATTED.sub("\b\n\\g<0>", cleandoc(self.help)) if self.help else self.help

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help page."""
        shown = copy(self)
        shown.help = localize_help(self.help) if self.help else self.help
        shown.params = [copy(param) for param in self.params]
        for param in shown.params:
            if isinstance(param, click.Option) and param.help:
                param.help = localize_text(param.help)
        click.Command.format_help(shown, ctx, formatter)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """List the parts of the usage line."""
        return [localize_text(piece) for piece in super().collect_usage_pieces(ctx)]

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Get `--help`; click keeps it with the words of the language it was first made in."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = localize_text("Show this message and exit.")
        return option

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of the help."""
        shown = copy(self)
        shown.help = mark_wide(localize_help(self.help)) if self.help else self.help
        return click.Command.get_short_help_str(shown, limit)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; errors about them carry the context, so that they name the command.

        Raises:
            UsageError: As click raised it.
        """
        try:
            return super().parse_args(ctx, self._mark_words(args))
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def _mark_words(self, args: Sequence[str]) -> list[str]:
        """Mark words such as `- [ ]`, which begin with a dash and a space as no flag does, for `words_argument`."""
        if not any(param.nargs == -1 for param in self.params):
            return list(args)
        valued = {name for param in self.params if not getattr(param, "is_flag", True) for name in param.opts}
        return [
            _WORD_MARK + arg if arg.startswith("- ") and before not in valued else arg
            for before, arg in zip(("", *args), args, strict=False)
        ]


class KebabCommand(_WithGlobalOptions):
    """A command that takes the global flags too."""


class KebabGroup(_WithGlobalOptions, click.Group):
    """A group of such commands."""

    command_class = KebabCommand

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names.

        Raises:
            NoSuchCommand: There is none; the message names the nearest ones.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            # click suggests commands that it has as objects; ours are modules until they are asked for.
            names = self.list_commands(ctx)
            raise click.NoSuchCommand(error.command_name, possibilities=names, ctx=ctx) from error


KebabGroup.group_class = KebabGroup


_DURATION = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?|(0)", re.ASCII)

yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
wait_option = click.option(
    "--wait", is_flag=True, help="Wait for another writer as long as it takes, instead of two seconds."
)
no_embed_option = click.option(
    "--no-embed", is_flag=True, help="Do not compute embeddings; `kebab embed` does."
)


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 - click's
        """Get the placeholder of a help page."""
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number."""
        try:
            int(value)
        except ValueError:
            self.fail(tr("{value!r} is not a whole number", value=value), param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A number within bounds."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 - click's
        """Get the placeholder of a help page."""
        return "X"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number."""
        try:
            float(value)
        except ValueError:
            self.fail(tr("{value!r} is not a number", value=value), param, ctx)
        return super().convert(value, param, ctx)


class Duration(click.ParamType[float]):
    """A length of time, such as `30s`, `5m`, `1h30m` or `0`, in seconds."""

    name = "duration"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Read a length of time."""
        if isinstance(value, float):
            return value
        found = _DURATION.fullmatch(value)
        if found is None or not any(found.groups()):
            self.fail(
                tr("{value!r} is not a duration such as 30s, 5m, 1h30m or 0", value=value),
                parameter,
                context,
            )
        hours, minutes, seconds, _zero = (int(part or 0) for part in found.groups())
        return float((hours * 60 + minutes) * 60 + seconds)


def embed_for_option(purpose: str) -> Decorator:
    """Make the flag `--embed-for`."""
    return click.option("--embed-for", type=Duration(), metavar="TIME", help=purpose)


def option_group(*options: Decorator) -> Decorator:
    """Join several flags to one decorator, in the order of help."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def k_option(purpose: str) -> Decorator:
    """Make the flag `-k`, whose default is a setting."""
    return click.option(
        "--k",
        "-k",
        "--limit",
        "k",
        type=WholeNumber(1, 1000),
        help=f"{purpose}  [default: search.default_k]",
    )


def words_argument(name: str, *, required: bool = True) -> Decorator:
    """Make the argument of one or more words that are joined by spaces, so that a query needs no quotes.

    Its value is None where there are no words.
    """
    return click.argument(
        name,
        nargs=-1,
        required=required,
        callback=lambda _context, _parameter, words: (
            " ".join(word.removeprefix(_WORD_MARK) for word in words) if words else None
        ),
    )


def max_tokens_option(purpose: str) -> Decorator:
    """Make the flag `--max-tokens`."""
    return click.option("--max-tokens", type=WholeNumber(1, 10_000_000), help=purpose)


def require_text(arguments: Sequence[str]) -> None:
    """Refuse arguments that are not text in the encoding of the locale.

    Raises:
        InvalidInputError: One is not.
    """
    from kebab_core import InvalidInputError, Message

    for argument in arguments:
        if _NOT_TEXT.search(argument):
            raise InvalidInputError(
                "the argument {argument!r} is not text in {encoding}",
                hint=Message("type it in UTF-8, under a UTF-8 locale such as LANG=C.UTF-8"),
                _argument=argument,
                _encoding=sys.getfilesystemencoding(),
            )


class OneOf(click.Choice[str]):
    """One of a few words in any case; a wrong one is answered with the nearest."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices, case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's
        """Word the error, with the choices and the nearest of them."""
        return describe_wrong_choice(str(value), list(self.choices))


class Commas(click.ParamType[tuple[str, ...]]):
    """Values separated by commas, of a fixed set where there are choices.

    Args:
        choices: Words in lower case; anything goes where there are none.
    """

    name = "a,b,…"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self._choices = tuple(choices)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, ...]:
        """Split at commas."""
        if isinstance(value, tuple):
            return value
        from kebab_app import split_words

        parts = split_words(value)
        if not parts:
            self.fail(tr("needs at least one value"), parameter, context)
        return tuple(self._checked(part, parameter, context) for part in parts)

    def _checked(self, part: str, parameter: click.Parameter | None, context: click.Context | None) -> str:
        if not self._choices:
            return part
        if part.lower() not in self._choices:
            self.fail(describe_wrong_choice(part, self._choices), parameter, context)
        return part.lower()

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        param: click.Parameter,  # noqa: ARG002 - click's
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete the text after the last comma."""
        before, comma, begun = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + choice)
            for choice in self._choices
            if choice.startswith(begun.lower())
        ]


def find_nearest(value: str, choices: Iterable[str]) -> str | None:
    """Find the choice that is most like a value; None where none is near."""
    return next(iter(get_close_matches(value.lower(), choices, n=1)), None)


def describe_wrong_choice(value: str, choices: Sequence[str]) -> str:
    """Word that a value is not one of the choices, with the nearest where one is near."""
    near = find_nearest(value, choices)
    listed = ", ".join(choices)
    if not near:
        return tr("{value!r} is not one of {choices}", value=value, choices=listed)
    return tr(
        "{value!r} is not one of {choices}; did you mean {near!r}?", value=value, choices=listed, near=near
    )
