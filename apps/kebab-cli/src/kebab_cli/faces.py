"""Other faces of the knowledge base, which take the place of this process."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_cli.session import Session


def run_face(session: Session, module: str, *flags: str) -> None:
    """Let another face take the place of this process.

    Args:
        session: Gives the global flags.
        module: What is run, as by `python -m`. Nothing is imported from the current folder, which may be a stranger's project.
        flags: Further ones of the face.
    """
    config = session.options.config
    given = [
        *(["--config", str(config.absolute())] if config else []),
        *(["--readonly"] if session.readonly else []),
        *(["--debug"] if session.options.debug else []),
        *flags,
    ]
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *given])  # noqa: S606 - this very Python


def require_config(session: Session) -> None:
    """Refuse a configuration file that is named and not there.

    Raises:
        ConfigNotFoundError: There is no such file.
    """
    from kebab_core import ConfigNotFoundError

    config = session.options.config
    if config is not None and not config.is_file():
        raise ConfigNotFoundError(
            "there is no configuration file {config!r}",
            hint=f"kebab init --config {config}",
            _config=str(config),
        )
