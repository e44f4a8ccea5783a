"""The tools, one to a module, each under the name `TOOL`."""
