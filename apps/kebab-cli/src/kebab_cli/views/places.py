"""Places in documents, as people read and click them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from kebab_core import Citation, CodeCitation, LineCitation, PageCitation

from kebab_cli.render import Console, safe_name

if TYPE_CHECKING:
    from kebab_app import App


def format_place(citation: Citation) -> str:
    """Return a citation for reading: the path as it is, then the fragment."""
    source = "" if citation.source_id == "default" else f"{citation.source_id}:"
    return f"{source}{safe_name(citation.path)}#{citation.to_uri().partition('#')[2]}"


def link_place(console: Console, citation: Citation, app: App) -> str:
    """Return a citation for reading, clickable on a terminal.

    Args:
        console: Where it is shown.
        citation: What is shown.
        app: Knows where files lie, and what a click opens (`search.link_template`).
    """
    place = console.style(format_place(citation), fg="cyan")
    file = app.find_file(citation.source_id, citation.path) if console.color else None
    if file is None:
        return place
    template = app.loaded.settings.search.link_template
    return console.link(place, template.format(path=quote(bytes(file)), line=_first_line(citation)))


def _first_line(citation: Citation) -> int:
    match citation:
        case LineCitation():
            return citation.start
        case CodeCitation():
            return citation.line_start
        case PageCitation():
            return citation.page
    return 1
