"""The formats that are read."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from kebab_app import merge_formats
from kebab_core import CITED_PLACES

from kebab_cli.language import localize, tr
from kebab_cli.render import count_of

if TYPE_CHECKING:
    from kebab_core import FileFormat

    from kebab_cli.render import Console

_INDENT = 4
_LEAST_WIDTH = 40


def render_formats(console: Console, formats: list[FileFormat]) -> None:
    """Print each kind of file with its extensions, what citations name, and what it needs."""
    for one in merge_formats(formats):
        title = console.style(localize(one.title), fg="cyan")
        facts = [one.media.kind, tr("cited by {places}", places=localize(CITED_PLACES[one.cites]))]
        if one.needs:
            facts.append(tr("needs {distribution}", distribution=one.needs))
        console.line(f"{title}  {console.style(' · '.join(facts), dim=True)}")
        extensions = " ".join(f".{each}" for each in one.extensions)
        for line in wrap(extensions, max(console.width - _INDENT, _LEAST_WIDTH), break_on_hyphens=False):
            console.line(f"{' ' * _INDENT}{line}")
    console.remark(count_of(len(formats), "format"))
