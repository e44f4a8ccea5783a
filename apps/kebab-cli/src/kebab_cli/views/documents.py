"""Listings and inspections."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import Block, CanonicalDocument, DocSummary, IndexedChunk

from kebab_cli.render import Console, one_line, safe, safe_name

_PREVIEW_CHARS = 70


def render_list(
    console: Console, summaries: Sequence[DocSummary], *, stale: Sequence[bool], is_narrowed: bool
) -> None:
    """Print id, title and path of each document, separated by tabs, and a mark on those that are stale."""
    for summary, is_stale in zip(summaries, stale, strict=True):
        source = "" if summary.source_id == "default" else f"{summary.source_id}:"
        path = source + safe_name(summary.doc_path)
        mark = [console.style("[stale]", fg="yellow")] if is_stale else []
        console.line("\t".join([summary.doc_id, one_line(summary.title), path, *mark]))
    if not summaries:
        none = "no document passes the filters" if is_narrowed else "there are no documents"
        console.remark(f"{none} ({'kebab list docs' if is_narrowed else 'kebab ingest'})")


def render_document(console: Console, document: CanonicalDocument) -> None:
    """Print a document's facts, its history, and its blocks one a line."""
    metadata = document.metadata
    _facts(
        console,
        {
            "document": document.doc_id,
            "path": safe_name(document.workspace_path),
            "source": document.source_id,
            "title": one_line(document.title),
            "language": document.lang,
            "type": metadata.source_type.value,
            "trust": metadata.trust_level.value,
            "tags": one_line(", ".join(metadata.tags)),
            "created": metadata.created_at.isoformat(),
            "updated": metadata.updated_at.isoformat(),
            "indexed": document.indexed_at.isoformat() if document.indexed_at else "",
            "version": str(document.doc_version),
            "parser": document.parser_version,
        },
    )
    console.line()
    for event in document.provenance.events:
        console.line(
            f"{event.at:%Y-%m-%d %H:%M:%S}  {event.agent}  {event.kind.value}  {safe(event.note or '')}"
        )
    console.line()
    for block in document.blocks:
        console.line(_block_line(block))


def render_chunk(console: Console, found: IndexedChunk) -> None:
    """Print a chunk's facts, then its text."""
    chunk = found.chunk
    _facts(
        console,
        {
            "chunk": chunk.chunk_id,
            "document": chunk.doc_id,
            "path": safe_name(found.document.doc_path),
            "position": str(chunk.ordinal),
            "heading": one_line(" > ".join(chunk.heading_path)),
            "spans": ", ".join(span.model_dump_json(exclude_none=True) for span in chunk.source_spans),
            "tokens": str(chunk.token_estimate),
            "chunker": f"{chunk.chunker_version} (policy {chunk.policy_hash})",
        },
    )
    console.line()
    console.raw(chunk.text)


def _facts(console: Console, facts: dict[str, str]) -> None:
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        if value:
            console.line(f"{console.style(name.ljust(width), dim=True)}  {value}")


def _block_line(block: Block) -> str:
    span = block.source_span.model_dump(exclude={"kind"}, exclude_none=True)
    place = "-".join(str(value) for value in list(span.values())[:2])
    text = next((getattr(block, f) for f in ("text", "code", "alt", "src") if getattr(block, f, None)), "")
    if block.kind == "list":
        text = " / ".join(item.text for item in block.items)
    if block.kind == "table":
        text = " | ".join(block.headers)
    flat = " ".join(safe(text).split())
    preview = flat if len(flat) <= _PREVIEW_CHARS else flat[: _PREVIEW_CHARS - 1] + "…"
    return f"{place:>11}  {block.kind:<9}  {preview}"
