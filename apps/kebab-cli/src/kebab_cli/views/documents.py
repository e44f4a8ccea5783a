"""Documents for people: listings, inspections, fetched text, and deletions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from kebab_core import Message, Moment, shown_address

from kebab_cli.language import localize, tr
from kebab_cli.render import Console, columns_of, count_of, one_line, pad, safe, safe_name, show_hint

if TYPE_CHECKING:
    from kebab_app import CallSearch, DocumentPage, ForgetPlan, FoundName, Grouping, RelatedDocuments
    from kebab_core import (
        Block,
        CanonicalDocument,
        ChunkEmbedding,
        FetchResult,
        IndexedChunk,
        NamedCount,
        TraceId,
    )
    from kebab_wire import ErasureReportV1


_PREVIEW_CHARS = 70
_LEAST_TITLE = 8
"""Columns; less of a title says nothing."""


def render_list(
    console: Console,
    page: DocumentPage,
    *,
    stale: Sequence[bool],
    is_narrowed: bool,
    brief: bool = False,
    dated: bool = False,
) -> None:
    """Print address and title of each document, separated by a tab, and a mark on those that are stale.

    Args:
        console: Of the command.
        page: The documents.
        stale: One for each of them.
        is_narrowed: Whether filters left documents out.
        brief: Print addresses alone.
        dated: Print the day of the last change first.
    """
    summaries = page.documents
    for rank, (summary, is_stale) in enumerate(zip(summaries, stale, strict=True), start=1):
        address = safe_name(summary.to_address())
        if brief:
            console.line(address)
            continue
        day = [f"{summary.updated_at.astimezone():%Y-%m-%d}"] if dated else []
        mark = [tr("[stale]")] if is_stale else []
        if console.terminal:
            before = "".join([f"{rank:3}. " if dated else "", *(f"{each}  " for each in day)])
            _row(
                console, before, address, one_line(summary.title), mark="".join(f"  {each}" for each in mark)
            )
        else:
            console.line("\t".join([*day, address, one_line(summary.title), *mark]))
    if not summaries:
        none = tr("no document passes the filters") if is_narrowed else tr("there are no documents")
        console.remark(f"{none} ({'kebab list docs' if is_narrowed else 'kebab ingest'})")
    elif page.next_cursor is not None:
        console.remark(
            tr(
                "{shown} of {total} documents; the next ones: --cursor {cursor}",
                shown=len(summaries),
                total=page.total,
                cursor=page.next_cursor,
            )
        )
    elif not brief:
        console.remark(count_of(len(summaries), "document"))


def _row(console: Console, before: str, address: str, title: str, *, mark: str = "") -> None:
    """Print a document: its address whole, since it is there to be copied, and as much of its title as fits."""
    from rich.cells import cell_len

    used = cell_len(f"{before}{address}  {mark}")
    is_room = not console.terminal or console.width - used >= _LEAST_TITLE
    shown = (
        f"  {console.style(console.fit(title, used=used, least=_LEAST_TITLE), dim=True)}" if is_room else ""
    )
    console.line(
        f"{before}{console.style(address, fg='cyan')}{shown}{console.style(mark, fg='yellow') if mark else ''}"
    )


_NONE_OF: Mapping[Grouping, Callable[[], str]] = {
    "tags": lambda: tr("there are no tags"),
    "folders": lambda: tr("there are no folders"),
    "sources": lambda: tr("there are no sources"),
}


def render_counts(console: Console, counts: Sequence[NamedCount], *, by: Grouping, brief: bool) -> None:
    """Print tags, folders or sources with their numbers of documents."""
    width = max((len(str(one.documents)) for one in counts), default=0)
    for one in counts:
        name = safe_name(one.name)
        console.line(name if brief else f"{one.documents:{width}}  {console.style(name, fg='cyan')}")
    if not counts:
        console.remark(f"{_NONE_OF[by]()} (kebab list docs)")


def render_names(console: Console, found: Sequence[FoundName], *, brief: bool) -> None:
    """Print documents that were found by name: rank, address, and the name where the address does not show it."""
    for rank, one in enumerate(found, start=1):
        address = safe_name(one.entry.to_address())
        if brief:
            console.line(address)
            continue
        names = dict.fromkeys([one.entry.title, one.name])
        shown = " · ".join(one_line(name) for name in names if name != one.entry.doc_path.stem)
        if shown and console.terminal:
            _row(console, f"{rank}. ", address, shown)
        else:
            console.line(f"{rank}. {console.style(address, fg='cyan')}{f'  {shown}' if shown else ''}")
    if not found:
        console.remark(tr("no document has such a name (kebab search searches the text)"))


_RELATIONS = {
    "links_to": Message("links to"),
    "linked_from": Message("linked from"),
    "called_by": Message("called by"),
    "calls": Message("calls, in this file"),
    "same_name": Message("definitions of the same name"),
    "tested_by": Message("tests of this name"),
    "similar": Message("similar"),
}


def render_related(console: Console, related: RelatedDocuments) -> None:
    """Print related documents by relation: rank, address, title, and the link or heading that relates them."""
    relation = None
    for rank, one in enumerate(related.documents, start=1):
        if one.relation != relation:
            relation = one.relation
            console.line(console.style(localize(_RELATIONS[relation]), bold=True))
        title = one_line(one.entry.title)
        reason = one_line(one.text)
        if one.similarity is not None:
            shown = f"§ {reason}  {one.similarity:.2f}" if reason else f"{one.similarity:.2f}"
        else:
            is_ours = one.line and one.relation == "links_to"
            shown = tr("line {line}: {text}", line=one.line, text=reason) if is_ours else reason
        _row(console, f"{rank:3}. ", safe_name(shown_address(one.address)), f"{title}  {shown}")
    listed = sum(one.relation == "linked_from" for one in related.documents)
    if related.linked_from_count > listed:
        more = related.linked_from_count - listed
        console.remark(tr("and {count} more that link to it (-k)", count=more))
    if related.call_search is not None:
        _remark_calls(console, related.call_search)
    if not related.documents:
        console.remark(tr("no document links to or from it, and none is similar"))
    if not related.has_vectors:
        _remark(console, Message("it has no vectors, so similar documents are not known (kebab embed)"))


def _remark_calls(console: Console, looked_at: CallSearch) -> None:
    """Tell where calls in other files were looked for."""
    shown = ", ".join(map(one_line, looked_at.names))
    told = Message(
        "calls are found by name ({names}), not resolved; {count} other file of the source with the name was read",
        plural="calls are found by name ({names}), not resolved; {count} other files of the source with the name were read",
        names=shown,
        count=looked_at.files,
    )
    _remark(console, told)
    if not looked_at.is_complete:
        _remark(
            console, Message("there may be more: only the most relevant passages with the name were read")
        )


def render_document(console: Console, document: CanonicalDocument) -> None:
    """Print a document's facts, its history, and its blocks one a line."""
    metadata = document.metadata
    _facts(
        console,
        {
            tr("document"): document.doc_id,
            tr("path"): safe_name(document.workspace_path),
            tr("source"): document.source_id,
            tr("title"): one_line(document.title),
            tr("language"): document.lang,
            tr("type"): metadata.source_type.value,
            tr("trust"): metadata.trust_level.value,
            tr("tags"): one_line(", ".join(metadata.tags)),
            tr("created"): Moment(metadata.created_at, seconds=True).to_local(),
            tr("updated"): Moment(metadata.updated_at, seconds=True).to_local(),
            tr("indexed"): Moment(document.indexed_at, seconds=True).to_local()
            if document.indexed_at
            else "",
            tr("version"): str(document.doc_version),
            tr("parser"): document.parser_version,
        },
    )
    console.line()
    for event in document.provenance.events:
        console.line(
            f"{Moment(event.at, seconds=True).to_local()}  {event.agent}  {event.kind.value}  {safe(event.note or '')}"
        )
    console.line()
    for block in document.blocks:
        console.line(_block_line(block))


