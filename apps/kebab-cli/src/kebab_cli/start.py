"""Entry point of the process: imports next to nothing, so that Ctrl-C is handled before the rest is loaded."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself imports a dozen modules first
import gc
import os
import sys

from kebab_cli.exit_codes import INTERRUPTED, print_interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_NEW_OBJECTS = 100_000
"""Allocations before a garbage collection; a search loads twice as many objects, which all last."""
_LOADERS = {"importlib", "pydantic"}
"""Packages whose callees must not raise `KeyboardInterrupt`: compiled modules turn it into other errors, or drop it."""
_CALLED_BY_SQLITE = {f"kebab_store_sqlite.{name}" for name in ("connection", "schema", "document_parts")}
"""Modules whose functions SQLite calls: an exception in them ends the statement, with an error of SQLite in its place."""


def _leave_at_once(_signal_number: int, _frame: FrameType | None) -> None:
    """Handle an interrupt while nothing has begun that would have to be cleaned up."""
    print_interrupted(sys.argv[1:])
    os._exit(INTERRUPTED)


def _interrupt(_signal_number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`.

    While a module is loaded it is raised at the next line of the code that asked for it; in a function that SQLite calls, here and where its
    error arrives at the code that asked SQLite.

    Raises:
        KeyboardInterrupt: No module is being loaded.
    """
    outer, asking, is_loading = frame, None, False
    while outer is not None:
        module = str(outer.f_globals.get("__name__"))
        is_loader = module.partition(".")[0] in _LOADERS
        if is_loader or module in _CALLED_BY_SQLITE:
            asking = outer.f_back
        is_loading |= is_loader
        outer = outer.f_back
    if asking is not None:
        asking.f_trace = _raise_here
        sys.settrace(lambda *_: None)
    if not is_loading:
        raise KeyboardInterrupt


def _raise_here(_frame: FrameType, _event: str, _argument: object) -> None:
    sys.settrace(None)
    raise KeyboardInterrupt


def _handle_interrupts(handler: object) -> None:
    """Set the handler of SIGINT, unless the process was started with that signal ignored."""
    if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, handler)


_handle_interrupts(_leave_at_once)


def start() -> None:
    """Load and run the command line; an interrupt, however early, ends the process without a traceback."""
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    try:
        from kebab_cli.main import main

        _handle_interrupts(_interrupt)
        main()
    except KeyboardInterrupt:
        print_interrupted(sys.argv[1:])
        sys.exit(INTERRUPTED)
    finally:
        _handle_interrupts(lambda *_: os._exit(INTERRUPTED))
        gc.freeze()  # spares the collection at exit, which would look at every object for nothing
