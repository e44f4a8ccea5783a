"""Search results for people: hits, places that can be clicked, the footer, and the trace of how it came about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING
from unicodedata import east_asian_width
from urllib.parse import quote

from kebab_core import (
    CaptionCitation,
    Citation,
    CodeCitation,
    FusionInput,
    LineCitation,
    Message,
    NoHitReason,
    PageCitation,
    RegionCitation,
    SearchHit,
    SearchResponse,
    SearchTrace,
    TermOmission,
    TraceCandidate,
    TraceTerm,
    Translation,
    UnknownWord,
    format_address,
    say_origin,
)

from kebab_cli.filters import describe_values
from kebab_cli.language import localize, tr
from kebab_cli.render import (
    SHOWN_ROWS,
    Console,
    count_of,
    list_or,
    one_line,
    pad,
    render_rest,
    safe,
    safe_name,
    show_hint,
)
from kebab_cli.views.coverage import count_documents, explain_nothing, list_remarks

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import MatchedRange
    from rich.text import Text

_INDENT = "   "
_OMISSIONS = {
    TermOmission.BY_STEM: Message("searched by its stem"),
    TermOmission.IN_NO_PASSAGE: Message("not searched: in no passage"),
    TermOmission.TOO_COMMON: Message("not searched: in more than half of the passages"),
    TermOmission.TOO_MANY: Message("not searched: the query has enough rarer words"),
    TermOmission.BY_SYNTAX: Message("not searched: the query uses full-text syntax"),
    TermOmission.BY_MEANING: Message("not searched: the mode is vector"),
}

_BAR = "▎ "
_STRUCTURE = re.compile(r"\s*(?:[-*+>|#`~]|\d+[.)]|[\[({}]|$)|\s{2,}")
"""Beginnings of lines that continue no sentence: items, headings, tables, code."""
_HANGING = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?")
"""White space and the mark of an item: what wraps is set below the words behind it."""
_CELLS = " | "
"""Between the cells of a row."""
_CODE_END = re.compile(r"[;{}()\[\]=|\\]\s*$")
_EMPTY_ITEM = re.compile(r"\n[ \t\-*+#>|.\d)]*…$")
"""End of a snippet that shows nothing of its last line but a mark."""
_CUT = "…"
_SOFT_WRAP_COLUMNS = 60
"""A shorter line was not broken to fit an editor: verses, addresses, code."""


def render_search(console: Console, response: SearchResponse, *, app: App, explain: bool) -> None:
    """Print a result.

    Args:
        console: Of the command.
        response: Hits, best first.
        app: The knowledge base, for clickable places.
        explain: Add how each hit was found.
    """
    for word in response.unknown_words:
        console.line(console.style(describe_unknown(word), fg="yellow"))
    if response.nearest:
        console.line(console.style(tr("not what was asked, but nearest:"), dim=True))
    # A reranker may put a less likely hit before a likely one, and only those behind all likely ones stand apart.
    behind = len([*takewhile(lambda hit: hit.less_likely, reversed(response.hits))])
    for place, hit in enumerate(response.hits or response.nearest):
        if behind and place == len(response.hits) - behind:
            console.line(console.style(tr("less likely:"), dim=True))
        _render_hit(console, hit, app)
        if explain:
            _render_explanation(console, hit)
        console.line()
    if response.trace is not None:
        render_trace(console, response.trace)
        console.line()
    _render_footer(console, response, app, explain=explain)


def describe_unknown(word: UnknownWord) -> str:
    """Describe what was searched in the place of a word that no document has."""
    return tr(
        "no document has `{word}`; searched for {nearest}",
        word=one_line(word.text),
        nearest=list_or([f"`{one_line(each)}`" for each in word.nearest]),
    )


def _render_hit(console: Console, hit: SearchHit, app: App) -> None:
    mark = f"  {tr('[stale]')}" if hit.stale else ""
    rank = f"{hit.rank}. "
    title = console.fit(_trail(hit), used=len(rank) + len(mark))
    console.line(f"{rank}{console.style(title, bold=True)}{console.style(mark, fg='yellow') if mark else ''}")
    console.line(_INDENT + link_place(console, hit.citation, app))
    if hit.signature and one_line(hit.signature) not in one_line(hit.snippet):
        console.line(
            _INDENT + console.style(console.fit(one_line(hit.signature), used=len(_INDENT)), bold=True)
        )
    if hit.header_row is not None:
        shown = console.fit(one_line(hit.header_row.text), used=len(_INDENT))
        console.line(_INDENT + console.style(shown, dim=True))
    for line in passage_lines(
        console, hit.snippet, hit.matched, indent=len(_INDENT), is_code=hit.role is not None
    ):
        console.line(_INDENT + line)
    for passage in hit.more:
        own = passage.heading_path[_shared(passage.heading_path, hit.heading_path) :]
        fragment = f"+ {_fragment(passage.citation)}"
        heading = _heading(own or passage.heading_path[-1:], hit.title)
        heading = console.fit(heading, used=len(_INDENT) + len(fragment) + 2)
        place = _link(console, console.style(fragment, dim=True), passage.citation, app)
        console.line(f"{_INDENT}{place}  {console.style(heading, dim=True)}")
    if rest := hit.more_count - len(hit.more):
        console.line(_INDENT + console.style(tr("+ {count} more (--all)", count=rest), dim=True))
    _render_others(console, hit)
    if hit.translations:
        pages = ", ".join(_describe_translation(each, hit) for each in hit.translations)
        console.line(_INDENT + console.style(tr("translations: {pages}", pages=pages), dim=True))


def _render_others(console: Console, hit: SearchHit) -> None:
    """Print the documents with the same text, and those that show a picture."""
    if hit.copies:
        places = name_places(hit.copies, hit.copy_count)
        console.line(_INDENT + console.style(tr("same text in {places}", places=places), dim=True))
    if hit.shown_in:
        places = name_places(hit.shown_in, hit.shown_in_count)
        console.line(_INDENT + console.style(tr("a picture in {places}", places=places), dim=True))


def name_places(addresses: Sequence[str], count: int) -> str:
    """Return some addresses of so many as one text; the others are counted."""
    places = ", ".join(map(safe_name, addresses))
    rest = count - len(addresses)
    return tr("{places} and {count} more", places=places, count=rest) if rest else places


def _trail(hit: SearchHit) -> str:
    """Title of a document and the headings above a passage, without the one that repeats the title."""
    headings = [one_line(part) for part in hit.heading_path]
    title = one_line(hit.title)
    return " > ".join(headings if headings[:1] == [title] else [title, *headings])


def _heading(heading_path: Sequence[str], title: str) -> str:
    trail = [one_line(part) for part in heading_path] or [one_line(title)]
    return "§ " + " > ".join(trail)


def _shared(path: Sequence[str], other: Sequence[str]) -> int:
    """Number of headings that both paths begin with."""
    return len([*takewhile(lambda both: both[0] == both[1], zip(path, other, strict=False))])


def _describe_translation(page: Translation, hit: SearchHit) -> str:
    source = "" if page.source_id == hit.source_id else f"{page.source_id}:"
    return f"{one_line(page.lang)} {source}{safe_name(page.doc_path)}"


def _render_explanation(console: Console, hit: SearchHit) -> None:
    detail, evidence = hit.retrieval, hit.evidence
    if detail.lexical_rank is not None:
        console.line(
            f"{_INDENT}├ lexical (bm25)  {_rank_and_score(detail.lexical_rank, f'{detail.lexical_score:.2f}')}"
        )
    if detail.vector_score is not None:
        rank = "–" if detail.vector_rank is None else detail.vector_rank
        z_score = (
            "" if evidence.z_score is None else f"  {tr('z-score {value:+.2f}', value=evidence.z_score)}"
        )
        found = _rank_and_score(rank, f"{detail.vector_score:.4f}")
        console.line(f"{_INDENT}├ vector (cosine) {found}{z_score}")
    if detail.rerank_score is not None:
        score = tr("score {score}", score=f"{detail.rerank_score:.4f}")
        console.line(f"{_INDENT}├ {pad(tr('reranker'), 15)} {score}")
    console.line(f"{_INDENT}├ {hit.score_kind.value:15} {_rank_and_score(hit.rank, f'{hit.score:.2f}')}")
    signals = [
        tr("coverage {value:.2f}", value=evidence.coverage),
        f"bm25/self {evidence.bm25_ratio:.2f}",
    ]
    if evidence.similarity is not None and evidence.z_score is not None:
        signals.append(tr("similarity {value:.2f}", value=evidence.similarity))
        signals.append(tr("z-score {value:+.2f}", value=evidence.z_score))
    console.line(f"{_INDENT}├ {pad(tr('evidence'), 15)} {'  '.join(signals)}")
    ids = tr("chunk {chunk_id}  doc {doc_id}", chunk_id=hit.chunk_id, doc_id=hit.doc_id)
    console.line(f"{_INDENT}└ {hit.chunker_version}  {ids}")


def _rank_and_score(rank: int | str, score: str) -> str:
    return tr("rank {rank}  score {score}", rank=rank, score=score)


def _render_footer(console: Console, response: SearchResponse, app: App, *, explain: bool) -> None:
    coverage = response.coverage
    if response.no_hit_reason is not None:
        reason, advice = explain_nothing(response, app.find_near_values(response), app.loaded)
        if response.no_hit_reason is NoHitReason.INDEX_EMPTY and (copies := app.count_unindexed_copies()):
            files = count_of(copies, "file")
            reason = tr("{reason}, although copies of {files} are beside it", reason=reason, files=files)
            advice = "kebab doctor"
        documents = count_documents(coverage)
        console.line(tr("no hits: {reason} ({documents} searched)", reason=reason, documents=documents))
        show_hint(console, advice)
        if response.filtered_out_by:
            for text in describe_values(app, response.query.filters):
                show_hint(console, text)
    else:
        hits = count_of(len(response.hits), "hit")
        legs = coverage.legs
        mode = legs[0] if len(legs) == 1 else response.query.mode
        parts = [hits, mode.value, count_documents(coverage)]
        if explain:
            parts.append(response.hits[0].index_version)
        console.line(console.style("  ".join(parts), dim=True))
    for remark in list_remarks(coverage, app.loaded):
        console.line(console.style(f"{tr('note:')} {remark}", fg="yellow"))
    _render_paging(console, response)


def _render_paging(console: Console, response: SearchResponse) -> None:
    if response.truncated:
        cut = tr("snippets are shortened, or passages or hits left out, to stay within --max-tokens")
        console.line(console.style(f"{tr('note:')} {cut}", fg="yellow"))
    is_short = len(response.hits) < response.query.k
    is_paging = response.truncated or is_short or response.query.cursor is not None
    if is_paging and response.next_cursor is not None:
        console.line(f"{tr('more:')} --cursor {response.next_cursor}")


def render_trace(console: Console, trace: SearchTrace) -> None:
    """Print the trace of a search: terms, candidates of each leg, order, time."""
    _head(console, tr("terms"))
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
        tr(
            "trace time: lexical {lexical} ms, vector {vector} ms, fusion {fusion} ms, total {total} ms",
            lexical=timing.lexical_ms,
            vector=timing.vector_ms,
            fusion=timing.fusion_ms,
            total=timing.total_ms,
        )
    )
    if timing.rerank_ms is not None:
        console.line(tr("trace time: reranker {rerank} ms", rerank=timing.rerank_ms))


def _describe_omission(term: TraceTerm) -> str:
    if term.left_out is None:
        return tr("not searched")
    return localize(_OMISSIONS[term.left_out])


def _render_leg(console: Console, name: str, candidates: Sequence[TraceCandidate]) -> None:
    _head(console, name)
    for candidate in candidates[:SHOWN_ROWS]:
        place = f"{candidate.chunk_id[:8]}  {_place(candidate)}"
        console.line(f"  {candidate.rank:3}. {_scores(candidate)}  {place}")
    render_rest(console, len(candidates))


def _scores(candidate: TraceCandidate) -> str:
    """Scores of a candidate, first the one that the leg ranks by: cosines of different scripts do not compare, margins do."""
    if candidate.z_score is None:
        return f"{candidate.score:7.2f}"
    return tr(
        "z-score {z_score:+6.2f}  cosine {cosine:.4f}", z_score=candidate.z_score, cosine=candidate.score
    )


def _render_order(console: Console, trace: SearchTrace) -> None:
    _head(console, tr("order"))
    places = {found.chunk_id: _place(found) for found in (*trace.vector, *trace.lexical)}
    for place, fused in enumerate(trace.rrf_inputs[:SHOWN_ROWS], start=1):
        where = places.get(fused.chunk_id, "")
        hit = f"  {tr('of hit {rank}', rank=fused.hit_rank)}" if fused.hit_rank not in {None, place} else ""
        console.line(
            f"  {place:3}. {fused.fusion_score:7.2f}  {fused.chunk_id[:8]}  {where}  ({_ranks(fused)}){hit}"
        )
    render_rest(console, len(trace.rrf_inputs))


def _place(candidate: TraceCandidate) -> str:
    """Place of a chunk, as in hits."""
    source = "" if candidate.source_id in {None, "default"} else f"{candidate.source_id}:"
    return source + safe_name(candidate.doc_path)


def _ranks(fused: FusionInput) -> str:
    ranks = (("lexical", fused.lexical_rank), ("vector", fused.vector_rank))
    named = [f"{name} {rank}" for name, rank in ranks if rank is not None]
    return ", ".join([
        *named,
        *([] if fused.rerank_score is None else [f"{tr('reranker')} {fused.rerank_score:.4f}"]),
    ])


def _head(console: Console, name: str) -> None:
    console.line(console.style(tr("trace {part}:", part=name), dim=True))


def format_place(citation: Citation) -> str:
    """Format the address of a citation for a terminal; of source code as compilers and editors do, `path:9-14`."""
    if isinstance(citation, CodeCitation):
        return safe_name(format_address(citation.source_id, citation.path)) + _code_lines(citation)
    return safe_name(citation.to_place())


def _fragment(citation: Citation) -> str:
    """Return the fragment of an address, the part after `#`, or the lines of source code."""
    if isinstance(citation, CodeCitation):
        return _code_lines(citation)
    before = len(format_address(citation.source_id, citation.path, "x")) - 1
    return safe_name(citation.to_place()[before:])


def _code_lines(citation: CodeCitation) -> str:
    first, last = citation.line_start, citation.line_end
    return f":{first}" if first == last else f":{first}-{last}"


def link_place(console: Console, citation: Citation, app: App) -> str:
    """Format a citation for reading, clickable on a terminal, with where the text is from.

    Args:
        console: Of the command.
        citation: The citation.
        app: Knows where files lie, and what a click opens (`search.link_template`).
    """
    place = _link(console, console.style(format_place(citation), fg="cyan"), citation, app)
    origin = say_origin(citation)
    return f"{place}  {console.style(localize(origin), fg='yellow')}" if origin else place


def _link(console: Console, text: str, citation: Citation, app: App) -> str:
    """Make text clickable on a terminal: it opens the place of a citation, or the file that holds what is cited."""
    file = app.find_file(citation.source_id, citation.path) if console.terminal else None
    if file is None:
        return text
    from kebab_app import find_holder

    if (holder := find_holder(app.base, citation.source_id, citation.path)) is not None:
        return console.link(text, holder.as_uri())
    settings = app.loaded.settings.search
    if (
        isinstance(citation, PageCitation | RegionCitation | CaptionCitation)
        and citation.page
        and file.suffix.lower() == ".pdf"
    ):
        from kebab_app import page_link

        return console.link(text, page_link(settings.viewer, file, citation.page))
    target = file.as_uri()
    if isinstance(citation, LineCitation | CodeCitation) and app.has_file_lines(
        citation.source_id, citation.path
    ):
        target = settings.link_template.format(path=quote(bytes(file)), line=_first_line(citation))
    return console.link(text, target)


def _first_line(citation: LineCitation | CodeCitation) -> int:
    return citation.start if isinstance(citation, LineCitation) else citation.line_start


def passage_lines(
    console: Console, text: str, matched: Sequence[MatchedRange], *, indent: int, is_code: bool = False
) -> Iterator[str]:
    """Lay a passage out in lines; on a terminal wrapped to its width, with the matches in colour.

    Args:
        console: Of the command.
        text: Of a document, safe or not.
        matched: Ranges of it in code points, half open.
        indent: Columns in front of each line, which the caller prints.
        is_code: Whether every line is one of its own.

    Yields:
        The lines, without blank ones.
    """
    shown = safe(text) if is_code else _join_paragraphs(_EMPTY_ITEM.sub("…", safe(text)))
    bar = console.style(_BAR, dim=True)
    if not console.terminal:
        yield from (f"{_BAR}{line.rstrip()}" for line in shown.split("\n") if line.strip())
        return
    from rich.text import Text

    styled = Text(shown.replace("\t", " "), no_wrap=False)
    for match in matched:
        styled.stylize("bold red" if console.color else "bold", match.start, match.end)
    for line in styled.split("\n"):
        if line.plain.strip():
            yield from (f"{bar}{part}" for part in _wrap(console, line, console.width - indent - len(_BAR)))


def _join_paragraphs(text: str) -> str:
    """Replace the line ends inside of paragraphs by spaces, one by one, so that ranges of the text stay the same."""
    lines = text.split("\n")
    joined = lines[0]
    for before, line in pairwise(lines):
        is_full = before.startswith(_CUT) or _count_columns(before) >= _SOFT_WRAP_COLUMNS
        is_row = before.startswith("|") or _CELLS in before
        goes_on = is_full and not is_row and not _CODE_END.search(before)
        joined += (" " if goes_on and not _STRUCTURE.match(line) else "\n") + line
    return joined


def _count_columns(line: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)


def _wrap(console: Console, line: Text, columns: int) -> Iterator[str]:
    """Wrap a line by the width of its letters.

    Yields:
        Its rows; each after the first is set below the first word of the line.
    """
    from rich.cells import cell_len
    from rich.console import Console as RichConsole

    rich = RichConsole(
        width=columns, force_terminal=True, highlight=False, no_color=not console.color, legacy_windows=False
    )
    line.rstrip()
    found = _HANGING.match(line.plain)
    hanging = found[0] if found is not None and 2 * cell_len(found[0]) < columns else ""
    first, body = line.divide([len(hanging)])
    for number, part in enumerate(body.wrap(rich, columns - cell_len(hanging))):
        part.rstrip()
        with rich.capture() as capture:
            rich.print(part, end="")
        yield (first.plain if number == 0 else " " * cell_len(hanging)) + capture.get()