def render_chunk(console: Console, found: IndexedChunk, embeddings: Sequence[ChunkEmbedding]) -> None:
    """Print a chunk's facts, then its text."""
    chunk = found.chunk
    _facts(
        console,
        {
            tr("chunk"): chunk.chunk_id,
            tr("document"): chunk.doc_id,
            tr("path"): safe_name(found.document.doc_path),
            tr("position"): str(chunk.ordinal),
            tr("heading"): one_line(" > ".join(chunk.heading_path)),
            tr("spans"): ", ".join(span.model_dump_json(exclude_none=True) for span in chunk.source_spans),
            tr("tokens"): str(chunk.token_estimate),
            tr("chunker"): tr(
                "{chunker} (policy {policy})", chunker=chunk.chunker_version, policy=chunk.policy_hash
            ),
            tr("vectors"): ", ".join(
                one_line(f"{model.model_id}@{model.model_version} ({model.dimensions}) {state.value}")
                for _, model, state in embeddings
            ),
        },
    )
    console.line()
    console.raw(chunk.text)


def _facts(console: Console, facts: dict[str, str]) -> None:
    width = max(map(columns_of, facts))
    for name, value in facts.items():
        if value:
            console.line(f"{console.style(pad(name, width), dim=True)}  {value}")


def _block_line(block: Block) -> str:
    span = block.source_span
    if span.kind == "page":
        place = f"p={span.page}"
    elif span.kind == "slide":
        place = f"slide={span.slide}"
    elif span.kind == "cells":
        place = safe_name(" ".join(filter(None, [span.sheet, span.cells])))
    elif span.kind == "caption":
        place = "caption" if span.page is None else f"caption&p={span.page}"
    else:
        place = "-".join(
            str(value) for value in list(span.model_dump(exclude={"kind"}, exclude_none=True).values())[:2]
        )
    text = next((getattr(block, f) for f in ("text", "code", "alt", "src") if getattr(block, f, None)), "")
    if block.kind == "image_ref" and block.caption is not None:
        text = block.caption.text
    if block.kind == "list":
        text = " / ".join(item.text for item in block.items)
    if block.kind == "table":
        text = " | ".join(block.headers)
    flat = " ".join(safe(text).split())
    preview = flat if len(flat) <= _PREVIEW_CHARS else flat[: _PREVIEW_CHARS - 1] + "…"
    return f"{place:>11}  {block.kind:<9}  {preview}"


