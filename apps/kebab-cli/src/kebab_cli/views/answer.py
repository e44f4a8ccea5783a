"""Answers for people: the text, the places of its citations, the explanation of claims, and a footer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kebab_core import Answer, AnswerCitation, ClaimVerdict, RefusalReason, SearchHit, say_origin
from kebab_words import Phrases

from kebab_cli.language import localize, tr
from kebab_cli.render import Console, count_of, one_line, pad, safe, show_hint
from kebab_cli.views.fence import Piece, answer_pieces, claim_pieces, fence, show_verdict
from kebab_cli.views.search import format_place, link_place

if TYPE_CHECKING:
    import datetime as dt

    from kebab_app import App
    from kebab_core import ClaimReview, ClaimSource, HopRecord

_RULE = "─" * 57
_GAP = "   "
_IN_OWN_WORDS = frozenset({ClaimVerdict.SUPPORTED, ClaimVerdict.NOT_PROVEN})
_WITH_CLAIMS = frozenset({RefusalReason.LLM_STREAM_ABORTED, RefusalReason.NOT_PROVEN})
"""Answers that are not grounded and still consist of claims."""


def render_answer(console: Console, answer: Answer, *, app: App, citations: bool, shown: str = "") -> None:
    """Print an answer: text of documents and models behind a bar, kebab's own as it is.

    Args:
        console: Of the command.
        answer: A grounded one or a refusal.
        app: The knowledge base, for clickable places.
        citations: List the places that the markers stand for.
        shown: Text that was printed already, while it was written.
    """
    if shown.strip() != answer.answer.strip():
        if shown.strip():
            console.line()
        _render_text(console, answer)
    console.line()
    if answer.retrieval.question is not None:
        console.line(
            console.style(tr("asked as: {question}", question=one_line(answer.retrieval.question)), dim=True)
        )
    if citations:
        render_citations(console, answer, app)
    _remark_review(console, answer)
    _render_footer(console, answer, citations=citations)


def render_citations(console: Console, answer: Answer, app: App) -> None:
    """Print the places that the markers of an answer stand for, with the quotes that its claims rest on."""
    cited = [citation for citation in answer.citations if citation.marker]
    if not cited:
        return
    console.line(console.style(_RULE, dim=True))
    quotes = _find_quotes(answer)
    days = answer.compared_days
    for citation in cited:
        _render_citation(console, citation, app, days)
        for quote in quotes.get(citation.marker, ()):
            _render_quote(console, quote, indent=" " * (len(citation.marker or "") + 1))
    console.line()


def _find_quotes(answer: Answer) -> dict[str | None, list[str]]:
    """Return the quotes by marker that claims in a model's own words rest on."""
    quotes: dict[str | None, list[str]] = {}
    for claim in answer.claims:
        for source in claim.sources if claim.verdict in _IN_OWN_WORDS else ():
            if source.quote and source.quote not in quotes.setdefault(source.marker, []):
                quotes[source.marker].append(source.quote)
    return quotes


def _remark_review(console: Console, answer: Answer) -> None:
    remarks = []
    if answer.review is not None and answer.review.other_language:
        remarks.append(
            tr("the model answered in another language than the question, although it was asked again")
        )
    if answer.review is not None and answer.review.contradicted and answer.claims:
        remarks.append(localize(Phrases.left_out(answer.review.contradicted)))
    if answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED:
        remarks.append(tr("the model was cut off: the answer is incomplete"))
    for text in remarks:
        console.line(console.style(f"{tr('note:')} {text}", fg="yellow"))


def _render_text(console: Console, answer: Answer) -> None:
    if answer.grounded or answer.refusal_reason in _WITH_CLAIMS:
        console.part(fence(console, answer_pieces(answer)))
    elif answer.refusal_reason is RefusalReason.WEAK_SUPPORT:
        (text, *_), *pieces = answer_pieces(answer)
        verdict, _, quote = text.partition("\n")
        console.line(safe(verdict))
        console.part(fence(console, [Piece(quote), *pieces]))
    else:
        console.line(safe(answer.answer))


def _render_citation(console: Console, cited: AnswerCitation, app: App, days: Mapping[str, dt.date]) -> None:
    marker = cited.marker or ""
    stale = console.style(f"  {tr('[stale]')}", fg="yellow") if cited.stale else ""
    place = link_place(console, cited.citation, app)
    console.line(f"{console.style(marker, bold=True)} {place}{_show_day(console, marker, days)}{stale}")
    symbol = getattr(cited.citation, "symbol", None) or ""
    section = getattr(cited.citation, "section", None) or ("" if symbol.startswith("<") else symbol)
    if section:  # `<manifest>` and the like name nothing in the file
        console.line(" " * (len(marker) + 1) + console.style(f"§ {one_line(section)}", dim=True))
    if cited.items_left_out:
        rest = tr("cut: {count} more of the list in the passage", count=cited.items_left_out)
        console.line(" " * (len(marker) + 1) + console.style(rest, dim=True))


