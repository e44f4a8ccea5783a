"""The page about commands: the output of `--help` of every command."""

from __future__ import annotations

from collections.abc import Iterator

import click
from kebab_cli.main import cli

from tools.docs.markdown import join_parts

_WIDTH = 100
_INTRODUCTION = """
# Commands

What `kebab <command> --help` prints.
"""


def render() -> str:
    """Return the page."""
    return join_parts([_INTRODUCTION, *_sections(cli, path="kebab", parent=None)])


def _sections(command: click.Command, *, path: str, parent: click.Context | None) -> Iterator[str]:
    name = path.rpartition(" ")[2]
    width = {"terminal_width": _WIDTH, "max_content_width": _WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **{**command.context_settings, **width})
    yield f"## {path}"
    yield f"```text\n{command.get_help(context).rstrip()}\n```"
    if isinstance(command, click.Group):
        for child_name in command.list_commands(context):
            child = command.get_command(context, child_name)
            if child is not None and not child.hidden:
                yield from _sections(child, path=f"{path} {child_name}", parent=context)
