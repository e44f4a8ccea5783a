"""Hits: rank, score and place; the heading; the snippet. A footer says what was searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import Coverage, NoHitReason, SearchHit, SearchResponse

from kebab_cli.render import Console, count_of, one_line, safe
from kebab_cli.views.places import link_place

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

_INDENT = "   "
_REASONS = {
    NoHitReason.INDEX_EMPTY: ("the index is empty", "kebab ingest"),
    NoHitReason.STILL_INDEXING: ("nothing found so far; an ingest was interrupted", "kebab ingest"),
    NoHitReason.FILTERED_OUT: ("nothing matches within the filters", "try it with fewer filters"),
    NoHitReason.NOTHING_MATCHES: ("nothing matches", "try other words, or fewer"),
}


def render_search(
    console: Console, response: SearchResponse, *, loaded: LoadedSettings, explain: bool
) -> None:
    """Print a result.

    Args:
        console: Where to.
        response: Hits, best first.
        loaded: For clickable places.
        explain: Add how each hit was found.
    """
    for hit in response.hits:
        _render_hit(console, hit, loaded)
        if explain:
            _render_explanation(console, hit)
        console.line()
    _render_footer(console, response, loaded)


def _render_hit(console: Console, hit: SearchHit, loaded: LoadedSettings) -> None:
    mark = console.style("  [stale]", fg="yellow") if hit.stale else ""
    head = console.style(f"{hit.rank}. {hit.score:.2f}", bold=True)
    console.line(f"{head}  {link_place(console, hit, loaded)}{mark}")
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
    if detail.vector_rank is not None:
        console.line(f"{_INDENT}├ vector (cosine) rank {detail.vector_rank}  score {detail.vector_score:.2f}")
    console.line(f"{_INDENT}├ {hit.score_kind.value:15} rank {hit.rank}  score {hit.score:.2f}")
    console.line(
        f"{_INDENT}├ evidence        coverage {evidence.coverage:.2f}  bm25/self {evidence.bm25_ratio:.2f}"
    )
    console.line(f"{_INDENT}└ {hit.chunker_version}  chunk {hit.chunk_id}  doc {hit.doc_id}")


def _render_footer(console: Console, response: SearchResponse, loaded: LoadedSettings) -> None:
    coverage = response.coverage
    remarks = [*_missing_legs(coverage, loaded), *_coverage_remarks(coverage)]
    if response.no_hit_reason is not None:
        reason, advice = _explain_nothing(response.no_hit_reason, coverage)
        console.line(f"no hits: {reason} ({_documents(coverage)} searched)")
        console.line(f"hint: {advice}")
    else:
        count = len(response.hits)
        index = response.hits[0].index_version
        hits = "1 hit" if count == 1 else f"{count} hits"
        parts = [hits, response.query.mode.value, _documents(coverage), index]
        console.line(console.style("  ".join(parts), dim=True))
    for remark in remarks:
        console.line(console.style(f"note: {remark}", fg="yellow"))


def _documents(coverage: Coverage) -> str:
    searched, indexed = coverage.documents_searched, coverage.documents_indexed
    documents = count_of(indexed, "document")
    return documents if searched == indexed else f"{searched} of {documents}"


def _explain_nothing(reason: NoHitReason, coverage: Coverage) -> tuple[str, str]:
    if reason is NoHitReason.STILL_INDEXING and not coverage.ingest_interrupted:
        return "nothing found so far; an ingest is running", "search again when it is done"
    if reason is NoHitReason.FILTERED_OUT and not coverage.documents_searched:
        return "the filters leave no document", _REASONS[reason][1]
    return _REASONS[reason]


def _missing_legs(coverage: Coverage, loaded: LoadedSettings) -> list[str]:
    if not coverage.missing_legs:
        return []
    legs = ", ".join(leg.value for leg in coverage.missing_legs)
    wanted = loaded.settings.models.embedding.provider != "none"
    why = "vectors are not part of this version" if wanted else "no embedding model is configured"
    return [f"not searched by {legs}: {why}"]


def _coverage_remarks(coverage: Coverage) -> list[str]:
    remarks = []
    if coverage.ingest_interrupted:
        remarks.append("an ingest was interrupted, so the index may be incomplete (kebab ingest)")
    elif coverage.ingest_running:
        remarks.append("an ingest is running, so more may be found later")
    for count, noun, state in (
        (coverage.documents_pending, "document", "without vectors so far"),
        (coverage.documents_failed, "document", "that could not be read (kebab doctor)"),
        (coverage.documents_stale, "stale document", "(kebab ingest)"),
        (coverage.documents_held, "document", "gone from disk but kept (kebab ingest --prune)"),
    ):
        if count:
            remarks.append(f"{count_of(count, noun)} {state}")
    return remarks
