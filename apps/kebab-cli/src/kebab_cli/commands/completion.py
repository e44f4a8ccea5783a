"""`kebab completion`."""

from __future__ import annotations

from typing import Literal

import click
from click.shell_completion import get_completion_class

from kebab_cli.options import KebabCommand, read_global_options
from kebab_cli.render import Console


@click.command(cls=KebabCommand)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a shell completion script.

    Examples:
      kebab completion bash > ~/.local/share/bash-completion/completions/kebab
      eval "$(kebab completion zsh)"
      kebab completion fish > ~/.config/fish/completions/kebab.fish
    """
    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    script = completion(context.find_root().command, {}, "kebab", "_KEBAB_COMPLETE").source()
    console = Console(json=read_global_options(context).json)
    if console.json:
        from kebab_wire import CompletionV1

        console.wire(CompletionV1(shell=shell, script=script))
    else:
        console.line(script)
