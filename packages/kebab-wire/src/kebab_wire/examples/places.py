"""The machine and the moment that the examples come from."""

from __future__ import annotations

from datetime import UTC, datetime

HOME = "/home/kim"
ROOT = f"{HOME}/KnowledgeBase"
DATA = f"{HOME}/.local/share/kebab"
CONFIG = f"{HOME}/.config/kebab/config.toml"
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EARLIER = datetime(2026, 2, 11, 1, 5, tzinfo=UTC)
