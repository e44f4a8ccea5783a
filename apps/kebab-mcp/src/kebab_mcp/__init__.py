"""A knowledge base as tools for agents: the Model Context Protocol over standard input and output.

Does not decide what is found or answered, and speaks no other transport. `python -m kebab_mcp` serves until its
input ends; from Python, `serve(Options())` does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_mcp.options import Options
    from kebab_mcp.server import serve

_MODULE_OF = {"Options": "options", "serve": "server"}

__all__ = ["Options", "serve"]

__getattr__ = lazy_loader(__name__, _MODULE_OF)


def __dir__() -> list[str]:
    return sorted(__all__)
