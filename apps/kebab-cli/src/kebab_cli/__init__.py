"""The `kebab` command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_cli.remedies import render_remedy as render_remedy

__getattr__, __dir__ = lazy_exports(__name__)
