"""The tools there are. Each is imported when it is first needed, and its module imports no part of kebab until it runs."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from kebab_mcp.tool import AnyTool

READERS = ("search", "bulk_search", "ask", "fetch", "schema", "doctor")
"""As they are listed: what is used most comes first."""
WRITERS = ("ingest_file", "ingest_stdin")
"""Offered where writing is allowed."""


def load_tool(name: str) -> AnyTool:
    """Return the tool of that name.

    Args:
        name: One of `READERS` or `WRITERS`.
    """
    tool: AnyTool = import_module(f"kebab_mcp.tools.{name}").TOOL
    return tool


def offered_tools(*, readonly: bool) -> Iterable[AnyTool]:
    """Return the tools on offer."""
    return (load_tool(name) for name in (READERS if readonly else READERS + WRITERS))
