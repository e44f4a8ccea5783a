"""A throw-away knowledge base over kebab's own guides, to see kebab at work before setting anything up."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app.app import App


@contextmanager
def open_demo() -> Iterator[App]:
    """Open an empty knowledge base whose only source is the guides; everything it writes is deleted after.

    The user's configuration, environment and data take no part. Search is by words, and by meaning as well where the
    model that comes with kebab has its weights.

    Yields:
        The knowledge base, nothing ingested yet.
    """
    from kebab_config import load_settings
    from kebab_model_e5_small import files as model_files

    from kebab_app.app import App

    with tempfile.TemporaryDirectory(prefix="kebab-demo-") as folder, as_file(_guides()) as guides:
        home = Path(folder)
        environ = {
            "HOME": folder,
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home / "cache"),
        }
        overrides = {
            "workspace.root": str(guides),
            "storage.data_dir": str(home / "data"),
            "models.embedding.provider": "bundled" if model_files() else "none",
        }
        loaded = load_settings(config_path=None, environ=environ, overrides=overrides)
        with App(loaded) as app:
            yield app


def _guides() -> Path:
    return Path(str(files("kebab_app") / "guide"))