def _show_day(console: Console, marker: str, days: Mapping[str, dt.date]) -> str:
    """Return the day of a citation behind a gap, as in ISO 8601; empty if it has none."""
    return console.style(f"  {days[marker]}", dim=True) if marker in days else ""


def _render_footer(console: Console, answer: Answer, *, citations: bool) -> None:
    """Print whether the answer rests on documents, and on how many of the passages that were read.

    Without a list of citations, it also says where text is from that does not stand in a document.
    """
    used = answer.retrieval.chunks_used
    read = tr("{passages} read", passages=count_of(used, "passage")) if used else ""
    if answer.grounded:
        mark = console.style(f"✓ {tr('from your documents')}", fg="green")
        cited = len({citation.marker for citation in answer.citations if citation.marker})
        read = tr("{cited} of {passages}", cited=cited, passages=count_of(used, "passage"))
    elif answer.refusal_reason is RefusalReason.WEAK_SUPPORT:
        mark = console.style(f"? {tr('not sure')}", fg="yellow")
    elif answer.refusal_reason is RefusalReason.NOT_PROVEN:
        mark = console.style(f"△ {tr('not proven: read the quote')}", fg="yellow")
    else:
        mark = console.style(f"✗ {tr('no answer from your documents')}", fg="red")
    if not citations:
        origins = (say_origin(each.citation) for each in answer.citations if each.marker)
        for origin in dict.fromkeys(localize(each) for each in origins if each):
            mark = f"{mark} · {console.style(origin, fg='yellow')}"
    console.line(mark + (console.style(f" · {read}", dim=True) if read else ""))


def render_explanation(
    console: Console,
    answer: Answer,
    *,
    hits: Sequence[SearchHit],
    app: App,
    citations: bool = True,
) -> None:
    """Print an answer claim by claim, and the retrieval of its evidence.

    Args:
        console: Of the command.
        answer: A grounded one or a refusal.
        hits: Found by retrieval.
        app: The knowledge base, for clickable places.
        citations: Print the place of each claim below it.
    """
    shows_claims = answer.grounded or answer.refusal_reason is RefusalReason.NOT_PROVEN
    if not shows_claims:
        _render_text(console, answer)
        console.line()
    claims = zip(answer.claims, claim_pieces(answer), strict=True) if shows_claims else ()
    for claim, pieces in claims:
        console.part(fence(console, pieces))
        if answer.review is not None:
            is_proven = claim.verdict is not ClaimVerdict.NOT_PROVEN
            words = tr("supported") if is_proven else tr("not proven: read the quote")
            console.line(f"{show_verdict(console, claim.verdict)} {words}")
        for source in claim.sources if citations else ():
            _render_source(console, source, app, answer.compared_days)
        console.line()
    if answer.hops:
        _render_hops(console, answer.hops)
        console.line()
    if answer.review is not None:
        _render_review(console, answer.review)
        console.line()
    _render_trace(console, answer, hits)
    console.line()
    _remark_review(console, answer)
    _render_footer(console, answer, citations=citations)
    _render_usage(console, answer, hits)


def _render_source(console: Console, source: ClaimSource, app: App, days: Mapping[str, dt.date]) -> None:
    day = _show_day(console, source.marker, days)
    console.line(f"└ {link_place(console, source.citation, app)}  {source.marker}{day}")
    if source.quote:
        _render_quote(console, source.quote, indent="  ")


def _render_quote(console: Console, quote: str, *, indent: str) -> None:
    lines = safe(quote).splitlines()
    quoted = [f"「{lines[0]}", *lines[1:]]
    for line in [*quoted[:-1], f"{quoted[-1]}」"]:
        console.line(f"{indent}{console.style(line, dim=True)}")


def _render_review(console: Console, review: ClaimReview) -> None:
    """Print how many claims the model wrote, and those that were dropped with the check that each failed."""
    console.line(console.style(tr("claims of the model"), bold=True))
    console.line(f"  {pad(tr('claims written'), 17)}{review.written}")
    console.line(f"  {pad(tr('claims dropped'), 17)}{len(review.dropped)}")
    for claim in review.dropped:
        detail = f" ({one_line(claim.detail)})" if claim.detail else ""
        check = console.style(pad(claim.check.value, 17), fg="yellow")
        console.line(f"  {check}{console.style(one_line(claim.text), dim=True)}{detail}")
    if review.repaired:
        console.line(f"  {tr('the model was asked a second time')}")


