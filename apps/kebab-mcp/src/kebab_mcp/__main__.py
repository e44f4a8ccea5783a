"""`python -m kebab_mcp` serves the knowledge base that its flags point to."""

from __future__ import annotations

import os
import signal
import sys

_ERROR = 2
"""Exit code of every command of kebab that failed."""
_INTERRUPTED = 128 + signal.SIGINT


def _main() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(
            signal.SIGINT, lambda *_: os._exit(_INTERRUPTED)
        )  # nothing has begun; `serve` sets its own
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # `kebab mcp` has held it back until here

    from kebab_config import lighten_libraries
    from kebab_core import KebabError

    from kebab_mcp.process import serve
    from kebab_mcp.shared_app import parse_options

    lighten_libraries()
    try:
        serve(parse_options(sys.argv[1:]))
    except KebabError as error:
        lines = [f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else [])]
        print("\n".join(lines), file=sys.stderr)  # noqa: T201 - the shell of the process
        sys.exit(_ERROR)


_main()
