"""Places in documents, as people read and click them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from kebab_core import Citation, CodeCitation, LineCitation, PageCitation, SearchHit

from kebab_cli.render import Console, safe_name


def format_place(citation: Citation) -> str:
    """Return a citation for reading: the path as it is, then the fragment."""
    source = "" if citation.source_id == "default" else f"{citation.source_id}:"
    return f"{source}{safe_name(citation.path)}#{citation.to_uri().partition('#')[2]}"


def link_place(console: Console, hit: SearchHit, *, file: Path | None, template: str) -> str:
    """Return a hit's place, clickable on a terminal.

    Args:
        console: Where it is shown.
        hit: What is shown.
        file: Where its file lies, spelled as on disk; None makes no link.
        template: `search.link_template`.
    """
    place = console.style(format_place(hit.citation), fg="cyan")
    if file is None:
        return place
    return console.link(place, template.format(path=quote(bytes(file)), line=_first_line(hit.citation)))


def _first_line(citation: Citation) -> int:
    match citation:
        case LineCitation():
            return citation.start
        case CodeCitation():
            return citation.line_start
        case PageCitation():
            return citation.page
    return 1
