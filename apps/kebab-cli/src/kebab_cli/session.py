"""The session of one command: console, flags, environment, the open knowledge base, and the question before deletions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import click

from kebab_cli.exit_codes import INTERRUPTED
from kebab_cli.language import localize, tr
from kebab_cli.options import GlobalOptions, read_global_options
from kebab_cli.render import Console

if TYPE_CHECKING:
    from kebab_app import App, SoughtWords
    from kebab_config import LoadedSettings
    from kebab_core import IndexedChunk

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Session:
    """One command's console, flags and environment."""

    def __init__(self, context: click.Context) -> None:
        from kebab_config import is_readonly, read_environment

        self.context = context
        self.options: GlobalOptions = read_global_options(context)
        self.environ: Mapping[str, str] = read_environment()
        self.readonly = self.options.readonly or is_readonly(self.environ)
        """Writing is switched off, by flag or environment."""
        self.console = Console.detect(
            json=self.options.json,
            quiet=self.options.quiet,
            environ=self.environ,
            paged=not self.options.no_pager,
        )

    def require_writable(self) -> None:
        """Refuse to go on in read-only mode.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        from kebab_core import ReadonlyModeError, Remedy

        if self.readonly:
            raise ReadonlyModeError("writing is switched off", remedy=Remedy(kind="allow_writing"))

    def load(self, overrides: Mapping[str, object] | None = None) -> LoadedSettings:
        """Load the configuration in force and start the log.

        Raises:
            ConfigNotFoundError: `--config` names a file that does not exist.
            ConfigInvalidError: The configuration does not validate.
        """
        from kebab_app import configure_logging
        from kebab_config import load_settings

        loaded = load_settings(
            config_path=self.options.config, environ=self.environ, overrides=overrides or {}
        )
        if not self.readonly:
            configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=self.options.debug)
        for warning in loaded.warnings:
            self.console.remark(f"{tr('warning:')} {localize(warning)}")
        return loaded

    @contextmanager
    def open_app(self, overrides: Mapping[str, object] | None = None) -> Iterator[App]:
        """Open the knowledge base that the command line points to.

        Args:
            overrides: Settings that flags stand for.

        Yields:
            The knowledge base; closed afterwards.
        """
        from kebab_app import App

        loaded = self.load(overrides)
        with App(loaded, readonly=self.readonly, chunk_cost=_count_chunk) as app:
            yield app

    @property
    def can_ask(self) -> bool:
        """True if a person at a terminal can answer a question."""
        return sys.stdin is not None and sys.stdin.isatty() and not self.console.json

    def confirm(self, question: str) -> bool:
        """Ask the person at the terminal; an end of input or Ctrl-C is a no."""
        try:
            return click.confirm(question, err=True)
        except click.Abort:
            self.console.remark("")  # the question's line is still open
            return False

    def confirm_deletion(self, *, yes: bool, show: Callable[[], None]) -> None:
        """Ask before something is deleted; exit with 130 where the answer is no.

        Args:
            yes: Do not ask.
            show: Prints what would be deleted, before the question.

        Raises:
            InvalidInputError: Nobody is there to answer.
        """
        from kebab_core import InvalidInputError, Message

        if yes:
            return
        if not self.can_ask:
            raise InvalidInputError(
                "{name} asks before it deletes, which needs a terminal",
                hint=Message("add --yes"),
                _name=self.context.command_path,
            )
        show()
        if not self.confirm(tr("Delete this?")):
            self.console.remark(tr("nothing was deleted"))
            self.context.exit(INTERRUPTED)


def expand_hit(app: App, address: str) -> str:
    """Return the address of a hit of the last result in this terminal for `@3`, of other lines of its document for `@3#L5`.

    Any other address is returned as it is.

    Raises:
        InvalidInputError: There is no such hit.
    """
    from kebab_core import InvalidInputError, Message

    from kebab_cli.last_hits import recall_hit

    _, mark, fragment = address.partition("#")
    rank = _rank_of(address)
    if rank is None:
        return address
    found = recall_hit(app, rank)
    if found is None:
        raise InvalidInputError(
            "the last result in this terminal has no hit {address}",
            hint=Message("search or ask first; without a terminal, give the address of the hit"),
            address=address,
        )
    return f"{app.find_address(found).document.to_address()}#{fragment}" if mark else found


def find_sought(app: App, address: str, words: str | None) -> SoughtWords:
    """Return the words to mark at an address: those that are given, else of `@3` what was searched for, or is quoted there."""
    from kebab_app import SoughtWords

    from kebab_cli.last_hits import recall_words

    if words is not None:
        return SoughtWords(query=words, quotes=((words,),))
    rank = _rank_of(address)
    return SoughtWords() if rank is None else recall_words(app, rank)


def _rank_of(address: str) -> int | None:
    """Return the rank of `@3` and `@3#L5`; None for any other address."""
    from kebab_core import parse_address

    hit = address.partition("#")[0]
    return parse_address(hit).hit if hit.strip() else None


def pass_session(function: Callable[Concatenate[Session, _P], _T]) -> Callable[_P, _T]:
    """Decorate a command so that its first argument is its session."""

    @wraps(function)
    def run(*args: _P.args, **values: _P.kwargs) -> _T:
        return function(Session(click.get_current_context()), *args, **values)

    return run


def _count_chunk(chunk: IndexedChunk) -> int:
    from kebab_wire import fetched_chunk_cost

    return fetched_chunk_cost(chunk)
