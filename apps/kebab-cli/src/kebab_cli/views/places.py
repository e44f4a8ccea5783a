"""Places in documents, as people read and click them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from kebab_core import Citation, CodeCitation, LineCitation, PageCitation, SearchHit

from kebab_cli.render import Console, safe_name

if TYPE_CHECKING:
    from kebab_config import LoadedSettings


def format_place(citation: Citation) -> str:
    """Return a citation for reading: the path as it is, then the fragment."""
    source = "" if citation.source_id == "default" else f"{citation.source_id}:"
    return f"{source}{safe_name(citation.path)}#{citation.to_uri().partition('#')[2]}"


def link_place(console: Console, hit: SearchHit, loaded: LoadedSettings) -> str:
    """Return a hit's place, clickable on a terminal through `search.link_template`."""
    place = console.style(format_place(hit.citation), fg="cyan")
    roots = {source.settings.id: source.root for source in loaded.paths.sources}
    root = roots.get(hit.source_id)
    if root is None:
        return place
    target = loaded.settings.search.link_template.format(
        path=quote(str(root / hit.doc_path)), line=_first_line(hit.citation)
    )
    return console.link(place, target)


def _first_line(citation: Citation) -> int:
    match citation:
        case LineCitation():
            return citation.start
        case CodeCitation():
            return citation.line_start
        case PageCitation():
            return citation.page
    return 1
