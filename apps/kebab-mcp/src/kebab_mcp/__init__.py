"""A knowledge base as tools for agents: the Model Context Protocol over standard input and output.

Does not decide what is found or answered, and speaks no other transport. `python -m kebab_mcp` serves until its
input ends; from Python, `serve(Options())` does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_mcp.process import serve as serve
    from kebab_mcp.shared_app import Options as Options

__getattr__, __dir__ = lazy_exports(__name__)
