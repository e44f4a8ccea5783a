"""`python -m tests.integration.impatient_server`: the server for agents, except that it waits for no other writer."""

from __future__ import annotations

from importlib import import_module
from runpy import run_module

defaults = import_module("kebab_mcp.call").watch_ingest.__kwdefaults__
assert "wait_s" in defaults
defaults["wait_s"] = 0.0
run_module("kebab_mcp", run_name="__main__")
