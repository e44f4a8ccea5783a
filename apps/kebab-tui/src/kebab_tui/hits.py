"""Items of hits. Importing it loads the models of the domain, so the first frame does without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import say_origin
from kebab_words import Phrases, describe_no_hit
from rich.text import Text

from kebab_tui.items import Place, heading, remark
from kebab_tui.texts import CUT, QUIET, STRONG, fit, join, ranges, show, squeeze
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_core import SearchHit, SearchResponse
    from kebab_words import Words

_STRONG, _FAIR = 0.5, 0.1
"""Least scores of a long and of a middle bar."""
_ELLIPSIS = "…"
_BEFORE_MATCH = 0.6
"""Share of a line that may stand before its first match; more is cut off."""


def list_hits(response: SearchResponse, words: Words) -> Iterator[Item]:
    """Yield the items of a search: hits, best first, or the nearest passages without any; headings and remarks between them."""
    w = words.localize
    for each in response.unknown_words:
        yield remark(w(Phrases.near_words(each.text, ", ".join(each.nearest))))
    if not response.hits and response.no_hit_reason is not None:
        yield remark(w(describe_no_hit(response)))
    if response.nearest:
        yield heading(w(Phrases.NEAREST))
    was_likely = False
    for hit in response.hits or response.nearest:
        if hit.less_likely and was_likely:
            yield heading(w(Phrases.LESS_LIKELY))
        was_likely = not hit.less_likely
        yield _show_hit(hit, words)


def _show_hit(hit: SearchHit, words: Words) -> Item:
    def draw(width: int) -> list[Text]:
        headings = hit.heading_path[1:] if hit.heading_path[:1] == (hit.title,) else hit.heading_path
        title = join(show(hit.title, STRONG), *(show(f" › {each}") for each in headings))
        bar = Text("█" * (3 if hit.score >= _STRONG else 2 if hit.score >= _FAIR else 1), QUIET)
        said = _describe(hit, words)
        path = squeeze(show(hit.citation.to_place(), QUIET), max(width - said.cell_len, 2 * width // 3))
        return [
            fit(title, width, right=bar),
            _around_match(_one_line(hit), width),
            fit(join(path, said), width),
        ]

    places = (hit.citation, *(each.citation for each in hit.more))
    return Item(draw, str(hit.doc_id), Place(tuple(each.to_passage_address() for each in places)), 3)


def _describe(hit: SearchHit, words: Words) -> Text:
    """Return the remarks behind the place of a hit: its origin, staleness and further places."""
    said = [
        say_origin(hit.citation),
        Phrases.STALE if hit.stale else None,
        Phrases.more_places(hit.more_count) if hit.more_count else None,
    ]
    return show("".join(f"  {words.localize(each)}" for each in said if each), QUIET)


def _one_line(hit: SearchHit) -> Text:
    """Return the line of the snippet with the first match."""
    at = hit.matched[0].start if hit.matched else 0
    start = hit.snippet.rfind("\n", 0, at) + 1
    end = hit.snippet.find("\n", at)
    marked = show(hit.snippet, marks=ranges(hit.matched))
    line = marked[start : len(hit.snippet) if end < 0 else end]
    skipped = len(line.plain) - len(line.plain.lstrip())
    return _with_own_cuts(line[skipped:])


def _with_own_cuts(line: Text) -> Text:
    """Write an ellipsis at either end, which some terminals draw two columns wide, as what is cut here."""
    if line.plain.startswith(_ELLIPSIS):
        line = join(CUT, line[1:])
    return join(line[:-1], CUT) if line.plain.endswith(_ELLIPSIS) else line


def _around_match(line: Text, width: int) -> Text:
    """Cut a line to a width that includes its first match."""
    at = min((span.start for span in line.spans), default=0)
    before = line[:at]
    if before.cell_len > width * _BEFORE_MATCH:
        start = at
        while start and line[start:at].cell_len < width // 3:
            start -= 1
        start = line.plain.find(" ", start, at) + 1 or start
        line = join(CUT, line[start:])
    return fit(line, width)
