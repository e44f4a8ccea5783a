"""The one knowledge base of the process: opened by the first who needs it, kept while its configuration is the same."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kebab_mcp.call import count_wanted_hit
from kebab_mcp.options import Options

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_config import LoadedSettings

_TRUE = frozenset({"1", "true", "yes", "on"})


class WarmApp:
    """Opens the knowledge base once for a configuration, which every call reads in a third of a millisecond.

    What is wrong with the configuration is said by every call until it is mended.

    Args:
        options: Which knowledge base, and whether it may be written.
    """

    def __init__(self, options: Options) -> None:
        from kebab_config import read_environment

        self._options = options
        self._environ = read_environment()
        self._opening = threading.Lock()
        self._app: App | None = None
        self._replaced: list[App] = []
        """Of older configurations; calls may be at work in them."""

    @property
    def readonly(self) -> bool:
        """Whether writing is switched off, by flag or environment."""
        return self._options.readonly or self._environ.get("KEBAB_READONLY", "").lower() in _TRUE

    def open(self) -> App:
        """Return the knowledge base.

        Raises:
            ConfigNotFoundError: The configuration file that is named does not exist.
            ConfigInvalidError: The configuration does not validate.
        """
        from kebab_config import load_settings

        with self._opening:
            loaded = load_settings(config_path=self._options.config, environ=self._environ, overrides={})
            if self._app is None or self._app.loaded != loaded:
                self._replaced += [self._app] if self._app else []
                self._app = self._build(loaded)
            return self._app

    def close(self) -> None:
        """Close what is open."""
        with self._opening:
            for app in (*self._replaced, *([self._app] if self._app else [])):
                app.close()

    def _build(self, loaded: LoadedSettings) -> App:
        from kebab_app import App, configure_logging

        if not self.readonly:
            configure_logging(loaded, debug=self._options.debug)
        return App(loaded, readonly=self.readonly, hit_cost=count_wanted_hit)
