"""The `kebab` command."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kebab_cli.language import help_texts as help_texts
    from kebab_cli.remedies import COMMANDS as COMMANDS, render_remedy as render_remedy


def __getattr__(name: str) -> object:
    # not at once, as in other packages: this is the first that a command imports, and Ctrl-C is not handled before
    from kebab_core import lazy_exports

    return lazy_exports(__name__)[0](name)
