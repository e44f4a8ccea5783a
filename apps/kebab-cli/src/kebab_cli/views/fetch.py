"""Fetched text: where it comes from, then the text and nothing else."""

from __future__ import annotations

from kebab_core import FetchResult, IndexedChunk

from kebab_cli.render import Console, one_line, safe_name


def render_fetch(console: Console, result: FetchResult) -> None:
    """Print what was fetched; remarks about it go to stderr, so that stdout can be piped."""
    if result.stale:
        console.remark("note: this document may have changed on disk since it was indexed (kebab ingest)")
    if result.chunk is not None:
        for chunk in (*result.context_before, result.chunk, *result.context_after):
            _render_chunk(console, chunk, is_target=chunk is result.chunk)
    if result.kind == "span":
        _say_which_lines(console, result)
    if result.text:
        console.raw(result.text)
    if result.truncated:
        console.remark("note: cut at --max-tokens")


def _say_which_lines(console: Console, result: FetchResult) -> None:
    path, start, end = safe_name(result.document.doc_path), result.line_start or 0, result.effective_end or 0
    if end < start:
        console.remark(f"note: {path} has no line {start}")
    else:
        console.remark(f"[{path} lines {start}-{end}]")


def _render_chunk(console: Console, found: IndexedChunk, *, is_target: bool) -> None:
    heading = " > ".join(found.chunk.heading_path)
    label = f"[{safe_name(found.document.doc_path)}{' § ' + one_line(heading) if heading else ''}]"
    console.line(console.style(label, bold=is_target, dim=not is_target))
    console.raw(found.chunk.text)
    console.line()
