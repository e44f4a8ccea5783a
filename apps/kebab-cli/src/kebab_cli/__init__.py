"""The `kebab` command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_cli.language import (
        DOMAIN as DOMAIN,
        LOCALE_DIR as LOCALE_DIR,
        help_texts as help_texts,
    )
    from kebab_cli.remedies import COMMANDS as COMMANDS, render_remedy as render_remedy

__getattr__, __dir__ = lazy_exports(__name__)