def render_fetch(console: Console, result: FetchResult) -> None:
    """Print fetched text; remarks go to stderr, so that stdout can be piped."""
    if result.stale:
        _remark(
            console, Message("this document may have changed on disk since it was indexed (kebab ingest)")
        )
    if result.chunk is not None:
        for chunk in (*result.context_before, result.chunk, *result.context_after):
            _render_chunk(console, chunk, is_target=chunk is result.chunk)
    if result.kind == "span":
        _say_which_lines(console, result)
    elif result.kind in {"page", "slide", "cells", "time"} or result.total_parts:
        _say_which_part(console, result)
    if result.kind == "outline":
        _render_outline(console, result)
    _render_text(console, result)
    if result.truncated:
        text = Message("cut at --max-tokens")
        if result.next:
            flag = " --outline" if result.kind == "outline" else ""
            command = f"kebab fetch {quote(result.next)}{flag}"
            text = Message("cut at --max-tokens; go on with: {command}", command=command)
        _remark(console, text)


def _render_text(console: Console, result: FetchResult) -> None:
    """Print the text, below the names of the columns where it begins inside a table."""
    if result.header_row is not None:
        console.line(console.style(safe(result.header_row.text), dim=True))
        console.line(console.style("…", dim=True))
    if result.text:
        console.raw(result.text)


def _render_outline(console: Console, result: FetchResult) -> None:
    for heading in result.headings:
        lines = console.style(safe_name(heading.at), dim=True)
        console.line(f"{'  ' * (heading.level - 1)}{one_line(heading.text)}  {lines}")
    if not result.headings:
        _remark(console, Message("{path} has no headings", path=safe_name(result.document.doc_path)))


