"""Fetched text: where it comes from, then the text and nothing else."""

from __future__ import annotations

from kebab_core import FetchResult, IndexedChunk

from kebab_cli.render import Console, safe


def render_fetch(console: Console, result: FetchResult) -> None:
    """Print what was fetched; remarks about it go to stderr, so that stdout can be piped."""
    document = result.document
    if result.stale:
        console.remark("note: this document may have changed on disk since it was indexed (kebab ingest)")
    if result.chunk is not None:
        for chunk in (*result.context_before, result.chunk, *result.context_after):
            _render_chunk(console, chunk, is_target=chunk is result.chunk)
        return
    if result.kind == "span":
        console.remark(f"[{safe(document.doc_path)} lines {result.line_start}-{result.effective_end}]")
        if result.effective_end is not None and result.effective_end < (result.line_start or 0):
            console.remark("note: the document has no such lines")
    if result.text:
        console.raw(result.text)
    if result.truncated:
        console.remark("note: cut at --max-tokens")


def _render_chunk(console: Console, found: IndexedChunk, *, is_target: bool) -> None:
    heading = " > ".join(found.chunk.heading_path)
    label = f"[{safe(found.document.doc_path)}{' § ' + safe(heading) if heading else ''}]"
    console.line(console.style(label, bold=is_target, dim=not is_target))
    console.raw(found.chunk.text)
    console.line()
