"""Hits: rank, score and place; the heading; the snippet. A footer says what was searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import NoHitReason, SearchHit, SearchResponse

from kebab_cli.render import Console, count_of, one_line, safe
from kebab_cli.views.coverage import count_documents, explain_nothing, list_remarks
from kebab_cli.views.places import link_place
from kebab_cli.views.trace import render_trace

if TYPE_CHECKING:
    from kebab_app import App

_INDENT = "   "


def render_search(console: Console, response: SearchResponse, *, app: App, explain: bool) -> None:
    """Print a result.

    Args:
        console: Where to.
        response: Hits, best first.
        app: Where they were found, for clickable places.
        explain: Add how each hit was found.
    """
    for hit in response.hits:
        _render_hit(console, hit, app)
        if explain:
            _render_explanation(console, hit)
        console.line()
    if response.trace is not None:
        render_trace(console, response.trace)
        console.line()
    _render_footer(console, response, app)


def _render_hit(console: Console, hit: SearchHit, app: App) -> None:
    mark = console.style("  [stale]", fg="yellow") if hit.stale else ""
    head = console.style(f"{hit.rank}. {hit.score:.2f}", bold=True)
    place = link_place(console, hit.citation, app)
    console.line(f"{head}  {place}{mark}")
    console.line(_INDENT + console.style(_heading(hit), dim=True))
    for line in _snippet_lines(console, hit):
        console.line(_INDENT + line)


def _heading(hit: SearchHit) -> str:
    trail = [one_line(part) for part in hit.heading_path] or [one_line(hit.title)]
    return "§ " + " > ".join(trail)


def _snippet_lines(console: Console, hit: SearchHit) -> list[str]:
    flat = safe(hit.snippet)
    if not console.color:
        return [re.sub(r"\s+", " ", flat).strip()]
    from rich.console import Console as RichConsole
    from rich.text import Text

    text = Text(re.sub(r"\s", " ", flat))
    for match in hit.matched:
        text.stylize("bold", match.start, match.end)
    rich = RichConsole(width=console.width - len(_INDENT), force_terminal=True, highlight=False)
    with rich.capture() as capture:
        rich.print(text)
    return capture.get().rstrip("\n").split("\n")


def _render_explanation(console: Console, hit: SearchHit) -> None:
    detail, evidence = hit.retrieval, hit.evidence
    if detail.lexical_rank is not None:
        console.line(
            f"{_INDENT}├ lexical (bm25)  rank {detail.lexical_rank}  score {detail.lexical_score:.2f}"
        )
    if detail.vector_score is not None:
        rank = "–" if detail.vector_rank is None else detail.vector_rank
        margin = "" if evidence.margin is None else f"  margin {evidence.margin:+.2f}"
        console.line(f"{_INDENT}├ vector (cosine) rank {rank}  score {detail.vector_score:.4f}{margin}")
    console.line(f"{_INDENT}├ {hit.score_kind.value:15} rank {hit.rank}  score {hit.score:.2f}")
    signals = [f"coverage {evidence.coverage:.2f}", f"bm25/self {evidence.bm25_ratio:.2f}"]
    if evidence.similarity is not None and evidence.margin is not None:
        signals += [f"similarity {evidence.similarity:.2f}", f"margin {evidence.margin:+.2f}"]
    console.line(f"{_INDENT}├ evidence        {'  '.join(signals)}")
    console.line(f"{_INDENT}└ {hit.chunker_version}  chunk {hit.chunk_id}  doc {hit.doc_id}")


def _render_footer(console: Console, response: SearchResponse, app: App) -> None:
    coverage = response.coverage
    if response.no_hit_reason is not None:
        reason, advice = explain_nothing(response, app.find_near_values(response), app.loaded)
        if response.no_hit_reason is NoHitReason.INDEX_EMPTY and (copies := app.count_unindexed_copies()):
            reason = f"{reason}, though copies of {count_of(copies, 'file')} lie beside it"
            advice = "kebab doctor"
        console.line(f"no hits: {reason} ({count_documents(coverage)} searched)")
        console.line(f"hint: {advice}")
    else:
        index = response.hits[0].index_version
        hits = count_of(len(response.hits), "hit")
        parts = [hits, _mode_that_took_part(response), count_documents(coverage), index]
        console.line(console.style("  ".join(parts), dim=True))
    for remark in list_remarks(coverage, app.loaded):
        console.line(console.style(f"note: {remark}", fg="yellow"))
    _render_paging(console, response)


def _mode_that_took_part(response: SearchResponse) -> str:
    """Return the mode that was asked for, or the one leg that searched."""
    legs = response.coverage.legs
    return legs[0].value if len(legs) == 1 else response.query.mode.value


def _render_paging(console: Console, response: SearchResponse) -> None:
    if response.truncated:
        cut = "snippets are shortened, or hits left out, to stay within --max-tokens"
        console.line(console.style(f"note: {cut}", fg="yellow"))
    is_paging = response.truncated or response.query.cursor is not None
    if is_paging and response.next_cursor is not None:
        console.line(f"more: --cursor {response.next_cursor}")
