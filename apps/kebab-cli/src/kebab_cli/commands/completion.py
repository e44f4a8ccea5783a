"""`kebab completion`."""

from __future__ import annotations

from typing import Literal

import click
from click.shell_completion import get_completion_class

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, OneOf
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@pass_session
def command(session: Session, shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a shell completion script.

    Examples:
      kebab completion bash > ~/.local/share/bash-completion/completions/kebab
      eval "$(kebab completion zsh)"
      kebab completion fish > ~/.config/fish/completions/kebab.fish
    """
    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(tr("no completion for {shell}", shell=shell))
    script = completion(session.context.find_root().command, {}, "kebab", "_KEBAB_COMPLETE").source()
    if session.console.json:
        from kebab_wire import CompletionV1

        session.console.wire(CompletionV1(shell=shell, script=script))
    else:
        session.console.line(script)
