"""The knowledge base of the process, shared by all calls, and the options that say which it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_config import FaceFlags, build_flag_parser

from kebab_mcp.call import count_chunk

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_config import LoadedSettings


@dataclass(frozen=True, kw_only=True)
class Options(FaceFlags):
    """One knowledge base, and how it is served; tools that write are not offered where it is read-only."""

    http_port: int | None = None
    """Port to serve instead of standard input and output; 0 takes a free one."""
    start_line: str = "serving {url} with the token in {path}; Ctrl-C ends it"
    """Line that is printed when a port is served, in the language of whoever starts the server."""


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the flags of a command line; an unknown one ends the process with 2.

    Args:
        arguments: Without the program's name.
    """
    parser = build_flag_parser("kebab_mcp", "Serve a knowledge base to agents over stdin and stdout (MCP).")
    add = parser.add_argument
    add(
        "--http",
        type=int,
        dest="http_port",
        metavar="PORT",
        help="serve a port of this machine instead; 0 takes a free one",
    )
    add(
        "--start-line",
        default=Options.start_line,
        metavar="TEXT",
        help="with --http: what is printed at the start",
    )
    return Options(**vars(parser.parse_args(arguments)))


class SharedApp:
    """The knowledge base, opened once for each configuration; every call reads that, in a third of a millisecond.

    Errors in the configuration are reported by every call until they are corrected.

    Args:
        options: Which knowledge base, and whether it may be written.
    """

    def __init__(self, options: Options) -> None:
        from kebab_config import read_environment

        self._options = options
        self._environ = read_environment()
        self._opening = threading.Lock()
        self._apps: list[App] = []
        """The one in force last; calls may still use those of older configurations."""

    @property
    def readonly(self) -> bool:
        """True if writing is switched off, by flag or environment."""
        from kebab_config import is_readonly

        return self._options.readonly or is_readonly(self._environ)

    def open(self) -> App:
        """Open the knowledge base, or return the open one.

        Raises:
            ConfigNotFoundError: The configuration file that is named does not exist.
            ConfigInvalidError: The configuration does not validate.
        """
        with self._opening:
            loaded = self.load()
            if not self._apps or self._apps[-1].loaded != loaded:
                self._apps.append(self._build(loaded))
            return self._apps[-1]

    def load(self) -> LoadedSettings:
        """Read the configuration.

        Raises:
            ConfigNotFoundError: The configuration file that is named does not exist.
            ConfigInvalidError: The configuration does not validate.
        """
        from kebab_config import load_settings

        return load_settings(config_path=self._options.config, environ=self._environ, overrides={})

    def close(self) -> None:
        """Close all knowledge bases."""
        with self._opening:
            for app in self._apps:
                app.close()

    def _build(self, loaded: LoadedSettings) -> App:
        from kebab_app import App, configure_logging

        if not self.readonly:
            configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=self._options.debug)
        return App(
            loaded,
            readonly=self.readonly,
            chunk_cost=count_chunk,
            files=False,
        )
