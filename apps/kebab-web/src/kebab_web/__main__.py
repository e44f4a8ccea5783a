"""`python -m kebab_web` serves the page of the knowledge base that its flags point to."""

from __future__ import annotations

import gc
import signal
import sys

_NEW_OBJECTS = 100_000
"""Allocations before a garbage collection: what searches load lasts, and a whole collection takes a tenth of a second."""
_INTERRUPTED = 128 + signal.SIGINT
_ERROR = 2
"""Exit code of every command of kebab that failed."""


def _main() -> None:
    from kebab_config import choose_language, lighten_libraries, read_environment
    from kebab_core import KebabError
    from kebab_words import Words

    from kebab_web.options import parse_options
    from kebab_web.process import serve

    lighten_libraries()
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    words = Words(choose_language(read_environment()))
    try:
        serve(parse_options(sys.argv[1:]), words)
    except KebabError as error:
        from kebab_web.phrases import render_remedy

        lines = [f"{words.tr('error:')} {words.localize(error.message)}"]
        if hint := render_remedy(error, words):
            lines.append(f"{words.tr('hint:')} {hint}")
        print("\n".join(lines), file=sys.stderr)  # noqa: T201 - the shell of the process
        sys.exit(_ERROR)


try:
    _main()
except KeyboardInterrupt:  # Ctrl-C ends it, at any moment
    sys.exit(_INTERRUPTED)