def _render_hops(console: Console, hops: Sequence[HopRecord]) -> None:
    """Print the rounds of a multi-hop answer: what was asked of the model, and what was searched and found."""
    console.line(console.style(tr("rounds"), bold=True))
    kinds = {
        "decompose": tr("split"),
        "decide": tr("anything missing?"),
        "synthesize": tr("answer"),
    }
    for hop in hops:
        found = _count_new(hop) if hop.sub_queries else ""
        stopped = tr("stopped at the limit") if hop.forced_stop else ""
        seconds = f"{hop.llm_call_ms / 1000:.1f}s"
        parts = " · ".join(part for part in (seconds, found, stopped) if part)
        console.line(f"  {pad(kinds[hop.kind], 19)}{parts}")
        for question in hop.sub_queries:
            console.line(f"    {console.style(one_line(question), dim=True)}")


def _count_new(hop: HopRecord) -> str:
    return tr("{count} new passage", plural="{count} new passages", count=hop.context_chunks_added)


def _render_trace(console: Console, answer: Answer, hits: Sequence[SearchHit]) -> None:
    from kebab_app import show_score, show_threshold

    found = answer.retrieval
    verdict = tr("refused") if answer.refusal_reason is RefusalReason.SCORE_GATE else tr("pass")
    compared = tr(
        "{gate} → best {best} {verdict}",
        gate=show_threshold(found.score_gate),
        best=show_score(max((hit.score for hit in hits), default=0.0)),
        verdict=verdict,
    )
    gate = [(tr("threshold (gate)"), compared)] if found.score_gate else []
    console.line(console.style(tr("retrieval trace"), bold=True))
    rows = (
        (tr("mode"), found.mode.value),
        ("k", str(found.k)),
        *gate,
        (
            tr("passages (used)"),
            tr("{used} / {returned} returned", used=found.chunks_used, returned=found.chunks_returned),
        ),
        (tr("trace id"), found.trace_id),
    )
    for name, value in rows:
        console.line(f"  {pad(name, 17)}{value}")
    for hit in hits:
        console.line(f"  #{hit.rank:<3} {hit.score:6.2f}  {_signals(hit)}")


def _signals(hit: SearchHit) -> str:
    detail, evidence = hit.retrieval, hit.evidence
    parts = [
        format_place(hit.citation),
        "" if detail.lexical_score is None else f"bm25={detail.lexical_score:.1f}",
        "" if detail.vector_score is None else f"vec={detail.vector_score:.2f}",
        f"coverage={evidence.coverage:.2f}",
    ]
    return "  ".join(part for part in parts if part)


def _render_usage(console: Console, answer: Answer, hits: Sequence[SearchHit]) -> None:
    usage = answer.usage
    costs = [
        one_line(answer.model.id),
        answer.prompt_template_version,
        *([answer.retrieval.mode.value] if answer.embedding else []),
        tr("prompt {tokens}", tokens=count_of(usage.prompt_tokens, "token")),
        tr("completion {tokens}", tokens=count_of(usage.completion_tokens, "token")),
        tr("latency {milliseconds} ms", milliseconds=usage.latency_ms),
    ]
    parts = [*costs, *([tr("index {version}", version=hits[0].index_version)] if hits else [])]
    console.line(console.style(_GAP.join(parts), dim=True))


def render_answers(console: Console, answers: Sequence[tuple[str, Answer]]) -> None:
    """Print one line for each stored answer: when, whether grounded (`?`: not sure), its id, the question."""
    if not answers:
        console.line(tr("no answers yet"))
        show_hint(console, 'kebab ask "…"')
        return
    for question, answer in answers:
        mark = _mark(console, answer)
        when = console.style(f"{answer.created_at.astimezone():%Y-%m-%d %H:%M}", dim=True)
        console.line(f"{when}  {mark}  {answer.retrieval.trace_id}  {one_line(question)}")


def _mark(console: Console, answer: Answer) -> str:
    if answer.grounded:
        return console.style("✓", fg="green")
    if answer.refusal_reason is RefusalReason.NOT_PROVEN:
        return console.style("△", fg="yellow")
    is_weak = answer.refusal_reason is RefusalReason.WEAK_SUPPORT
    return console.style("?", fg="yellow") if is_weak else console.style("✗", fg="red")