def _remark(console: Console, text: Message) -> None:
    console.remark(f"{tr('note:')} {localize(text)}")


def _say_which_lines(console: Console, result: FetchResult) -> None:
    path, start, end = (
        safe_name(result.document.to_address()),
        result.line_start or 0,
        result.effective_end or 0,
    )
    if end < start:
        _remark(console, Message("{path} has no line {line}", path=path, line=start))
    else:
        console.remark(f"[{localize(_lines_text(path, start, end, result.total_lines))}]")


def _lines_text(path: str, start: int, end: int, total: int | None) -> Message:
    if start == end and total is not None:
        return Message("{path} line {line} of {total}", path=path, line=start, total=total)
    if total is None:
        return Message("{path} lines {start}-{end}", path=path, start=start, end=end)
    return Message("{path} lines {start}-{end} of {total}", path=path, start=start, end=end, total=total)


def _say_which_part(console: Console, result: FetchResult) -> None:
    path = safe_name(result.document.to_address())
    from kebab_app import format_clock

    place = f"{format_clock(result.start_ms or 0)}-{format_clock(result.end_ms or 0)}"
    if result.kind == "page":
        place = tr("page {page}", page=result.page)
    elif result.kind == "slide":
        place = tr("slide {slide}", slide=result.slide)
    elif result.kind == "cells":
        place = " ".join(filter(None, [one_line(result.sheet or ""), result.cells]))
    elif result.kind == "doc":
        place = " - ".join(dict.fromkeys(safe_name(part) for part in result.parts))
    if not result.text:
        _remark(console, Message("{path} has no text on {place}", path=path, place=place))
    elif result.total_parts and result.kind != "cells":  # which sheet of how many says nothing about cells
        text = tr("{path} {place} of {total}", path=path, place=place, total=result.total_parts)
        console.remark(f"[{text}]")
    else:
        console.remark(f"[{path} {place}]")


def _render_chunk(console: Console, found: IndexedChunk, *, is_target: bool) -> None:
    heading = " > ".join(found.chunk.heading_path)
    label = f"[{safe_name(found.document.doc_path)}{' § ' + one_line(heading) if heading else ''}]"
    console.line(console.style(label, bold=is_target, dim=not is_target))
    console.raw(found.chunk.text)
    console.line()


def render_answer_plan(console: Console, trace_ids: Sequence[TraceId]) -> None:
    """Print answers that would be deleted."""
    for trace_id in trace_ids:
        console.remark(tr("will delete answer {id}", id=safe_name(trace_id)))


def render_forget_plan(console: Console, plan: ForgetPlan) -> None:
    """Print documents, copies and answers that would be deleted."""
    for tracked in plan.documents:
        path = safe_name(tracked.workspace_path)
        console.remark(tr("will remove from the index {path}", path=path))
    for copy in (*plan.copies, *plan.replaced):
        console.remark(tr("will delete {path}", path=safe_name(str(copy))))
    render_answer_plan(console, plan.answers)


def render_erasure(console: Console, report: ErasureReportV1) -> None:
    """Print deleted files, documents and answers."""
    for path in report.removed_paths:
        console.line(f"{tr('deleted') if report.trash_path is None else tr('moved')}  {safe_name(path)}")
    if report.trash_path is not None:
        console.line(f"{tr('to')}  {safe_name(report.trash_path)}")
        show_hint(console, Message("kebab forget --undo brings it back; after 30 days it is deleted"))
    for path in report.documents:
        console.line(f"{tr('removed from the index')}  {safe_name(path)}")
    if report.answers:
        console.line(f"{tr('deleted')}  {count_of(len(report.answers), 'answer')}")
    if report.sessions:
        console.line(f"{tr('deleted')}  {count_of(len(report.sessions), 'conversation')}")
    if not (report.removed_paths or report.documents or report.answers or report.sessions):
        console.line(tr("nothing to delete"))
    if not report.erased:
        _remark(console, Message("another process reads the index, so its log still holds deleted text"))
        later = tr("kebab ingest erases the rest, at the latest a day from now")
        console.remark(f"{tr('hint:')} {later}")
