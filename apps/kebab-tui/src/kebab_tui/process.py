"""The process of the screens: a terminal, one knowledge base, and the address that is chosen.

Each screen is loaded when it is first shown.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kebab_core import InvalidInputError, KebabError, Message

from kebab_tui.app import KebabApp
from kebab_tui.screens.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kebab_app import App
    from kebab_words import Words
    from textual.screen import Screen

    from kebab_tui.options import Options

_LOG = logging.getLogger("kebab.tui")
_NOTHING, _ERROR = 1, 2
"""Exit codes of every command of kebab that found nothing, or failed."""


def run(options: Options, words: Words) -> int:
    """Show the screens until they end, and print the address that was picked.

    Args:
        options: Which knowledge base, and what its screens are for.
        words: The language of the terminal.

    Returns:
        The exit code.

    Raises:
        InvalidInputError: There is no terminal.
        KebabError: The path of the picked address cannot be told.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        raise InvalidInputError(
            "the screens need a terminal",
            hint=Message("`kebab search` and `kebab search --oneline` print what they find"),
        )
    logging.getLogger("kebab").addHandler(logging.NullHandler())  # nothing is printed over the screen
    program = KebabApp(options, words, lambda: _open(options), list_faces(options.query))
    picked = program.run()
    try:
        if program.crash is not None:
            with suppress(KebabError):
                program.wait_for_base()  # opens the log, too
            _LOG.error("the screens ended", exc_info=program.crash)
            _complain(words.tr("something unexpected went wrong; the log names it"), words)
            return _ERROR
        if picked is not None:
            print(_find_path(program.wait_for_base(), picked) if options.prints_path else picked)  # noqa: T201 - the result of the process
            sys.stdout.flush()
        elif options.picks and not program.return_code:
            return _NOTHING
        return program.return_code or 0
    finally:
        program.close_base()


def report(error: KebabError, words: Words) -> None:
    """Print an error, and what to do about it."""
    from kebab_tui.remedies import render_remedy

    _complain(words.localize(error.message), words, render_remedy(error, words))


def _complain(text: str, words: Words, hint: str = "") -> None:
    lines = [f"{words.tr('error:')} {text}", *([f"{words.tr('hint:')} {hint}"] if hint else [])]
    print("\n".join(lines), file=sys.stderr)  # noqa: T201 - the shell of the process


def _open(options: Options) -> App:
    from kebab_app import App, configure_logging
    from kebab_config import is_readonly, load_settings, read_environment

    environ = read_environment()
    loaded = load_settings(config_path=options.config, environ=environ, overrides={})
    readonly = options.readonly or is_readonly(environ)
    if not readonly:
        configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=options.debug)
    return App(loaded, readonly=readonly)


def _find_path(app: App, address: str) -> str:
    from kebab_app import require_file

    return str(require_file(app.base, app.find_address(address, files=False)))


def list_faces(query: str) -> Mapping[str, Callable[[], Screen[Any]]]:
    """Return the function that makes each screen, by name.

    Args:
        query: Stands in the box of the first one.
    """
    return {
        "search": lambda: Search(query),
        "ask": _ask,
        "library": _library,
        "inspect": _inspect,
        "work": _work,
    }


def _ask() -> Screen[Any]:
    from kebab_tui.screens.ask import Ask

    return Ask()


def _library() -> Screen[Any]:
    from kebab_tui.screens.library import Library

    return Library()


def _inspect() -> Screen[Any]:
    from kebab_tui.screens.inspect import Inspect

    return Inspect()


def _work() -> Screen[Any]:
    from kebab_tui.screens.work import Work

    return Work()
