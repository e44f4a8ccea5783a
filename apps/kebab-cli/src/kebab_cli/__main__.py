"""`python -m kebab_cli` is `kebab`."""

from __future__ import annotations

from kebab_cli.start import start

start()
