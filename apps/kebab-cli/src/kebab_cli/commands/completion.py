"""`kebab completion`."""

from __future__ import annotations

from typing import Literal

import click
from click.shell_completion import get_completion_class

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, OneOf
from kebab_cli.session import Session, pass_session

_PICK = {
    "bash": """
_kebab_pick() {
    local picked
    picked=$(kebab pick) || return
    printf -v picked '%q' "$picked"
    READLINE_LINE="${READLINE_LINE:0:READLINE_POINT}$picked${READLINE_LINE:READLINE_POINT}"
    READLINE_POINT=$((READLINE_POINT + ${#picked}))
}
if [[ $- == *i* ]]; then bind -x '"\\ek": _kebab_pick'; fi
""",
    "zsh": """
_kebab_pick() {
    local picked
    picked=$(kebab pick </dev/tty) && LBUFFER+=${(q)picked}
    zle reset-prompt
}
if [[ -o interactive && -o zle ]]; then zle -N _kebab_pick; bindkey '\\ek' _kebab_pick; fi
""",
    "fish": """
function _kebab_pick
    set -l picked (kebab pick </dev/tty); and commandline -i -- (string escape -- $picked)
    commandline -f repaint
end
if status is-interactive; bind \\ek _kebab_pick; end
""",
}
"""A key that puts what is picked into the command line, at the cursor and quoted."""


@click.command(cls=KebabCommand)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@pass_session
def command(session: Session, shell: Literal["bash", "zsh", "fish"]) -> None:
    """Print a shell completion script.

    In a shell that reads it at its start, Alt-K also opens `kebab pick` and puts the chosen address into the command
    line, at the cursor.

    Examples:
      eval "$(kebab completion bash)"
      eval "$(kebab completion zsh)"
      kebab completion fish > ~/.config/fish/conf.d/kebab.fish
    """
    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(tr("no completion for {shell}", shell=shell))
    script = completion(session.context.find_root().command, {}, "kebab", "_KEBAB_COMPLETE").source()
    script += _PICK[shell]
    if session.console.json:
        from kebab_wire import CompletionV1

        session.console.wire(CompletionV1(shell=shell, script=script))
    else:
        session.console.line(script)
