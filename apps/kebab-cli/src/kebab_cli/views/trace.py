"""How a result came about: the terms, what each leg found, what decided the order, the time it took."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import FusionInput, SearchTrace, TermOmission, TraceCandidate, TraceTerm

from kebab_cli.render import Console, one_line, safe_name

_SHOWN = 10
"""Rows of each list; `--json` has all of them."""
_OMISSIONS = {
    TermOmission.BY_STEM: "searched by its stem",
    TermOmission.IN_NO_PASSAGE: "not searched: in no passage",
    TermOmission.TOO_COMMON: "not searched: in more than half of the passages",
    TermOmission.TOO_MANY: "not searched: the query has enough rarer words",
    TermOmission.BY_SYNTAX: "not searched: full-text syntax says what is",
    TermOmission.BY_MEANING: "not searched: this mode goes by meaning",
}


def render_trace(console: Console, trace: SearchTrace) -> None:
    """Print a trace."""
    _head(console, "terms")
    for term in trace.terms:
        note = f"  {_describe_omission(term)}" if not term.searched else ""
        console.line(f"  {term.weight:7.2f}  {one_line(term.text)}{note}")
    for name, candidates in (("lexical", trace.lexical), ("vector", trace.vector)):
        if candidates:
            _render_leg(console, name, candidates)
    if trace.rrf_inputs:
        _render_order(console, trace)
    timing = trace.timing
    console.line(
        f"trace time: lexical {timing.lexical_ms} ms, vector {timing.vector_ms} ms, "
        f"fusion {timing.fusion_ms} ms, total {timing.total_ms} ms"
    )


def _describe_omission(term: TraceTerm) -> str:
    if term.left_out is None:
        return "not searched"
    return _OMISSIONS[term.left_out]


def _render_leg(console: Console, name: str, candidates: Sequence[TraceCandidate]) -> None:
    _head(console, name)
    for candidate in candidates[:_SHOWN]:
        place = f"{candidate.chunk_id[:8]}  {_place(candidate)}"
        console.line(f"  {candidate.rank:3}. {_scores(candidate)}  {place}")
    _render_rest(console, len(candidates))


def _scores(candidate: TraceCandidate) -> str:
    """Return what a leg goes by, first: cosines of different scripts do not compare, margins do."""
    if candidate.margin is None:
        return f"{candidate.score:7.2f}"
    return f"margin {candidate.margin:+6.2f}  cosine {candidate.score:.4f}"


def _render_order(console: Console, trace: SearchTrace) -> None:
    _head(console, "order")
    places = {found.chunk_id: _place(found) for found in (*trace.vector, *trace.lexical)}
    for place, fused in enumerate(trace.rrf_inputs[:_SHOWN], start=1):
        where = places.get(fused.chunk_id, "")
        console.line(
            f"  {place:3}. {fused.fusion_score:7.2f}  {fused.chunk_id[:8]}  {where}  ({_ranks(fused)})"
        )
    _render_rest(console, len(trace.rrf_inputs))


def _place(candidate: TraceCandidate) -> str:
    """Return where a chunk is, written as in hits."""
    source = "" if candidate.source_id in {None, "default"} else f"{candidate.source_id}:"
    return source + safe_name(candidate.doc_path)


def _ranks(fused: FusionInput) -> str:
    ranks = (("lexical", fused.lexical_rank), ("vector", fused.vector_rank))
    return ", ".join(f"{name} {rank}" for name, rank in ranks if rank is not None)


def _render_rest(console: Console, count: int) -> None:
    if count > _SHOWN:
        console.line(f"  and {count - _SHOWN} more (--json)")


def _head(console: Console, name: str) -> None:
    console.line(console.style(f"trace {name}:", dim=True))
