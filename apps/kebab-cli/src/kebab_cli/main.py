"""The `kebab` command group: finds its commands in `commands/`, runs one, and maps errors to exit codes."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any

import click

from kebab_cli.exit_codes import INTERRUPTED, SUCCESS, has_flag, print_interrupted
from kebab_cli.language import speak, tr
from kebab_cli.options import KebabGroup, require_text
from kebab_cli.render import drop_unwritten_output, fill_closed_streams, prepare_output

_FOLDER = Path(__file__).parent / "commands"
_ORDER = (
    "demo",
    "init",
    "ingest",
    "watch",
    "ingest-file",
    "ingest-stdin",
    "ask",
    "chat",
    "search",
    "find",
    "related",
    "why",
    "fetch",
    "open",
    "pick",
    "tui",
    "answers",
    "sessions",
    "list",
    "inspect",
    "mcp",
    "worker",
    "doctor",
    "schema",
    "eval",
    "config",
    "export",
    "import",
    "forget",
    "reset",
)
"""Commands in the order of help; those not named here follow by name."""


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    # click itself would end the command with another code, or with an empty line
    try:
        yield
    except KeyboardInterrupt as error:
        raise click.Abort from error
    except BrokenPipeError as error:
        raise _ReaderGoneError from error


class _ReaderGoneError(Exception):
    """Nobody reads stdout any more (`kebab … | head`). click itself would leave with 1, "nothing found"."""


def _name_of(module: str) -> str:
    """Name of the command in a module; one that is a keyword of Python has an underscore after it."""
    return module.removesuffix("_").replace("_", "-")


class CommandFolder(KebabGroup):
    """Commands by module name: each is the `command` of a module in `kebab_cli.commands`."""

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **attributes: Any
    ) -> click.Context:
        """Parse the command line; prints help. Without a command it is an overview that a person asks for."""
        is_person = sys.stdout.isatty() and not has_flag(args, "--json")
        self.invoke_without_command, self.no_args_is_help = is_person, not is_person
        with _interrupts_kept():
            return super().make_context(info_name, args, *rest, **attributes)

    def invoke(self, context: click.Context) -> Any:
        """Run the command; before its modules are imported, variables are set that make libraries start faster."""
        with _interrupts_kept():
            from kebab_config import lighten_libraries

            lighten_libraries()
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the names of all commands, in the order of help."""
        names = [_name_of(module.name) for module in pkgutil.iter_modules([str(_FOLDER)])]
        return sorted(names, key=lambda n: (_ORDER.index(n) if n in _ORDER else len(_ORDER), n))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import one command."""
        if name not in self.list_commands(context):
            return None
        module_name = f"{name}_" if iskeyword(name) else name.replace("-", "_")
        module = import_module(f"kebab_cli.commands.{module_name}")
        command: click.Command = module.command
        return command


@click.command(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def cli(context: click.Context) -> None:
    """Search and ask your notes and documents on your own machine, in Korean and English.

    First steps:
      kebab demo                       index and search kebab's own guides
      kebab init --root ~/Notes        create a knowledge base for a folder
      kebab ingest                     index the folder
      kebab ask "무엇이든 / anything"  get an answer with citations
      kebab search "벡터 인덱스"       search documents
    """
    if context.invoked_subcommand is None:
        _print_overview(context)


def _print_overview(context: click.Context) -> None:
    """Open the screens; without a knowledge base, or somebody at the terminal, print its state and what to do next."""
    from kebab_cli.session import Session

    session = Session(context)
    with session.open_app() as app:
        if app.base.has_database and session.console.terminal and session.console.live and session.can_ask:
            from kebab_cli.commands.tui import open_screens

            open_screens(session, "", "kebab")
        from kebab_app import build_overview

        from kebab_cli.views.overview import render_overview

        render_overview(session.console, build_overview(app.base), app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    has_output = sys.stdout is not None
    if None in {sys.stdin, sys.stdout, sys.stderr}:
        fill_closed_streams()
    prepare_output(json=has_flag(arguments, "--json"))
    code = run(arguments) if has_output else _refuse_closed_output(arguments)
    drop_unwritten_output()
    sys.exit(code)


def _refuse_closed_output(arguments: Sequence[str]) -> int:
    """Refuse to run, since standard output is closed and nobody could read the result.

    Returns:
        The exit code of an error.
    """
    from kebab_core import Message, StorageError

    from kebab_cli.failure import report_failure

    error = StorageError(
        "standard output is closed", hint=Message("leave it open, or send it to a file or `/dev/null`")
    )
    return report_failure(error, arguments)


def run(arguments: Sequence[str]) -> int:
    """Run one command, in the language of the environment; what programs read is English.

    Args:
        arguments: Without the program's name.

    Returns:
        The exit code; results and errors have been printed.
    """
    from kebab_config import choose_language, read_environment

    with speak("en" if has_flag(arguments, "--json") else choose_language(read_environment())):
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        require_text(arguments)
        code = cli.main(args=list(arguments), prog_name="kebab", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        print_interrupted(arguments, tr("interrupted"))
        return INTERRUPTED
    except _ReaderGoneError:
        return SUCCESS
    except Exception as error:  # noqa: BLE001 - the shell's top level: every error becomes a message and a code
        from kebab_cli.failure import report_failure

        return report_failure(error, arguments)
    return code if isinstance(code, int) else SUCCESS
