"""Readings of text in pictures: statistics, and failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import Message, format_address

from kebab_cli.language import tr
from kebab_cli.remedies import render_remedy
from kebab_cli.render import Console, count_of, safe, safe_name, show_hint

if TYPE_CHECKING:
    from kebab_app import ReadingStats
    from kebab_core import PictureReading


def render_ocr_stats(console: Console, stats: ReadingStats, *, limit: int) -> None:
    """Print the sums, then the slowest documents."""
    if not stats.pages:
        console.line(tr("no text in pictures was looked for yet"))
        show_hint(console, Message("kebab ocr"))
        return
    pages = count_of(stats.pages, "page or picture")
    console.line(
        tr(
            "{pages}, {failed} failed, {lines} lines of text",
            pages=pages,
            failed=stats.failed,
            lines=stats.lines,
        )
    )
    times = stats.percentiles_ms
    if times:
        console.line(
            tr(
                "CPU time a page: half within {half:.1f} s, nine tenths within {most:.1f} s, all within {all:.1f} s",
                half=times[50] / 1000,
                most=times[90] / 1000,
                all=times[100] / 1000,
            )
        )
    console.line(
        tr(
            "engines: {engines}",
            engines=", ".join(f"{name} {count}" for name, count in stats.by_engine.items()),
        )
    )
    for each in stats.documents[:limit]:
        text = tr(
            "{path}: {pages}, {seconds:.1f} s",
            path=safe_name(each.address),
            pages=count_of(each.pages, "page or picture"),
            seconds=each.ms / 1000,
        )
        console.line(f"  {text}")


def render_ocr_failures(console: Console, failures: Sequence[PictureReading], *, limit: int) -> None:
    """Print a line for each failure, with what to do."""
    if not failures:
        console.line(tr("no page or picture failed"))
        return
    for each in failures[:limit]:
        message = each.failure.message if each.failure else ""
        text = tr(
            "no text from {path}, page {page}: {reason}",
            path=safe_name(format_address(each.source_id, each.doc_path)),
            page=each.page,
            reason=safe(message),
        )
        console.line(text)
        if each.failure and each.failure.remedy:
            console.line(f"  {tr('hint:')} {safe(render_remedy(each.failure.remedy))}")
    if (more := len(failures) - limit) > 0:
        console.line(f"… {tr('and {count} more (--limit)', count=more)}")
    show_hint(console, Message("kebab ocr tries them again"))
