"""`python -m kebab_tui` shows the knowledge base that its flags point to."""

from __future__ import annotations

import gc
import os
import pathlib
import signal
import sys

_INTERRUPTED = 128 + signal.SIGINT
_ERROR = 2
"""Exit code of every command of kebab that failed."""
_NEW_OBJECTS = 100_000
"""Allocations before a garbage collection: most of what is loaded lasts."""


def _main() -> int:
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    from kebab_config import choose_language, lighten_libraries, read_environment
    from kebab_core import KebabError
    from kebab_words import Words

    from kebab_tui.options import parse_options
    from kebab_tui.process import report, run

    lighten_libraries()
    words = Words(choose_language(read_environment()))

    try:
        return run(parse_options(sys.argv[1:]), words)
    except KebabError as error:
        report(error, words)
        return _ERROR


try:
    _code = _main()
except KeyboardInterrupt:  # before there is a screen
    _code = _INTERRUPTED
except BrokenPipeError:  # nobody reads the address
    sys.stdout = pathlib.Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    _code = 0
sys.exit(_code)
