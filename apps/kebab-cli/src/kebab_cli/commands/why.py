"""`kebab why`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import filter_options, flag_error, mode_option
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, k_option, max_tokens_option
from kebab_cli.render import SHOWN_ROWS, Console, count_of, one_line, render_rest, safe_name
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import WhyLegV1, WhyPassageV1, WhyStepV1, WhyV1

_MARKS = {"ok": ("✓", "green"), "note": ("!", "yellow"), "stop": ("✗", "red")}


@click.command(cls=KebabCommand)
@click.argument("file")
@click.option("--query", metavar="TEXT", help="Query that should find the file.")
@k_option("Hits to show.")
@mode_option()
@max_tokens_option("Token budget of the hits, about N tokens of JSON.")
@filter_options
@pass_session
def command(session: Session, /, file: str, *, query: str | None, **flags: Any) -> int:
    """Explain why a file is not found, and what to do about it.

    Checks whether FILE lies in a source, which rule excludes it, whether ingest failed on it, whether it has
    changed since, and whether its passages have vectors. With --query also: which passages contain which words of
    the query, the rank of the file by full text, by vectors and by both, as deep as search looks, and what drops
    it: a filter, the minimum z-score, the number of hits. FILE is a path on disk, a path as in a hit, or a document
    id. Nothing is changed. Exit code 1: the file cannot be found, or not by this query.

    Examples:
      kebab why 회의록/2026-03.md
      kebab why notes/deploy.md --query "how do we roll back?"
      kebab why notes/deploy.md --query 배포 --lang ko --k 5 --json
    """
    from kebab_app import build_search_query
    from kebab_wire import wire_why

    from kebab_cli.filters import resolve_ids
    from kebab_cli.remedies import render_remedy

    _require_query(session.context, query)
    with session.open_app() as app:
        asked = None
        if query is not None:
            wanted = {name: flags[name] for name in ("mode", "k", "max_tokens")}
            asked = build_search_query(
                app.base, query, filters=resolve_ids(app, flags), complain=flag_error, **wanted
            )
        report = wire_why(app.why(file, query=asked), render=render_remedy)
        session.console.show(report, render_why)
    return SUCCESS if report.can_be_found else NO_RESULT


def _require_query(context: click.Context, query: str | None) -> None:
    """Refuse search flags without a query.

    Raises:
        UsageError: A flag is given that says how to search, but not for what.
    """
    if query is not None:
        return
    for param in context.command.params:
        if isinstance(param, click.Option) and param.name and context.params.get(param.name):
            raise click.UsageError(
                tr("{option} applies to a search: add --query", option=param.opts[0]), ctx=context
            )


def render_why(console: Console, report: WhyV1) -> None:
    """Print the summary, the steps, the passages, the query's words and ranks, and the next step."""
    console.line(console.style(console.hang(one_line(report.summary), used=0), bold=True))
    console.line()
    width = max((len(step.name) for step in report.steps), default=0)
    for step in report.steps:
        _render_step(console, step, width=width, is_last_word=step.fix == report.fix)
    if report.passages:
        _render_passages(console, report)
    if report.terms:
        _render_words(console, report)
    if report.legs:
        _render_legs(console, report.legs)
    if report.fix:
        console.line()
        console.line(f"{tr('next:')} {one_line(report.fix)}")


def _render_step(console: Console, step: WhyStepV1, *, width: int, is_last_word: bool) -> None:
    mark, colour = _MARKS[step.state]
    used = width + 4
    detail = console.hang(one_line(step.detail), used=used)
    console.line(f"{console.style(mark, fg=colour)} {step.name.ljust(width)}  {detail}")
    if step.fix and not is_last_word:
        fix = console.hang(f"{tr('hint:')} {one_line(step.fix)}", used=used)
        console.line(f"{' ' * used}{fix}")


def _render_passages(console: Console, report: WhyV1) -> None:
    _head(console, tr("passages"))
    title = report.document.title if report.document else ""
    for passage in report.passages[:SHOWN_ROWS]:
        shown = console.hang(_passage(passage, title=title), used=7)
        console.line(f"  {passage.ordinal + 1:3}. {shown}")
    render_rest(console, len(report.passages))


def _passage(passage: WhyPassageV1, *, title: str) -> str:
    from kebab_core import parse_citation

    place = safe_name(parse_citation(passage.uri).to_place().rpartition("#")[2])
    heading = " > ".join(one_line(part) for part in passage.heading_path) or one_line(title)
    is_whole = any(getattr(span, "is_whole", None) for span in passage.source_spans)
    return "  ".join([*([] if is_whole else [f"#{place}"]), f"§ {heading}", *_remarks(passage)])


def _remarks(passage: WhyPassageV1) -> Iterator[str]:
    if passage.terms:
        shown = ", ".join(one_line(term) for term in passage.terms[:SHOWN_ROWS])
        yield f"[{shown}{', …' if len(passage.terms) > SHOWN_ROWS else ''}]"
    if passage.standing is not None:
        z_score = tr("similarity z-score {value:.1f}", value=passage.standing)
        if passage.floor is not None:
            z_score += f", {tr('minimum {value:.1f}', value=passage.floor)}"
        yield z_score
    if passage.has_vector is False:
        yield tr("no vector yet")


def _render_words(console: Console, report: WhyV1) -> None:
    _head(console, tr("words of the query"))
    terms = report.terms or ()
    for term in terms[:SHOWN_ROWS]:
        where = ", ".join(str(at + 1) for at in term.passages[:SHOWN_ROWS])
        if (more := len(term.passages) - SHOWN_ROWS) > 0:
            where = tr("{numbers} and {count} more", numbers=where, count=more)
        here = tr("in passage {numbers}", numbers=where) if term.passages else tr("not in it")
        console.line(f"  {_weight(term.weight)}  {one_line(term.text)}  {here}; {_spread(term.in_index)}")
    render_rest(console, len(terms))


def _weight(weight: float | None) -> str:
    return "      -" if weight is None else f"{weight:7.2f}"


def _spread(in_index: int | None) -> str:
    if in_index is None:
        return tr("some in the index")
    if not in_index:
        return tr("nowhere in the index")
    return tr("{passages} of the index", passages=count_of(in_index, "passage"))


def _render_legs(console: Console, legs: tuple[WhyLegV1, ...]) -> None:
    _head(console, tr("rank"))
    for leg in legs:
        console.line(f"  {leg.mode.value.ljust(len('lexical'))}  {_position(leg)}")


def _position(leg: WhyLegV1) -> str:
    filtered = "" if leg.filtered else f", {tr('without the filters that exclude it')}"
    if leg.rank is not None and leg.score is not None:
        kind = leg.score_kind.value if leg.score_kind else ""
        rank = tr("rank {rank} of {hits}", rank=leg.rank, hits=leg.looked_at)
        return f"{rank}, {kind} {leg.score:.2f}{filtered}"
    if leg.failure is not None and not leg.looked_at:
        return tr("not searched: {reason}", reason=one_line(leg.failure.message))
    if leg.matches:
        return tr("matches below the best {hits}", hits=leg.looked_at) + filtered
    return tr("no hit among {hits}", hits=leg.looked_at) + filtered


def _head(console: Console, name: str) -> None:
    console.line()
    console.line(console.style(f"{name}:", dim=True))
